//! Inverses from Bunch and Kaufman's factors: Pᵀ (L⁻ᴴ D⁻¹ L⁻¹) P, by trtri and a product.

use affinimath_macros::instances;
use faer::{Mat, MatMut};

use super::super::triangular::trtri;
use super::super::{Info, among_threads};
use super::permuted::Permuted;
use super::{Pivoting, lower_mut};
use crate::level3::gemmt;
use affinimath_core::options::{Diag, Op, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// A⁻¹ from [`super::sytrf`]'s factors, in place of the triangle (LAPACK: xSYTRI). If a block of D of order 1 is zero,
/// its index is the info, and nothing is changed. The pivots fit.
#[instances]
pub fn sytri<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &[i32]) -> Info {
    inverted(Pivoting::BunchKaufman, triangle, a, pivots, false)
}

/// A⁻¹ from [`super::hetrf`]'s factors, in place of the triangle (LAPACK: xHETRI), as [`sytri`].
#[instances]
pub fn hetri<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &[i32]) -> Info {
    inverted(Pivoting::BunchKaufman, triangle, a, pivots, true)
}

pub(super) fn inverted<T: Scalar>(
    pivoting: Pivoting,
    triangle: Triangle,
    a: MatMut<'_, T>,
    pivots: &[i32],
    hermitian: bool,
) -> Info {
    let n = a.nrows();
    let mut factors = Permuted::with(pivoting, triangle, a.as_ref(), pivots, hermitian);
    if let Some(zero) = factors.zero() {
        return Some(if triangle == Triangle::Lower { zero + 1 } else { n - zero });
    }
    let mut a = lower_mut(triangle, a);
    let (op, symmetry) =
        if hermitian { (Op::ConjTrans, Symmetry::Hermitian) } else { (Op::Trans, Symmetry::Symmetric) };
    among_threads(n, || {
        // A diagonal of ones has no zero.
        let _ = trtri(Triangle::Lower, Diag::Unit, factors.l.as_mut());
        let mut divided = factors.l.clone();
        factors.divide(divided.as_mut());
        let mut inverse = Mat::zeros(n, n);
        let (left, right) = ((op, factors.l.as_ref()), (Op::NoTrans, divided.as_ref()));
        gemmt((Triangle::Lower, symmetry), left, right, T::ONE, T::ZERO, inverse.as_mut());
        for j in 0..n {
            for i in j..n {
                let (row, column, value) = (factors.rows[i], factors.rows[j], inverse[(i, j)]);
                if row >= column {
                    a[(row, column)] = value;
                } else {
                    a[(column, row)] = if hermitian { value.conjugate() } else { value };
                }
            }
        }
    });
    None
}
