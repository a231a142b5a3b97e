//! Eigenvalues and singular values of the matrices of a batch on the host: each matrix is one thread's.

use affinimath_macros::instances;

use super::super::lapack as one;
use super::lapack::{info_value, infos};
use super::{PerMatrix, Shared, for_each, start};
use affinimath_core::options::Triangle;
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{BatchMut, BatchRef, View};

/// Multiply-adds of a matrix for each of a product's.
const ITERATIONS: usize = 4;

/// Eigenvalues in ascending order of each symmetric or Hermitian matrix of a batch in host memory, and eigenvectors in
/// its columns if they are wanted, with an info for each; see [`one::heev`].
#[instances]
pub fn heev_batched<T: Scalar>(
    triangle: Triangle,
    a: &BatchMut<'_, T>,
    mut w: PerMatrix<'_, T::RealScalar>,
    vectors: bool,
    info: &mut [i32],
) {
    let (count, n) = (a.shape().count(), a.shape().matrix().rows());
    let (memory, w, infos) = (Shared(start(a.memory())), w.share(count), infos(info).share(count));
    for_each(count, n.saturating_pow(3).saturating_mul(ITERATIONS), |i| {
        // SAFETY: the slices and the view hold their matrices, and each thread writes those of its own index.
        let (a, w, info) = unsafe { (memory.write(&a.shape().one(i)), w.of(i), infos.of(i)) };
        info[0] = info_value(one::heev(triangle, a, w, vectors));
    });
}

/// Singular values in descending order of each matrix of a batch in host memory, and singular vectors if they are
/// wanted, as the columns of U and the rows of VT, with an info for each; see [`one::gesvd`].
#[instances]
pub fn gesvd_batched<T: Scalar>(
    a: &BatchRef<'_, T>,
    mut s: PerMatrix<'_, T::RealScalar>,
    vectors: Option<(&BatchMut<'_, T>, &BatchMut<'_, T>)>,
    info: &mut [i32],
) {
    let (count, matrix) = (a.shape().count(), *a.shape().matrix());
    let work = matrix.rows().saturating_mul(matrix.columns()).saturating_mul(matrix.rows().min(matrix.columns()));
    let (memory, s, infos) = (Shared(start(a.memory())), s.share(count), infos(info).share(count));
    let vectors = vectors.map(|(u, vt)| (Shared(start(u.memory())), u.shape(), Shared(start(vt.memory())), vt.shape()));
    for_each(count, work.saturating_mul(ITERATIONS), |i| {
        // SAFETY: the slices and the view hold their matrices, and each thread writes those of its own index.
        let (a, s, info) = unsafe { (memory.read(&a.shape().one(i)), s.of(i), infos.of(i)) };
        let (u, vt) = match &vectors {
            // SAFETY: the views hold their matrices, and each thread writes those of its own index.
            Some((u, u_shape, vt, vt_shape)) => unsafe {
                (Some(u.write(&u_shape.one(i))), Some(vt.write(&vt_shape.one(i))))
            },
            None => (None, None),
        };
        info[0] = info_value(one::gesvd(a, s, u, vt));
    });
}
