//! Local work on column-major arrays: views of blocks, packing, and BLAS where the route says.

use std::ops::Range;

use affinimath::{Diag, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Scalar, Side, Triangle};

use crate::comm::Communicator;
use crate::error::Result;

/// Columns after which local work lets messages move.
const PROGRESS_COLUMNS: usize = 512;

/// A block to read of a column-major array with the leading dimension `ld`.
pub(super) fn block<'a, T: Scalar>(
    array: &'a [T],
    ld: usize,
    rows: &Range<usize>,
    columns: &Range<usize>,
) -> Result<MatrixRef<'a, T>> {
    Ok(MatrixRef::from_slice(array, shape(ld, rows, columns)?)?)
}

/// A block to write.
pub(super) fn block_mut<'a, T: Scalar>(
    array: &'a mut [T],
    ld: usize,
    rows: &Range<usize>,
    columns: &Range<usize>,
) -> Result<MatrixMut<'a, T>> {
    Ok(MatrixMut::from_slice(array, shape(ld, rows, columns)?)?)
}

fn shape(ld: usize, rows: &Range<usize>, columns: &Range<usize>) -> Result<MatrixShape> {
    let empty = rows.is_empty() || columns.is_empty();
    let offset = if empty { 0 } else { rows.start + columns.start * ld };
    Ok(MatrixShape::new(Layout::ColumnMajor, rows.len(), columns.len(), offset, ld)?)
}

/// A block's elements, column by column.
pub(super) fn pack<T: Scalar>(array: &[T], ld: usize, rows: &Range<usize>, columns: &Range<usize>) -> Vec<T> {
    let mut packed = Vec::with_capacity(rows.len() * columns.len());
    if rows.is_empty() {
        return packed;
    }
    for column in columns.clone() {
        packed.extend_from_slice(&array[column * ld + rows.start..column * ld + rows.end]);
    }
    packed
}

/// Puts packed elements back.
pub(super) fn unpack<T: Scalar>(packed: &[T], array: &mut [T], ld: usize, rows: &Range<usize>, columns: &Range<usize>) {
    if rows.is_empty() {
        return;
    }
    for (column, part) in columns.clone().zip(packed.chunks_exact(rows.len())) {
        array[column * ld + rows.start..column * ld + rows.end].copy_from_slice(part);
    }
}

/// A column-major matrix to read, with its leading dimension.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a, T> {
    pub array: &'a [T],
    pub ld: usize,
}

impl<'a, T: Scalar> Panel<'a, T> {
    /// A packed matrix of `rows` rows.
    pub(super) fn new(array: &'a [T], rows: usize) -> Self {
        Panel { array, ld: rows.max(1) }
    }
}

/// C(rows, columns) += alpha A(a_rows, depth) op(B), where op(B) is B(depth, b_columns), or for `op` that transposes
/// B(b_columns, depth). Messages move along after some columns.
#[allow(clippy::too_many_arguments, reason = "the operands of a product of blocks")]
pub(super) fn multiply<T: Scalar>(
    comm: &Communicator,
    alpha: T,
    (a, a_rows): (Panel<'_, T>, &Range<usize>),
    (b, op, b_columns): (Panel<'_, T>, Op, &Range<usize>),
    depth: &Range<usize>,
    (c, ld): (&mut [T], usize),
    (rows, columns): (&Range<usize>, &Range<usize>),
) -> Result<()> {
    if rows.is_empty() || columns.is_empty() || depth.is_empty() {
        return Ok(());
    }
    let mut first = 0;
    while first < columns.len() {
        let end = (first + PROGRESS_COLUMNS).min(columns.len());
        let part = b_columns.start + first..b_columns.start + end;
        let b = if op.transposes() { block(b.array, b.ld, &part, depth)? } else { block(b.array, b.ld, depth, &part)? };
        let target = block_mut(c, ld, rows, &(columns.start + first..columns.start + end))?;
        affinimath::gemm(Op::NoTrans, op, alpha, block(a.array, a.ld, a_rows, depth)?, b, T::ONE, target)?.wait()?;
        first = end;
        if comm.size() > 1 {
            comm.progress()?;
        }
    }
    Ok(())
}

/// Solves with a triangle: B(rows, columns) := op(A)^-1 B, or B op(A)^-1 on the right side.
pub(super) fn solve<T: Scalar>(
    (side, triangle, op, diag): (Side, Triangle, Op, Diag),
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    affinimath::trsm(side, triangle, op, diag, T::ONE, a, b)?.wait()?;
    Ok(())
}
