//! Eigenvalues of symmetric and Hermitian band matrices (LAPACK: xSBTRD, xSBEV, xSBEVD, xSBEVX).

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads};
use super::hermitian::Spectrum;
use super::tridiagonal::{stedc, steqr, stevr};
use super::{into_range, not_finite, real};
use crate::gemm;
use affinimath_core::options::{Op, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_decompositions::band::{lower_band, tridiagonalise};

/// Qᴴ A Q = T with a real symmetric tridiagonal T, for a symmetric or Hermitian band matrix of half-bandwidth kd
/// (LAPACK: xSBTRD, xHBTRD). `ab` has kd + 1 rows: element (i, j) is in row i - j of `Lower`, kd + i - j of `Upper`. It
/// gets T, with zeros in its other rows.
///
/// `d` and `e` get the n diagonal and the n - 1 off-diagonal elements. Q is multiplied by the transformations from the
/// right.
#[instances]
pub fn hbtrd<T: Scalar>(
    triangle: Triangle,
    kd: usize,
    ab: MatMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    q: Option<MatMut<'_, T>>,
) {
    let (mut ab, n) = (ab, d.len());
    if n == 0 {
        return;
    }
    let lower = triangle == Triangle::Lower;
    let mut band = lower_band(lower, kd, ab.as_ref(), 1.0);
    let mut own = q.as_ref().map(|q| q.to_owned());
    among_threads(n, || tridiagonalise(kd, band.as_mut(), own.as_mut().map(|q| q.as_mut())));
    if let (Some(mut q), Some(own)) = (q, own) {
        q.copy_from(own);
    }
    split(kd, band.as_ref(), d, e);
    for j in 0..n {
        for i in 0..=kd {
            // Elements outside of the matrix stay.
            let (distance, column) = if lower { (i, j) } else { (kd - i, (j + i).wrapping_sub(kd)) };
            if column >= n || column + distance >= n {
                continue;
            }
            ab[(i, j)] = if distance < 2 { band[(distance, column)] } else { T::ZERO };
        }
    }
}

/// The diagonal and the off-diagonal elements of a tridiagonal matrix.
fn split<T: Scalar>(kd: usize, band: MatRef<'_, T>, d: &mut [T::RealScalar], e: &mut [T::RealScalar]) {
    for (j, d) in d.iter_mut().enumerate() {
        *d = real::<T>(band[(0, j)].re());
    }
    for (j, e) in e.iter_mut().enumerate() {
        *e = real::<T>(if kd > 0 { band[(1, j)].re() } else { 0.0 });
    }
}

/// Eigenvalues of a symmetric or Hermitian band matrix in ascending order, and orthonormal eigenvectors in Z's columns
/// (LAPACK: xSBEV, xHBEV, xSBEVD, xHBEVD). `ab` is read only, and of the diagonal the real parts.
///
/// If an element is not finite or the iteration does not converge, results are NaN, and the info is positive.
#[instances]
pub fn hbev<T: Scalar>(
    triangle: Triangle,
    kd: usize,
    ab: MatRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> Info {
    hbevx(Spectrum::All, (triangle, kd), ab, w, z, None).1
}

/// Some eigenvalues of a symmetric or Hermitian band matrix in ascending order, and eigenvectors in the first columns
/// of Z (LAPACK: xSBEVX, xHBEVX), as [`hbev`]. Returns their number. Where Z is wanted, Q gets the unitary matrix of
/// the tridiagonal form.
///
/// `w` has n elements, and Z a column for each eigenvalue that is found.
#[instances]
pub fn hbevx<T: Scalar>(
    spectrum: Spectrum,
    (triangle, kd): (Triangle, usize),
    ab: MatRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
    q: Option<MatMut<'_, T>>,
) -> (usize, Info) {
    let (n, reduction) = (ab.ncols(), q);
    if n == 0 {
        return (0, None);
    }
    let mut band = lower_band(triangle == Triangle::Lower, kd, ab, 1.0);
    let size = band.col_iter().flat_map(|column| column.iter()).map(|x| x.modulus());
    let size = size.fold(0.0, |largest: f64, x| if x > largest || x.is_nan() { x } else { largest });
    if !size.is_finite() {
        return (0, not_finite(w, [z, reduction]));
    }
    let factor = into_range::<T>(size);
    if factor != 1.0 {
        band = lower_band(triangle == Triangle::Lower, kd, ab, factor);
    }
    let identity = || Mat::from_fn(n, n, |i, j| if i == j { T::ONE } else { T::ZERO });
    let mut q = z.is_some().then(identity);
    among_threads(n, || tridiagonalise(kd, band.as_mut(), q.as_mut().map(|q| q.as_mut())));
    if let (Some(mut reduction), Some(q)) = (reduction, &q) {
        reduction.copy_from(q);
    }
    let zero = real::<T>(0.0);
    let (mut d, mut e) = (vec![zero; n], vec![zero; n - 1]);
    split(kd, band.as_ref(), &mut d, &mut e);
    let (count, info) = match (spectrum, q) {
        (Spectrum::All, None) => {
            let info = steqr::<T>(&mut d, &mut e, None);
            w[..n].copy_from_slice(&d);
            (n, info)
        }
        (Spectrum::All, Some(mut q)) => {
            let info = stedc::<T>(&mut d, &mut e, Some(q.as_mut()));
            w[..n].copy_from_slice(&d);
            if let Some(z) = z {
                z.subcols_mut(0, n).copy_from(&q);
            }
            (n, info)
        }
        (some, q) => {
            let some = match some {
                Spectrum::Within(low, high) => Spectrum::Within(low * factor, high * factor),
                other => other,
            };
            let mut v = q.is_some().then(|| Mat::<T>::zeros(n, n));
            let (count, info) = stevr::<T>(some, &d, &e, w, v.as_mut().map(|v| v.as_mut()));
            if let (Some(z), Some(q), Some(v)) = (z, q, v) {
                let (v, z) = (v.as_ref().subcols(0, count), z.subcols_mut(0, count));
                among_threads(n, || gemm(Op::NoTrans, Op::NoTrans, T::ONE, q.as_ref(), v, T::ZERO, z));
            }
            (count, info)
        }
    };
    w[..count].iter_mut().for_each(|w| *w = real::<T>(w.re() / factor));
    (if info.is_none() { count } else { 0 }, info)
}
