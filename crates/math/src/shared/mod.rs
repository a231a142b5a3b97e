//! Algorithms that both precisions share. A trait of each family gives the coefficients.

pub(crate) mod error;
pub(crate) mod exponential;
pub(crate) mod gamma;
pub(crate) mod hyperbolic;
pub(crate) mod inverse_trigonometric;
pub(crate) mod logarithm;
pub(crate) mod power;
pub(crate) mod reduction;
pub(crate) mod trigonometric;

use crate::lanes::Lanes;
use crate::layout::Layout;
use crate::tables::estimates;

/// Horner's scheme for coefficients in a slice, lowest power first.
#[inline(always)]
pub(crate) fn polynomial<L: Lanes>(l: L, x: L::F, coefficients: &'static [L::Real]) -> L::F {
    let (&last, others) = coefficients.split_last().expect("a polynomial has coefficients");
    others.iter().rev().fold(l.splat(last), |value, &coefficient| l.fma(value, x, l.splat(coefficient)))
}

/// The sign bits.
#[inline(always)]
pub(crate) fn sign_of<L: Lanes<Real: Layout>>(l: L, x: L::F) -> L::I {
    l.int_and(l.to_bits(x), l.int(L::Real::SIGN))
}

/// x with its sign changed where the sign bits are set.
#[inline(always)]
pub(crate) fn flip_sign<L: Lanes>(l: L, x: L::F, sign: L::I) -> L::F {
    l.from_bits(l.int_xor(l.to_bits(x), sign))
}

/// The rest of a b beyond the rounded product.
#[inline(always)]
pub(crate) fn product_error<L: Lanes>(l: L, a: L::F, b: L::F, product: L::F) -> L::F {
    l.fma(a, b, l.neg(product))
}

/// a + b and the rest, for |a| >= |b| or a = 0 (Dekker 1971).
#[inline(always)]
pub(crate) fn fast_two_sum<L: Lanes>(l: L, a: L::F, b: L::F) -> (L::F, L::F) {
    let sum = l.add(a, b);
    (sum, l.add(l.sub(a, sum), b))
}

/// Constants of estimates by the bits of numbers.
pub(crate) trait Estimates: Layout {
    const RECIPROCAL: Self::Int;
    const INVERSE_SQRT: Self::Int;
}

impl Estimates for f32 {
    const RECIPROCAL: i32 = estimates::single::RECIPROCAL;
    const INVERSE_SQRT: i32 = estimates::single::INVERSE_SQRT;
}

impl Estimates for f64 {
    const RECIPROCAL: i64 = estimates::double::RECIPROCAL;
    const INVERSE_SQRT: i64 = estimates::double::INVERSE_SQRT;
}

/// 1/x with a relative error below 6 %, for normal numbers up to a quarter of the largest one.
///
/// The bits of a number are nearly linear in its logarithm (Blinn 1997).
#[inline(always)]
pub(crate) fn rough_reciprocal<L: Lanes<Real: Estimates>>(l: L, x: L::F) -> L::F {
    l.from_bits(l.int_sub(l.int(L::Real::RECIPROCAL), l.to_bits(x)))
}

/// 1/sqrt(x) with a relative error below 4 %, for positive normal numbers.
#[inline(always)]
pub(crate) fn rough_inverse_sqrt<L: Lanes<Real: Estimates>>(l: L, x: L::F) -> L::F {
    let half = l.int_shr(l.to_bits(x), l.int(L::Real::INT_ONE));
    l.from_bits(l.int_sub(l.int(L::Real::INVERSE_SQRT), half))
}
