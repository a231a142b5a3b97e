//! Arguments of trigonometric functions modulo π/2.

use super::{fast_two_sum, product_error};
use crate::lanes::Lanes;
use crate::layout::{Layout, round_product};
use crate::tables::trigonometric as tables;

/// 2/π and π/2 in a precision.
pub(crate) trait Reduction: Layout {
    /// Larger arguments are reduced by their bits.
    const CODY_WAITE_END: Self;
    const TWO_OVER_PI: Self;
    const HALF_PI: [Self; 3];
    /// 2/π in binary, after a word of zeros.
    const TWO_OVER_PI_WORDS: &'static [Self::Int];
    /// The units of the pieces of a fraction.
    const PIECE_SCALES: [Self; 3];

    /// A small constant.
    fn int(value: i32) -> Self::Int;
}

impl Reduction for f32 {
    const CODY_WAITE_END: f32 = 65536.0;
    const TWO_OVER_PI: f32 = tables::single::TWO_OVER_PI;
    const HALF_PI: [f32; 3] = tables::single::HALF_PI;
    const TWO_OVER_PI_WORDS: &'static [i32] = &tables::single::TWO_OVER_PI_WORDS;
    const PIECE_SCALES: [f32; 3] = [1.0 / (1u64 << 24) as f32, 1.0 / (1u64 << 48) as f32, 1.0 / (1u128 << 64) as f32];

    #[inline(always)]
    fn int(value: i32) -> i32 {
        value
    }
}

impl Reduction for f64 {
    const CODY_WAITE_END: f64 = 1073741824.0;
    const TWO_OVER_PI: f64 = tables::double::TWO_OVER_PI;
    const HALF_PI: [f64; 3] = tables::double::HALF_PI;
    const TWO_OVER_PI_WORDS: &'static [i64] = &tables::double::TWO_OVER_PI_WORDS;
    const PIECE_SCALES: [f64; 3] =
        [1.0 / (1u64 << 52) as f64, 1.0 / (1u128 << 104) as f64, 1.0 / ((1u128 << 104) as f64 * (1u64 << 24) as f64)];

    #[inline(always)]
    fn int(value: i32) -> i64 {
        i64::from(value)
    }
}

/// x = quadrant π/2 + high + low, with |high| near π/4 at most and |low| below half an ulp of it.
#[derive(Clone, Copy)]
pub(crate) struct Reduced<L: Lanes> {
    /// Modulo 4.
    pub quadrant: L::I,
    pub high: L::F,
    pub low: L::F,
}

/// Reduction for 0 <= x < `CODY_WAITE_END` (Cody and Waite 1980, with fused products).
///
/// The first difference is exact: both terms are multiples of the ulp of π/2, and it is below 1. It is also a
/// multiple of the ulp of the second product, so that the rest of the next difference is exact.
#[inline(always)]
pub(crate) fn cody_waite<L: Lanes<Real: Reduction>>(l: L, x: L::F) -> Reduced<L> {
    let (n, quadrant) = round_product(l, x, l.splat(L::Real::TWO_OVER_PI));
    let [first, second, third] = L::Real::HALF_PI.map(|part| l.splat(part));
    let difference = l.fma(n, l.neg(first), x);
    let product = l.mul(n, second);
    let product_low = l.fma(n, third, product_error(l, n, second, product));
    let (high, low) = fast_two_sum(l, difference, l.neg(product));
    Reduced { quadrant, high, low: l.sub(low, product_low) }
}

/// Reduction for x >= `CODY_WAITE_END` by the bits of 2/π that matter (Payne and Hanek 1983).
///
/// With x = m 2^e, 2^(e - 2) times 2/π has a whole part that adds multiples of 2π only. So the product with m of
/// three words of the fraction gives quadrants in its upper two bits, and then twice the width less 2 bits of r/(π/2).
#[inline(always)]
pub(crate) fn payne_hanek<L: Lanes<Real: Reduction>>(l: L, x: L::F) -> Reduced<L> {
    let int = |value: i32| l.int(L::Real::int(value));
    let width = 8 * size_of::<L::Real>() as i32;
    let (mantissa, position) = mantissa_and_position(l, x, width);
    let words = words_from(l, position, width);
    let low_product = l.int_mul(mantissa, words[1]);
    let low = l.int_add(low_product, l.int_mul_hi_unsigned(mantissa, words[2]));
    let carry = l.int_select(is_below_unsigned(l, low, low_product), int(1), int(0));
    let high = l.int_add(l.int_mul(mantissa, words[0]), l.int_mul_hi_unsigned(mantissa, words[1]));
    let high = l.int_add(high, carry);
    // To the nearest quadrant: the signed rest is the number without its upper two bits.
    let quarter = l.int_shr_unsigned(high, int(width - 3));
    let quadrant = l.int_shr_unsigned(l.int_add(quarter, int(1)), int(1));
    let high = l.int_or(l.int_shl(high, int(2)), l.int_shr_unsigned(low, int(width - 2)));
    let low = l.int_shl(low, int(2));
    let (high, low) = fraction_as_sum(l, high, low, width);
    let [first, second, _] = L::Real::HALF_PI.map(|part| l.splat(part));
    let product = l.mul(high, first);
    let rest = l.fma(low, first, l.fma(high, second, product_error(l, high, first, product)));
    let (high, low) = fast_two_sum(l, product, rest);
    Reduced { quadrant, high, low }
}

/// The whole number m with x = m 2^e, and e - 2 plus the width: the position of the first bit of 2/π that matters.
#[inline(always)]
fn mantissa_and_position<L: Lanes<Real: Reduction>>(l: L, x: L::F, width: i32) -> (L::I, L::I) {
    let int = |value: i32| l.int(L::Real::int(value));
    let bits = l.to_bits(x);
    let fraction_bits = l.int(L::Real::FRACTION_BITS);
    let hidden = l.int_shl(int(1), fraction_bits);
    let mantissa = l.int_or(l.int_and(bits, l.int_sub(hidden, int(1))), hidden);
    let biased = l.int_shr_unsigned(bits, fraction_bits);
    let offset = l.int_add(l.int_add(l.int(L::Real::BIAS), fraction_bits), int(2 - width));
    let position = l.int_sub(biased, offset);
    // Lanes with small arguments, whose values nobody uses, stay within the table.
    (mantissa, l.int_select(l.int_lt(position, int(0)), int(0), position))
}

/// Three words of 2/π from a bit's position on.
#[inline(always)]
fn words_from<L: Lanes<Real: Reduction>>(l: L, position: L::I, width: i32) -> [L::I; 3] {
    let int = |value: i32| l.int(L::Real::int(value));
    let index = l.int_shr_unsigned(position, int(width.trailing_zeros() as i32));
    let shift = l.int_and(position, int(width - 1));
    let opposite = l.int_sub(int(width - 1), shift);
    let all = [word(l, index, 0), word(l, index, 1), word(l, index, 2), word(l, index, 3)];
    let shifts = (shift, opposite);
    [join(l, all[0], all[1], shifts), join(l, all[1], all[2], shifts), join(l, all[2], all[3], shifts)]
}

/// A word of 2/π.
#[inline(always)]
fn word<L: Lanes<Real: Reduction>>(l: L, index: L::I, offset: i32) -> L::I {
    l.int_lookup(L::Real::TWO_OVER_PI_WORDS, l.int_add(index, l.int(L::Real::int(offset))))
}

/// The bits of a b from a shift on. The opposite shift goes in two steps, each below the width.
#[inline(always)]
fn join<L: Lanes<Real: Reduction>>(l: L, a: L::I, b: L::I, (shift, opposite): (L::I, L::I)) -> L::I {
    let one = l.int(L::Real::int(1));
    l.int_or(l.int_shl(a, shift), l.int_shr_unsigned(l.int_shr_unsigned(b, one), opposite))
}

/// The signed fraction high.low as the sum of two numbers.
#[inline(always)]
fn fraction_as_sum<L: Lanes<Real: Reduction>>(l: L, high: L::I, low: L::I, width: i32) -> (L::F, L::F) {
    let int = |value: i32| l.int(L::Real::int(value));
    let [scale_first, scale_second, scale_third] = L::Real::PIECE_SCALES.map(|scale| l.splat(scale));
    // Pieces of 24 and 16 bits, or of 52 and 24 bits, are exact as numbers.
    let bits = if width == 32 { 24 } else { 52 };
    let first = l.mul(l.to_real(l.int_shr(high, int(width - bits))), scale_first);
    let below = l.int_shl(high, int(bits));
    let joined = l.int_or(below, l.int_shr_unsigned(low, int(width - bits)));
    let second = l.mul(l.to_real(l.int_shr_unsigned(joined, int(width - bits))), scale_second);
    let last = l.int_shr_unsigned(l.int_shl(low, int(2 * bits - width)), int(2 * bits - width));
    let third = l.mul(l.to_real(last), scale_third);
    let (sum, rest) = fast_two_sum(l, first, second);
    (sum, l.add(rest, third))
}

/// a < b of unsigned integers.
#[inline(always)]
fn is_below_unsigned<L: Lanes<Real: Layout>>(l: L, a: L::I, b: L::I) -> L::M {
    let sign = l.int(L::Real::SIGN);
    l.int_lt(l.int_xor(a, sign), l.int_xor(b, sign))
}
