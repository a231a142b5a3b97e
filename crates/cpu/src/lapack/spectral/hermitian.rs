//! Eigenvalues and eigenvectors of symmetric and Hermitian matrices under LAPACK's contract.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads, norm};
use super::inverse::Matrix;
use super::reduction::{hetrd, orgtr, ormtr};
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
        Some(z) if spectrum == Spectrum::All => {
            let mut u = Mat::<T>::zeros(n, n);
            let info = decompose(triangle, a, w, Some(u.as_mut()));
            z.subcols_mut(0, n).copy_from(u);
            (if info.is_none() { n } else { 0 }, info)
        }
        None if spectrum == Spectrum::All => {
            let info = decompose(triangle, a, w, None);
            (if info.is_none() { n } else { 0 }, info)
        }
        z => some(spectrum, triangle, a, w, z),
    }
}

/// Inverse iteration finds the vectors of at most n / FEW eigenvalues.
const FEW: usize = 8;

/// Some eigenvectors: of the tridiagonal form by inverse iteration if they are few, else by divide and conquer. Those
/// that are wanted are transformed back.
fn some<T: Scalar>(
    spectrum: Spectrum,
    triangle: Triangle,
    a: MatRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> (usize, Info) {
    let n = a.nrows();
    let size = norm(Norm::Max, Pattern::Mirrored(triangle, Symmetry::Hermitian), a);
    if !size.is_finite() {
        return (0, not_finite(w, [z]));
    }
    let factor = into_range::<T>(size);
    let mut copy = scaled_lower(triangle, a, factor);
    let zero = real::<T>(0.0);
    let (mut d, mut e, mut tau) = (vec![zero; n], vec![zero; n - 1], vec![T::ZERO; n - 1]);
    hetrd(Triangle::Lower, copy.as_mut(), &mut d, &mut e, &mut tau);
    let wide = |x: &[T::RealScalar]| x.iter().map(|x| x.re()).collect::<Vec<f64>>();
    let (d, e) = (wide(&d), wide(&e));
    let (mut values, mut off_diagonal) = (d.clone(), e.clone());
    if steqr::<f64>(&mut values, &mut off_diagonal, None).is_some() {
        return (0, not_finite(w, [z]));
    }
    // Bounds are those of the matrix as given.
    w.iter_mut().zip(&values).for_each(|(w, value)| *w = real::<T>(value / factor));
    let (first, count) = selected(spectrum, &w[..n]);
    w.copy_within(first..first + count, 0);
    let Some(z) = z.filter(|_| count > 0) else { return (count, None) };
    let mut z = z.subcols_mut(0, count);
    if !vectors_of(Matrix { d: &d, e: &e }, &values[first..first + count], first, z.as_mut()) {
        return (0, not_finite(w, [Some(z)]));
    }
    ormtr(Side::Left, Triangle::Lower, Op::NoTrans, copy.as_ref(), &tau, z);
    (count, None)
}

/// Eigenvectors of a tridiagonal matrix, whose first one has the index `first`. False if there is no convergence.
fn vectors_of<T: Scalar>(matrix: Matrix<'_>, values: &[f64], first: usize, mut z: MatMut<'_, T>) -> bool {
    let (n, count) = (matrix.d.len(), values.len());
    if count * FEW <= n
        && let Some(vectors) = matrix.vectors(values, T::EPSILON)
    {
        for (j, vector) in vectors.chunks_exact(n).enumerate() {
            (0..n).for_each(|i| z[(i, j)] = T::from_parts(vector[i], 0.0));
        }
        return true;
    }
    let narrow = |x: &[f64]| x.iter().map(|x| real::<T>(*x)).collect::<Vec<_>>();
    let (mut d, mut e, mut u) = (narrow(matrix.d), narrow(matrix.e), Mat::<T::RealScalar>::identity(n, n));
    let info = stedc::<T::RealScalar>(&mut d, &mut e, Some(u.as_mut()));
    for j in 0..count {
        (0..n).for_each(|i| z[(i, j)] = T::from_parts(u[(i, first + j)].re(), 0.0));
    }
    info.is_none()
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
        return iterate(lower, factor, w, u);
    }
    for (w, value) in w.iter_mut().zip(&values) {
        *w = real::<T>(value.re() / factor);
    }
    None
}

/// The same by QR iteration, for a scaled lower triangle: divide and conquer gives up on some strongly graded matrices.
fn iterate<T: Scalar>(mut a: Mat<T>, factor: f64, w: &mut [T::RealScalar], mut u: Option<MatMut<'_, T>>) -> Info {
    let n = a.nrows();
    let zero = real::<T>(0.0);
    let (mut d, mut e, mut tau) = (vec![zero; n], vec![zero; n - 1], vec![T::ZERO; n - 1]);
    hetrd(Triangle::Lower, a.as_mut(), &mut d, &mut e, &mut tau);
    if let Some(u) = &mut u {
        orgtr(Triangle::Lower, a.as_mut(), &tau);
        u.copy_from(a);
    }
    if steqr::<T>(&mut d, &mut e, u.as_mut().map(|u| u.as_mut())).is_some() {
        return not_finite(w, [u]);
    }
    w.iter_mut().zip(&d).for_each(|(w, d)| *w = real::<T>(d.re() / factor));
    None
}
