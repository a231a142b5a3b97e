//! Logarithms: the exponent, and a polynomial in f = m - 1 for the mantissa m in [√½, √2).

use crate::lanes::Lanes;
use crate::layout::{Layout, with_sign};
use crate::polynomial::even_odd;
use crate::tables::logarithm::single::{
    LN, LN_2_HI, LN_2_LO, LOG2, LOG2_E_HI, LOG2_E_LO, LOG10, LOG10_2_HI, LOG10_2_LO, LOG10_E_HI, LOG10_E_LO, SQRT_HALF,
};

const SQRT_HALF_BITS: i32 = SQRT_HALF.to_bits() as i32;
const ONE_BITS: i32 = 1f32.to_bits() as i32;
const FRACTION_MASK: i32 = (1 << f32::FRACTION_BITS) - 1;
/// Makes subnormal numbers normal: 2 to the power of `SUBNORMAL_EXPONENT`.
pub(crate) const SUBNORMAL_SCALE: f32 = 33554432.0;
pub(crate) const SUBNORMAL_EXPONENT: f32 = 25.0;

/// The natural logarithm.
#[inline(always)]
pub fn ln<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    l.replace_if_any(l.not(is_normal(l, x)), ln_normal(l, x, 0.0), |l| {
        let subnormal = ln_normal(l, l.mul(x, l.splat(SUBNORMAL_SCALE)), SUBNORMAL_EXPONENT);
        special(l, x, subnormal)
    })
}

/// The logarithm to base 2, exact for powers of 2.
#[inline(always)]
pub fn log2<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    l.replace_if_any(l.not(is_normal(l, x)), log2_normal(l, x, 0.0), |l| {
        let subnormal = log2_normal(l, l.mul(x, l.splat(SUBNORMAL_SCALE)), SUBNORMAL_EXPONENT);
        special(l, x, subnormal)
    })
}

/// The logarithm to base 10, exact for powers of 10.
#[inline(always)]
pub fn log10<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    l.replace_if_any(l.not(is_normal(l, x)), log10_normal(l, x, 0.0), |l| {
        let subnormal = log10_normal(l, l.mul(x, l.splat(SUBNORMAL_SCALE)), SUBNORMAL_EXPONENT);
        special(l, x, subnormal)
    })
}

/// ln(1 + x), accurate near 0.
#[inline(always)]
pub fn log1p<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    // 1 + x = 2^e (1 + f). The sum's rounding may change e, but not the accuracy of f.
    let (biased, _) = reduce(l, l.add(x, l.splat(1.0)));
    let scale = l.from_bits(l.int_shl(l.int_sub(l.int(2 * f32::BIAS), biased), l.int(f32::FRACTION_BITS)));
    let offset = l.sub(scale, l.splat(1.0));
    let f = l.fma(x, scale, offset);
    let f_error = l.fma(x, scale, l.sub(offset, f));
    let (high, low) = natural(l, exponent(l, biased, 0.0), f);
    let value = with_sign(l, l.add(high, l.add(low, f_error)), x);
    let is_usual = l.and(l.lt(l.splat(-1.0), x), l.lt(x, l.splat(f32::MAX / 4.0)));
    l.replace_if_any(l.not(is_usual), value, |l| {
        let (biased, m) = reduce(l, x);
        let (high, low) = natural(l, exponent(l, biased, 0.0), l.sub(m, l.splat(1.0)));
        let value = l.select(l.lt(x, l.splat(f32::INFINITY)), l.add(high, low), x);
        let value = l.select(l.eq(x, l.splat(-1.0)), l.splat(f32::NEG_INFINITY), value);
        l.select(l.lt(x, l.splat(-1.0)), l.splat(f32::NAN), value)
    })
}

/// The exponent, biased, and the mantissa in [√½, √2) of a normal positive number.
#[inline(always)]
pub(crate) fn reduce<L: Lanes<Real = f32>>(l: L, x: L::F) -> (L::I, L::F) {
    let shifted = l.int_add(l.to_bits(x), l.int(ONE_BITS - SQRT_HALF_BITS));
    let fraction = l.int_and(shifted, l.int(FRACTION_MASK));
    let mantissa = l.from_bits(l.int_add(fraction, l.int(SQRT_HALF_BITS)));
    (l.int_shr_unsigned(shifted, l.int(f32::FRACTION_BITS)), mantissa)
}

/// A biased exponent as a number, less its bias and another one.
#[inline(always)]
pub(crate) fn exponent<L: Lanes<Real = f32>>(l: L, biased: L::I, bias: f32) -> L::F {
    let sum = l.from_bits(l.int_add(biased, l.int(f32::ROUNDER_BITS)));
    l.sub(sum, l.splat(f32::ROUNDER + f32::BIAS as f32 + bias))
}

/// e ln 2 + ln(1 + f), for f in [√½ - 1, √2 - 1], as the sum of two numbers.
#[inline(always)]
fn natural<L: Lanes<Real = f32>>(l: L, e: L::F, f: L::F) -> (L::F, L::F) {
    let sum = l.fma(e, l.splat(LN_2_HI), f);
    let sum_error = l.add(l.fma(e, l.splat(LN_2_HI), l.neg(sum)), f);
    let rest = l.fma(e, l.splat(LN_2_LO), sum_error);
    let square = l.mul(f, f);
    (sum, l.fma(square, even_odd(l, f, square, &LN), rest))
}

/// True for normal numbers above 0.
#[inline(always)]
fn is_normal<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::M {
    l.and(l.le(l.splat(f32::MIN_POSITIVE), x), l.lt(x, l.splat(f32::INFINITY)))
}

/// The logarithm of an x that is not normal, from its value for subnormal numbers.
#[inline(always)]
fn special<L: Lanes<Real = f32>>(l: L, x: L::F, subnormal: L::F) -> L::F {
    let value = l.select(l.lt(x, l.splat(f32::MIN_POSITIVE)), subnormal, x);
    let value = l.select(l.eq(x, l.splat(0.0)), l.splat(f32::NEG_INFINITY), value);
    l.select(l.lt(x, l.splat(0.0)), l.splat(f32::NAN), value)
}

/// ln x for a normal x with a bias of its exponent.
#[inline(always)]
fn ln_normal<L: Lanes<Real = f32>>(l: L, x: L::F, exponent_bias: f32) -> L::F {
    let (biased, m) = reduce(l, x);
    let (high, low) = natural(l, exponent(l, biased, exponent_bias), l.sub(m, l.splat(1.0)));
    l.add(high, low)
}

/// log2 x for a normal x with a bias of its exponent.
#[inline(always)]
fn log2_normal<L: Lanes<Real = f32>>(l: L, x: L::F, exponent_bias: f32) -> L::F {
    let (biased, m) = reduce(l, x);
    let (e, f) = (exponent(l, biased, exponent_bias), l.sub(m, l.splat(1.0)));
    let product = l.mul(f, l.splat(LOG2_E_HI));
    let product_error = l.fma(f, l.splat(LOG2_E_LO), l.fma(f, l.splat(LOG2_E_HI), l.neg(product)));
    let sum = l.add(e, product);
    let sum_error = l.add(l.sub(e, sum), product);
    let square = l.mul(f, f);
    l.add(sum, l.fma(square, even_odd(l, f, square, &LOG2), l.add(sum_error, product_error)))
}

/// log10 x for a normal x with a bias of its exponent.
#[inline(always)]
fn log10_normal<L: Lanes<Real = f32>>(l: L, x: L::F, exponent_bias: f32) -> L::F {
    let (biased, m) = reduce(l, x);
    let (e, f) = (exponent(l, biased, exponent_bias), l.sub(m, l.splat(1.0)));
    let product = l.mul(f, l.splat(LOG10_E_HI));
    let product_error = l.fma(f, l.splat(LOG10_E_LO), l.fma(f, l.splat(LOG10_E_HI), l.neg(product)));
    let sum = l.fma(e, l.splat(LOG10_2_HI), product);
    let sum_error = l.add(l.fma(e, l.splat(LOG10_2_HI), l.neg(sum)), product);
    let rest = l.fma(e, l.splat(LOG10_2_LO), l.add(sum_error, product_error));
    let square = l.mul(f, f);
    l.add(sum, l.fma(square, even_odd(l, f, square, &LOG10), rest))
}
