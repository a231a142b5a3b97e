//! Complex products by four real ones, for sums that overflow.
//!
//! faer multiplies sums by alpha as complex numbers, which turns 1 (∞ + ∞ i) into NaN. If that may have happened,
//! the product is recomputed from real and imaginary parts.

use faer::{Conj, Mat, MatMut, MatRef};

use super::gemm;
use super::product::Operand;
use affinimath_core::options::Op;
use affinimath_core::scalar::Scalar;

/// Minimum k for which the check of the result is cheap in comparison.
const LONG_K: usize = 8;

/// True if C = alpha A B, with inner dimension k, may have NaN in place of infinities.
pub(super) fn hides_infinities<T: Scalar>(alpha: T, k: usize, c: MatRef<'_, T>) -> bool {
    let c = if c.row_stride().unsigned_abs() <= c.col_stride().unsigned_abs() { c } else { c.transpose() };
    let is_candidate = T::KIND.is_complex() && alpha.im() == 0.0 && k >= LONG_K;
    // Without a branch for each element.
    is_candidate
        && c.col_iter().any(|column| column.iter().fold(false, |any, x| any | x.re().is_nan() | x.im().is_nan()))
}

/// C := alpha A B for a real alpha.
pub(super) fn by_k_slices<T: Scalar>(alpha: T, a: Operand<'_, T>, b: Operand<'_, T>, mut c: MatMut<'_, T>) {
    let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
    let parts = |x: Operand<'_, T>| {
        let sign = if x.conj == Conj::Yes { -1.0 } else { 1.0 };
        let (m, n) = (x.matrix.nrows(), x.matrix.ncols());
        [
            Mat::from_fn(m, n, |i, j| real(x.matrix[(i, j)].re())),
            Mat::from_fn(m, n, |i, j| real(sign * x.matrix[(i, j)].im())),
        ]
    };
    let ([a_re, a_im], [b_re, b_im]) = (parts(a), parts(b));
    let sum = |left: [&Mat<T::RealScalar>; 2], right: [&Mat<T::RealScalar>; 2], sign: f64| {
        let mut sum = Mat::zeros(c.nrows(), c.ncols());
        for (left, right, factor, beta) in
            [(left[0], right[0], alpha.re(), 0.0), (left[1], right[1], sign * alpha.re(), 1.0)]
        {
            gemm(Op::NoTrans, Op::NoTrans, real(factor), left.as_ref(), right.as_ref(), real(beta), sum.as_mut());
        }
        sum
    };
    let (re, im) = (sum([&a_re, &a_im], [&b_re, &b_im], -1.0), sum([&a_re, &a_im], [&b_im, &b_re], 1.0));
    for j in 0..c.ncols() {
        for i in 0..c.nrows() {
            c[(i, j)] = T::from_parts(re[(i, j)].re(), im[(i, j)].re());
        }
    }
}
