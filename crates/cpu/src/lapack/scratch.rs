//! Copies of blocks in contiguous columns.

use faer::{MatMut, MatRef};

use super::lanes::Columns;
use affinimath_core::scalar::Scalar;

/// Memory for blocks of so many rows and columns, whose columns are contiguous.
///
/// They do not lie a multiple of 4 KiB apart, where they would contend for the same cache sets: so a matrix whose leading
/// dimension is a power of two is factorised as fast as others.
pub(super) struct Scratch<T> {
    memory: Vec<T>,
    leading: usize,
}

/// Elements between a column's end and the next one's start.
const PADDING: usize = 8;

impl<T: Scalar> Scratch<T> {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        let leading = rows.next_multiple_of(PADDING) + PADDING;
        Scratch { memory: vec![T::ZERO; leading * columns], leading }
    }

    /// A block of the memory's first rows and columns.
    pub(super) fn block(&mut self, rows: usize, columns: usize) -> MatMut<'_, T> {
        MatMut::from_column_major_slice_with_stride_mut(&mut self.memory, rows, columns, self.leading)
    }

    /// The same to read.
    pub(super) fn block_ref(&self, rows: usize, columns: usize) -> MatRef<'_, T> {
        MatRef::from_column_major_slice_with_stride(&self.memory, rows, columns, self.leading)
    }
}

/// The columns of a matrix in which they are contiguous.
pub(super) fn columns<T: Scalar>(a: &mut MatMut<'_, T>) -> Columns<T> {
    debug_assert!(a.row_stride() == 1 || a.nrows() <= 1);
    Columns { start: a.as_ptr_mut(), stride: a.col_stride().unsigned_abs() }
}

/// Whether the columns of a matrix are contiguous, one after another in memory.
pub(super) fn by_columns<T>(a: &MatMut<'_, T>) -> bool {
    (a.row_stride() == 1 || a.nrows() <= 1) && a.col_stride() >= 0
}

/// Copies the diagonal and what is below it.
pub(super) fn copy_lower<T: Scalar>(mut to: MatMut<'_, T>, from: MatRef<'_, T>) {
    for j in 0..from.ncols() {
        for i in j..from.nrows() {
            to[(i, j)] = from[(i, j)];
        }
    }
}

/// Calls `work` with the columns of a square matrix of which only the lower triangle is read and written: its own where they
/// are contiguous, else those of a copy.
pub(super) fn with_lower<T: Scalar, R>(mut a: MatMut<'_, T>, work: impl FnOnce(Columns<T>) -> R) -> R {
    if by_columns(&a) {
        return work(columns(&mut a));
    }
    let n = a.nrows();
    let mut scratch = Scratch::new(n, n);
    copy_lower(scratch.block(n, n), a.as_ref());
    let result = work(columns(&mut scratch.block(n, n)));
    copy_lower(a, scratch.block_ref(n, n));
    result
}
