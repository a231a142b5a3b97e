//! Exponential functions: 2^n times a polynomial on half an octave about 0.

use crate::lanes::Lanes;
use crate::layout::{Layout, outside, power_of_two, round, round_product, scale, scale_normal, with_sign};
use crate::polynomial::{even_odd, horner};
use crate::tables::exponential as tables;

/// Constants of a precision.
pub(crate) trait Exponential: Layout {
    const LOG2_E: Self;
    const MINUS_LN_2_HI: Self;
    const MINUS_LN_2_LO: Self;
    const EXP: &'static [Self];
    const EXP2: &'static [Self];
    const EXPM1: &'static [Self];
    /// e^x is a normal number up to here, and from the negative of it.
    const NORMAL: Self;
    /// 2^x is a normal number up to here, and from the negative of it.
    const NORMAL_2: Self;
    /// An argument with the value of the function below it, or above.
    const EXP_BELOW: (Self, Self);
    const EXP_ABOVE: (Self, Self);
    const EXP2_BELOW: (Self, Self);
    const EXP2_ABOVE: (Self, Self);
    const EXPM1_BELOW: (Self, Self);
}

macro_rules! constants {
    ($real:ident $precision:ident; exp $normal:literal $least:literal $largest:literal;
     exp2 $normal_2:literal $least_2:literal $largest_2:literal) => {
        impl Exponential for $real {
            const LOG2_E: $real = tables::$precision::LOG2_E;
            const MINUS_LN_2_HI: $real = -tables::$precision::LN_2_HI;
            const MINUS_LN_2_LO: $real = -tables::$precision::LN_2_LO;
            const EXP: &'static [$real] = &tables::$precision::EXP;
            const EXP2: &'static [$real] = &tables::$precision::EXP2;
            const EXPM1: &'static [$real] = &tables::$precision::EXPM1;
            const NORMAL: $real = $normal;
            const NORMAL_2: $real = $normal_2;
            const EXP_BELOW: ($real, $real) = ($least, 0.0);
            const EXP_ABOVE: ($real, $real) = ($largest, $real::INFINITY);
            const EXP2_BELOW: ($real, $real) = ($least_2, 0.0);
            const EXP2_ABOVE: ($real, $real) = ($largest_2, $real::INFINITY);
            const EXPM1_BELOW: ($real, $real) = (-$normal, -1.0);
        }
    };
}

constants!(f32 single; exp 87.0 -104.0 89.0; exp2 126.0 -151.0 129.0);
constants!(f64 double; exp 708.0 -746.0 710.0; exp2 1022.0 -1076.0 1025.0);

#[inline(always)]
pub(crate) fn exp<L: Lanes<Real: Exponential>>(l: L, x: L::F) -> L::F {
    let (n, power) = round_product(l, x, l.splat(L::Real::LOG2_E));
    let r = l.fma(n, l.splat(L::Real::MINUS_LN_2_LO), l.fma(n, l.splat(L::Real::MINUS_LN_2_HI), x));
    let mantissa = l.fma(r, l.fma(r, horner(l, r, L::Real::EXP), l.splat(L::Real::ONE)), l.splat(L::Real::ONE));
    let is_usual = l.lt(l.abs(x), l.splat(L::Real::NORMAL));
    l.replace_if_any(l.not(is_usual), scale_normal(l, mantissa, power), |l| {
        outside(l, x, L::Real::EXP_BELOW, L::Real::EXP_ABOVE, scale(l, mantissa, power))
    })
}

#[inline(always)]
pub(crate) fn exp2<L: Lanes<Real: Exponential>>(l: L, x: L::F) -> L::F {
    let (n, power) = round(l, x);
    let r = l.sub(x, n);
    let mantissa = l.fma(r, horner(l, r, L::Real::EXP2), l.splat(L::Real::ONE));
    let is_usual = l.lt(l.abs(x), l.splat(L::Real::NORMAL_2));
    l.replace_if_any(l.not(is_usual), scale_normal(l, mantissa, power), |l| {
        outside(l, x, L::Real::EXP2_BELOW, L::Real::EXP2_ABOVE, scale(l, mantissa, power))
    })
}

#[inline(always)]
pub(crate) fn expm1<L: Lanes<Real: Exponential>>(l: L, x: L::F) -> L::F {
    let reduced = reduce(l, x);
    let tail = expm1_tail(l, reduced);
    let (high, low) = expm1_sum(l, reduced, tail, power_of_two(l, reduced.0), L::Real::ONE);
    let is_usual = l.lt(l.abs(x), l.splat(L::Real::NORMAL));
    let value = l.replace_if_any(l.not(is_usual), l.add(high, low), |l| {
        // The power may be no number: half of it is, and half of 1.
        let half_power = power_of_two(l, l.int_sub(reduced.0, l.int(L::Real::INT_ONE)));
        let (high, low) = expm1_sum(l, reduced, tail, half_power, L::Real::HALF);
        let half = l.add(high, low);
        outside(l, x, L::Real::EXPM1_BELOW, L::Real::EXP_ABOVE, l.add(half, half))
    });
    with_sign(l, value, x)
}

/// e^x - 1 for |x| < `NORMAL`, as the sum of two numbers.
#[inline(always)]
pub(crate) fn expm1_parts<L: Lanes<Real: Exponential>>(l: L, x: L::F) -> (L::F, L::F) {
    let reduced = reduce(l, x);
    expm1_sum(l, reduced, expm1_tail(l, reduced), power_of_two(l, reduced.0), L::Real::ONE)
}

/// n, high and low of x = n ln 2 + high + low. The high part is exact.
#[inline(always)]
pub(crate) fn reduce<L: Lanes<Real: Exponential>>(l: L, x: L::F) -> (L::I, L::F, L::F) {
    let (n, power) = round_product(l, x, l.splat(L::Real::LOG2_E));
    (power, l.fma(n, l.splat(L::Real::MINUS_LN_2_HI), x), l.mul(n, l.splat(L::Real::MINUS_LN_2_LO)))
}

/// e^(high + low) - 1 - high
#[inline(always)]
fn expm1_tail<L: Lanes<Real: Exponential>>(l: L, (_, high, low): (L::I, L::F, L::F)) -> L::F {
    let r = l.add(high, low);
    let square = l.mul(r, r);
    l.fma(square, even_odd(l, r, square, L::Real::EXPM1), low)
}

/// s (high + tail) + s - offset, where the rounding errors of s high + s - offset are added to the tail.
#[inline(always)]
fn expm1_sum<L: Lanes<Real: Exponential>>(
    l: L,
    (_, high, _): (L::I, L::F, L::F),
    tail: L::F,
    s: L::F,
    offset: L::Real,
) -> (L::F, L::F) {
    let shift = l.sub(s, l.splat(offset));
    let shift_error = l.sub(l.sub(s, shift), l.splat(offset));
    let sum = l.fma(s, high, shift);
    let error = l.add(l.fma(s, high, l.sub(shift, sum)), shift_error);
    (sum, l.fma(s, tail, error))
}
