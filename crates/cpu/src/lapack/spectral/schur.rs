//! Schur forms: Hessenberg reduction by faer, then implicit QR iterations with deflation (Francis 1961; LAPACK:
//! xLAHQR).
//!
//! Shifts, rotations and reflectors are computed in doubles for every element type.

mod complex;
mod real;

use affinimath_macros::instances;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut};

use super::super::{Info, among_threads};
use super::{into_range, not_finite, parallelism, scaled};
use crate::norm::max_norm;
use affinimath_core::scalar::{Complex64, Scalar};

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
    hessenberg(t.as_mut(), z.as_mut().map(|z| z.as_mut()));
    if T::KIND.is_complex() { complex::iterate(t, z, whole, values) } else { real::iterate(t, z, whole, values) }
}

/// A = Z H Zᴴ with an upper Hessenberg H in A's place.
fn hessenberg<T: Scalar>(mut a: MatMut<'_, T>, mut z: Option<MatMut<'_, T>>) {
    let n = a.nrows();
    if let Some(z) = &mut z {
        z.fill(T::ZERO);
        (0..n).for_each(|i| z[(i, i)] = T::ONE);
    }
    if n <= 2 {
        return;
    }
    among_threads(n, || {
        let (par, block) = (parallelism(n), recommended_block_size::<T>(n - 1, n - 1));
        let mut factors = Mat::<T>::zeros(block, n - 1);
        let workspace = hessenberg_in_place_scratch::<T>(n, block, par, Default::default())
            .or(householder::apply_block_householder_sequence_on_the_right_in_place_scratch::<T>(n - 1, block, n - 1));
        let mut memory = MemBuffer::new(workspace);
        let stack = MemStack::new(&mut memory);
        hessenberg_in_place(a.as_mut(), factors.as_mut(), par, stack, Default::default());
        if let Some(z) = z {
            householder::apply_block_householder_sequence_on_the_right_in_place_with_conj(
                a.as_ref().submatrix(1, 0, n - 1, n - 1),
                factors.as_ref(),
                Conj::No,
                z.submatrix_mut(1, 1, n - 1, n - 1),
                par,
                stack,
            );
        }
    });
    for j in 0..n {
        (j + 2..n).for_each(|i| a[(i, j)] = T::ZERO);
    }
}
