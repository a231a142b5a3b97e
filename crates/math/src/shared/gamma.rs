//! The gamma function by Lanczos's quotient, and its logarithm.

use super::logarithm::ln;
use super::power::{Power, exp2_pair, log2_pair};
use super::trigonometric::{Trigonometric, sinpi};
use super::{fast_two_sum, polynomial, product_error, rough_reciprocal};
use crate::lanes::Lanes;
use crate::layout::{Layout, round, scale};
use crate::tables::gamma as tables;

/// Coefficients of a precision.
pub(crate) trait Gamma: Trigonometric + Power {
    /// y - x.
    const SHIFT: Self;
    /// The quotient is this plus the numerator over the divisor and x.
    const LIMIT: Self;
    const NUMERATOR: &'static [Self];
    /// Without the factor x.
    const DIVISOR: &'static [Self];
    const LOG2_E_PAIR: [Self; 2];
    /// The gamma function of smaller numbers is 1/x.
    const TINY: Self;
    const LN_PI: Self;
    /// ln sqrt(2π) - 1/2
    const STIRLING: Self;
    /// Results for magnitudes above are infinite or 0.
    const END: Self;
    /// Results for magnitudes up to this are normal numbers, but near zeros and poles.
    const NORMAL_END: Self;
    /// 1/12 and -1/360
    const SERIES: [Self; 2];
}

macro_rules! gamma {
    ($real:ident $precision:ident $end:literal $normal_end:literal) => {
        impl Gamma for $real {
            const SHIFT: $real = tables::$precision::SHIFT;
            const LIMIT: $real = tables::$precision::LIMIT;
            const NUMERATOR: &'static [$real] = &tables::$precision::NUMERATOR;
            const DIVISOR: &'static [$real] = &tables::$precision::DIVISOR;
            const LOG2_E_PAIR: [$real; 2] = tables::$precision::LOG2_E;
            const TINY: $real = $real::EPSILON * $real::EPSILON;
            const LN_PI: $real = tables::$precision::LN_PI;
            const STIRLING: $real = tables::$precision::STIRLING;
            const END: $real = $end;
            const NORMAL_END: $real = $normal_end;
            const SERIES: [$real; 2] = [1.0 / 12.0, -1.0 / 360.0];
        }
    };
}

gamma!(f32 single 45.0 30.0);
gamma!(f64 double 190.0 160.0);

/// ±∞ for ±0, and NaN for negative whole numbers.
#[inline(always)]
pub(crate) fn gamma<L: Lanes<Real: Gamma>>(l: L, x: L::F) -> L::F {
    let (zero, one, tiny) = (l.splat(L::Real::ZERO), l.splat(L::Real::ONE), l.splat(L::Real::TINY));
    let magnitude = l.abs(x);
    let end = l.splat(L::Real::END);
    let (factor, power) = lanczos(l, l.select(l.lt(end, magnitude), end, magnitude));
    let value = scale(l, factor, power);
    l.replace_if_any(l.not(l.le(tiny, x)), value, |l| {
        // Reflection: gamma(-a) gamma(a) = -π / (a sin(π a)).
        let sine = sinpi(l, magnitude);
        let area = l.mul(magnitude, sine);
        let area_low = product_error(l, magnitude, sine, area);
        let divisor = l.mul(area, factor);
        let divisor_low = l.fma(area_low, factor, product_error(l, area, factor, divisor));
        let [pi, pi_low] = <L::Real as Trigonometric>::PI.map(|part| l.neg(l.splat(part)));
        let quotient = l.div(pi, divisor);
        let rest = l.fma(l.neg(quotient), divisor, pi);
        let rest = l.add(rest, l.fma(l.neg(quotient), divisor_low, pi_low));
        let quotient = l.fma(rest, rough_reciprocal(l, divisor), quotient);
        let reflected = scale(l, quotient, l.int_sub(l.int(L::Real::INT_ZERO), power));
        let reflected = l.select(l.eq(sine, zero), l.splat(L::Real::NAN), reflected);
        let value = l.select(l.lt(x, zero), reflected, value);
        l.select(l.lt(magnitude, tiny), l.div(one, x), value)
    })
}

/// ln |gamma x|, infinite at poles. Its absolute error near zeros is that of 1.
#[inline(always)]
pub(crate) fn lgamma<L: Lanes<Real: Gamma>>(l: L, x: L::F) -> L::F {
    let infinity = l.splat(L::Real::INFINITY);
    let magnitude = l.abs(x);
    let usual = ln(l, l.abs(gamma(l, x)));
    let tiny = l.splat(L::Real::TINY);
    let is_usual = l.and(l.le(tiny, x), l.lt(x, l.splat(L::Real::NORMAL_END)));
    l.replace_if_any(l.not(is_usual), usual, |l| {
        let stirling = stirling(l, magnitude);
        let sine = l.abs(sinpi(l, magnitude));
        let logarithm = ln(l, l.mul(magnitude, sine));
        let reflected = l.sub(l.sub(l.splat(L::Real::LN_PI), logarithm), stirling);
        let large = l.select(l.lt(x, l.splat(L::Real::ZERO)), reflected, stirling);
        let value = l.select(l.lt(magnitude, l.splat(L::Real::NORMAL_END)), usual, large);
        let value = l.select(l.lt(magnitude, tiny), l.neg(ln(l, magnitude)), value);
        let is_pole = l.and(l.le(x, l.splat(L::Real::ZERO)), l.eq(l.trunc(x), x));
        l.select(l.or(is_pole, l.eq(magnitude, infinity)), infinity, value)
    })
}

/// A number and a power of two whose product is the gamma function of x > 0.
#[inline(always)]
fn lanczos<L: Lanes<Real: Gamma>>(l: L, x: L::F) -> (L::F, L::I) {
    let (shift, half) = (l.splat(L::Real::SHIFT), l.splat(L::Real::HALF));
    let y = l.add(x, shift);
    let y_low = l.sub(x, l.sub(y, shift));
    let exponent = l.sub(x, half);
    let exponent_low = l.sub(x, l.add(exponent, half));
    // log2(y/e), and the change of its product with the exponent by the low part of y.
    let (high, low) = log2_pair(l, y);
    let [log2_e, log2_e_low] = L::Real::LOG2_E_PAIR.map(|part| l.splat(part));
    let (logarithm, rest) = fast_two_sum(l, high, l.neg(log2_e));
    let logarithm_low = l.add(rest, l.sub(low, log2_e_low));
    let estimate = rough_reciprocal(l, y);
    let reciprocal = l.mul(estimate, l.fma(l.neg(y), estimate, l.splat(L::Real::TWO)));
    let change = l.mul(l.mul(l.mul(exponent, reciprocal), y_low), log2_e);
    let product = l.mul(exponent, logarithm);
    let error = l.fma(exponent, logarithm_low, product_error(l, exponent, logarithm, product));
    let error = l.add(l.fma(exponent_low, logarithm, error), change);
    let (n, power) = round(l, product);
    let mantissa = exp2_pair(l, l.sub(product, n), error);
    let divisor = l.mul(x, polynomial(l, x, L::Real::DIVISOR));
    let quotient = l.add(l.splat(L::Real::LIMIT), l.div(polynomial(l, x, L::Real::NUMERATOR), divisor));
    (l.mul(mantissa, quotient), power)
}

/// Stirling's series of ln gamma, for x from `NORMAL_END` on.
#[inline(always)]
fn stirling<L: Lanes<Real: Gamma>>(l: L, x: L::F) -> L::F {
    let one = l.splat(L::Real::ONE);
    let t = l.div(one, x);
    let [first, second] = L::Real::SERIES.map(|coefficient| l.splat(coefficient));
    let series = l.fma(t, l.fma(l.mul(t, t), second, first), l.splat(L::Real::STIRLING));
    l.fma(l.sub(x, l.splat(L::Real::HALF)), l.sub(ln(l, x), one), series)
}
