//! Copies of blocks in contiguous columns.

use faer::{MatMut, MatRef};

use super::lanes::Columns;
use affinimath_core::scalar::Scalar;

/// Workspace for a matrix with contiguous columns.
///
/// Columns are never a multiple of 4 KiB apart, where they would contend for the same cache sets. A matrix with a power
/// of two as leading dimension is thus factorised as fast as others.
pub(super) struct Workspace<T> {
    memory: Vec<T>,
    leading: usize,
}

/// Elements between a column's end and the next one's start.
const PADDING: usize = 8;

impl<T: Scalar> Workspace<T> {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        let leading = rows.next_multiple_of(PADDING) + PADDING;
        Workspace { memory: vec![T::ZERO; leading * columns], leading }
    }

    /// A block of the memory's first rows and columns.
    pub(super) fn block(&mut self, rows: usize, columns: usize) -> MatMut<'_, T> {
        MatMut::from_column_major_slice_with_stride_mut(&mut self.memory, rows, columns, self.leading)
    }

    /// Its columns.
    fn columns(&mut self) -> Columns<T> {
        Columns { start: self.memory.as_mut_ptr(), stride: self.leading }
    }

    /// A read-only view of the block.
    pub(super) fn block_ref(&self, rows: usize, columns: usize) -> MatRef<'_, T> {
        MatRef::from_column_major_slice_with_stride(&self.memory, rows, columns, self.leading)
    }
}

/// The columns of a matrix in which they are contiguous.
pub(super) fn columns<T: Scalar>(a: &mut MatMut<'_, T>) -> Columns<T> {
    debug_assert!(a.row_stride() == 1 || a.nrows() <= 1);
    Columns { start: a.as_ptr_mut(), stride: a.col_stride().unsigned_abs() }
}

/// True if columns are contiguous and in ascending order.
pub(super) fn by_columns<T>(a: &MatMut<'_, T>) -> bool {
    (a.row_stride() == 1 || a.nrows() <= 1) && a.col_stride() >= 0
}

/// Copies the diagonal and the elements below it.
pub(super) fn copy_lower<T: Scalar>(mut to: MatMut<'_, T>, from: MatRef<'_, T>) {
    for j in 0..from.ncols() {
        for i in j..from.nrows() {
            to[(i, j)] = from[(i, j)];
        }
    }
}

/// Calls `work` with the columns of a square matrix, of which it reads and writes only the lower triangle: its own
/// columns if they are contiguous, else a copy's.
pub(super) fn with_lower<T: Scalar, R>(mut a: MatMut<'_, T>, work: impl FnOnce(Columns<T>) -> R) -> R {
    if by_columns(&a) {
        return work(columns(&mut a));
    }
    let n = a.nrows();
    let mut workspace = Workspace::new(n, n);
    copy_lower(workspace.block(n, n), a.as_ref());
    let result = work(columns(&mut workspace.block(n, n)));
    copy_lower(a, workspace.block_ref(n, n));
    result
}

/// Calls `work` with the columns of a matrix: its own if they are contiguous, else a copy's.
pub(super) fn with_columns<T: Scalar, R>(mut a: MatMut<'_, T>, work: impl FnOnce(Columns<T>) -> R) -> R {
    if by_columns(&a) {
        return work(columns(&mut a));
    }
    let mut copy = copied(a.as_ref());
    let result = work(copy.columns());
    a.copy_from(copy.block_ref(a.nrows(), a.ncols()));
    result
}

/// Calls `work` with the columns of a matrix that is read: its own if they are contiguous, else a copy's.
pub(super) fn with_columns_of<T: Scalar, R>(a: MatRef<'_, T>, work: impl FnOnce(Columns<T>) -> R) -> R {
    if (a.row_stride() == 1 || a.nrows() <= 1) && a.col_stride() >= 0 {
        return work(Columns { start: a.as_ptr().cast_mut(), stride: a.col_stride().unsigned_abs() });
    }
    work(copied(a).columns())
}

/// A copy with contiguous columns.
fn copied<T: Scalar>(a: MatRef<'_, T>) -> Workspace<T> {
    let mut copy = Workspace::new(a.nrows(), a.ncols());
    copy.block(a.nrows(), a.ncols()).copy_from(a);
    copy
}
