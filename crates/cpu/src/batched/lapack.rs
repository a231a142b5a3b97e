//! Factorisations of the matrices of a batch on the host, and solutions with them: each matrix is one thread's.

use affinimath_macros::instances;

use super::super::lapack::{self as one, Info};
use super::{Shared, for_each, start};
use affinimath_core::options::{Op, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{BatchMut, BatchRef, View};

/// Vectors in host memory, one per matrix of a batch: `each` contiguous elements, `stride` apart.
pub struct PerMatrix<'p, V> {
    /// Elements of all vectors; the last vector ends with the slice.
    pub values: &'p mut [V],
    pub each: usize,
    pub stride: usize,
}

/// The vectors as a pointer: every thread writes those of its own matrices.
pub(super) struct SharedPerMatrix<V> {
    memory: Shared<V>,
    each: usize,
    stride: usize,
}

impl<V> PerMatrix<'_, V> {
    pub(super) fn share(&mut self, count: usize) -> SharedPerMatrix<V> {
        let needed = if count == 0 || self.each == 0 { 0 } else { (count - 1) * self.stride + self.each };
        assert!(self.values.len() >= needed && (count < 2 || self.stride >= self.each), "checked by the callers");
        SharedPerMatrix { memory: Shared(self.values.as_mut_ptr()), each: self.each, stride: self.stride }
    }
}

impl<V> SharedPerMatrix<V> {
    /// # Safety
    /// `matrix` must be in the batch, and no other thread may process it.
    #[allow(clippy::mut_from_ref, reason = "the matrices have different numbers")]
    pub(super) unsafe fn of(&self, matrix: usize) -> &mut [V] {
        // SAFETY: the slice was checked to hold all vectors, and those of different matrices do not overlap.
        unsafe { self.memory.part(matrix * self.stride, self.each) }
    }
}

/// The infos, one for each matrix.
pub(super) fn infos(info: &mut [i32]) -> PerMatrix<'_, i32> {
    PerMatrix { values: info, each: 1, stride: 1 }
}

pub(super) fn info_value(info: Info) -> i32 {
    info.map_or(0, |index| index as i32)
}

/// P A = L U for each matrix of a batch in the host's memory, with an info for each.
#[instances]
pub fn getrf_batched<T: Scalar>(a: &BatchMut<'_, T>, mut pivots: PerMatrix<'_, i32>, info: &mut [i32]) {
    let (count, work) = (a.shape().count(), factor_work(a) / 3);
    let (memory, pivots, infos) = (Shared(start(a.memory())), pivots.share(count), infos(info).share(count));
    for_each(count, work, |i| {
        // SAFETY: the views hold their matrices, which do not overlap, and each of them is one thread's.
        let (a, pivots, info) = unsafe { (memory.write(&a.shape().one(i)), pivots.of(i), infos.of(i)) };
        info[0] = info_value(one::getrf(a, pivots));
    });
}

/// op(A) X = B with getrf's factors for each matrix of batches in host memory; counts and sizes agree.
#[instances]
pub fn getrs_batched<T: Scalar>(
    op: Op,
    factors: &BatchRef<'_, T>,
    mut pivots: PerMatrix<'_, i32>,
    b: &BatchMut<'_, T>,
) {
    let count = b.shape().count();
    let (a_memory, b_memory, pivots) =
        (Shared(start(factors.memory())), Shared(start(b.memory())), pivots.share(count));
    for_each(count, solve_work(b), |i| {
        // SAFETY: the views hold their matrices, and each thread writes those of its own index.
        let (a, pivots, b) =
            unsafe { (a_memory.read(&factors.shape().one(i)), pivots.of(i), b_memory.write(&b.shape().one(i))) };
        one::getrs(op, a, pivots, b);
    });
}

/// A X = B by LU for each matrix of batches in host memory; counts and sizes agree.
#[instances]
pub fn gesv_batched<T: Scalar>(
    a: &BatchMut<'_, T>,
    mut pivots: PerMatrix<'_, i32>,
    b: &BatchMut<'_, T>,
    info: &mut [i32],
) {
    let (count, work) = (a.shape().count(), factor_work(a) / 3 + solve_work(b));
    let (a_memory, b_memory) = (Shared(start(a.memory())), Shared(start(b.memory())));
    let (pivots, infos) = (pivots.share(count), infos(info).share(count));
    for_each(count, work, |i| {
        // SAFETY: the views hold their matrices, and each thread writes those of its own index.
        let (a, b) = unsafe { (a_memory.write(&a.shape().one(i)), b_memory.write(&b.shape().one(i))) };
        // SAFETY: `i` is in the batch, and only this thread processes it.
        let (pivots, info) = unsafe { (pivots.of(i), infos.of(i)) };
        info[0] = info_value(one::gesv(a, pivots, b));
    });
}

/// A = L Lᴴ or Uᴴ U for each matrix of a batch in the host's memory, with an info for each.
#[instances]
pub fn potrf_batched<T: Scalar>(triangle: Triangle, a: &BatchMut<'_, T>, info: &mut [i32]) {
    let (count, work) = (a.shape().count(), factor_work(a) / 6);
    let (memory, infos) = (Shared(start(a.memory())), infos(info).share(count));
    for_each(count, work, |i| {
        // SAFETY: the view holds its matrices, and each thread writes those of its own index.
        let (a, info) = unsafe { (memory.write(&a.shape().one(i)), infos.of(i)) };
        info[0] = info_value(one::potrf(triangle, a));
    });
}

/// A X = B with potrf's factors for each matrix of batches in host memory; counts and sizes agree.
#[instances]
pub fn potrs_batched<T: Scalar>(triangle: Triangle, factor: &BatchRef<'_, T>, b: &BatchMut<'_, T>) {
    let (a_memory, b_memory) = (Shared(start(factor.memory())), Shared(start(b.memory())));
    for_each(b.shape().count(), solve_work(b), |i| {
        // SAFETY: the views hold their matrices, and each thread writes those of its own index.
        let (a, b) = unsafe { (a_memory.read(&factor.shape().one(i)), b_memory.write(&b.shape().one(i))) };
        one::potrs(triangle, a, b);
    });
}

/// A X = B by Cholesky factorisation for each matrix of batches in host memory; counts and sizes agree.
#[instances]
pub fn posv_batched<T: Scalar>(triangle: Triangle, a: &BatchMut<'_, T>, b: &BatchMut<'_, T>, info: &mut [i32]) {
    let (count, work) = (a.shape().count(), factor_work(a) / 6 + solve_work(b));
    let (a_memory, b_memory, infos) = (Shared(start(a.memory())), Shared(start(b.memory())), infos(info).share(count));
    for_each(count, work, |i| {
        // SAFETY: the views hold their matrices, and each thread writes those of its own index.
        let (a, b, info) =
            unsafe { (a_memory.write(&a.shape().one(i)), b_memory.write(&b.shape().one(i)), infos.of(i)) };
        info[0] = info_value(one::posv(triangle, a, b));
    });
}

/// A = Q R for each matrix of a batch in the host's memory.
#[instances]
pub fn geqrf_batched<T: Scalar>(a: &BatchMut<'_, T>, mut tau: PerMatrix<'_, T>) {
    let (count, work) = (a.shape().count(), factor_work(a) * 2 / 3);
    let (memory, tau) = (Shared(start(a.memory())), tau.share(count));
    for_each(count, work, |i| {
        // SAFETY: the view holds its matrices, and each thread writes those of its own index.
        let (a, tau) = unsafe { (memory.write(&a.shape().one(i)), tau.of(i)) };
        one::geqrf(a, tau);
    });
}

/// The size of a matrix, cubed.
fn factor_work<T: Scalar>(a: &BatchMut<'_, T>) -> usize {
    let (rows, columns) = (a.shape().matrix().rows(), a.shape().matrix().columns());
    rows.saturating_mul(columns).saturating_mul(rows.min(columns))
}

/// Multiply-adds of two triangular systems.
fn solve_work<T: Scalar>(b: &BatchMut<'_, T>) -> usize {
    let (rows, columns) = (b.shape().matrix().rows(), b.shape().matrix().columns());
    rows.saturating_mul(rows).saturating_mul(columns)
}
