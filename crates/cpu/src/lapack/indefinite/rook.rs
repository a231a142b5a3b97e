//! The rook variant (LAPACK: xSYTRF_ROOK and what is made of its factors).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::inverse::inverted;
use super::solve::solved;
use super::{Pivoting, factorised, reverse_pivots};
use crate::lapack::{Info, among_threads};
use affinimath_core::options::Triangle;
use affinimath_core::scalar::Scalar;

/// P A Pᵀ = L D Lᵀ by rook pivoting (LAPACK: xSYTRF_ROOK), in place of a triangle of A. The info is that of
/// [`super::sytrf`].
#[instances]
pub fn sytrf_rook<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    among_threads(a.nrows(), || factorised::<T, false, true>(triangle, a, pivots))
}

/// P A Pᵀ = L D Lᴴ by rook pivoting (LAPACK: xHETRF_ROOK). A's diagonal is taken as real.
#[instances]
pub fn hetrf_rook<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    among_threads(a.nrows(), || factorised::<T, true, true>(triangle, a, pivots))
}

/// Solves A X = B with [`sytrf_rook`]'s factors (LAPACK: xSYTRS_ROOK). X overwrites B. The pivots fit.
#[instances]
pub fn sytrs_rook<T: Scalar>(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], b: MatMut<'_, T>) {
    solved(Pivoting::Rook, triangle, factors, pivots, false, b);
}

/// Solves A X = B with [`hetrf_rook`]'s factors (LAPACK: xHETRS_ROOK). X overwrites B. The pivots fit.
#[instances]
pub fn hetrs_rook<T: Scalar>(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], b: MatMut<'_, T>) {
    solved(Pivoting::Rook, triangle, factors, pivots, true, b);
}

/// Solves A X = B by [`sytrf_rook`] and, if that succeeds, [`sytrs_rook`] (LAPACK: xSYSV_ROOK).
#[instances]
pub fn sysv_rook<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>, pivots: &mut [i32], b: MatMut<'_, T>) -> Info {
    let info = sytrf_rook(triangle, a.as_mut(), pivots);
    if info.is_none() {
        sytrs_rook(triangle, a.as_ref(), pivots, b);
    }
    info
}

/// Solves A X = B by [`hetrf_rook`] and, if that succeeds, [`hetrs_rook`] (LAPACK: xHESV_ROOK).
#[instances]
pub fn hesv_rook<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>, pivots: &mut [i32], b: MatMut<'_, T>) -> Info {
    let info = hetrf_rook(triangle, a.as_mut(), pivots);
    if info.is_none() {
        hetrs_rook(triangle, a.as_ref(), pivots, b);
    }
    info
}

/// A⁻¹ from [`sytrf_rook`]'s factors, in place of the triangle (LAPACK: xSYTRI_ROOK), as [`super::sytri`].
#[instances]
pub fn sytri_rook<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &[i32]) -> Info {
    inverted(Pivoting::Rook, triangle, a, pivots, false)
}

/// A⁻¹ from [`hetrf_rook`]'s factors, in place of the triangle (LAPACK: xHETRI_ROOK), as [`super::sytri`].
#[instances]
pub fn hetri_rook<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &[i32]) -> Info {
    inverted(Pivoting::Rook, triangle, a, pivots, true)
}

/// True if each pivot is a row from its own on (of an upper triangle up to it), and those of blocks of order 2 are two.
pub fn rook_pivots_fit(triangle: Triangle, pivots: &[i32]) -> bool {
    let mut own = pivots.to_vec();
    if pivots.iter().any(|pivot| pivot.unsigned_abs() as usize > pivots.len() || *pivot == 0) {
        return false;
    }
    if triangle == Triangle::Upper {
        reverse_pivots(&mut own);
    }
    let mut k = 0;
    while k < own.len() {
        let step = if own[k] > 0 { 1 } else { 2 };
        let fits = |k: usize| own.get(k).is_some_and(|p| (*p > 0) == (step == 1) && p.unsigned_abs() as usize > k);
        if !(k..k + step).all(fits) {
            return false;
        }
        k += step;
    }
    true
}
