//! Hyperbolic functions, of |x| = n ln 2 + r: sums of 2^n, 2^-n and polynomials in r.

use super::exponential::{Exponential, expm1_parts, reduce};
use super::fast_two_sum;
use crate::lanes::{Lanes, Real};
use crate::layout::{Layout, power_of_two, with_sign};
use crate::polynomial::horner;
use crate::tables::hyperbolic as tables;

/// Constants of a precision.
pub(crate) trait Hyperbolic: Exponential {
    const COSH: &'static [Self];
    const SINH: &'static [Self];
    /// For arguments below this, 2^n and 2^-n are normal numbers.
    const INVERTIBLE: Self;
    /// sinh and cosh are infinite above.
    const INFINITE: Self;
    /// tanh is 1 above.
    const SATURATED: Self;
}

macro_rules! constants {
    ($real:ident $precision:ident $invertible:literal $infinite:literal $saturated:literal) => {
        impl Hyperbolic for $real {
            const COSH: &'static [$real] = &tables::$precision::COSH;
            const SINH: &'static [$real] = &tables::$precision::SINH;
            const INVERTIBLE: $real = $invertible;
            const INFINITE: $real = $infinite;
            const SATURATED: $real = $saturated;
        }
    };
}

constants!(f32 single 86.0 89.5 10.0);
constants!(f64 double 708.0 710.5 20.0);

#[inline(always)]
pub(crate) fn sinh<L: Lanes<Real: Hyperbolic>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let parts = Parts::new(l, magnitude);
    let usual = parts.add(l, parts.power(l, L::Real::INT_ONE), l.neg(parts.inverse_power(l)));
    with_sign(l, l.replace_if_any(is_large(l, magnitude), usual, |l| parts.large(l, magnitude)), x)
}

#[inline(always)]
pub(crate) fn cosh<L: Lanes<Real: Hyperbolic>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let parts = Parts::new(l, magnitude);
    let usual = parts.add(l, parts.power(l, L::Real::INT_ONE), parts.inverse_power(l));
    l.replace_if_any(is_large(l, magnitude), usual, |l| parts.large(l, magnitude))
}

#[inline(always)]
pub(crate) fn tanh<L: Lanes<Real: Hyperbolic>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let magnitude = l.select(l.lt(l.splat(L::Real::SATURATED), magnitude), l.splat(L::Real::SATURATED), magnitude);
    // t / (t + 2) for t = e^2x - 1 = high + low.
    let (sum, rest) = expm1_parts(l, l.add(magnitude, magnitude));
    let (high, low) = fast_two_sum(l, sum, rest);
    let divisor = l.add(high, l.splat(L::Real::TWO));
    let divisor_low = l.add(l.sub(high, l.sub(divisor, l.splat(L::Real::TWO))), low);
    let reciprocal = l.div(l.splat(L::Real::ONE), divisor);
    let quotient = l.mul(high, reciprocal);
    let remainder = l.fma(l.neg(quotient), divisor, high);
    let remainder = l.add(remainder, l.fma(l.neg(quotient), divisor_low, low));
    with_sign(l, l.fma(remainder, reciprocal, quotient), x)
}

/// True where 2^-n may be subnormal, and for NaN.
#[inline(always)]
fn is_large<L: Lanes<Real: Hyperbolic>>(l: L, magnitude: L::F) -> L::M {
    l.not(l.lt(magnitude, l.splat(L::Real::INVERTIBLE)))
}

/// e^|x| = 2^n e^r, where r = high + low.
struct Parts<L: Lanes> {
    n: L::I,
    high: L::F,
    /// cosh r - 1
    even: L::F,
    /// sinh r - high
    odd: L::F,
}

impl<L: Lanes<Real: Hyperbolic>> Parts<L> {
    #[inline(always)]
    fn new(l: L, magnitude: L::F) -> Self {
        let (n, high, low) = reduce(l, magnitude);
        let r = l.add(high, low);
        let square = l.mul(r, r);
        let even = l.mul(square, horner(l, square, L::Real::COSH));
        let odd = l.fma(l.mul(square, r), horner(l, square, L::Real::SINH), low);
        Parts { n, high, even, odd }
    }

    /// 2^(n - less)
    #[inline(always)]
    fn power(&self, l: L, less: <L::Real as Real>::Int) -> L::F {
        power_of_two(l, l.int_sub(self.n, l.int(less)))
    }

    /// 2^(-n - 1)
    #[inline(always)]
    fn inverse_power(&self, l: L) -> L::F {
        power_of_two(l, l.int_sub(l.int(L::Real::INT_MINUS_ONE), self.n))
    }

    /// power e^r + inverse e^-r
    #[inline(always)]
    fn add(&self, l: L, power: L::F, inverse: L::F) -> L::F {
        // first cosh r + second sinh r, where |first| >= |second high| or first = 0.
        let (first, second) = (l.add(power, inverse), l.sub(power, inverse));
        let first_error = l.sub(inverse, l.sub(first, power));
        let sum = l.fma(second, self.high, first);
        let error = l.add(l.fma(second, self.high, l.sub(first, sum)), first_error);
        l.add(sum, l.add(error, l.fma(first, self.even, l.mul(second, self.odd))))
    }

    /// e^|x| / 2
    #[inline(always)]
    fn large(&self, l: L, magnitude: L::F) -> L::F {
        // 2^(n - 1) may be too large for a number: half of it is not.
        let half = self.add(l, self.power(l, L::Real::INT_TWO), l.splat(L::Real::ZERO));
        let is_infinite = l.lt(l.splat(L::Real::INFINITE), magnitude);
        l.select(is_infinite, l.splat(L::Real::INFINITY), l.add(half, half))
    }
}
