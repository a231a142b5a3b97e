//! Tridiagonal systems of a batch on the host: each system is one thread's.

use affinimath_macros::instances;

use super::super::lapack as one;
use super::lapack::{info_value, infos};
use super::{PerMatrix, Shared, for_each, start};
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{BatchMut, View};

/// Real operations, of which some are divisions, of a row and a right-hand side.
const ROW_WORK: usize = 16;

/// A X = B by LU with partial pivoting for each tridiagonal system of a batch in host memory, with an info for each.
/// The diagonals are those below, on and above the main one. Where an info is not 0, B has no solution in it.
#[instances]
pub fn gtsv_batched<T: Scalar>(diagonals: [PerMatrix<'_, T>; 3], b: &BatchMut<'_, T>, info: &mut [i32]) {
    let (count, matrix) = (b.shape().count(), *b.shape().matrix());
    let work = matrix.rows().saturating_mul(matrix.columns() + 1).saturating_mul(ROW_WORK);
    let [dl, d, du] = diagonals.map(|mut diagonal| diagonal.share(count));
    let (memory, infos) = (Shared(start(b.memory())), infos(info).share(count));
    for_each(count, work, |i| {
        // SAFETY: the slices and the view hold their systems, and each thread writes those of its own index.
        let (dl, d, du, b, info) =
            unsafe { (dl.of(i), d.of(i), du.of(i), memory.write(&b.shape().one(i)), infos.of(i)) };
        info[0] = info_value(one::gtsv(dl, d, du, b));
    });
}
