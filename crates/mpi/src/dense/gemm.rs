//! Products of distributed matrices: SUMMA (van de Geijn and Watts 1997) with ring broadcasts and look-ahead.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use affinimath::{Op, Scalar, Triangle};

use super::blocks::{Panel, block, multiply, pack};
use super::matrix::DistMatrix;
use crate::comm::{Ring, Tag};
use crate::error::{Error, Result};
use crate::layout::{BlockCyclic, MatrixLayout};

/// Most columns of A that are sent at once.
const PANEL: usize = 512;

/// C := alpha op(A) op(B) + beta C for distributed matrices of one grid, in any layouts: ScaLAPACK's pxGEMM.
///
/// C stays where it is. An operand whose layout does not fit C's, or which is transposed, is redistributed first: that
/// takes memory for a copy of it.
///
/// # Errors
/// [`Error::Argument`] if shapes or grids do not agree, [`Error::Mismatch`] if ranks disagree about an argument; C is
/// as it was then. Else the error of the rank that failed.
pub fn gemm<T: Scalar>(
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: &DistMatrix<T>,
    b: &DistMatrix<T>,
    beta: T,
    c: &mut DistMatrix<T>,
) -> Result<()> {
    let k = if op_a.transposes() { a.rows() } else { a.columns() };
    let own = check_shapes(op_a, op_b, a, b, c);
    let agreement = c.agreement("gemm").size("k", k).scalar("alpha", alpha).scalar("beta", beta);
    let agreement = agreement.integer("op(A)", i64::from(op_a.code())).integer("op(B)", i64::from(op_b.code()));
    let grid = c.grid().clone();
    grid.agree(agreement, own)?;
    scale(c, Region::All, beta);
    if alpha == T::ZERO || k == 0 || c.rows() == 0 || c.columns() == 0 {
        return Ok(()); // BLAS: A and B are not read.
    }
    let (rows, columns) = (c.layout().rows, c.layout().columns);
    let (over_columns, over_rows) = depth_deals(c, k)?;
    let a = conforming(a, op_a, |layout| layout.rows == rows, MatrixLayout { rows, columns: over_columns })?;
    let b = conforming(b, op_b, |layout| layout.columns == columns, MatrixLayout { rows: over_rows, columns })?;
    grid.together(|| summa(alpha, &a, &b, c, Region::All))
}

/// Part of C that a product changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// All of it.
    All,
    /// A triangle with its diagonal, whose imaginary part becomes zero for `true`.
    Triangle(Triangle, bool),
}

/// Deals of k: over the columns of ranks for A, and over their rows for B.
pub(super) fn depth_deals<T>(c: &DistMatrix<T>, k: usize) -> Result<(BlockCyclic, BlockCyclic)> {
    let block = c.layout().columns.block();
    let grid = c.grid();
    Ok((BlockCyclic::new(k, block, grid.columns(), 0)?, BlockCyclic::new(k, block, grid.rows(), 0)?))
}

/// op(A) itself where its layout fits and nothing is transposed, else a copy in another layout.
pub(super) fn conforming<'a, T: Scalar>(
    a: &'a DistMatrix<T>,
    op: Op,
    fits: impl Fn(&MatrixLayout) -> bool,
    layout: MatrixLayout,
) -> Result<Cow<'a, DistMatrix<T>>> {
    let same = op == Op::NoTrans || (op == Op::ConjNoTrans && !T::KIND.is_complex());
    if same && fits(a.layout()) {
        return Ok(Cow::Borrowed(a));
    }
    Ok(Cow::Owned(a.redistribute(op, layout)?))
}

/// Checks that all operands of a call lie on one grid.
pub(super) fn check_grids<T>(matrices: &[&DistMatrix<T>]) -> Result<()> {
    if matrices.windows(2).all(|pair| pair[0].grid().is_same(pair[1].grid())) {
        Ok(())
    } else {
        Err(Error::argument("grid", "the operands lie on different grids"))
    }
}

fn check_shapes<T>(op_a: Op, op_b: Op, a: &DistMatrix<T>, b: &DistMatrix<T>, c: &DistMatrix<T>) -> Result<()> {
    check_grids(&[a, b, c])?;
    let turned = |op: Op, x: &DistMatrix<T>| match op.transposes() {
        true => (x.columns(), x.rows()),
        false => (x.rows(), x.columns()),
    };
    let ((m, k), (depth, n)) = (turned(op_a, a), turned(op_b, b));
    if (m, n) == (c.rows(), c.columns()) && k == depth {
        return Ok(());
    }
    let (rows, columns) = (c.rows(), c.columns());
    let rule = format!("op(A) is {m} x {k}, op(B) {depth} x {n} and C {rows} x {columns}");
    Err(Error::argument("sizes", rule))
}

/// C := beta C in a region. With beta = 0, C is not read.
pub(super) fn scale<T: Scalar>(c: &mut DistMatrix<T>, region: Region, beta: T) {
    let (rows, columns) = (c.local_rows(), c.local_columns());
    let (row, column) = (c.grid().row(), c.grid().column());
    let layout = *c.layout();
    let ld = c.leading_dimension();
    for local in 0..columns {
        let j = layout.columns.global(column, local);
        let range = match region {
            Region::All => 0..rows,
            Region::Triangle(Triangle::Lower, _) => layout.rows.local_from(row, j)..rows,
            Region::Triangle(Triangle::Upper, _) => 0..layout.rows.local_from(row, j + 1),
        };
        let target = &mut c.local_mut()[local * ld + range.start..local * ld + range.end];
        if beta == T::ZERO {
            target.fill(T::ZERO);
        } else if beta != T::ONE {
            target.iter_mut().for_each(|element| *element *= beta);
        }
        let real_diagonal = matches!(region, Region::Triangle(_, true)) && T::KIND.is_complex();
        if real_diagonal && layout.rows.owner(j) == row {
            let element = &mut c.local_mut()[local * ld + layout.rows.local(j)];
            *element = T::from_parts(element.re(), 0.0);
        }
    }
}

/// Ranges of k in which A's columns lie on one column of ranks, and B's rows on one row.
fn segments(a: &BlockCyclic, b: &BlockCyclic) -> Vec<Range<usize>> {
    let k = a.length();
    let alone = a.parts() == 1 && b.parts() == 1;
    let mut segments: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < k {
        let end = a.block_end(start).min(b.block_end(start));
        let end = if alone { k } else { end.min(start + PANEL) };
        match segments.last_mut() {
            // Neighbouring blocks of the same owners, as on a grid of one column.
            Some(last)
                if end - last.start <= PANEL
                    && a.owner(last.start) == a.owner(start)
                    && b.owner(last.start) == b.owner(start) =>
            {
                last.end = end;
            }
            _ => segments.push(start..end),
        }
        start = end;
    }
    segments
}

/// C += alpha A B in a region. A's rows are dealt as C's, and B's columns as C's.
pub(super) fn summa<T: Scalar>(
    alpha: T,
    a: &DistMatrix<T>,
    b: &DistMatrix<T>,
    c: &mut DistMatrix<T>,
    region: Region,
) -> Result<()> {
    let grid = c.grid().clone();
    let (m, n) = (c.local_rows(), c.local_columns());
    let (over_columns, over_rows) = (a.layout().columns, b.layout().rows);
    let mut rows_ring = Ring::new(grid.along_row(), Tag::RowPanel);
    let mut columns_ring = Ring::new(grid.along_column(), Tag::ColumnPanel);
    let segments = segments(&over_columns, &over_rows);
    let start = |segment: &Range<usize>, rows: &mut Ring<'_, T>, columns: &mut Ring<'_, T>| {
        let width = segment.len();
        let left = rows.start(over_columns.owner(segment.start), m * width, || {
            let part = over_columns.local_range(grid.column(), segment.clone());
            Ok(pack(a.local(), a.leading_dimension(), &(0..m), &part))
        })?;
        let right = columns.start(over_rows.owner(segment.start), width * n, || {
            let part = over_rows.local_range(grid.row(), segment.clone());
            Ok(pack(b.local(), b.leading_dimension(), &part, &(0..n)))
        })?;
        Ok::<_, Error>((left, right))
    };
    let mut next = segments.first().map(|first| start(first, &mut rows_ring, &mut columns_ring)).transpose()?;
    for (index, segment) in segments.iter().enumerate() {
        let Some((left, right)) = next.take() else { break };
        if let Some(segment) = segments.get(index + 1) {
            next = Some(start(segment, &mut rows_ring, &mut columns_ring)?);
        }
        let left: Rc<Vec<T>> = rows_ring.finish(left)?;
        let right = columns_ring.finish(right)?;
        let (left, right) = (Panel::new(&left, m), Panel::new(&right, segment.len()));
        update(alpha, left, right, segment.len(), c, region)?;
    }
    rows_ring.flush()?;
    columns_ring.flush()
}

/// C += alpha A B for this rank's rows of A and columns of B, in a region.
fn update<T: Scalar>(
    alpha: T,
    a: Panel<'_, T>,
    b: Panel<'_, T>,
    depth: usize,
    c: &mut DistMatrix<T>,
    region: Region,
) -> Result<()> {
    let grid = c.grid().clone();
    let (m, n, ld) = (c.local_rows(), c.local_columns(), c.leading_dimension());
    let layout = *c.layout();
    let depth = 0..depth;
    let Region::Triangle(triangle, real_diagonal) = region else {
        let target = (c.local_mut(), ld);
        let (a, b) = ((a, &(0..m)), (b, Op::NoTrans, &(0..n)));
        return multiply(grid.all(), alpha, a, b, &depth, target, (&(0..m), &(0..n)));
    };
    let mut first = 0;
    while first < n {
        let j = layout.columns.global(grid.column(), first);
        let end = layout.columns.block_end(j);
        let columns = first..first + (end - j);
        let diagonal = layout.rows.local_range(grid.row(), j..end.min(layout.rows.length()));
        let outside = match triangle {
            Triangle::Lower => diagonal.end..m,
            Triangle::Upper => 0..diagonal.start,
        };
        let (a_rows, b_columns) = ((a, &outside), (b, Op::NoTrans, &columns));
        multiply(grid.all(), alpha, a_rows, b_columns, &depth, (c.local_mut(), ld), (&outside, &columns))?;
        // The rows of the block's own range: computed in full, added in the triangle.
        if !diagonal.is_empty() {
            let (rows, width) = (diagonal.len(), columns.len());
            let mut product = vec![T::ZERO; rows * width];
            let target = super::blocks::block_mut(&mut product, rows, &(0..rows), &(0..width))?;
            let (a, b) = (block(a.array, a.ld, &diagonal, &depth)?, block(b.array, b.ld, &depth, &columns)?);
            affinimath::gemm(Op::NoTrans, Op::NoTrans, alpha, a, b, T::ZERO, target)?.wait()?;
            for (column, part) in columns.clone().zip(product.chunks_exact(rows)) {
                let j = layout.columns.global(grid.column(), column);
                for (row, value) in diagonal.clone().zip(part) {
                    let i = layout.rows.global(grid.row(), row);
                    let inside = if triangle == Triangle::Lower { i >= j } else { i <= j };
                    if inside {
                        let element = &mut c.local_mut()[column * ld + row];
                        *element += *value;
                        if i == j && real_diagonal {
                            *element = T::from_parts(element.re(), 0.0);
                        }
                    }
                }
            }
        }
        first = columns.end;
    }
    Ok(())
}
