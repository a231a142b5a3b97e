//! Solutions with Bunch and Kaufman's factors.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::super::Info;
use super::permuted::Permuted;
use super::{Pivoting, hetrf, sytrf};
use affinimath_core::options::Triangle;
use affinimath_core::scalar::Scalar;

/// Solves A X = B with [`sytrf`]'s factors (LAPACK: xSYTRS). X overwrites B. The pivots fit.
#[instances]
pub fn sytrs<T: Scalar>(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], b: MatMut<'_, T>) {
    solved(Pivoting::BunchKaufman, triangle, factors, pivots, false, b);
}

/// Solves A X = B with [`hetrf`]'s factors (LAPACK: xHETRS). X overwrites B. The pivots fit.
#[instances]
pub fn hetrs<T: Scalar>(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], b: MatMut<'_, T>) {
    solved(Pivoting::BunchKaufman, triangle, factors, pivots, true, b);
}

pub(super) fn solved<T: Scalar>(
    pivoting: Pivoting,
    triangle: Triangle,
    factors: MatRef<'_, T>,
    pivots: &[i32],
    hermitian: bool,
    b: MatMut<'_, T>,
) {
    if b.nrows() > 0 && b.ncols() > 0 {
        Permuted::with(pivoting, triangle, factors, pivots, hermitian).solve(triangle, b);
    }
}

/// Solves A X = B by [`sytrf`] and, if that succeeds, [`sytrs`] (LAPACK: xSYSV).
#[instances]
pub fn sysv<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>, pivots: &mut [i32], b: MatMut<'_, T>) -> Info {
    let info = sytrf(triangle, a.as_mut(), pivots);
    if info.is_none() {
        sytrs(triangle, a.as_ref(), pivots, b);
    }
    info
}

/// Solves A X = B by [`hetrf`] and, if that succeeds, [`hetrs`] (LAPACK: xHESV).
#[instances]
pub fn hesv<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>, pivots: &mut [i32], b: MatMut<'_, T>) -> Info {
    let info = hetrf(triangle, a.as_mut(), pivots);
    if info.is_none() {
        hetrs(triangle, a.as_ref(), pivots, b);
    }
    info
}
