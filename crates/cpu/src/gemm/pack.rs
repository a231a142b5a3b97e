//! Contiguous copies of strided operands.

use affinimath_macros::instances;
use std::cell::RefCell;

use faer::{Col, ColRef, Mat, MatMut, MatRef};
use rayon::prelude::*;

use crate::threads::shared;
use affinimath_core::{Complex64, Scalar};

/// A column in contiguous memory.
pub(super) fn contiguous_column<T: Scalar>(column: ColRef<'_, T>) -> Col<T> {
    Col::from_fn(column.nrows(), |row| column[row])
}

/// A copy of a matrix in the same layout.
#[instances]
pub(crate) fn copy_of<T: Scalar>(matrix: MatRef<'_, T>) -> Copied<T> {
    let by_rows = matrix.col_stride() == 1 && matrix.row_stride() != 1;
    let source = if by_rows { matrix.transpose() } else { matrix };
    let mut columns = Mat::zeros(source.nrows(), source.ncols());
    copy_tiled(source, columns.as_mut());
    Copied { columns, by_rows }
}

/// A copied matrix, or its transpose.
pub(crate) struct Copied<T> {
    columns: Mat<T>,
    by_rows: bool,
}

impl<T: Scalar> Copied<T> {
    pub(crate) fn as_ref(&self) -> MatRef<'_, T> {
        if self.by_rows { self.columns.as_ref().transpose() } else { self.columns.as_ref() }
    }
}

/// Padding of each packed column in elements: columns of 512 elements would be a multiple of 4 KiB apart and contend
/// for the same cache sets.
const PADDING: usize = 8;

thread_local! {
    /// Thread-local memory of a panel, cached across calls: fresh memory costs a page fault per 4 KiB. `Complex64` has
    /// the alignment of all four types.
    static PANEL: RefCell<Vec<Complex64>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with a copy of `source` with contiguous columns, or with `source` itself if there is no memory.
pub(crate) fn with_panel<T: Scalar>(source: MatRef<'_, T>, threads: usize, work: impl FnOnce(MatRef<'_, T>)) {
    let leading = source.nrows() + PADDING;
    with_memory(leading * source.ncols(), |memory| match memory {
        None => work(source),
        Some(panel) => {
            fill(source, panel, leading, threads);
            work(MatRef::from_column_major_slice_with_stride(panel, source.nrows(), source.ncols(), leading));
        }
    });
}

/// Calls `work` with a column-major square matrix of undefined values, or `None` if there is no memory.
pub(crate) fn with_square<T: Scalar>(order: usize, work: impl FnOnce(Option<MatMut<'_, T>>)) {
    let leading = order + PADDING;
    with_memory(leading * order, |memory| {
        work(memory.map(|memory| MatMut::from_column_major_slice_with_stride_mut(memory, order, order, leading)));
    });
}

/// Calls `work` with `elements` elements of thread-local memory, or `None`.
fn with_memory<T: Scalar>(elements: usize, work: impl FnOnce(Option<&mut [T]>)) {
    // Taken, not borrowed: a thread that waits inside a product may be given another product to compute.
    let mut memory = PANEL.take();
    let needed = (elements * size_of::<T>()).div_ceil(size_of::<Complex64>());
    let missing = needed.saturating_sub(memory.len());
    if memory.try_reserve_exact(missing).is_err() {
        return work(None);
    }
    if missing > 0 {
        memory.resize(needed, Complex64::ZERO);
    }
    // SAFETY: the memory holds at least `elements` of T, is aligned for Complex64, hence for T, and is initialised.
    // Every bit pattern is a valid T, which is a float or a pair of them.
    let slice = unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<T>(), elements) };
    work(Some(slice));
    PANEL.set(memory);
}

/// Columns that one task copies.
const TASK_COLUMNS: usize = 64;

fn fill<T: Scalar>(source: MatRef<'_, T>, panel: &mut [T], leading: usize, threads: usize) {
    let copy = |(task, part): (usize, &mut [T])| {
        let columns = part.len() / leading;
        let to = MatMut::from_column_major_slice_with_stride_mut(part, source.nrows(), columns, leading);
        copy_tiled(source.subcols(task * TASK_COLUMNS, columns), to);
    };
    let parts = leading * TASK_COLUMNS;
    if threads == 1 {
        panel.chunks_mut(parts).enumerate().for_each(copy);
    } else {
        shared(|| panel.par_chunks_mut(parts).enumerate().for_each(copy));
    }
}

/// Rows and columns of a tile: one cache line of doubles in both directions, so that each line is fetched once.
const TILE: usize = 8;

/// Copies by columns; if the contiguous directions differ, by square tiles.
#[instances]
pub(crate) fn copy_tiled<T: Scalar>(from: MatRef<'_, T>, mut to: MatMut<'_, T>) {
    let (rows, columns) = (from.nrows(), from.ncols());
    if from.row_stride() == 1 && to.row_stride() == 1 {
        for (to, from) in to.col_iter_mut().zip(from.col_iter()) {
            // SAFETY: both columns have `rows` contiguous elements, and the copy is exclusive.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr_mut(), rows) };
        }
        return;
    }
    for top in (0..rows).step_by(TILE) {
        let height = TILE.min(rows - top);
        for left in (0..columns).step_by(TILE) {
            let width = TILE.min(columns - left);
            let from = from.submatrix(top, left, height, width);
            let to = to.as_mut().submatrix_mut(top, left, height, width);
            let (source, target) = (from.as_ptr(), to.as_ptr_mut());
            for column in 0..width as isize {
                for row in 0..height as isize {
                    // SAFETY: the element is one of the tile's, which both matrices have.
                    unsafe {
                        let element = *source.offset(row * from.row_stride() + column * from.col_stride());
                        *target.offset(row * to.row_stride() + column * to.col_stride()) = element;
                    }
                }
            }
        }
    }
}
