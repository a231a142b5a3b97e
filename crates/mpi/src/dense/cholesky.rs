//! Cholesky factorisation: right-looking by block columns (ScaLAPACK's pxPOTRF), with a look-ahead of one panel.

use std::ops::Range;
use std::rc::Rc;

use affinimath::{Diag, Op, Scalar, Side, Triangle};

use super::blocks::{Panel, block, block_mut, multiply, pack, solve, unpack};
use super::gemm::check_grids;
use super::matrix::DistMatrix;
use super::trsm;
use crate::comm::{Ring, Tag};
use crate::error::{Error, Result};
use crate::layout::{BlockCyclic, MatrixLayout};

/// A = L L^H or U^H U, the factor in the place of its triangle of A; the other triangle is neither read nor changed.
///
/// A lower triangle in square blocks is factorised where it lies. Another one takes memory for a copy.
///
/// # Errors
/// [`Error::NotPositiveDefinite`] with the order of the leading minor, [`Error::Argument`] if A is not square,
/// [`Error::Mismatch`] if ranks disagree; else the error of the rank that failed.
pub fn potrf<T: Scalar>(triangle: Triangle, a: &mut DistMatrix<T>) -> Result<()> {
    let own = check_square(a);
    let agreement = a.agreement("potrf").integer("uplo", i64::from(triangle.code()));
    let grid = a.grid().clone();
    grid.agree(agreement, own)?;
    let layout = *a.layout();
    if triangle == Triangle::Lower && layout.rows.block() == layout.columns.block() {
        return grid.together(|| factor(a)).and_then(info);
    }
    // U^H of the upper triangle is L. The copy is in square blocks.
    let block = layout.rows.block().min(layout.columns.block());
    let square = MatrixLayout::new(&grid, layout.shape(), (block, block))?;
    let op = if triangle == Triangle::Lower { Op::NoTrans } else { Op::ConjTrans };
    let mut copy = a.redistribute(op, square)?;
    let found = grid.together(|| factor(&mut copy))?;
    let back = copy.redistribute(op, layout)?;
    a.copy_from(&back, Some(triangle));
    info(found)
}

/// Solves A X = B with the factor of [`potrf`], and puts X in the place of B.
///
/// # Errors
/// Those of [`trsm()`].
pub fn potrs<T: Scalar>(triangle: Triangle, factor: &DistMatrix<T>, b: &mut DistMatrix<T>) -> Result<()> {
    let ops = match triangle {
        Triangle::Lower => [Op::NoTrans, Op::ConjTrans],
        Triangle::Upper => [Op::ConjTrans, Op::NoTrans],
    };
    ops.into_iter().try_for_each(|op| trsm::trsm(Side::Left, triangle, op, Diag::NonUnit, T::ONE, factor, b))
}

/// Solves A X = B for a positive definite A: the factor in the place of A's triangle, and X in that of B.
///
/// # Errors
/// Those of [`potrf`] and [`potrs`]. B is as it was if the factorisation ends early.
pub fn posv<T: Scalar>(triangle: Triangle, a: &mut DistMatrix<T>, b: &mut DistMatrix<T>) -> Result<()> {
    let own = check_grids(&[a, b]).and_then(|()| check_right_side(a, b));
    b.grid().clone().agree(b.agreement("posv").integer("uplo", i64::from(triangle.code())), own)?;
    potrf(triangle, a)?;
    potrs(triangle, a, b)
}

/// Checks that A is square.
pub(super) fn check_square<T>(a: &DistMatrix<T>) -> Result<()> {
    if a.rows() == a.columns() {
        return Ok(());
    }
    Err(Error::argument("A", format!("it is {} x {}, and should be square", a.rows(), a.columns())))
}

/// Checks that B has A's rows.
pub(super) fn check_right_side<T>(a: &DistMatrix<T>, b: &DistMatrix<T>) -> Result<()> {
    check_square(a)?;
    if a.rows() == b.rows() {
        return Ok(());
    }
    Err(Error::argument("B", format!("it has {} rows, and A has {}", b.rows(), a.rows())))
}

fn info(index: usize) -> Result<()> {
    if index == 0 { Ok(()) } else { Err(Error::NotPositiveDefinite { index }) }
}

/// A panel of the factor on its way along a row of ranks.
struct PanelStep {
    range: Range<usize>,
    /// Local rows from the diagonal block on.
    rows: Range<usize>,
}

/// Factorises the lower triangle of a matrix in square blocks. The result is LAPACK's info.
fn factor<T: Scalar>(a: &mut DistMatrix<T>) -> Result<usize> {
    let grid = a.grid().clone();
    let (rows, columns) = (a.layout().rows, a.layout().columns);
    let (n, nb) = (rows.length(), rows.block());
    let mut ring = Ring::new(grid.along_row(), Tag::RowPanel);
    let mut infos = Ring::new(grid.along_row(), Tag::Pivots);
    let step = |start: usize| PanelStep {
        range: start..(start + nb).min(n),
        rows: rows.local_from(grid.row(), start)..rows.local_length(grid.row()),
    };
    let begin = |step: &PanelStep, a: &mut DistMatrix<T>, ring: &mut Ring<'_, T>, infos: &mut Ring<'_, i64>| {
        let root = columns.owner(step.range.start);
        let own = columns.local_range(grid.column(), step.range.clone());
        let mut found = 0;
        if grid.column() == root {
            found = factor_panel(a, step, &own)?;
        }
        let info = infos.start(root, 1, || Ok(vec![found as i64]))?;
        let panel = ring.start(root, step.rows.len() * step.range.len(), || {
            Ok(pack(a.local(), a.leading_dimension(), &step.rows, &own))
        })?;
        Ok::<_, Error>((info, panel))
    };
    let mut next = if n == 0 { None } else { Some(begin(&step(0), a, &mut ring, &mut infos)?) };
    let mut start = 0;
    let mut found = 0;
    while let Some((info, panel)) = next.take() {
        let current = step(start);
        found = infos.finish(info)?[0] as usize;
        let panel = ring.finish(panel)?;
        if found != 0 {
            break; // LAPACK: the factorisation ends at the first minor that is not positive definite.
        }
        let end = current.range.end;
        if end < n {
            let update = TrailingUpdate::new(a, &current, panel)?;
            let following = columns.local_range(grid.column(), end..(end + nb).min(n));
            update.apply(a, &following)?;
            next = Some(begin(&step(end), a, &mut ring, &mut infos)?);
            update.apply(a, &(following.end..a.local_columns()))?;
        }
        start = end;
    }
    ring.flush()?;
    infos.flush()?;
    Ok(found)
}

/// Factorises the diagonal block, and solves for the rows below, in the column of ranks that has the panel.
fn factor_panel<T: Scalar>(a: &mut DistMatrix<T>, step: &PanelStep, own: &Range<usize>) -> Result<usize> {
    let grid = a.grid().clone();
    let (layout, ld, width) = (*a.layout(), a.leading_dimension(), step.range.len());
    let root = layout.rows.owner(step.range.start);
    let mut factors = Ring::new(grid.along_column(), Tag::ColumnPanel);
    let diagonal = layout.rows.local_range(grid.row(), step.range.clone());
    // The triangle, and the info as one more element: orders of blocks are exact in all types.
    let factor = factors.broadcast(root, width * width + 1, || {
        let factored = affinimath::potrf(Triangle::Lower, block_mut(a.local_mut(), ld, &diagonal, own)?);
        let found = match factored {
            Ok(()) => 0,
            Err(affinimath::Error::NotPositiveDefinite { index }) => index,
            Err(error) => return Err(error.into()),
        };
        let mut message = pack(a.local(), ld, &diagonal, own);
        message.push(T::from_parts(found as f64, 0.0));
        Ok(message)
    })?;
    let found = factor[width * width].re() as usize;
    factors.flush()?;
    if found != 0 {
        return Ok(step.range.start + found);
    }
    let below = diagonal.end..step.rows.end;
    if !below.is_empty() {
        let triangle = block(&factor[..width * width], width, &(0..width), &(0..width))?;
        let target = block_mut(a.local_mut(), ld, &below, own)?;
        solve((Side::Right, Triangle::Lower, Op::ConjTrans, Diag::NonUnit), triangle, target)?;
    }
    Ok(0)
}

/// A22 -= L21 L21^H, with this rank's rows of L21, and those that belong to its columns.
struct TrailingUpdate<T> {
    rows: BlockCyclic,
    columns: BlockCyclic,
    /// Row and column of this rank.
    coordinates: (usize, usize),
    /// This rank's rows of the panel, from the diagonal block on.
    left: Rc<Vec<T>>,
    left_rows: Range<usize>,
    /// Rows of the panel with the numbers of this rank's columns after the panel.
    right: Vec<T>,
    right_columns: Range<usize>,
    width: usize,
}

impl<T: Scalar> TrailingUpdate<T> {
    /// Exchanges rows of the panel within a column of ranks: each has those of its own blocks.
    fn new(a: &DistMatrix<T>, step: &PanelStep, panel: Rc<Vec<T>>) -> Result<Self> {
        let grid = a.grid();
        let (rows, columns) = (a.layout().rows, a.layout().columns);
        let (width, end, n) = (step.range.len(), step.range.end, rows.length());
        let (row, column) = (grid.row(), grid.column());
        let ld = step.rows.len();
        // Blocks of this column of ranks, by the row of ranks that has the same block of rows.
        let blocks = |part: usize| {
            (end..n)
                .step_by(rows.block())
                .map(move |start| start..(start + rows.block()).min(n))
                .filter(move |range| columns.owner(range.start) == column && rows.owner(range.start) == part)
        };
        let mut mine = Vec::new();
        for range in blocks(row) {
            let local = rows.local_range(row, range);
            let local = local.start - step.rows.start..local.end - step.rows.start;
            mine.extend(pack(&panel, ld, &local, &(0..width)));
        }
        let length = |part: usize| blocks(part).map(|range| range.len() * width).sum::<usize>();
        let lengths: Vec<usize> = (0..grid.rows()).map(length).collect();
        let comm = grid.along_column();
        let mine = Rc::new(mine);
        let others: Vec<usize> = (0..grid.rows()).filter(|part| *part != row).collect();
        let mut receiving = Vec::new();
        for part in &others {
            receiving.push((*part, comm.receive(*part, Tag::Gather, lengths[*part])?));
        }
        let mut sending = Vec::new();
        for part in &others {
            sending.push(comm.send(*part, Tag::Gather, Rc::clone(&mine))?);
        }
        let right_columns = columns.local_from(column, end)..a.local_columns();
        let mut right = crate::comm::allocate(right_columns.len() * width, T::ZERO)?;
        let right_ld = right_columns.len();
        let mut take = |part: usize, message: &[T]| {
            let mut offset = 0;
            for range in blocks(part) {
                let local = columns.local_range(column, range.clone());
                let local = local.start - right_columns.start..local.end - right_columns.start;
                let length = range.len() * width;
                unpack(&message[offset..offset + length], &mut right, right_ld, &local, &(0..width));
                offset += length;
            }
        };
        take(row, &mine);
        for (part, message) in receiving {
            take(part, &message.wait()?);
        }
        for message in sending {
            message.wait()?;
        }
        let (left, left_rows) = (panel, step.rows.clone());
        Ok(TrailingUpdate { rows, columns, coordinates: (row, column), left, left_rows, right, right_columns, width })
    }

    /// Updates the lower triangle in a range of local columns, by recursive bisection: products of wide blocks.
    fn apply(&self, a: &mut DistMatrix<T>, own: &Range<usize>) -> Result<()> {
        if own.is_empty() {
            return Ok(());
        }
        let end = self.columns.global(self.coordinates.1, own.end - 1) + 1;
        self.bisect(a, own, self.rows.local_from(self.coordinates.0, end))?;
        let below = self.rows.local_from(self.coordinates.0, end)..a.local_rows();
        self.product(a, &below, own)
    }

    /// The rows before `row_end`, which is the first one after the last column's.
    fn bisect(&self, a: &mut DistMatrix<T>, own: &Range<usize>, row_end: usize) -> Result<()> {
        let nb = self.columns.block();
        let blocks = own.len().div_ceil(nb);
        if blocks > 1 {
            let middle = own.start + blocks / 2 * nb;
            let left_end = self.columns.global(self.coordinates.1, middle - 1) + 1;
            let left_end = self.rows.local_from(self.coordinates.0, left_end);
            self.bisect(a, &(own.start..middle), left_end)?;
            self.product(a, &(left_end..row_end), &(own.start..middle))?;
            return self.bisect(a, &(middle..own.end), row_end);
        }
        let start = self.columns.global(self.coordinates.1, own.start);
        let diagonal = self.rows.local_from(self.coordinates.0, start)..row_end;
        if diagonal.is_empty() {
            return Ok(());
        }
        let ld = a.leading_dimension();
        let left = diagonal.start - self.left_rows.start..diagonal.end - self.left_rows.start;
        let left = block(&self.left, self.left_rows.len(), &left, &(0..self.width))?;
        let target = block_mut(a.local_mut(), ld, &diagonal, own)?;
        let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
        affinimath::herk(Triangle::Lower, Op::NoTrans, real(-1.0), left, real(1.0), target)?.wait()?;
        Ok(())
    }

    fn product(&self, a: &mut DistMatrix<T>, rows: &Range<usize>, own: &Range<usize>) -> Result<()> {
        if rows.is_empty() || own.is_empty() {
            return Ok(());
        }
        let grid = a.grid().clone();
        let ld = a.leading_dimension();
        let left = rows.start - self.left_rows.start..rows.end - self.left_rows.start;
        let right = own.start - self.right_columns.start..own.end - self.right_columns.start;
        let panels = (Panel::new(&self.left, self.left_rows.len()), Panel::new(&self.right, self.right_columns.len()));
        let (left, right) = ((panels.0, &left), (panels.1, Op::ConjTrans, &right));
        multiply(grid.all(), -T::ONE, left, right, &(0..self.width), (a.local_mut(), ld), (rows, own))
    }
}
