//! Band matrices in LAPACK's storage: diagonals are the rows of an array, and columns its columns.
//!
//! Element (i, j) lies in row d + i - j of the array, where d is the row of the main diagonal. So neighbours in a row
//! of the matrix are one element less than the leading dimension apart: a block within the band is an ordinary matrix
//! of that leading dimension, for gemm and trsm.

mod cholesky;
mod lu;
mod triangle;

pub use cholesky::{pbsv, pbtrf, pbtrs};
pub use lu::{gbsv, gbtrf, gbtrs};

use faer::MatMut;

use super::lanes::Columns;
use crate::threads::{available, for_each};
use affinimath_core::scalar::Scalar;

/// Minimum bandwidth of a factorisation by panels; a narrower band is factorised column by column.
const BLOCKED_MIN: usize = 48;
/// Columns of a panel.
const PANEL: usize = 32;

/// Right-hand sides that a pass over the factors serves.
const GROUP: usize = 8;

/// Minimum multiply-adds for which a second thread is worth waking.
const PARALLEL_WORK: usize = 1 << 17;

impl<T> Columns<T> {
    /// The matrix whose main diagonal is in a row of the array.
    const fn matrix(self, diagonal: usize) -> Self {
        // An array of one column may have any leading dimension.
        Columns { start: self.at(diagonal, 0), stride: self.stride.wrapping_sub(1) }
    }

    /// A block within the band.
    ///
    /// # Safety
    /// The block must be within the band, and nothing else may access it as long as the view is used.
    unsafe fn block<'a>(self, (i, j): (usize, usize), rows: usize, columns: usize) -> MatMut<'a, T> {
        // SAFETY: the block is valid and exclusive, by this function's contract.
        unsafe { MatMut::from_raw_parts_mut(self.at(i, j), rows, columns, 1, self.stride as isize) }
    }
}

/// Columns that threads share, each with some of its own.
struct Shared<T>(Columns<T>);

// SAFETY: every thread has columns of its own.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: every thread has columns of its own.
unsafe impl<T: Send> Sync for Shared<T> {}

/// Calls `solve` with groups of right-hand sides and their counts, on several threads where the work is worth it.
fn in_groups<T: Scalar>(b: Columns<T>, count: usize, work: usize, solve: impl Fn(Columns<T>, usize) + Sync) {
    let (shared, groups) = (Shared(b), count.div_ceil(GROUP));
    let one = |group: usize| {
        let all = &shared;
        let first = group * GROUP;
        solve(all.0.from(0, first), GROUP.min(count - first));
    };
    if groups > 1 && available() > 1 && work >= PARALLEL_WORK {
        for_each(groups, one);
    } else {
        (0..groups).for_each(one);
    }
}
