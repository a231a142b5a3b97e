//! Right-hand sides in groups of columns. A recurrence over the rows is as long as its latency; several columns in one
//! pass overlap theirs, and read the factors once.

use faer::MatMut;

use crate::threads::{available, for_each};
use affinimath_core::scalar::Scalar;

/// Columns of the widest group.
pub(super) const WIDTH: usize = 8;

/// Minimum elements of right-hand sides for which a second thread is worth waking.
const PARALLEL_WORK: usize = 1 << 15;

/// K adjacent columns of a matrix.
#[derive(Clone, Copy)]
pub(super) struct Group<T, const K: usize> {
    start: *mut T,
    row_stride: isize,
    column_stride: isize,
}

impl<T: Scalar, const K: usize> Group<T, K> {
    /// Row i.
    ///
    /// # Safety
    /// The matrix must have a row i, which no other thread writes.
    #[inline(always)]
    pub(super) unsafe fn row(&self, i: usize) -> [T; K] {
        let row = self.start.wrapping_offset(i as isize * self.row_stride);
        // SAFETY: the row is in the matrix, by this function's contract, and so are the group's columns.
        std::array::from_fn(|k| unsafe { row.wrapping_offset(k as isize * self.column_stride).read() })
    }

    /// Writes row i.
    ///
    /// # Safety
    /// The matrix must have a row i, which no other thread accesses.
    #[inline(always)]
    pub(super) unsafe fn set_row(&self, i: usize, values: [T; K]) {
        let row = self.start.wrapping_offset(i as isize * self.row_stride);
        for (k, value) in values.into_iter().enumerate() {
            // SAFETY: the row is in the matrix, by this function's contract, and so are the group's columns.
            unsafe { row.wrapping_offset(k as isize * self.column_stride).write(value) };
        }
    }
}

/// Work on groups of columns, independent of each other.
pub(super) trait OnGroup<T>: Sync {
    /// # Safety
    /// The group must be of columns of the matrix for which the work was made, and no other thread's.
    unsafe fn run<const K: usize>(&self, group: Group<T, K>);
}

/// The first column of a matrix that threads share, each with columns of its own.
struct Shared<T>(*mut T);

// SAFETY: every thread has columns of its own.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: every thread has columns of its own.
unsafe impl<T: Send> Sync for Shared<T> {}

/// Works on all columns of B, on several threads where there are enough of them.
pub(super) fn on_groups<T: Scalar>(b: MatMut<'_, T>, work: &impl OnGroup<T>) {
    let (rows, columns) = (b.nrows(), b.ncols());
    if rows == 0 || columns == 0 {
        return;
    }
    let (row_stride, column_stride) = (b.row_stride(), b.col_stride());
    let shared = Shared(b.as_ptr_mut());
    let one = |first: usize| {
        let all = &shared;
        let count = WIDTH.min(columns - first);
        let group = |k: usize| all.0.wrapping_offset((first + k) as isize * column_stride);
        // SAFETY: columns first to first + count are in B, and this call's alone.
        unsafe {
            let mut k = 0;
            while k < count {
                let start = group(k);
                k += match count - k {
                    left if left >= 8 => run::<T, 8>(work, start, row_stride, column_stride),
                    left if left >= 4 => run::<T, 4>(work, start, row_stride, column_stride),
                    left if left >= 2 => run::<T, 2>(work, start, row_stride, column_stride),
                    _ => run::<T, 1>(work, start, row_stride, column_stride),
                };
            }
        }
    };
    let groups = columns.div_ceil(WIDTH);
    if groups > 1 && available() > 1 && rows.saturating_mul(columns) >= PARALLEL_WORK {
        for_each(groups, |group| one(group * WIDTH));
    } else {
        (0..groups).for_each(|group| one(group * WIDTH));
    }
}

/// One group; gives its columns.
///
/// # Safety
/// The contract of [`OnGroup::run`], for K columns from `start` on.
unsafe fn run<T, const K: usize>(
    work: &impl OnGroup<T>,
    start: *mut T,
    row_stride: isize,
    column_stride: isize,
) -> usize {
    // SAFETY: this function has the contract of `run`.
    unsafe { work.run(Group::<T, K> { start, row_stride, column_stride }) };
    K
}
