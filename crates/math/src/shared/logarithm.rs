//! Logarithms: the exponent, and a polynomial in f = m - 1 for the mantissa m in [√½, √2).

use super::{fast_two_sum, product_error};
use crate::lanes::Lanes;
use crate::layout::{Layout, with_sign};
use crate::polynomial::even_odd;
use crate::tables::logarithm as tables;

/// Constants of a precision.
pub(crate) trait Logarithm: Layout {
    const SQRT_HALF_BITS: Self::Int;
    /// The bits of 1 less those of √½.
    const ABOVE_SQRT_HALF: Self::Int;
    /// Makes subnormal numbers normal.
    const SUBNORMAL_SCALE: Self;
    /// `ROUNDER` and the exponents' bias.
    const BIASED_ROUNDER: Self;
    /// The same, and the exponent of `SUBNORMAL_SCALE`.
    const SUBNORMAL_ROUNDER: Self;
    /// 2^-e is a normal number below this.
    const LARGE: Self;
    const LN: &'static [Self];
    const LN_2_HI: Self;
    const LN_2_LO: Self;
    const LOG2: &'static [Self];
    const LOG2_E_HI: Self;
    const LOG2_E_LO: Self;
    const LOG10: &'static [Self];
    const LOG10_2_HI: Self;
    const LOG10_2_LO: Self;
    const LOG10_E_HI: Self;
    const LOG10_E_LO: Self;
}

macro_rules! constants {
    ($real:ident $int:ident $precision:ident $subnormal_exponent:literal) => {
        impl Logarithm for $real {
            const SQRT_HALF_BITS: $int = tables::$precision::SQRT_HALF.to_bits() as $int;
            const ABOVE_SQRT_HALF: $int = Self::ONE_BITS - Self::SQRT_HALF_BITS;
            const SUBNORMAL_SCALE: $real = (1u64 << $subnormal_exponent) as $real;
            const BIASED_ROUNDER: $real = Self::ROUNDER + Self::BIAS as $real;
            const SUBNORMAL_ROUNDER: $real = Self::BIASED_ROUNDER + $subnormal_exponent as $real;
            const LARGE: $real = $real::MAX / 4.0;
            const LN: &'static [$real] = &tables::$precision::LN;
            const LN_2_HI: $real = tables::$precision::LN_2_HI;
            const LN_2_LO: $real = tables::$precision::LN_2_LO;
            const LOG2: &'static [$real] = &tables::$precision::LOG2;
            const LOG2_E_HI: $real = tables::$precision::LOG2_E_HI;
            const LOG2_E_LO: $real = tables::$precision::LOG2_E_LO;
            const LOG10: &'static [$real] = &tables::$precision::LOG10;
            const LOG10_2_HI: $real = tables::$precision::LOG10_2_HI;
            const LOG10_2_LO: $real = tables::$precision::LOG10_2_LO;
            const LOG10_E_HI: $real = tables::$precision::LOG10_E_HI;
            const LOG10_E_LO: $real = tables::$precision::LOG10_E_LO;
        }
    };
}

constants!(f32 i32 single 25);
constants!(f64 i64 double 54);

#[inline(always)]
pub(crate) fn ln<L: Lanes<Real: Logarithm>>(l: L, x: L::F) -> L::F {
    l.replace_if_any(l.not(is_normal(l, x)), ln_normal(l, x, L::Real::BIASED_ROUNDER), |l| {
        let subnormal = ln_normal(l, l.mul(x, l.splat(L::Real::SUBNORMAL_SCALE)), L::Real::SUBNORMAL_ROUNDER);
        special(l, x, subnormal)
    })
}

#[inline(always)]
pub(crate) fn log2<L: Lanes<Real: Logarithm>>(l: L, x: L::F) -> L::F {
    l.replace_if_any(l.not(is_normal(l, x)), log2_normal(l, x, L::Real::BIASED_ROUNDER), |l| {
        let subnormal = log2_normal(l, l.mul(x, l.splat(L::Real::SUBNORMAL_SCALE)), L::Real::SUBNORMAL_ROUNDER);
        special(l, x, subnormal)
    })
}

#[inline(always)]
pub(crate) fn log10<L: Lanes<Real: Logarithm>>(l: L, x: L::F) -> L::F {
    l.replace_if_any(l.not(is_normal(l, x)), log10_normal(l, x, L::Real::BIASED_ROUNDER), |l| {
        let subnormal = log10_normal(l, l.mul(x, l.splat(L::Real::SUBNORMAL_SCALE)), L::Real::SUBNORMAL_ROUNDER);
        special(l, x, subnormal)
    })
}

#[inline(always)]
pub(crate) fn log1p<L: Lanes<Real: Logarithm>>(l: L, x: L::F) -> L::F {
    // 1 + x = 2^e (1 + f). The sum's rounding may change e, but not the accuracy of f.
    let (biased, _) = reduce(l, l.add(x, l.splat(L::Real::ONE)));
    let scale = l.from_bits(l.int_shl(l.int_sub(l.int(L::Real::TWICE_BIAS), biased), l.int(L::Real::FRACTION_BITS)));
    let offset = l.sub(scale, l.splat(L::Real::ONE));
    let f = l.fma(x, scale, offset);
    let f_error = l.fma(x, scale, l.sub(offset, f));
    let (high, low) = natural(l, exponent(l, biased, L::Real::BIASED_ROUNDER), f);
    let value = with_sign(l, l.add(high, l.add(low, f_error)), x);
    let is_usual = l.and(l.lt(l.splat(L::Real::MINUS_ONE), x), l.lt(x, l.splat(L::Real::LARGE)));
    l.replace_if_any(l.not(is_usual), value, |l| {
        let (biased, m) = reduce(l, x);
        let (high, low) = natural(l, exponent(l, biased, L::Real::BIASED_ROUNDER), l.sub(m, l.splat(L::Real::ONE)));
        let value = l.select(l.lt(x, l.splat(L::Real::INFINITY)), l.add(high, low), x);
        let value = l.select(l.eq(x, l.splat(L::Real::MINUS_ONE)), l.splat(L::Real::MINUS_INFINITY), value);
        l.select(l.lt(x, l.splat(L::Real::MINUS_ONE)), l.splat(L::Real::NAN), value)
    })
}

/// The exponent, biased, and the mantissa in [√½, √2) of a normal positive number.
#[inline(always)]
pub(crate) fn reduce<L: Lanes<Real: Logarithm>>(l: L, x: L::F) -> (L::I, L::F) {
    let shifted = l.int_add(l.to_bits(x), l.int(L::Real::ABOVE_SQRT_HALF));
    let fraction = l.int_and(shifted, l.int(L::Real::FRACTION_MASK));
    let mantissa = l.from_bits(l.int_add(fraction, l.int(L::Real::SQRT_HALF_BITS)));
    (l.int_shr_unsigned(shifted, l.int(L::Real::FRACTION_BITS)), mantissa)
}

/// A biased exponent as a number, less its bias: `rounder` is `BIASED_ROUNDER` or `SUBNORMAL_ROUNDER`.
#[inline(always)]
pub(crate) fn exponent<L: Lanes<Real: Logarithm>>(l: L, biased: L::I, rounder: L::Real) -> L::F {
    let sum = l.from_bits(l.int_add(biased, l.int(L::Real::ROUNDER_BITS)));
    l.sub(sum, l.splat(rounder))
}

/// e ln 2 + ln(1 + f), for f in [√½ - 1, √2 - 1], as the sum of two numbers.
#[inline(always)]
fn natural<L: Lanes<Real: Logarithm>>(l: L, e: L::F, f: L::F) -> (L::F, L::F) {
    let ln_2 = l.splat(L::Real::LN_2_HI);
    let sum = l.fma(e, ln_2, f);
    let sum_low = l.add(product_error(l, e, ln_2, sum), f);
    let rest = l.fma(e, l.splat(L::Real::LN_2_LO), sum_low);
    let square = l.mul(f, f);
    (sum, l.fma(square, even_odd(l, f, square, L::Real::LN), rest))
}

/// True for normal numbers above 0.
#[inline(always)]
fn is_normal<L: Lanes<Real: Logarithm>>(l: L, x: L::F) -> L::M {
    l.and(l.le(l.splat(L::Real::LEAST_NORMAL), x), l.lt(x, l.splat(L::Real::INFINITY)))
}

/// The logarithm of an x that is not normal, from its value for subnormal numbers.
#[inline(always)]
fn special<L: Lanes<Real: Logarithm>>(l: L, x: L::F, subnormal: L::F) -> L::F {
    let value = l.select(l.lt(x, l.splat(L::Real::LEAST_NORMAL)), subnormal, x);
    let value = l.select(l.eq(x, l.splat(L::Real::ZERO)), l.splat(L::Real::MINUS_INFINITY), value);
    l.select(l.lt(x, l.splat(L::Real::ZERO)), l.splat(L::Real::NAN), value)
}

/// ln x for a normal x, with the rounder of its exponent.
#[inline(always)]
fn ln_normal<L: Lanes<Real: Logarithm>>(l: L, x: L::F, rounder: L::Real) -> L::F {
    let (biased, m) = reduce(l, x);
    let (high, low) = natural(l, exponent(l, biased, rounder), l.sub(m, l.splat(L::Real::ONE)));
    l.add(high, low)
}

/// log2 x for a normal x, with the rounder of its exponent.
#[inline(always)]
fn log2_normal<L: Lanes<Real: Logarithm>>(l: L, x: L::F, rounder: L::Real) -> L::F {
    let (biased, m) = reduce(l, x);
    let (e, f) = (exponent(l, biased, rounder), l.sub(m, l.splat(L::Real::ONE)));
    let factor = l.splat(L::Real::LOG2_E_HI);
    let product = l.mul(f, factor);
    let product_low = l.fma(f, l.splat(L::Real::LOG2_E_LO), product_error(l, f, factor, product));
    let (sum, sum_low) = fast_two_sum(l, e, product);
    let square = l.mul(f, f);
    // The quadratic term is large enough for the rounding of f² to matter.
    let square_low = product_error(l, f, f, square);
    let rest = l.fma(square_low, l.splat(L::Real::LOG2[0]), l.add(sum_low, product_low));
    l.add(sum, l.fma(square, even_odd(l, f, square, L::Real::LOG2), rest))
}

/// log10 x for a normal x, with the rounder of its exponent.
#[inline(always)]
fn log10_normal<L: Lanes<Real: Logarithm>>(l: L, x: L::F, rounder: L::Real) -> L::F {
    let (biased, m) = reduce(l, x);
    let (e, f) = (exponent(l, biased, rounder), l.sub(m, l.splat(L::Real::ONE)));
    let factor = l.splat(L::Real::LOG10_E_HI);
    let product = l.mul(f, factor);
    let product_low = l.fma(f, l.splat(L::Real::LOG10_E_LO), product_error(l, f, factor, product));
    let log10_2 = l.splat(L::Real::LOG10_2_HI);
    let sum = l.fma(e, log10_2, product);
    let sum_low = l.add(product_error(l, e, log10_2, sum), product);
    let rest = l.fma(e, l.splat(L::Real::LOG10_2_LO), l.add(sum_low, product_low));
    let square = l.mul(f, f);
    l.add(sum, l.fma(square, even_odd(l, f, square, L::Real::LOG10), rest))
}
