//! Powers of two that keep the squares of norms within the range of a precision.
//!
//! Multiplying by a power of two is exact, so that a solve has the same bits with any of them as long as nothing
//! overflows or underflows.

use crate::scalar::Scalar;

/// Exponents of a precision: norms between 2^-e and 2^e are used as they are.
///
/// A run ends at eps/2 of the residual that it begins with. Its smallest sums are the squares of A s, where ||s|| is
/// that small: 2^-(2 (operator + residual + p)), with p the bits of the significand. They stay normal numbers for each
/// of these rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    /// Of the right-hand side and of x.
    pub(super) vector: i32,
    /// Of the residual that a run begins with.
    pub(super) residual: i32,
    /// Of operators: of the norm of what they make of a vector, over that of the vector.
    pub(super) operator: i32,
    /// Of the norm that a run has found of the operator: the squares that it is the root of are normal numbers.
    pub(super) found: i32,
    /// The largest exponent of a vector's norm: products with small numbers do not overflow.
    pub(super) largest: i32,
    /// The largest step of a multiplication by a power of two: both signs are normal numbers.
    pub(super) step: i32,
    /// Half of the largest exponent: squares of up to that are finite.
    pub(super) half: i32,
}

impl Range {
    pub(super) const fn of<T: Scalar>() -> Self {
        if T::KIND.is_double() {
            Range { vector: 400, residual: 100, operator: 200, found: 450, largest: 1000, step: 900, half: 511 }
        } else {
            Range { vector: 40, residual: 8, operator: 16, found: 48, largest: 120, step: 100, half: 63 }
        }
    }
}

/// The exponent that brings a norm to [1, 2), or 0 where it is within 2^-safe and 2^safe, or is zero or not finite.
pub(super) fn balancing(norm: f64, safe: i32) -> i32 {
    if norm == 0.0 || !norm.is_finite() {
        return 0;
    }
    let exponent = norm.log2().floor() as i32;
    if exponent.abs() <= safe { 0 } else { -exponent }
}

/// The norm of a vector as far as a power of two goes, where it overflows though no element does.
pub(super) fn bounded<T: Scalar>(norm: f64) -> f64 {
    if norm.is_infinite() { f64::from(2 * Range::of::<T>().half).exp2() } else { norm }
}

/// A norm that a run has found of an operator times 2^exponent, where it can be relied upon.
pub(super) fn found<T: Scalar>(norm: f64, exponent: i32) -> Option<f64> {
    let limit = f64::from(Range::of::<T>().found).exp2();
    (limit.recip()..limit).contains(&norm).then(|| times_power(norm, -exponent))
}

/// value * 2^exponent, without overflow or underflow on the way.
pub(super) fn times_power(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * f64::from(half).exp2() * f64::from(exponent - half).exp2()
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn powers_of_two_are_exact_over_the_whole_range() {
        for (value, exponent, expected) in [
            (1.5, 1000, 1.5 * f64::from(1000).exp2()),
            (f64::from_bits(1), 1074, 1.0),
            (f64::MAX, -1024, 1.0 - f64::EPSILON / 2.0),
            (1.0, -1074, f64::from_bits(1)),
            (0.0, 1500, 0.0),
        ] {
            assert_eq!(times_power(value, exponent), expected, "{value:e} * 2^{exponent}");
        }
    }

    #[test]
    fn norms_far_from_one_are_brought_to_one() {
        for (norm, expected) in [(1e20, -66), (1e-200, 665), (1.0, 0), (1000.0, 0), (0.0, 0), (f64::NAN, 0)] {
            assert_eq!(balancing(norm, 40), expected, "{norm:e}");
        }
        let brought = times_power(1e-200, balancing(1e-200, 40));
        assert!((1.0..2.0).contains(&brought));
    }
}
