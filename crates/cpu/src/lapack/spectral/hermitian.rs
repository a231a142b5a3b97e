//! Eigenvalues and eigenvectors of symmetric and Hermitian matrices under LAPACK's contract.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads, norm};
use super::{into_range, not_finite, parallelism, real, scaled};
use affinimath_core::options::{Norm, Symmetry, Triangle};
use affinimath_core::pattern::Pattern;
use affinimath_core::scalar::Scalar;
use affinimath_decompositions::hermitian::eigen;

/// The eigenvalues that are wanted, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spectrum {
    /// All of them.
    All,
    /// Those above the first bound, and at most as large as the second.
    Within(f64, f64),
    /// From an index on, counted from 0, and before another one.
    Indices(usize, usize),
}

/// Eigenvalues of a symmetric or Hermitian A in ascending order, and orthonormal eigenvectors in A's columns if they
/// are wanted (LAPACK: xSYEV, xHEEV, xSYEVD, xHEEVD). Of A, one triangle is read, and of its diagonal the real parts.
///
/// If an element is not finite or the iteration does not converge, results are NaN, and the info is positive.
#[instances]
pub fn heev<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>, w: &mut [T::RealScalar], vectors: bool) -> Info {
    let n = a.nrows();
    if n == 0 {
        return None;
    }
    let mut u = vectors.then(|| Mat::<T>::zeros(n, n));
    let info = decompose(triangle, a.as_ref(), w, u.as_mut().map(|u| u.as_mut()));
    if let Some(u) = u {
        a.copy_from(u);
    }
    info
}

/// Some eigenvalues of a symmetric or Hermitian A in ascending order, and eigenvectors in the first columns of Z
/// (LAPACK: xSYEVR, xHEEVR), as [`heev`]. Returns their number. A is not changed.
///
/// `w` has an element for each row of A, and Z a column for each eigenvalue that is found.
#[instances]
pub fn heevr<T: Scalar>(
    spectrum: Spectrum,
    triangle: Triangle,
    a: MatRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> (usize, Info) {
    let n = a.nrows();
    if n == 0 {
        return (0, None);
    }
    let mut u = z.is_some().then(|| Mat::<T>::zeros(n, n));
    let info = decompose(triangle, a, w, u.as_mut().map(|u| u.as_mut()));
    if info.is_some() {
        return (0, info);
    }
    let (first, end) = match spectrum {
        Spectrum::All => (0, n),
        Spectrum::Within(low, high) => (w.partition_point(|w| w.re() <= low), w.partition_point(|w| w.re() <= high)),
        Spectrum::Indices(first, end) => (first, end),
    };
    let count = end.saturating_sub(first);
    w.copy_within(first..first + count, 0);
    if let (Some(u), Some(z)) = (u, z) {
        z.subcols_mut(0, count).copy_from(u.as_ref().subcols(first, count));
    }
    (count, None)
}

/// All eigenvalues, and eigenvectors in U.
pub(super) fn decompose<T: Scalar>(
    triangle: Triangle,
    a: MatRef<'_, T>,
    w: &mut [T::RealScalar],
    mut u: Option<MatMut<'_, T>>,
) -> Info {
    let n = a.nrows();
    let size = norm(Norm::Max, Pattern::Mirrored(triangle, Symmetry::Hermitian), a);
    if !size.is_finite() {
        return not_finite(w, [u]);
    }
    let factor = into_range::<T>(size);
    let lower = Mat::from_fn(n, n, |i, j| match (i.cmp(&j), triangle) {
        (std::cmp::Ordering::Less, _) => T::ZERO,
        (std::cmp::Ordering::Equal, _) => T::from_parts(a[(i, i)].re() * factor, 0.0),
        (_, Triangle::Lower) => scaled(a[(i, j)], factor),
        (_, Triangle::Upper) => scaled(a[(j, i)].conjugate(), factor),
    });
    let mut values = vec![T::ZERO; n];
    let converged =
        among_threads(n, || eigen(lower.as_ref(), &mut values, u.as_mut().map(|u| u.as_mut()), parallelism(n)));
    if !converged || values.iter().any(|value| !value.re().is_finite()) {
        return not_finite(w, [u]);
    }
    for (w, value) in w.iter_mut().zip(&values) {
        *w = real::<T>(value.re() / factor);
    }
    None
}
