//! asin and acos by a polynomial on [0, 1/2], atan and atan2 by one on [0, 1].

use super::{Estimates, fast_two_sum, flip_sign, polynomial, rough_inverse_sqrt, rough_reciprocal, sign_of};
use crate::lanes::Lanes;
use crate::layout::Layout;
use crate::tables::{inverse_trigonometric as tables, trigonometric};

/// Coefficients in t².
pub(crate) trait InverseTrigonometric: Estimates {
    /// (asin t - t) / t³
    const ASIN: &'static [Self];
    /// (atan t - t) / t³
    const ATAN: &'static [Self];
    const HALF_PI: [Self; 2];
    const PI: [Self; 2];
    /// atan is π/2 to half an ulp from here on.
    const ATAN_END: Self;
    /// Reciprocals of larger numbers may be subnormal.
    const DIVISOR_END: Self;
    const DIVISOR_SCALE: Self;
}

impl InverseTrigonometric for f32 {
    const ASIN: &'static [f32] = &tables::single::ASIN;
    const ATAN: &'static [f32] = &tables::single::ATAN;
    const HALF_PI: [f32; 2] = [trigonometric::single::HALF_PI[0], trigonometric::single::HALF_PI[1]];
    const PI: [f32; 2] = trigonometric::single::PI;
    const ATAN_END: f32 = (1u64 << 40) as f32;
    const DIVISOR_END: f32 = f32::MAX / 8.0;
    const DIVISOR_SCALE: f32 = 1.0 / 16.0;
}

impl InverseTrigonometric for f64 {
    const ASIN: &'static [f64] = &tables::double::ASIN;
    const ATAN: &'static [f64] = &tables::double::ATAN;
    const HALF_PI: [f64; 2] = [trigonometric::double::HALF_PI[0], trigonometric::double::HALF_PI[1]];
    const PI: [f64; 2] = trigonometric::double::PI;
    const ATAN_END: f64 = (1u128 << 80) as f64;
    const DIVISOR_END: f64 = f64::MAX / 8.0;
    const DIVISOR_SCALE: f64 = 1.0 / 16.0;
}

/// π/2 - 2 asin(sqrt((1 - x)/2)) for x > 1/2.
#[inline(always)]
pub(crate) fn asin<L: Lanes<Real: InverseTrigonometric>>(l: L, x: L::F) -> L::F {
    let (zero, minus_one) = (l.splat(L::Real::ZERO), l.splat(L::Real::MINUS_ONE));
    let [half_pi, half_pi_low] = L::Real::HALF_PI.map(|part| l.splat(part));
    let arc = arc(l, l.abs(x));
    let base = (l.select(arc.is_large, half_pi, zero), l.select(arc.is_large, half_pi_low, zero));
    let factor = l.select(arc.is_large, l.splat(L::Real::TWO), minus_one);
    flip_sign(l, difference(l, base, factor, arc.value, arc.rest), sign_of(l, x))
}

/// π/2 - asin x for |x| <= 1/2, 2 asin(sqrt((1 - x)/2)) for larger x, and π - acos(-x).
#[inline(always)]
pub(crate) fn acos<L: Lanes<Real: InverseTrigonometric>>(l: L, x: L::F) -> L::F {
    let zero = l.splat(L::Real::ZERO);
    let is_negative = l.lt(x, zero);
    let arc = arc(l, l.abs(x));
    let large =
        (l.select(is_negative, l.splat(L::Real::PI[0]), zero), l.select(is_negative, l.splat(L::Real::PI[1]), zero));
    let [half_pi, half_pi_low] = L::Real::HALF_PI.map(|part| l.splat(part));
    let base = (l.select(arc.is_large, large.0, half_pi), l.select(arc.is_large, large.1, half_pi_low));
    let large_factor = signed(l, L::Real::TWO, l.not(is_negative));
    let factor = l.select(arc.is_large, large_factor, signed(l, L::Real::ONE, is_negative));
    difference(l, base, factor, arc.value, arc.rest)
}

/// A magnitude, negative in the lanes of the mask.
#[inline(always)]
fn signed<L: Lanes>(l: L, magnitude: L::Real, is_minus: L::M) -> L::F {
    let magnitude = l.splat(magnitude);
    l.select(is_minus, l.neg(magnitude), magnitude)
}

#[inline(always)]
pub(crate) fn atan<L: Lanes<Real: InverseTrigonometric>>(l: L, x: L::F) -> L::F {
    let (zero, one) = (l.splat(L::Real::ZERO), l.splat(L::Real::ONE));
    let end = l.splat(L::Real::ATAN_END);
    let magnitude = l.abs(x);
    let magnitude = l.select(l.lt(end, magnitude), end, magnitude);
    let is_large = l.lt(one, magnitude);
    let (numerator, divisor) = (l.select(is_large, one, magnitude), l.select(is_large, magnitude, one));
    let t = l.div(numerator, divisor);
    // If the divisor is 1, the quotient is exact. Otherwise it is the reciprocal of the divisor itself.
    let t_low = l.mul(l.fma(l.neg(t), divisor, numerator), t);
    let [half_pi, half_pi_low] = L::Real::HALF_PI.map(|part| l.splat(part));
    let base = (l.select(is_large, half_pi, zero), l.select(is_large, half_pi_low, zero));
    let factor = l.select(is_large, one, l.splat(L::Real::MINUS_ONE));
    flip_sign(l, difference(l, base, factor, t, atan_rest(l, t, t_low)), sign_of(l, x))
}

/// The angle of (y, x), with the special values of C99's Annex F.
#[inline(always)]
pub(crate) fn atan2<L: Lanes<Real: InverseTrigonometric>>(l: L, y: L::F, x: L::F) -> L::F {
    let (zero, one, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::ONE), l.splat(L::Real::INFINITY));
    let (height, width) = (l.abs(y), l.abs(x));
    let is_steep = l.lt(width, height);
    let (numerator, divisor) = (l.select(is_steep, width, height), l.select(is_steep, height, width));
    let is_left = l.int_lt(l.to_bits(x), l.int(L::Real::INT_ZERO));
    let octant = Octant { is_steep, is_left };
    let is_usual = l.and(l.lt(zero, divisor), l.lt(divisor, l.splat(L::Real::DIVISOR_END)));
    let value = l.replace_if_any(l.not(is_usual), angle(l, octant, numerator, divisor), |l| {
        let scale = l.splat(L::Real::DIVISOR_SCALE);
        // Two infinities are one angle apart from the axes, two zeros lie on them.
        let is_infinite = l.eq(divisor, infinity);
        let special = l.select(l.eq(numerator, infinity), one, zero);
        let is_special = l.or(is_infinite, l.eq(divisor, zero));
        let is_number = l.eq(numerator, numerator);
        let is_special = l.and(is_special, is_number);
        let numerator = l.select(is_special, special, l.mul(numerator, scale));
        angle(l, octant, numerator, l.select(is_special, one, l.mul(divisor, scale)))
    });
    flip_sign(l, value, sign_of(l, y))
}

/// The octant of the upper half plane that a direction lies in.
#[derive(Clone, Copy)]
struct Octant<L: Lanes> {
    /// The height is above the width.
    is_steep: L::M,
    is_left: L::M,
}

/// The angle of a direction in the upper half plane, whose magnitudes are the numerator and the divisor.
#[inline(always)]
fn angle<L: Lanes<Real: InverseTrigonometric>>(l: L, octant: Octant<L>, numerator: L::F, divisor: L::F) -> L::F {
    let Octant { is_steep, is_left } = octant;
    let t = l.div(numerator, divisor);
    let t_low = l.mul(l.fma(l.neg(t), divisor, numerator), rough_reciprocal(l, divisor));
    let zero = l.splat(L::Real::ZERO);
    let [pi, pi_low] = L::Real::PI.map(|part| l.splat(part));
    let [half_pi, half_pi_low] = L::Real::HALF_PI.map(|part| l.splat(part));
    let high = l.select(is_steep, half_pi, l.select(is_left, pi, zero));
    let low = l.select(is_steep, half_pi_low, l.select(is_left, pi_low, zero));
    let sign = l.select(is_left, l.splat(L::Real::ONE), l.splat(L::Real::MINUS_ONE));
    let factor = l.select(is_steep, l.neg(sign), sign);
    difference(l, (high, low), factor, t, atan_rest(l, t, t_low))
}

/// asin on [0, 1/2] as value + rest: of x, or of sqrt((1 - x)/2) where x is large.
struct Arc<L: Lanes> {
    is_large: L::M,
    value: L::F,
    rest: L::F,
}

#[inline(always)]
fn arc<L: Lanes<Real: InverseTrigonometric>>(l: L, x: L::F) -> Arc<L> {
    let (zero, half) = (l.splat(L::Real::ZERO), l.splat(L::Real::HALF));
    let is_large = l.lt(half, x);
    let square = l.select(is_large, l.fma(x, l.splat(L::Real::MINUS_HALF), half), l.mul(x, x));
    let root = l.sqrt(square);
    let value = l.select(is_large, root, x);
    // The root's rounding error is (square - root²) / (2 root), for which an estimate of the divisor is enough.
    let residual = l.fma(l.neg(root), root, square);
    let error = l.mul(residual, l.mul(half, rough_inverse_sqrt(l, square)));
    let error = l.select(is_large, error, zero);
    let rest = l.fma(l.mul(value, square), polynomial(l, square, L::Real::ASIN), error);
    Arc { is_large, value, rest }
}

/// atan(t + low) - t on [0, 1].
#[inline(always)]
fn atan_rest<L: Lanes<Real: InverseTrigonometric>>(l: L, t: L::F, low: L::F) -> L::F {
    let square = l.mul(t, t);
    l.fma(l.mul(t, square), polynomial(l, square, L::Real::ATAN), low)
}

/// base - factor (value + rest), rounded nearly once. `factor` is a power of two; base is 0 or above the product.
#[inline(always)]
fn difference<L: Lanes>(l: L, base: (L::F, L::F), factor: L::F, value: L::F, rest: L::F) -> L::F {
    let (high, low) = fast_two_sum(l, base.0, l.neg(l.mul(factor, value)));
    l.add(high, l.fma(l.neg(factor), rest, l.add(low, base.1)))
}
