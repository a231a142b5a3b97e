//! Reciprocal condition numbers from factors (LAPACK: xSYCON, xHECON, xGBCON, xGTCON, xPTCON).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::refine::solve_conjugated;
use super::safe_minimum;
use crate::lapack::indefinite::{Permuted, Pivoting};
use crate::lapack::{TridiagonalFactors, gbtrs, gttrs};
use crate::solve::inverse_one_norm;
use affinimath_core::options::{Norm, Op, Triangle};
use affinimath_core::scalar::Scalar;

/// Power of two that leaves room on both sides of a norm: the estimate's vectors are up to twice as large, and their
/// elements a fraction of it.
fn away_from_ends<T: Scalar>(norm: f64) -> f64 {
    let smallest = safe_minimum::<T>();
    let (largest, lift) = (1.0 / smallest, 2f64.powi(40));
    match norm {
        _ if norm > largest / 16.0 => 1.0 / 64.0,
        _ if norm < smallest * lift => lift,
        _ => 1.0,
    }
}

/// The estimate of 1 / (||A|| ||A⁻¹||), where `solve` overwrites x with op(A)⁻¹ x. It is 1 for n = 0, NaN for a norm
/// that is NaN, and 0 where the norm of the inverse overflows.
pub(super) fn reciprocal_condition<T: Scalar>(
    n: usize,
    norm: Norm,
    anorm: f64,
    solve: impl Fn(Op, MatMut<'_, T>),
) -> f64 {
    match anorm {
        _ if n == 0 => return 1.0,
        _ if anorm.is_nan() => return anorm,
        _ if anorm == 0.0 || anorm.is_infinite() => return 0.0,
        _ => {}
    }
    let scale = away_from_ends::<T>(anorm);
    let factor = T::from_parts(anorm * scale, 0.0);
    let apply = |op: Op, mut x: MatMut<'_, T>| {
        x.as_mut().col_mut(0).iter_mut().for_each(|x| *x *= factor);
        solve(op, x);
    };
    // The infinity norm is the adjoint's 1-norm.
    let direct = if norm == Norm::Infinity { Op::ConjTrans } else { Op::NoTrans };
    scale / inverse_one_norm::<T>(n, |x| apply(direct, x), |x| apply(direct.adjoint(), x))
}

/// An estimate of 1 / (||A||₁ ||A⁻¹||₁) from [`crate::lapack::sytrf`]'s factors, or from those of the rook variant, and
/// ||A||₁ (LAPACK: xSYCON). The pivots fit.
#[instances]
pub fn sycon<T: Scalar>(
    pivoting: Pivoting,
    triangle: Triangle,
    factors: MatRef<'_, T>,
    pivots: &[i32],
    anorm: f64,
) -> f64 {
    of_factors(triangle, &Permuted::with(pivoting, triangle, factors, pivots, false), anorm)
}

/// The same of a Hermitian matrix (LAPACK: xHECON).
#[instances]
pub fn hecon<T: Scalar>(
    pivoting: Pivoting,
    triangle: Triangle,
    factors: MatRef<'_, T>,
    pivots: &[i32],
    anorm: f64,
) -> f64 {
    of_factors(triangle, &Permuted::with(pivoting, triangle, factors, pivots, true), anorm)
}

pub(super) fn of_factors<T: Scalar>(triangle: Triangle, factors: &Permuted<T>, anorm: f64) -> f64 {
    let n = factors.order();
    if n > 0 && factors.zero().is_some() {
        return 0.0;
    }
    reciprocal_condition(n, Norm::One, anorm, |op, x: MatMut<'_, T>| {
        let conjugates = op.conjugates() && !factors.is_hermitian();
        solve_conjugated(conjugates, x, |x| factors.solve(triangle, x));
    })
}

/// An estimate of 1 / (||A|| ||A⁻¹||) from [`gbtrs`]'s factors (LAPACK: xGBCON).
#[instances]
pub fn gbcon<T: Scalar>(norm: Norm, diagonals: [usize; 2], ab: MatRef<'_, T>, pivots: &[i32], anorm: f64) -> f64 {
    let row = diagonals[0] + diagonals[1];
    if (0..ab.ncols()).any(|j| ab[(row, j)] == T::ZERO) {
        return 0.0;
    }
    reciprocal_condition(ab.ncols(), norm, anorm, |op, x: MatMut<'_, T>| gbtrs(op, diagonals, ab, pivots, x))
}

/// An estimate of 1 / (||A|| ||A⁻¹||) from [`gttrs`]'s factors (LAPACK: xGTCON).
#[instances]
pub fn gtcon<T: Scalar>(norm: Norm, factors: TridiagonalFactors<'_, T>, anorm: f64) -> f64 {
    let n = factors.d.len();
    if factors.d.contains(&T::ZERO) {
        return 0.0;
    }
    reciprocal_condition(n, norm, anorm, |op, x: MatMut<'_, T>| gttrs(op, factors, x))
}

/// 1 / (||A||₁ ||A⁻¹||₁) of a positive definite tridiagonal A, from the factors of [`crate::lapack::pttrf`] (LAPACK:
/// xPTCON). It is no estimate: A⁻¹ is at most M(A)⁻¹ by elements, whose largest row sum one solution gives.
///
/// N. J. Higham, *Efficient algorithms for computing the condition number of a tridiagonal matrix*, SIAM J. Sci. Stat.
/// Comput. 7 (1986), 150-165.
#[instances]
pub fn ptcon<T: Scalar>(d: &[T::RealScalar], e: &[T], anorm: f64) -> f64 {
    let n = d.len();
    match anorm {
        _ if n == 0 => return 1.0,
        _ if anorm.is_nan() => return anorm,
        _ if anorm == 0.0 || d.iter().any(|d| d.re() <= 0.0) => return 0.0,
        _ => {}
    }
    let mut sums = vec![1.0; n];
    for i in 1..n {
        sums[i] = 1.0 + sums[i - 1] * e[i - 1].modulus();
    }
    sums[n - 1] /= d[n - 1].re();
    for i in (0..n - 1).rev() {
        sums[i] = sums[i] / d[i].re() + sums[i + 1] * e[i].modulus();
    }
    1.0 / sums.into_iter().fold(0.0, super::larger) / anorm
}
