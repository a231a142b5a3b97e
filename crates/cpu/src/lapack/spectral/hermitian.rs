//! Eigenvalues and eigenvectors of symmetric and Hermitian matrices under LAPACK's contract.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads, norm};
use super::inverse::Matrix;
use super::reduction::{hetrd, ormtr};
use super::tridiagonal::{stedc, steqr};
use super::{into_range, not_finite, parallelism, real, scaled};
use affinimath_core::options::{Norm, Op, Side, Symmetry, Triangle};
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
/// (LAPACK: xSYEVR, xHEEVR, xSYEVX, xHEEVX), as [`heev`]. Returns their number. A is not changed.
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
    match z {
        Some(z) if spectrum != Spectrum::All => some(spectrum, triangle, a, w, z),
        Some(z) => {
            let mut u = Mat::<T>::zeros(n, n);
            let info = decompose(triangle, a, w, Some(u.as_mut()));
            if info.is_none() {
                z.subcols_mut(0, n).copy_from(u);
            }
            (if info.is_none() { n } else { 0 }, info)
        }
        None => {
            let info = decompose(triangle, a, w, None);
            let (first, count) = if info.is_none() { selected(spectrum, w) } else { (0, 0) };
            w.copy_within(first..first + count, 0);
            (count, info)
        }
    }
}

/// Largest part of the eigenvalues, 1 / so many, whose vectors are found by inverse iteration.
const FEW: usize = 8;

/// Some eigenvectors: of the tridiagonal form by inverse iteration if they are few, else by divide and conquer. Those
/// that are wanted are transformed back.
fn some<T: Scalar>(
    spectrum: Spectrum,
    triangle: Triangle,
    a: MatRef<'_, T>,
    w: &mut [T::RealScalar],
    mut z: MatMut<'_, T>,
) -> (usize, Info) {
    let n = a.nrows();
    let size = norm(Norm::Max, Pattern::Mirrored(triangle, Symmetry::Hermitian), a);
    if !size.is_finite() {
        return (0, not_finite(w, [Some(z)]));
    }
    let factor = into_range::<T>(size);
    let mut copy = scaled_lower(triangle, a, factor);
    let zero = real::<T>(0.0);
    let (mut d, mut e, mut tau) = (vec![zero; n], vec![zero; n - 1], vec![T::ZERO; n - 1]);
    hetrd(Triangle::Lower, copy.as_mut(), &mut d, &mut e, &mut tau);
    // Bounds are those of the matrix as given.
    let values = |d: &[T::RealScalar]| d.iter().map(|d| real::<T>(d.re() / factor)).collect::<Vec<_>>();
    let wide = |x: &[T::RealScalar]| x.iter().map(|x| x.re()).collect::<Vec<f64>>();
    let (wide_d, wide_e) = (wide(&d), wide(&e));
    let (mut own_d, mut own_e) = (wide_d.clone(), wide_e.clone());
    let mut found = steqr::<f64>(&mut own_d, &mut own_e, None).map(|_| 0);
    d.iter_mut().zip(&own_d).for_each(|(d, own)| *d = real::<T>(*own));
    let (first, count) = if found.is_none() { selected(spectrum, &values(&d)) } else { (0, 0) };
    if found.is_none() {
        w[..n].copy_from_slice(&values(&d));
        w.copy_within(first..first + count, 0);
        let few = (count * FEW <= n)
            .then(|| Matrix { d: &wide_d, e: &wide_e }.vectors(&own_d[first..first + count], T::EPSILON))
            .flatten();
        let mut z = z.as_mut().subcols_mut(0, count);
        match few {
            Some(vectors) => {
                let element = |i: usize, j: usize| T::from_parts(vectors[j * n + i], 0.0);
                (0..count).for_each(|j| (0..n).for_each(|i| z[(i, j)] = element(i, j)));
            }
            None if count > 0 => {
                let narrow = |x: &[f64]| x.iter().map(|x| real::<T>(*x)).collect::<Vec<_>>();
                let (mut d, mut e) = (narrow(&wide_d), narrow(&wide_e));
                let mut u = Mat::<T>::identity(n, n);
                found = stedc(&mut d, &mut e, Some(u.as_mut()));
                z.copy_from(u.as_ref().subcols(first, count));
            }
            None => {}
        }
        ormtr(Side::Left, Triangle::Lower, Op::NoTrans, copy.as_ref(), &tau, z);
    }
    match found {
        None => (count, None),
        Some(_) => (0, not_finite(w, [Some(z)])),
    }
}

/// The lower triangle of a scaled A, and zeros.
fn scaled_lower<T: Scalar>(triangle: Triangle, a: MatRef<'_, T>, factor: f64) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.nrows(), |i, j| match (i.cmp(&j), triangle) {
        (std::cmp::Ordering::Less, _) => T::ZERO,
        (std::cmp::Ordering::Equal, _) => T::from_parts(a[(i, i)].re() * factor, 0.0),
        (_, Triangle::Lower) => scaled(a[(i, j)], factor),
        (_, Triangle::Upper) => scaled(a[(j, i)].conjugate(), factor),
    })
}

/// The index of the first eigenvalue that is wanted, and their count.
pub(super) fn selected<R: Scalar>(spectrum: Spectrum, w: &[R]) -> (usize, usize) {
    let (first, end) = match spectrum {
        Spectrum::All => (0, w.len()),
        Spectrum::Within(low, high) => (w.partition_point(|w| w.re() <= low), w.partition_point(|w| w.re() <= high)),
        Spectrum::Indices(first, end) => (first, end),
    };
    (first, end.saturating_sub(first))
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
    let lower = scaled_lower(triangle, a, factor);
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
