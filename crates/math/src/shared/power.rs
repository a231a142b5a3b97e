//! Powers and roots.

use super::exponential::Exponential;
use super::logarithm::{Logarithm, exponent, reduce};
use super::{fast_two_sum, product_error};
use crate::lanes::Lanes;
use crate::layout::{Layout, outside, round, scale, scale_normal, with_sign};
use crate::polynomial::{even_odd, horner};
use crate::tables::power as tables;

/// Constants of a precision.
pub(crate) trait Power: Exponential + Logarithm {
    const THIRD: Self;
    const TWO_NINTHS: Self;
    const MINUS_THREE: Self;
    /// Improvements of the first inverse cube root.
    const ROOT_STEPS: usize;
    /// A cube that makes subnormal numbers normal, and the inverse of its root.
    const CUBE: Self;
    const INVERSE_ROOT: Self;
    /// Squares of numbers between these, and sums of two, neither underflow nor overflow.
    const LEAST_LENGTH: Self;
    const LARGEST_LENGTH: Self;
    /// Brings smaller lengths between them, and its inverse larger ones.
    const RANGE_SCALE: Self;
    const RANGE_INVERSE: Self;
    const CBRT_2: Self;
    const CBRT_HALF: Self;
    const EXP2_REST: &'static [Self];
    const INVERSE_CBRT: &'static [Self];
    const LN_2: Self;
    const LN_2_REST: Self;
    const LOG2_CUBIC_HI: Self;
    const LOG2_CUBIC_LO: Self;
    const LOG2_REST: &'static [Self];
    const TWO_LOG2_E_HI: Self;
    const TWO_LOG2_E_LO: Self;
}

macro_rules! constants {
    ($real:ident $precision:ident; roots $root_steps:literal $root_exponent:literal;
     lengths $length_exponent:literal $scale_exponent:literal) => {
        impl Power for $real {
            const THIRD: $real = 1.0 / 3.0;
            const TWO_NINTHS: $real = 2.0 / 9.0;
            const MINUS_THREE: $real = -3.0;
            const ROOT_STEPS: usize = $root_steps;
            const CUBE: $real = (1u64 << (3 * $root_exponent)) as $real;
            const INVERSE_ROOT: $real = 1.0 / (1u64 << $root_exponent) as $real;
            const LEAST_LENGTH: $real = 1.0 / Self::LARGEST_LENGTH;
            const LARGEST_LENGTH: $real =
                $real::from_bits(((Self::BIAS + $length_exponent) << Self::FRACTION_BITS) as _);
            const RANGE_SCALE: $real = $real::from_bits(((Self::BIAS + $scale_exponent) << Self::FRACTION_BITS) as _);
            const RANGE_INVERSE: $real = 1.0 / Self::RANGE_SCALE;
            const CBRT_2: $real = tables::$precision::CBRT_2;
            const CBRT_HALF: $real = tables::$precision::CBRT_HALF;
            const EXP2_REST: &'static [$real] = &tables::$precision::EXP2_REST;
            const INVERSE_CBRT: &'static [$real] = &tables::$precision::INVERSE_CBRT;
            const LN_2: $real = tables::$precision::LN_2;
            const LN_2_REST: $real = tables::$precision::LN_2_REST;
            const LOG2_CUBIC_HI: $real = tables::$precision::LOG2_CUBIC_HI;
            const LOG2_CUBIC_LO: $real = tables::$precision::LOG2_CUBIC_LO;
            const LOG2_REST: &'static [$real] = &tables::$precision::LOG2_REST;
            const TWO_LOG2_E_HI: $real = tables::$precision::TWO_LOG2_E_HI;
            const TWO_LOG2_E_LO: $real = tables::$precision::TWO_LOG2_E_LO;
        }
    };
}

constants!(f32 single; roots 1 8; lengths 60 90);
constants!(f64 double; roots 2 18; lengths 500 600);

#[inline(always)]
pub(crate) fn pow<L: Lanes<Real: Power>>(l: L, x: L::F, y: L::F) -> L::F {
    let magnitude = l.abs(x);
    let (high, low) = log2_pair(l, magnitude);
    // y log2 |x| as the sum of a whole number n and two numbers.
    let product = l.mul(y, high);
    let error = l.fma(y, low, product_error(l, y, high, product));
    let (n, power) = round(l, product);
    let mantissa = exp2_pair(l, l.sub(product, n), error);
    let is_positive = l.and(l.lt(l.splat(L::Real::ZERO), x), l.lt(x, l.splat(L::Real::INFINITY)));
    let is_usual = l.and(is_positive, l.lt(l.abs(product), l.splat(L::Real::NORMAL_2)));
    l.replace_if_any(l.not(is_usual), scale_normal(l, mantissa, power), |l| {
        let value = outside(l, product, L::Real::EXP2_BELOW, L::Real::EXP2_ABOVE, scale(l, mantissa, power));
        special_power(l, x, y, value)
    })
}

#[inline(always)]
pub(crate) fn cbrt<L: Lanes<Real: Power>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let is_usual = l.and(l.le(l.splat(L::Real::LEAST_NORMAL), magnitude), l.lt(magnitude, l.splat(L::Real::INFINITY)));
    let value = l.replace_if_any(l.not(is_usual), cbrt_normal(l, magnitude), |l| {
        let subnormal = l.mul(cbrt_normal(l, l.mul(magnitude, l.splat(L::Real::CUBE))), l.splat(L::Real::INVERSE_ROOT));
        let is_number = l.and(l.lt(l.splat(L::Real::ZERO), magnitude), l.lt(magnitude, l.splat(L::Real::LEAST_NORMAL)));
        // Zeros, infinities and NaN are their own roots.
        l.select(is_number, subnormal, magnitude)
    });
    with_sign(l, value, x)
}

#[inline(always)]
pub(crate) fn hypot<L: Lanes<Real: Power>>(l: L, x: L::F, y: L::F) -> L::F {
    let (x, y) = (l.abs(x), l.abs(y));
    let is_less = l.lt(x, y);
    let (larger, smaller) = (l.select(is_less, y, x), l.select(is_less, x, y));
    let is_usual = l.and(l.lt(l.splat(L::Real::LEAST_LENGTH), larger), l.lt(larger, l.splat(L::Real::LARGEST_LENGTH)));
    l.replace_if_any(l.not(is_usual), length(l, larger, smaller), |l| {
        let is_large = l.lt(l.splat(L::Real::ONE), larger);
        let scale = l.select(is_large, l.splat(L::Real::RANGE_INVERSE), l.splat(L::Real::RANGE_SCALE));
        let back = l.select(is_large, l.splat(L::Real::RANGE_SCALE), l.splat(L::Real::RANGE_INVERSE));
        let value = l.mul(length(l, l.mul(larger, scale), l.mul(smaller, scale)), back);
        let infinity = l.splat(L::Real::INFINITY);
        l.select(l.or(l.eq(x, infinity), l.eq(y, infinity)), infinity, value)
    })
}

/// sqrt(larger² + smaller²), where the squares are in range.
#[inline(always)]
fn length<L: Lanes<Real: Power>>(l: L, larger: L::F, smaller: L::F) -> L::F {
    l.sqrt(l.fma(larger, larger, l.mul(smaller, smaller)))
}

/// log2 x for x > 0 as the sum of two numbers, with an error near 2^-35 or 2^-65 of it.
///
/// log2 m = K s + c s³ + s⁵ (...) for s = (m - 1)/(m + 1), where K s and c s³ are computed with twice the bits.
#[inline(always)]
pub(crate) fn log2_pair<L: Lanes<Real: Power>>(l: L, x: L::F) -> (L::F, L::F) {
    let is_subnormal = l.lt(x, l.splat(L::Real::LEAST_NORMAL));
    let (biased, m) = reduce(l, l.select(is_subnormal, l.mul(x, l.splat(L::Real::SUBNORMAL_SCALE)), x));
    let rounder = l.select(is_subnormal, l.splat(L::Real::SUBNORMAL_ROUNDER), l.splat(L::Real::BIASED_ROUNDER));
    let e = l.sub(l.from_bits(l.int_add(biased, l.int(L::Real::ROUNDER_BITS))), rounder);
    // s = (m - 1) / (m + 1) and the rest of that division.
    let one = l.splat(L::Real::ONE);
    let f = l.sub(m, one);
    let divisor = l.add(m, one);
    let divisor_low = l.sub(m, l.sub(divisor, one));
    let reciprocal = l.div(one, divisor);
    let s = l.mul(f, reciprocal);
    let remainder = l.fma(l.neg(s), divisor_low, l.fma(l.neg(s), divisor, f));
    let s_low = l.mul(remainder, reciprocal);
    // s² and s³
    let square = l.mul(s, s);
    let square_low = l.fma(l.add(s, s), s_low, product_error(l, s, s, square));
    let cube = l.mul(s, square);
    let cube_low = l.fma(s, square_low, l.fma(s_low, square, product_error(l, s, square, cube)));
    // The coefficient of s³: c and what follows it.
    let series = horner(l, square, L::Real::LOG2_REST);
    let rest = l.mul(square, series);
    let rest_low = l.fma(square_low, series, product_error(l, square, series, rest));
    let (factor, factor_low) = fast_two_sum(l, l.splat(L::Real::LOG2_CUBIC_HI), rest);
    let factor_low = l.add(l.add(factor_low, l.splat(L::Real::LOG2_CUBIC_LO)), rest_low);
    let third = l.mul(cube, factor);
    let third_low = l.fma(cube, factor_low, l.fma(cube_low, factor, product_error(l, cube, factor, third)));
    // K s
    let scale = l.splat(L::Real::TWO_LOG2_E_HI);
    let first = l.mul(s, scale);
    let first_low = l.fma(s_low, scale, product_error(l, s, scale, first));
    let first_low = l.fma(s, l.splat(L::Real::TWO_LOG2_E_LO), first_low);
    // e + K s + c s³, from large to small.
    let (sum, sum_low) = fast_two_sum(l, e, first);
    let (high, high_low) = fast_two_sum(l, sum, third);
    (high, l.add(l.add(high_low, l.add(first_low, third_low)), sum_low))
}

/// 2^(r + low) for |r| <= 1/2 and small |low|.
#[inline(always)]
pub(crate) fn exp2_pair<L: Lanes<Real: Power>>(l: L, r: L::F, low: L::F) -> L::F {
    let ln_2 = l.splat(L::Real::LN_2);
    let linear = l.mul(r, ln_2);
    let linear_low = l.fma(r, l.splat(L::Real::LN_2_REST), product_error(l, r, ln_2, linear));
    let (sum, sum_low) = fast_two_sum(l, l.splat(L::Real::ONE), linear);
    let square = l.mul(r, r);
    let rest = l.mul(square, even_odd(l, r, square, L::Real::EXP2_REST));
    // The derivative of 2^r is ln 2 · 2^r.
    let change = l.mul(l.mul(low, ln_2), l.add(sum, rest));
    l.add(sum, l.add(rest, l.add(sum_low, l.add(linear_low, change))))
}

/// x^y from the power of |x|, for arguments that are not usual.
#[inline(always)]
fn special_power<L: Lanes<Real: Power>>(l: L, x: L::F, y: L::F, power: L::F) -> L::F {
    let (zero, one, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::ONE), l.splat(L::Real::INFINITY));
    let magnitude = l.abs(x);
    let is_falling = l.lt(y, zero);
    let value = l.select(l.eq(magnitude, zero), l.select(is_falling, infinity, zero), power);
    let value = l.select(l.eq(magnitude, infinity), l.select(is_falling, zero, infinity), value);
    let value = l.select(l.eq(magnitude, one), one, value);
    // Infinities are even.
    let half = l.mul(y, l.splat(L::Real::HALF));
    let is_whole = l.eq(l.trunc(y), y);
    let is_odd = l.and(is_whole, l.ne(l.trunc(half), half));
    let value = l.select(is_odd, with_sign(l, value, x), value);
    let is_negative = l.and(l.lt(x, zero), l.lt(l.splat(L::Real::MINUS_INFINITY), x));
    let is_undefined = l.or(l.and(is_negative, l.not(is_whole)), l.or(l.ne(x, x), l.ne(y, y)));
    let value = l.select(is_undefined, l.splat(L::Real::NAN), value);
    l.select(l.or(l.eq(y, zero), l.eq(x, one)), one, value)
}

/// The cube root of a normal positive number.
#[inline(always)]
fn cbrt_normal<L: Lanes<Real: Power>>(l: L, x: L::F) -> L::F {
    let bits = l.to_bits(x);
    let mantissa = l.from_bits(l.int_or(l.int_and(bits, l.int(L::Real::FRACTION_MASK)), l.int(L::Real::ONE_BITS)));
    let e = exponent(l, l.int_shr_unsigned(bits, l.int(L::Real::FRACTION_BITS)), L::Real::BIASED_ROUNDER);
    // e = 3 third + rest, where rest is -1, 0 or 1, and m = 2^rest times the mantissa.
    let (third, third_power) = round(l, l.mul(e, l.splat(L::Real::THIRD)));
    let triple = l.int_add(third_power, l.int_add(third_power, third_power));
    let m = scale_normal(l, x, l.int_sub(l.int(L::Real::INT_ZERO), triple));
    let rest = l.fma(third, l.splat(L::Real::MINUS_THREE), e);
    let is_one = l.lt(l.splat(L::Real::HALF), rest);
    let factor = l.select(is_one, l.splat(L::Real::CBRT_HALF), l.splat(L::Real::ONE));
    let factor = l.select(l.lt(rest, l.splat(L::Real::MINUS_HALF)), l.splat(L::Real::CBRT_2), factor);
    let mut inverse = l.mul(horner(l, mantissa, L::Real::INVERSE_CBRT), factor);
    for _ in 0..L::Real::ROOT_STEPS {
        inverse = improve_inverse_cbrt(l, m, inverse);
    }
    // One step of Newton's iteration for the root itself, whose residual m - y³ is nearly exact.
    let slope = l.mul(inverse, inverse);
    let root = l.mul(m, slope);
    let square = l.mul(root, root);
    let square_low = l.fma(root, root, l.neg(square));
    let residual = l.fma(l.neg(square_low), root, l.fma(l.neg(square), root, m));
    let root = l.fma(residual, l.mul(slope, l.splat(L::Real::THIRD)), root);
    scale_normal(l, root, third_power)
}

/// An inverse cube root with three times the bits: with e = 1 - m r³, r (1 - e)^(-1/3) = r + r (e/3 + 2 e²/9 + ...).
#[inline(always)]
fn improve_inverse_cbrt<L: Lanes<Real: Power>>(l: L, m: L::F, r: L::F) -> L::F {
    let error = l.fma(l.neg(l.mul(m, r)), l.mul(r, r), l.splat(L::Real::ONE));
    let series = l.fma(error, l.splat(L::Real::TWO_NINTHS), l.splat(L::Real::THIRD));
    l.fma(l.mul(r, error), series, r)
}
