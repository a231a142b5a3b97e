//! Solutions with Bunch and Kaufman's factors.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads};
use super::permuted::Permuted;
use super::{hetrf, sytrf};
use crate::trsm;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Solves A X = B with [`sytrf`]'s factors (LAPACK: xSYTRS). X overwrites B. The pivots fit.
#[instances]
pub fn sytrs<T: Scalar>(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], b: MatMut<'_, T>) {
    solved(triangle, factors, pivots, false, b);
}

/// Solves A X = B with [`hetrf`]'s factors (LAPACK: xHETRS). X overwrites B. The pivots fit.
#[instances]
pub fn hetrs<T: Scalar>(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], b: MatMut<'_, T>) {
    solved(triangle, factors, pivots, true, b);
}

fn solved<T: Scalar>(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], hermitian: bool, b: MatMut<'_, T>) {
    let (n, columns) = (b.nrows(), b.ncols());
    if n == 0 || columns == 0 {
        return;
    }
    let factors = Permuted::new(triangle, factors, pivots, hermitian);
    let mut b = if triangle == Triangle::Lower { b } else { b.reverse_rows_mut() };
    among_threads(n, || {
        let mut x = Mat::from_fn(n, columns, |i, j| b[(factors.rows[i], j)]);
        let adjoint = if hermitian { Op::ConjTrans } else { Op::Trans };
        let l = factors.l.as_ref();
        trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::Unit, T::ONE, l, x.as_mut());
        factors.divide(x.as_mut());
        trsm(Side::Left, Triangle::Lower, adjoint, Diag::Unit, T::ONE, l, x.as_mut());
        for j in 0..columns {
            factors.rows.iter().enumerate().for_each(|(i, row)| b[(*row, j)] = x[(i, j)]);
        }
    });
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
