//! Band systems of a batch on the host: each matrix is one thread's.

use affinimath_macros::instances;

use super::super::lapack as one;
use super::lapack::{info_value, infos};
use super::{PerMatrix, Shared, for_each, start};
use affinimath_core::options::Op;
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{BatchMut, BatchRef, View};

/// P A = L U with partial pivoting for each m x n band matrix of a batch in host memory, with an info for each. The
/// bands lie as for [`one::gbtrf`].
#[instances]
pub fn gbtrf_batched<T: Scalar>(
    m: usize,
    [kl, ku]: [usize; 2],
    ab: &BatchMut<'_, T>,
    mut pivots: PerMatrix<'_, i32>,
    info: &mut [i32],
) {
    let (count, work) = (ab.shape().count(), factor_work(ab.shape().matrix().columns(), [kl, ku]));
    let (memory, pivots, infos) = (Shared(start(ab.memory())), pivots.share(count), infos(info).share(count));
    for_each(count, work, |i| {
        // SAFETY: the views hold their matrices, and each thread writes those of its own index.
        let (ab, pivots, info) = unsafe { (memory.write(&ab.shape().one(i)), pivots.of(i), infos.of(i)) };
        info[0] = info_value(one::gbtrf(m, [kl, ku], ab, pivots));
    });
}

/// op(A) X = B with gbtrf's factors for each matrix of batches in host memory; counts and sizes agree, and the pivots
/// fit.
#[instances]
pub fn gbtrs_batched<T: Scalar>(
    op: Op,
    [kl, ku]: [usize; 2],
    factors: &BatchRef<'_, T>,
    mut pivots: PerMatrix<'_, i32>,
    b: &BatchMut<'_, T>,
) {
    let count = b.shape().count();
    let (a_memory, b_memory, pivots) =
        (Shared(start(factors.memory())), Shared(start(b.memory())), pivots.share(count));
    for_each(count, solve_work(b, [kl, ku]), |i| {
        // SAFETY: the views hold their matrices, and each thread writes those of its own index.
        let (ab, pivots, b) =
            unsafe { (a_memory.read(&factors.shape().one(i)), pivots.of(i), b_memory.write(&b.shape().one(i))) };
        one::gbtrs(op, [kl, ku], ab, pivots, b);
    });
}

/// A X = B by LU for each band matrix of batches in host memory; counts and sizes agree. Where an info is not 0, B is
/// as it was.
#[instances]
pub fn gbsv_batched<T: Scalar>(
    [kl, ku]: [usize; 2],
    ab: &BatchMut<'_, T>,
    mut pivots: PerMatrix<'_, i32>,
    b: &BatchMut<'_, T>,
    info: &mut [i32],
) {
    let count = ab.shape().count();
    let work = factor_work(b.shape().matrix().rows(), [kl, ku]).saturating_add(solve_work(b, [kl, ku]));
    let (a_memory, b_memory) = (Shared(start(ab.memory())), Shared(start(b.memory())));
    let (pivots, infos) = (pivots.share(count), infos(info).share(count));
    for_each(count, work, |i| {
        // SAFETY: the views hold their matrices, and each thread writes those of its own index.
        let (ab, b) = unsafe { (a_memory.write(&ab.shape().one(i)), b_memory.write(&b.shape().one(i))) };
        // SAFETY: `i` is in the batch, and only this thread processes it.
        let (pivots, info) = unsafe { (pivots.of(i), infos.of(i)) };
        info[0] = info_value(one::gbsv([kl, ku], ab, pivots, b));
    });
}

/// Multiply-adds of a factorisation; a column without any costs as much as a few.
fn factor_work(columns: usize, [kl, ku]: [usize; 2]) -> usize {
    columns.saturating_mul(kl.saturating_mul(kl + ku).saturating_add(4))
}

/// Multiply-adds of two triangular systems.
fn solve_work<T: Scalar>(b: &BatchMut<'_, T>, [kl, ku]: [usize; 2]) -> usize {
    let (rows, columns) = (b.shape().matrix().rows(), b.shape().matrix().columns());
    rows.saturating_mul(columns).saturating_mul(2 * kl + ku + 1)
}
