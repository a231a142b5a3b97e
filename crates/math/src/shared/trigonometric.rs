//! sin, cos and tan by polynomials about multiples of π/2.

use super::reduction::{Reduced, Reduction, cody_waite, payne_hanek};
use super::{Estimates, fast_two_sum, flip_sign, polynomial, product_error, rough_reciprocal, sign_of};
use crate::lanes::Lanes;
use crate::layout::{Layout, round_product};
use crate::tables::trigonometric as tables;

/// Coefficients in r².
pub(crate) trait Trigonometric: Reduction + Estimates {
    /// (sin r - r) / r³
    const SIN: &'static [Self];
    /// (cos r - 1 + r²/2) / r⁴
    const COS: &'static [Self];
    const PI: [Self; 2];
}

impl Trigonometric for f32 {
    const SIN: &'static [f32] = &tables::single::SIN;
    const COS: &'static [f32] = &tables::single::COS;
    const PI: [f32; 2] = tables::single::PI;
}

impl Trigonometric for f64 {
    const SIN: &'static [f64] = &tables::double::SIN;
    const COS: &'static [f64] = &tables::double::COS;
    const PI: [f64; 2] = tables::double::PI;
}

/// A sum of two numbers that is not rounded yet.
type Sum<L> = (<L as Lanes>::F, <L as Lanes>::F);

#[inline(always)]
pub(crate) fn sin<L: Lanes<Real: Trigonometric>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let usual = sin_of_reduced(l, cody_waite(l, magnitude));
    flip_sign(l, replace_large(l, magnitude, usual, sin_of_reduced), sign_of(l, x))
}

#[inline(always)]
pub(crate) fn cos<L: Lanes<Real: Trigonometric>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let usual = cos_of_reduced(l, cody_waite(l, magnitude));
    replace_large(l, magnitude, usual, cos_of_reduced)
}

#[inline(always)]
pub(crate) fn sincos<L: Lanes<Real: Trigonometric>>(l: L, x: L::F) -> (L::F, L::F) {
    let magnitude = l.abs(x);
    let usual = cody_waite(l, magnitude);
    let sin = replace_large(l, magnitude, sin_of_reduced(l, usual), sin_of_reduced);
    let cos = replace_large(l, magnitude, cos_of_reduced(l, usual), cos_of_reduced);
    (flip_sign(l, sin, sign_of(l, x)), cos)
}

#[inline(always)]
pub(crate) fn tan<L: Lanes<Real: Trigonometric>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let usual = tan_of_reduced(l, cody_waite(l, magnitude));
    flip_sign(l, replace_large(l, magnitude, usual, tan_of_reduced), sign_of(l, x))
}

/// Zeros have the sign of x.
#[inline(always)]
pub(crate) fn sinpi<L: Lanes<Real: Trigonometric>>(l: L, x: L::F) -> L::F {
    let reduced = reduce_half_turns(l, l.abs(x));
    flip_sign(l, with_positive_zero(l, sin_of_reduced(l, reduced)), sign_of(l, x))
}

/// Zeros are positive.
#[inline(always)]
pub(crate) fn cospi<L: Lanes<Real: Trigonometric>>(l: L, x: L::F) -> L::F {
    with_positive_zero(l, cos_of_reduced(l, reduce_half_turns(l, l.abs(x))))
}

/// The usual value, unless x >= 0 needs the other reduction. NaN for infinities.
///
/// The usual value comes as a value: a function that is passed would not be compiled for the vectors of the machine.
#[inline(always)]
fn replace_large<L: Lanes<Real: Trigonometric>>(
    l: L,
    x: L::F,
    usual: L::F,
    function: impl Fn(L, Reduced<L>) -> L::F,
) -> L::F {
    let is_usual = l.lt(x, l.splat(L::Real::CODY_WAITE_END));
    l.replace_if_any(l.not(is_usual), usual, |l| {
        let value = function(l, payne_hanek(l, x));
        l.select(l.lt(x, l.splat(L::Real::INFINITY)), value, l.splat(L::Real::NAN))
    })
}

/// π x modulo 2π for x >= 0, whose multiples of 1/2 have the rest 0.
#[inline(always)]
fn reduce_half_turns<L: Lanes<Real: Trigonometric>>(l: L, x: L::F) -> Reduced<L> {
    let turns = l.round(l.mul(x, l.splat(L::Real::HALF)));
    let rest = l.fma(turns, l.splat(L::Real::MINUS_TWO), x);
    let (n, quadrant) = round_product(l, rest, l.splat(L::Real::TWO));
    let r = l.fma(n, l.splat(L::Real::MINUS_HALF), rest);
    let [pi, pi_low] = L::Real::PI.map(|part| l.splat(part));
    let high = l.mul(r, pi);
    Reduced { quadrant, high, low: l.fma(r, pi_low, product_error(l, r, pi, high)) }
}

#[inline(always)]
fn with_positive_zero<L: Lanes<Real: Layout>>(l: L, x: L::F) -> L::F {
    // In the default rounding -0 + 0 is 0.
    l.add(x, l.splat(L::Real::ZERO))
}

#[inline(always)]
fn sin_of_reduced<L: Lanes<Real: Trigonometric>>(l: L, reduced: Reduced<L>) -> L::F {
    let (sin, cos) = sums(l, reduced);
    let is_odd = is_odd_quadrant(l, reduced.quadrant);
    let value = l.select(is_odd, l.add(cos.0, cos.1), l.add(sin.0, sin.1));
    flip_sign(l, value, sign_of_quadrant(l, reduced.quadrant))
}

#[inline(always)]
fn cos_of_reduced<L: Lanes<Real: Trigonometric>>(l: L, reduced: Reduced<L>) -> L::F {
    let next = l.int_add(reduced.quadrant, l.int(L::Real::INT_ONE));
    sin_of_reduced(l, Reduced { quadrant: next, ..reduced })
}

/// sin/cos or -cos/sin.
#[inline(always)]
fn tan_of_reduced<L: Lanes<Real: Trigonometric>>(l: L, reduced: Reduced<L>) -> L::F {
    let (sin, cos) = sums(l, reduced);
    let (sin, cos) = (fast_two_sum(l, sin.0, sin.1), fast_two_sum(l, cos.0, cos.1));
    let is_odd = is_odd_quadrant(l, reduced.quadrant);
    let numerator = (l.select(is_odd, l.neg(cos.0), sin.0), l.select(is_odd, l.neg(cos.1), sin.1));
    let divisor = (l.select(is_odd, sin.0, cos.0), l.select(is_odd, sin.1, cos.1));
    let quotient = l.div(numerator.0, divisor.0);
    let minus_quotient = l.neg(quotient);
    let rest = l.add(l.fma(minus_quotient, divisor.0, numerator.0), l.fma(minus_quotient, divisor.1, numerator.1));
    l.fma(rest, rough_reciprocal(l, divisor.0), quotient)
}

/// sin r and cos r.
#[inline(always)]
fn sums<L: Lanes<Real: Trigonometric>>(l: L, Reduced { high, low, .. }: Reduced<L>) -> (Sum<L>, Sum<L>) {
    let square = l.mul(high, high);
    let sin_rest = l.fma(l.mul(high, square), polynomial(l, square, L::Real::SIN), low);
    let one = l.splat(L::Real::ONE);
    let leading = l.fma(square, l.splat(L::Real::MINUS_HALF), one);
    // The rounding error of 1 - r²/2, and the change of cos r by the low part.
    let error = l.fma(square, l.splat(L::Real::MINUS_HALF), l.sub(one, leading));
    let error = l.fma(l.neg(high), low, error);
    let cos_rest = l.fma(l.mul(square, square), polynomial(l, square, L::Real::COS), error);
    ((high, sin_rest), (leading, cos_rest))
}

/// A mask of the lanes whose quadrant is odd.
#[inline(always)]
fn is_odd_quadrant<L: Lanes<Real: Reduction>>(l: L, quadrant: L::I) -> L::M {
    let mask = l.int(L::Real::int(1));
    l.int_eq(l.int_and(quadrant, mask), mask)
}

/// The sign of sin or cos in the upper quadrants.
#[inline(always)]
fn sign_of_quadrant<L: Lanes<Real: Reduction>>(l: L, quadrant: L::I) -> L::I {
    let width = 8 * size_of::<L::Real>() as i32;
    l.int_and(l.int_shl(quadrant, l.int(L::Real::int(width - 2))), l.int(L::Real::SIGN))
}
