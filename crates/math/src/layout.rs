//! The layout of IEEE 754 numbers, and the operations on it that functions share.

use crate::lanes::{Lanes, Real};

/// Constants of a precision.
pub(crate) trait Layout: Real {
    const ZERO: Self;
    const ONE: Self;
    const TWO: Self;
    const HALF: Self;
    const MINUS_HALF: Self;
    const MINUS_ONE: Self;
    const MINUS_TWO: Self;
    const INFINITY: Self;
    const MINUS_INFINITY: Self;
    const NAN: Self;
    const LEAST_NORMAL: Self;
    /// 1.5 · 2^23 or 2^52. A small number plus this is rounded to a whole number, held by the sum's lowest bits.
    const ROUNDER: Self;
    const ROUNDER_BITS: Self::Int;
    const FRACTION_BITS: Self::Int;
    const FRACTION_MASK: Self::Int;
    const ONE_BITS: Self::Int;
    const BIAS: Self::Int;
    const TWICE_BIAS: Self::Int;
    const SIGN: Self::Int;
    const INT_ZERO: Self::Int;
    const INT_ONE: Self::Int;
    const INT_TWO: Self::Int;
    const INT_MINUS_ONE: Self::Int;
}

macro_rules! layout {
    ($real:ident $int:ident $rounder:literal) => {
        impl Layout for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const TWO: Self = 2.0;
            const HALF: Self = 0.5;
            const MINUS_HALF: Self = -0.5;
            const MINUS_ONE: Self = -1.0;
            const MINUS_TWO: Self = -2.0;
            const INFINITY: Self = $real::INFINITY;
            const MINUS_INFINITY: Self = $real::NEG_INFINITY;
            const NAN: Self = $real::NAN;
            const LEAST_NORMAL: Self = $real::MIN_POSITIVE;
            const ROUNDER: Self = $rounder;
            const ROUNDER_BITS: $int = Self::ROUNDER.to_bits() as $int;
            const FRACTION_BITS: $int = $real::MANTISSA_DIGITS as $int - 1;
            const FRACTION_MASK: $int = (1 << Self::FRACTION_BITS) - 1;
            const ONE_BITS: $int = Self::ONE.to_bits() as $int;
            const BIAS: $int = $real::MAX_EXP as $int - 1;
            const TWICE_BIAS: $int = 2 * Self::BIAS;
            const SIGN: $int = $int::MIN;
            const INT_ZERO: $int = 0;
            const INT_ONE: $int = 1;
            const INT_TWO: $int = 2;
            const INT_MINUS_ONE: $int = -1;
        }
    };
}

layout!(f32 i32 12582912.0);
layout!(f64 i64 6755399441055744.0);

/// The whole number nearest to a b, in both forms. |a b| is below 2^22 in single precision, 2^51 in double.
#[inline(always)]
pub(crate) fn round_product<L: Lanes<Real: Layout>>(l: L, a: L::F, b: L::F) -> (L::F, L::I) {
    let sum = l.fma(a, b, l.splat(L::Real::ROUNDER));
    (l.sub(sum, l.splat(L::Real::ROUNDER)), l.int_sub(l.to_bits(sum), l.int(L::Real::ROUNDER_BITS)))
}

/// The whole number nearest to a, in both forms. |a| is below 2^22 in single precision, 2^51 in double.
#[inline(always)]
pub(crate) fn round<L: Lanes<Real: Layout>>(l: L, a: L::F) -> (L::F, L::I) {
    let sum = l.add(a, l.splat(L::Real::ROUNDER));
    (l.sub(sum, l.splat(L::Real::ROUNDER)), l.int_sub(l.to_bits(sum), l.int(L::Real::ROUNDER_BITS)))
}

/// 2^n, which is a normal number.
#[inline(always)]
pub(crate) fn power_of_two<L: Lanes<Real: Layout>>(l: L, n: L::I) -> L::F {
    l.from_bits(l.int_shl(l.int_add(n, l.int(L::Real::BIAS)), l.int(L::Real::FRACTION_BITS)))
}

/// a 2^n, where a and the result are normal numbers.
#[inline(always)]
pub(crate) fn scale_normal<L: Lanes<Real: Layout>>(l: L, a: L::F, n: L::I) -> L::F {
    l.from_bits(l.int_add(l.to_bits(a), l.int_shl(n, l.int(L::Real::FRACTION_BITS))))
}

/// a 2^n rounded once, for a near 1 and |n| below 250 in single precision, 2000 in double.
#[inline(always)]
pub(crate) fn scale<L: Lanes<Real: Layout>>(l: L, a: L::F, n: L::I) -> L::F {
    let half = l.int_shr(n, l.int(L::Real::INT_ONE));
    l.mul(l.mul(a, power_of_two(l, half)), power_of_two(l, l.int_sub(n, half)))
}

/// |a| with the sign of b, where a is not negative.
#[inline(always)]
pub(crate) fn with_sign<L: Lanes<Real: Layout>>(l: L, a: L::F, b: L::F) -> L::F {
    l.from_bits(l.int_or(l.to_bits(a), l.int_and(l.to_bits(b), l.int(L::Real::SIGN))))
}

/// `within` for low <= x <= high and NaN, `below` and `above` elsewhere.
#[inline(always)]
pub(crate) fn outside<L: Lanes>(
    l: L,
    x: L::F,
    (low, below): (L::Real, L::Real),
    (high, above): (L::Real, L::Real),
    within: L::F,
) -> L::F {
    let value = l.select(l.lt(l.splat(high), x), l.splat(above), within);
    l.select(l.lt(x, l.splat(low)), l.splat(below), value)
}
