//! Powers and roots.

use crate::lanes::Lanes;
use crate::layout::{Layout, outside, round, scale, scale_normal, with_sign};
use crate::polynomial::{even_odd, horner};
use crate::single::logarithm::{SUBNORMAL_EXPONENT, SUBNORMAL_SCALE, exponent, reduce};
use crate::tables::power::single::{
    CBRT_2, CBRT_HALF, EXP2_REST, INVERSE_CBRT, LN_2, LN_2_REST, LOG2_CUBIC_HI, LOG2_CUBIC_LO, LOG2_REST,
    TWO_LOG2_E_HI, TWO_LOG2_E_LO,
};

const ONE_BITS: i32 = 1f32.to_bits() as i32;
const FRACTION_MASK: i32 = (1 << f32::FRACTION_BITS) - 1;
/// Squares of numbers between these, and sums of two, neither underflow nor overflow.
const SMALL: f32 = 1.0 / LARGE;
const LARGE: f32 = 1152921504606846976.0;
/// Brings numbers beyond `LARGE` or `SMALL` between them.
const RANGE_SCALE: f32 = LARGE * 1073741824.0;

/// x^y, with C99's special values: x^0 = 1^y = 1 also for NaN; whole y for x < 0.
#[inline(always)]
pub fn pow<L: Lanes<Real = f32>>(l: L, x: L::F, y: L::F) -> L::F {
    let magnitude = l.abs(x);
    let (high, low) = log2_pair(l, magnitude);
    // y log2 |x| as the sum of a whole number n and two numbers.
    let product = l.mul(y, high);
    let error = l.fma(y, low, l.fma(y, high, l.neg(product)));
    let (n, power) = round(l, product);
    let mantissa = exp2_pair(l, l.sub(product, n), error);
    let is_positive = l.and(l.lt(l.splat(0.0), x), l.lt(x, l.splat(f32::INFINITY)));
    let is_usual = l.and(is_positive, l.lt(l.abs(product), l.splat(126.0)));
    l.replace_if_any(l.not(is_usual), scale_normal(l, mantissa, power), |l| {
        let value = outside(l, product, (-151.0, 0.0), (129.0, f32::INFINITY), scale(l, mantissa, power));
        special_power(l, x, y, value)
    })
}

/// The cube root, also of negative numbers.
#[inline(always)]
pub fn cbrt<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let is_usual = l.and(l.le(l.splat(f32::MIN_POSITIVE), magnitude), l.lt(magnitude, l.splat(f32::INFINITY)));
    let value = l.replace_if_any(l.not(is_usual), cbrt_normal(l, magnitude), |l| {
        // The scale is a cube: 2^24, and 2^-8.
        let subnormal = l.mul(cbrt_normal(l, l.mul(magnitude, l.splat(16777216.0))), l.splat(1.0 / 256.0));
        let is_number = l.and(l.lt(l.splat(0.0), magnitude), l.lt(magnitude, l.splat(f32::MIN_POSITIVE)));
        // Zeros, infinities and NaN are their own roots. Normal numbers keep the value from before.
        l.select(is_number, subnormal, magnitude)
    });
    with_sign(l, value, x)
}

/// sqrt(x² + y²) without overflow. An infinity prevails over NaN.
#[inline(always)]
pub fn hypot<L: Lanes<Real = f32>>(l: L, x: L::F, y: L::F) -> L::F {
    let (x, y) = (l.abs(x), l.abs(y));
    let is_less = l.lt(x, y);
    let (larger, smaller) = (l.select(is_less, y, x), l.select(is_less, x, y));
    let is_usual = l.and(l.lt(l.splat(SMALL), larger), l.lt(larger, l.splat(LARGE)));
    l.replace_if_any(l.not(is_usual), length(l, larger, smaller), |l| {
        let is_large = l.lt(l.splat(1.0), larger);
        let scale = l.select(is_large, l.splat(1.0 / RANGE_SCALE), l.splat(RANGE_SCALE));
        let back = l.select(is_large, l.splat(RANGE_SCALE), l.splat(1.0 / RANGE_SCALE));
        let value = l.mul(length(l, l.mul(larger, scale), l.mul(smaller, scale)), back);
        let infinity = l.splat(f32::INFINITY);
        l.select(l.or(l.eq(x, infinity), l.eq(y, infinity)), infinity, value)
    })
}

/// sqrt(larger² + smaller²), where the squares are in range.
#[inline(always)]
fn length<L: Lanes<Real = f32>>(l: L, larger: L::F, smaller: L::F) -> L::F {
    l.sqrt(l.fma(larger, larger, l.mul(smaller, smaller)))
}

/// log2 x for x > 0 as the sum of two numbers, with an error near 2^-35 of it.
///
/// log2 m = K s + c s³ + s⁵ (...) for s = (m - 1)/(m + 1), where K s and c s³ are computed with twice the bits.
#[inline(always)]
pub(crate) fn log2_pair<L: Lanes<Real = f32>>(l: L, x: L::F) -> (L::F, L::F) {
    let is_subnormal = l.lt(x, l.splat(f32::MIN_POSITIVE));
    let (biased, m) = reduce(l, l.select(is_subnormal, l.mul(x, l.splat(SUBNORMAL_SCALE)), x));
    let bias = l.select(is_subnormal, l.splat(SUBNORMAL_EXPONENT), l.splat(0.0));
    let e = l.sub(exponent(l, biased, 0.0), bias);
    // s = f / (m + 1) and the rest of that division.
    let f = l.sub(m, l.splat(1.0));
    let divisor = l.add(m, l.splat(1.0));
    let divisor_low = l.sub(m, l.sub(divisor, l.splat(1.0)));
    let reciprocal = l.div(l.splat(1.0), divisor);
    let s = l.mul(f, reciprocal);
    let remainder = l.fma(l.neg(s), divisor_low, l.fma(l.neg(s), divisor, f));
    let s_low = l.mul(remainder, reciprocal);
    // s² and s³
    let square = l.mul(s, s);
    let square_low = l.fma(l.add(s, s), s_low, l.fma(s, s, l.neg(square)));
    let cube = l.mul(s, square);
    let cube_low = l.fma(s, square_low, l.fma(s_low, square, l.fma(s, square, l.neg(cube))));
    // The coefficient of s³: c and what follows it.
    let rest = l.mul(square, horner(l, square, &LOG2_REST));
    let factor = l.add(l.splat(LOG2_CUBIC_HI), rest);
    let factor_low = l.add(l.add(l.sub(l.splat(LOG2_CUBIC_HI), factor), rest), l.splat(LOG2_CUBIC_LO));
    let third = l.mul(cube, factor);
    let third_low = l.fma(cube, factor_low, l.fma(cube_low, factor, l.fma(cube, factor, l.neg(third))));
    // K s
    let first = l.mul(s, l.splat(TWO_LOG2_E_HI));
    let first_low = l.fma(s, l.splat(TWO_LOG2_E_HI), l.neg(first));
    let first_low = l.fma(s, l.splat(TWO_LOG2_E_LO), l.fma(s_low, l.splat(TWO_LOG2_E_HI), first_low));
    // e + K s + c s³, from large to small.
    let sum = l.add(e, first);
    let sum_low = l.add(l.sub(e, sum), first);
    let high = l.add(sum, third);
    let high_low = l.add(l.sub(sum, high), third);
    (high, l.add(l.add(high_low, l.add(first_low, third_low)), sum_low))
}

/// 2^(r + low) for |r| <= 1/2 and small |low|.
#[inline(always)]
pub(crate) fn exp2_pair<L: Lanes<Real = f32>>(l: L, r: L::F, low: L::F) -> L::F {
    let linear = l.mul(r, l.splat(LN_2));
    let linear_low = l.fma(r, l.splat(LN_2_REST), l.fma(r, l.splat(LN_2), l.neg(linear)));
    let sum = l.add(l.splat(1.0), linear);
    let sum_low = l.add(l.sub(l.splat(1.0), sum), linear);
    let square = l.mul(r, r);
    let rest = l.mul(square, even_odd(l, r, square, &EXP2_REST));
    // The derivative of 2^r is ln 2 · 2^r.
    let change = l.mul(l.mul(low, l.splat(LN_2)), l.add(sum, rest));
    l.add(sum, l.add(rest, l.add(sum_low, l.add(linear_low, change))))
}

/// x^y from the power of |x|, for arguments that are not usual.
#[inline(always)]
fn special_power<L: Lanes<Real = f32>>(l: L, x: L::F, y: L::F, power: L::F) -> L::F {
    let (zero, one, infinity) = (l.splat(0.0), l.splat(1.0), l.splat(f32::INFINITY));
    let magnitude = l.abs(x);
    let is_falling = l.lt(y, zero);
    let value = l.select(l.eq(magnitude, zero), l.select(is_falling, infinity, zero), power);
    let value = l.select(l.eq(magnitude, infinity), l.select(is_falling, zero, infinity), value);
    let value = l.select(l.eq(magnitude, one), one, value);
    // Infinities are even.
    let half = l.mul(y, l.splat(0.5));
    let is_whole = l.eq(l.trunc(y), y);
    let is_odd = l.and(is_whole, l.ne(l.trunc(half), half));
    let value = l.select(is_odd, with_sign(l, value, x), value);
    let is_negative = l.and(l.lt(x, zero), l.lt(l.splat(f32::NEG_INFINITY), x));
    let is_undefined = l.or(l.and(is_negative, l.not(is_whole)), l.or(l.ne(x, x), l.ne(y, y)));
    let value = l.select(is_undefined, l.splat(f32::NAN), value);
    l.select(l.or(l.eq(y, zero), l.eq(x, one)), one, value)
}

/// The cube root of a normal positive number.
#[inline(always)]
fn cbrt_normal<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    let bits = l.to_bits(x);
    let mantissa = l.from_bits(l.int_or(l.int_and(bits, l.int(FRACTION_MASK)), l.int(ONE_BITS)));
    let e = exponent(l, l.int_shr_unsigned(bits, l.int(f32::FRACTION_BITS)), 0.0);
    // e = 3 third + rest, where rest is -1, 0 or 1, and m = 2^rest times the mantissa.
    let (third, third_power) = round(l, l.mul(e, l.splat(1.0 / 3.0)));
    let m = scale_normal(l, x, l.int_sub(l.int(0), l.int_add(third_power, l.int_add(third_power, third_power))));
    let rest = l.fma(third, l.splat(-3.0), e);
    let is_one = l.lt(l.splat(0.5), rest);
    let factor = l.select(is_one, l.splat(CBRT_HALF), l.splat(1.0));
    let factor = l.select(l.lt(rest, l.splat(-0.5)), l.splat(CBRT_2), factor);
    let start = l.mul(horner(l, mantissa, &INVERSE_CBRT), factor);
    let inverse = improve_inverse_cbrt(l, m, start);
    // One step of Newton's iteration for the root itself, whose residual m - y³ is nearly exact.
    let slope = l.mul(inverse, inverse);
    let root = l.mul(m, slope);
    let square = l.mul(root, root);
    let square_low = l.fma(root, root, l.neg(square));
    let residual = l.fma(l.neg(square_low), root, l.fma(l.neg(square), root, m));
    let root = l.fma(residual, l.mul(slope, l.splat(1.0 / 3.0)), root);
    scale_normal(l, root, third_power)
}

/// An inverse cube root with three times the bits: with e = 1 - m r³, r (1 - e)^(-1/3) = r + r (e/3 + 2 e²/9 + ...).
#[inline(always)]
fn improve_inverse_cbrt<L: Lanes<Real = f32>>(l: L, m: L::F, r: L::F) -> L::F {
    let error = l.fma(l.neg(l.mul(m, r)), l.mul(r, r), l.splat(1.0));
    let series = l.fma(error, l.splat(2.0 / 9.0), l.splat(1.0 / 3.0));
    l.fma(l.mul(r, error), series, r)
}
