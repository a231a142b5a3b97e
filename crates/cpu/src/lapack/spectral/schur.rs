//! Schur forms: Hessenberg reduction by faer, then implicit QR iterations with deflation (Francis 1961; LAPACK:
//! xLAHQR).
//!
//! Shifts, rotations and reflectors are computed in doubles for every element type.

mod complex;
mod real;

use affinimath_macros::instances;
use faer::{Mat, MatMut};

use super::super::{Info, among_threads};
use super::{into_range, not_finite, parallelism, scaled};
use crate::norm::max_norm;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::hessenberg;

/// Iterations for each eigenvalue, on average.
const ITERATIONS: usize = 30;

/// The Schur form T of A, in its place, with A = Z T Zᴴ, and Z if it is wanted (LAPACK: xGEES without a selection). Of
/// real types, T is quasi-triangular, with blocks of order 2 in LAPACK's standard form. `wr` and `wi` get the
/// eigenvalues in the order of T's diagonal; those of a pair are adjacent, the one with the positive imaginary part
/// first.
///
/// If the iteration does not converge, an info i tells that eigenvalues after the i-th are right. An element that is
/// not finite makes results NaN.
#[instances]
pub fn gees<T: Scalar>(
    mut a: MatMut<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> Info {
    let n = a.nrows();
    if n == 0 {
        return None;
    }
    let size = max_norm(a.as_ref());
    if !size.is_finite() {
        wi.fill(super::real::<T>(f64::NAN));
        return not_finite(wr, [Some(a), z]);
    }
    let factor = into_range::<T>(size);
    let mut t = super::scaled_copy(a.as_ref(), factor);
    let mut own = z.is_some().then(|| Mat::<T>::zeros(n, n));
    let mut values = vec![Complex64::ZERO; n];
    let info = reduce(t.as_mut(), own.as_mut().map(|z| z.as_mut()), true, &mut values);
    for (i, value) in values.iter().enumerate() {
        (wr[i], wi[i]) = (super::real::<T>(value.re / factor), super::real::<T>(value.im / factor));
    }
    for j in 0..n {
        (0..n).for_each(|i| a[(i, j)] = scaled(t[(i, j)], factor.recip()));
    }
    if let (Some(mut z), Some(own)) = (z, own) {
        z.copy_from(own);
    }
    info
}

/// Schur form of a matrix with contiguous columns, in its place, or only its eigenvalues; Z is overwritten.
pub(super) fn reduce<T: Scalar>(
    mut t: MatMut<'_, T>,
    mut z: Option<MatMut<'_, T>>,
    whole: bool,
    values: &mut [Complex64],
) -> Info {
    let n = t.nrows();
    among_threads(n, || hessenberg::reduce(t.as_mut(), z.as_mut().map(|z| z.as_mut()), parallelism(n)));
    if T::KIND.is_complex() { complex::iterate(t, z, whole, values) } else { real::iterate(t, z, whole, values) }
}
