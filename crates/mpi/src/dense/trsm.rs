//! Triangular systems with many right-hand sides.

use std::ops::Range;

use affinimath::{Diag, Op, Scalar, Side, Triangle};

use super::blocks::{Panel, block, block_mut, multiply, pack, solve};
use super::gemm::{Region, check_grids, conforming, scale};
use super::matrix::DistMatrix;
use crate::comm::{Ring, Tag};
use crate::error::{Error, Result};
use crate::layout::{BlockCyclic, MatrixLayout};

/// Solves op(A) X = alpha B (left side) or X op(A) = alpha B, and puts X in the place of B: ScaLAPACK's pxTRSM.
///
/// B stays where it is for the left side. A triangle whose blocks do not fit B's, or which is transposed, is
/// redistributed first; for the right side B is too.
///
/// # Errors
/// [`Error::Argument`] if shapes or grids do not agree, [`Error::Mismatch`] if ranks disagree about an argument; B is
/// as it was then. Else the error of the rank that failed.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trsm")]
pub fn trsm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diag: Diag,
    alpha: T,
    a: &DistMatrix<T>,
    b: &mut DistMatrix<T>,
) -> Result<()> {
    let order = if side == Side::Left { b.rows() } else { b.columns() };
    let own = check_grids(&[a, b]).and_then(|()| {
        if (a.rows(), a.columns()) == (order, order) {
            return Ok(());
        }
        let rule = format!("A is {} x {}, and B asks for an order of {order}", a.rows(), a.columns());
        Err(Error::argument("sizes", rule))
    });
    let codes = [side.code(), triangle.code(), op.code(), diag.code()];
    let agreement = ["side", "uplo", "op", "diag"]
        .into_iter()
        .zip(codes)
        .fold(b.agreement("trsm").scalar("alpha", alpha), |all, (name, code)| all.integer(name, i64::from(code)));
    let grid = b.grid().clone();
    grid.agree(agreement, own)?;
    scale(b, Region::All, alpha);
    if alpha == T::ZERO || b.rows() == 0 || b.columns() == 0 {
        return Ok(()); // BLAS: A is not read.
    }
    if side == Side::Left {
        return left(triangle, op, diag, a, b);
    }
    // X op(A) = B is op(A)^T X^T = B^T.
    let (m, n) = (b.rows(), b.columns());
    let (mb, nb) = (b.layout().rows.block(), b.layout().columns.block());
    let mut turned = b.redistribute(Op::Trans, MatrixLayout::new(&grid, (n, m), (nb, mb))?)?;
    left(triangle, op.transposed(), diag, a, &mut turned)?;
    let solution = turned.redistribute(Op::Trans, *b.layout())?;
    b.copy_from(&solution, None);
    Ok(())
}

/// Solves op(A) X = B, on all ranks that have agreed.
pub(super) fn left<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diag: Diag,
    a: &DistMatrix<T>,
    b: &mut DistMatrix<T>,
) -> Result<()> {
    let grid = b.grid().clone();
    let rows = b.layout().rows;
    let columns = BlockCyclic::new(rows.length(), rows.block(), grid.columns(), 0)?;
    let fits = |layout: &MatrixLayout| layout.rows == rows && layout.columns.block() == rows.block();
    let a = conforming(a, op, fits, MatrixLayout { rows, columns })?;
    let triangle = if op.transposes() { triangle.transposed() } else { triangle };
    grid.together(|| solve_blocks(triangle, diag, &a, b))
}

/// Block substitution: the diagonal block's rows are solved and broadcast down the columns of ranks, and the panel of
/// A along their rows, one step ahead.
fn solve_blocks<T: Scalar>(triangle: Triangle, diag: Diag, a: &DistMatrix<T>, b: &mut DistMatrix<T>) -> Result<()> {
    let grid = b.grid().clone();
    let (rows, columns) = (a.layout().rows, a.layout().columns);
    let (order, nb) = (rows.length(), rows.block());
    let (local, n, ld) = (b.local_rows(), b.local_columns(), b.leading_dimension());
    let mut panels = Ring::new(grid.along_row(), Tag::RowPanel);
    let mut solutions = Ring::new(grid.along_column(), Tag::ColumnPanel);
    let mut blocks: Vec<Range<usize>> = (0..order).step_by(nb).map(|start| start..(start + nb).min(order)).collect();
    if triangle == Triangle::Upper {
        blocks.reverse();
    }
    // Local rows of the triangle in a block column.
    let part = |block: &Range<usize>| match triangle {
        Triangle::Lower => rows.local_from(grid.row(), block.start)..local,
        Triangle::Upper => 0..rows.local_from(grid.row(), block.end),
    };
    let start = |block: &Range<usize>, panels: &mut Ring<'_, T>| {
        let part = part(block);
        panels.start(columns.owner(block.start), part.len() * block.len(), || {
            let own = columns.local_range(grid.column(), block.clone());
            Ok(pack(a.local(), a.leading_dimension(), &part, &own))
        })
    };
    let mut next = blocks.first().map(|first| start(first, &mut panels)).transpose()?;
    for (index, range) in blocks.iter().enumerate() {
        let Some(panel) = next.take() else { break };
        if let Some(block) = blocks.get(index + 1) {
            next = Some(start(block, &mut panels)?);
        }
        let panel = panels.finish(panel)?;
        let (part, width) = (part(range), range.len());
        let own = rows.local_range(grid.row(), range.clone());
        let solution = solutions.broadcast(rows.owner(range.start), width * n, || {
            let diagonal = own.start - part.start..own.end - part.start;
            if n > 0 {
                let a = block(&panel, part.len().max(1), &diagonal, &(0..width))?;
                let target = block_mut(b.local_mut(), ld, &own, &(0..n))?;
                solve((Side::Left, triangle, Op::NoTrans, diag), a, target)?;
            }
            Ok(pack(b.local(), ld, &own, &(0..n)))
        })?;
        let rest = match triangle {
            Triangle::Lower => own.end..local,
            Triangle::Upper => 0..own.start,
        };
        let in_panel = rest.start - part.start..rest.end - part.start;
        let (left, right) = (Panel::new(&panel, part.len()), Panel::new(&solution, width));
        let minus = -T::ONE;
        let operands = ((left, &in_panel), (right, Op::NoTrans, &(0..n)));
        multiply(grid.all(), minus, operands.0, operands.1, &(0..width), (b.local_mut(), ld), (&rest, &(0..n)))?;
    }
    panels.flush()?;
    solutions.flush()
}
