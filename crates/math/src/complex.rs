//! Functions of complex numbers, each given as a real and an imaginary part.
//!
//! Errors are relative to the modulus of the result; those of [`exp`], [`sqrt`] and [`recip`] are small in each part.
//! Intermediate results neither overflow nor underflow where the final ones do not.
//!
//! | function | error / ulp | special values |
//! |---|---|---|
//! | [`exp`] | 2.5 in each part, 4 where the real part is near overflow or underflow | C99, Annex G |
//! | [`ln`] | 2 | C99, Annex G; accurate for moduli near 1 |
//! | [`sqrt`] | 3 in each part | C99, Annex G |
//! | [`recip`] | 3 in each part | 1/0 has an infinite real part, 1/∞ is 0 |
//! | [`div`] | 4 | a/0 is infinite, a/∞ is 0 |
//! | [`mul`] | 2 | by real arithmetic |

use crate::functions::Functions;
use crate::lanes::Lanes;

mod precision;

pub use precision::Precision;

/// e^z. An infinite real part prevails over an angle that is no number.
#[inline(always)]
pub fn exp<L: Lanes<Real: Precision>>(l: L, re: L::F, im: L::F) -> (L::F, L::F) {
    let (zero, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::INFINITY));
    let (sin, cos) = L::Real::sincos(l, im);
    let modulus = L::Real::exp(l, re);
    let is_usual = l.lt(l.abs(re), l.splat(L::Real::EXP_END));
    let is_angle = l.lt(l.abs(im), infinity);
    let (usual_real, usual_imaginary) = (l.mul(modulus, cos), l.mul(modulus, sin));
    let real = l.replace_if_any(l.not(is_usual), usual_real, |l| extreme_part(l, re, cos, is_angle, infinity));
    let imaginary = l.replace_if_any(l.not(is_usual), usual_imaginary, |l| {
        extreme_part(l, re, sin, is_angle, l.splat(L::Real::NAN))
    });
    (real, l.select(l.eq(im, zero), im, imaginary))
}

/// A part of e^z whose modulus may be out of range: sin or cos of the angle with two factors e^(re/2).
#[inline(always)]
fn extreme_part<L: Lanes<Real: Precision>>(l: L, re: L::F, factor: L::F, is_angle: L::M, at_infinity: L::F) -> L::F {
    let (zero, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::INFINITY));
    let root = L::Real::exp(l, l.mul(re, l.splat(L::Real::HALF)));
    let value = l.mul(l.mul(root, factor), root);
    let value = l.select(l.and(l.eq(re, infinity), l.not(is_angle)), at_infinity, value);
    l.select(l.and(l.eq(re, l.neg(infinity)), l.not(is_angle)), zero, value)
}

/// The principal logarithm: ln |z| + i arg z.
#[inline(always)]
pub fn ln<L: Lanes<Real: Precision>>(l: L, re: L::F, im: L::F) -> (L::F, L::F) {
    let (zero, one, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::ONE), l.splat(L::Real::INFINITY));
    let (larger, smaller) = sorted(l, re, im);
    let is_near_one = l.and(l.le(l.splat(L::Real::HALF), larger), l.lt(larger, l.splat(L::Real::TWO)));
    let ratio = l.select(l.eq(smaller, zero), zero, l.div(smaller, larger));
    let change = l.select(is_near_one, squares_minus_one(l, larger, smaller), l.mul(ratio, ratio));
    let logarithm = L::Real::ln(l, l.select(is_near_one, one, larger));
    let real = l.fma(L::Real::log1p(l, change), l.splat(L::Real::HALF), logarithm);
    (l.select(is_infinite(l, (re, im)), infinity, real), L::Real::atan2(l, im, re))
}

/// The principal square root (Kahan 1987).
#[inline(always)]
pub fn sqrt<L: Lanes<Real: Precision>>(l: L, re: L::F, im: L::F) -> (L::F, L::F) {
    let (zero, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::INFINITY));
    let half = l.splat(L::Real::HALF);
    let (larger, _) = sorted(l, re, im);
    let is_large = l.lt(l.splat(L::Real::LARGE), larger);
    let is_small = l.lt(larger, l.splat(L::Real::SMALL));
    let one = l.splat(L::Real::ONE);
    let (down, up) = (l.splat(L::Real::FOURTH_POWER_DOWN), l.splat(L::Real::FOURTH_POWER_UP));
    let scale = l.select(is_large, down, l.select(is_small, up, one));
    let (root_up, root_down) = (l.splat(L::Real::SQUARE_UP), l.splat(L::Real::SQUARE_DOWN));
    let back = l.select(is_large, root_up, l.select(is_small, root_down, one));
    let (x, y) = (l.mul(re, scale), l.mul(im, scale));
    let length = L::Real::hypot(l, x, y);
    let major = l.sqrt(l.mul(l.add(l.abs(x), length), half));
    let minor = l.select(l.eq(major, zero), y, l.mul(l.div(y, major), half));
    let (major, minor) = (l.mul(major, back), l.mul(minor, back));
    let is_left = l.lt(re, zero);
    let real = l.select(is_left, l.abs(minor), major);
    let imaginary = l.select(is_left, L::Real::copysign(l, major, im), minor);
    let is_vertical = l.eq(l.abs(im), infinity);
    (l.select(is_vertical, infinity, real), l.select(is_vertical, im, imaginary))
}

/// 1/z.
#[inline(always)]
pub fn recip<L: Lanes<Real: Precision>>(l: L, re: L::F, im: L::F) -> (L::F, L::F) {
    let (zero, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::INFINITY));
    let (larger, _) = sorted(l, re, im);
    let scale = L::Real::inverse_power(l, larger);
    let (x, y) = (l.mul(re, scale), l.mul(im, scale));
    let inverse = l.div(l.splat(L::Real::ONE), l.fma(x, x, l.mul(y, y)));
    let (real, imaginary) = (l.mul(l.mul(x, inverse), scale), l.neg(l.mul(l.mul(y, inverse), scale)));
    let is_zero = l.eq(larger, zero);
    let real = l.select(is_zero, L::Real::copysign(l, infinity, re), real);
    let imaginary = l.select(is_zero, l.splat(L::Real::NAN), imaginary);
    let is_infinite = is_infinite(l, (re, im));
    let signed_zeros = (L::Real::copysign(l, zero, re), L::Real::copysign(l, zero, l.neg(im)));
    (l.select(is_infinite, signed_zeros.0, real), l.select(is_infinite, signed_zeros.1, imaginary))
}

/// |z|.
#[inline(always)]
pub fn abs<L: Lanes<Real: Precision>>(l: L, re: L::F, im: L::F) -> L::F {
    L::Real::hypot(l, re, im)
}

/// The angle of z in [-π, π].
#[inline(always)]
pub fn arg<L: Lanes<Real: Precision>>(l: L, re: L::F, im: L::F) -> L::F {
    L::Real::atan2(l, im, re)
}

/// The number with this modulus and angle.
#[inline(always)]
pub fn polar<L: Lanes<Real: Precision>>(l: L, modulus: L::F, angle: L::F) -> (L::F, L::F) {
    let (sin, cos) = L::Real::sincos(l, angle);
    (l.mul(modulus, cos), l.mul(modulus, sin))
}

/// a b, by four products.
#[inline(always)]
pub fn mul<L: Lanes>(l: L, a: (L::F, L::F), b: (L::F, L::F)) -> (L::F, L::F) {
    let real = l.fma(a.0, b.0, l.neg(l.mul(a.1, b.1)));
    (real, l.fma(a.0, b.1, l.mul(a.1, b.0)))
}

/// a/b, with both brought near 1 by powers of two.
#[inline(always)]
pub fn div<L: Lanes<Real: Precision>>(l: L, a: (L::F, L::F), b: (L::F, L::F)) -> (L::F, L::F) {
    let (zero, one, infinity) = (l.splat(L::Real::ZERO), l.splat(L::Real::ONE), l.splat(L::Real::INFINITY));
    let (a_larger, b_larger) = (sorted(l, a.0, a.1).0, sorted(l, b.0, b.1).0);
    let (a_scale, b_scale) = (L::Real::inverse_power(l, a_larger), L::Real::inverse_power(l, b_larger));
    let numerator = (l.mul(a.0, a_scale), l.mul(a.1, a_scale));
    let divisor = (l.mul(b.0, b_scale), l.neg(l.mul(b.1, b_scale)));
    let product = mul(l, numerator, divisor);
    let inverse = l.div(one, l.fma(divisor.0, divisor.0, l.mul(divisor.1, divisor.1)));
    // The quotient is near 1. The scale of b may leave the range of numbers only with that of a undone.
    let a_back = l.div(one, a_scale);
    let is_growing = l.lt(one, a_back);
    let (first, second) = (l.select(is_growing, b_scale, a_back), l.select(is_growing, a_back, b_scale));
    // Opposite scales compensate each other; equal ones are applied in either order.
    let value = (
        l.mul(l.mul(l.mul(product.0, inverse), first), second),
        l.mul(l.mul(l.mul(product.1, inverse), first), second),
    );
    let (a_is_infinite, b_is_infinite) = (is_infinite(l, a), is_infinite(l, b));
    let b_is_zero = l.eq(b_larger, zero);
    let is_special = l.or(l.or(a_is_infinite, b_is_infinite), b_is_zero);
    // C99, G.5.1: the parts of an infinite number are ±1 and ±0, those of others are taken as they are.
    let (x, y) = (unit(l, a_is_infinite, a.0), unit(l, a_is_infinite, a.1));
    let (u, v) = (unit(l, b_is_infinite, b.0), unit(l, b_is_infinite, b.1));
    let products = mul(l, (x, y), (u, l.neg(v)));
    let zero_divisor = L::Real::copysign(l, infinity, b.0);
    let special = |product: L::F, part: L::F| {
        let factor = l.select(a_is_infinite, infinity, zero);
        let value = l.mul(factor, product);
        let value = l.select(l.and(a_is_infinite, b_is_infinite), l.splat(L::Real::NAN), value);
        l.select(b_is_zero, l.mul(zero_divisor, part), value)
    };
    let replace =
        |usual: L::F, product: L::F, part: L::F| l.replace_if_any(is_special, usual, |_| special(product, part));
    (replace(value.0, products.0, a.0), replace(value.1, products.1, a.1))
}

/// True where a part is infinite.
#[inline(always)]
fn is_infinite<L: Lanes<Real: Precision>>(l: L, z: (L::F, L::F)) -> L::M {
    let infinity = l.splat(L::Real::INFINITY);
    l.or(l.eq(l.abs(z.0), infinity), l.eq(l.abs(z.1), infinity))
}

/// A part of an infinite number as ±1 or ±0, or of another as it is.
#[inline(always)]
fn unit<L: Lanes<Real: Precision>>(l: L, is_infinite: L::M, part: L::F) -> L::F {
    let (zero, one) = (l.splat(L::Real::ZERO), l.splat(L::Real::ONE));
    let one_or_zero = l.select(l.eq(l.abs(part), l.splat(L::Real::INFINITY)), one, zero);
    l.select(is_infinite, L::Real::copysign(l, one_or_zero, part), part)
}

/// The larger and the smaller magnitude. A NaN is the larger one.
#[inline(always)]
fn sorted<L: Lanes>(l: L, re: L::F, im: L::F) -> (L::F, L::F) {
    let (x, y) = (l.abs(re), l.abs(im));
    let is_first = l.or(l.le(y, x), l.ne(x, x));
    (l.select(is_first, x, y), l.select(is_first, y, x))
}

/// a² + b² - 1 with the products' rounding errors, for a in [1/2, 2) and b up to a.
#[inline(always)]
fn squares_minus_one<L: Lanes<Real: Precision>>(l: L, a: L::F, b: L::F) -> L::F {
    let (a_square, b_square) = (l.mul(a, a), l.mul(b, b));
    let a_rest = l.fma(a, a, l.neg(a_square));
    let b_rest = l.fma(b, b, l.neg(b_square));
    // a² is the larger product, so that both differences are exact or of the sum's size.
    let one = l.splat(L::Real::ONE);
    let first = l.sub(a_square, one);
    let first_rest = l.sub(a_square, l.add(first, one));
    let sum = l.add(first, b_square);
    let b_part = l.sub(sum, first);
    let sum_rest = l.add(l.sub(first, l.sub(sum, b_part)), l.sub(b_square, b_part));
    l.add(sum, l.add(l.add(sum_rest, first_rest), l.add(a_rest, b_rest)))
}
