//! Exponential functions: 2^n times a polynomial on half an octave about 0.

use crate::lanes::Lanes;
use crate::layout::{outside, power_of_two, round, round_product, scale, scale_normal, with_sign};
use crate::polynomial::{even_odd, horner};
use crate::tables::exponential::double::{EXP, EXP2, EXPM1, LN_2_HI, LN_2_LO, LOG2_E};

/// Arguments below this have normal results, and above its negative.
const NORMAL: f64 = 708.0;

/// e^x.
#[inline(always)]
pub fn exp<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    let (n, power) = round_product(l, x, l.splat(LOG2_E));
    let r = l.fma(n, l.splat(-LN_2_LO), l.fma(n, l.splat(-LN_2_HI), x));
    let mantissa = l.fma(r, l.fma(r, horner(l, r, &EXP), l.splat(1.0)), l.splat(1.0));
    let is_usual = l.lt(l.abs(x), l.splat(NORMAL));
    l.replace_if_any(l.not(is_usual), scale_normal(l, mantissa, power), |l| {
        outside(l, x, (-746.0, 0.0), (710.0, f64::INFINITY), scale(l, mantissa, power))
    })
}

/// 2^x, exact for whole numbers.
#[inline(always)]
pub fn exp2<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    let (n, power) = round(l, x);
    let r = l.sub(x, n);
    let mantissa = l.fma(r, horner(l, r, &EXP2), l.splat(1.0));
    let is_usual = l.lt(l.abs(x), l.splat(1022.0));
    l.replace_if_any(l.not(is_usual), scale_normal(l, mantissa, power), |l| {
        outside(l, x, (-1076.0, 0.0), (1025.0, f64::INFINITY), scale(l, mantissa, power))
    })
}

/// e^x - 1, accurate near 0.
#[inline(always)]
pub fn expm1<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    let reduced = reduce(l, x);
    let tail = expm1_tail(l, reduced);
    let (high, low) = expm1_sum(l, reduced, tail, power_of_two(l, reduced.0), 1.0);
    let is_usual = l.lt(l.abs(x), l.splat(NORMAL));
    let value = l.replace_if_any(l.not(is_usual), l.add(high, low), |l| {
        // 2^1024 is no number: half of it is, and half of 1.
        let (high, low) = expm1_sum(l, reduced, tail, power_of_two(l, l.int_sub(reduced.0, l.int(1))), 0.5);
        let half = l.add(high, low);
        outside(l, x, (-NORMAL, -1.0), (710.0, f64::INFINITY), l.add(half, half))
    });
    with_sign(l, value, x)
}

/// e^x - 1 for |x| < `NORMAL`, as the sum of two numbers.
#[inline(always)]
pub(crate) fn expm1_parts<L: Lanes<Real = f64>>(l: L, x: L::F) -> (L::F, L::F) {
    let reduced = reduce(l, x);
    expm1_sum(l, reduced, expm1_tail(l, reduced), power_of_two(l, reduced.0), 1.0)
}

/// n, high and low of x = n ln 2 + high + low. The high part is exact.
#[inline(always)]
pub(crate) fn reduce<L: Lanes<Real = f64>>(l: L, x: L::F) -> (L::I, L::F, L::F) {
    let (n, power) = round_product(l, x, l.splat(LOG2_E));
    (power, l.fma(n, l.splat(-LN_2_HI), x), l.mul(n, l.splat(-LN_2_LO)))
}

/// e^(high + low) - 1 - high
#[inline(always)]
fn expm1_tail<L: Lanes<Real = f64>>(l: L, (_, high, low): (L::I, L::F, L::F)) -> L::F {
    let r = l.add(high, low);
    let square = l.mul(r, r);
    l.fma(square, even_odd(l, r, square, &EXPM1), low)
}

/// s (high + tail) + s - offset, where the rounding errors of s high + s - offset are added to the tail.
#[inline(always)]
fn expm1_sum<L: Lanes<Real = f64>>(
    l: L,
    (_, high, _): (L::I, L::F, L::F),
    tail: L::F,
    s: L::F,
    offset: f64,
) -> (L::F, L::F) {
    let shift = l.sub(s, l.splat(offset));
    let shift_error = l.sub(l.sub(s, shift), l.splat(offset));
    let sum = l.fma(s, high, shift);
    let error = l.add(l.fma(s, high, l.sub(shift, sum)), shift_error);
    (sum, l.fma(s, tail, error))
}
