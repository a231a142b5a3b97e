//! Hyperbolic functions, of |x| = n ln 2 + r: sums of 2^n, 2^-n and polynomials in r.

use crate::lanes::Lanes;
use crate::layout::{power_of_two, with_sign};
use crate::polynomial::horner;
use crate::single::exponential::{expm1_parts, reduce};
use crate::tables::hyperbolic::single::{COSH, SINH};

/// For arguments below this, 2^n and 2^-n are normal numbers.
const NORMAL: f32 = 86.0;
/// sinh and cosh are infinite from here on.
const INFINITE: f32 = 89.5;
/// tanh is 1 from here on.
const SATURATED: f32 = 10.0;

/// (e^x - e^-x) / 2
#[inline(always)]
pub fn sinh<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let parts = Parts::new(l, magnitude);
    let usual = parts.add(l, parts.power(l, 1), l.neg(parts.inverse_power(l)));
    with_sign(l, parts.or_large(l, magnitude, usual), x)
}

/// (e^x + e^-x) / 2
#[inline(always)]
pub fn cosh<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let parts = Parts::new(l, magnitude);
    let usual = parts.add(l, parts.power(l, 1), parts.inverse_power(l));
    parts.or_large(l, magnitude, usual)
}

/// sinh x / cosh x
#[inline(always)]
pub fn tanh<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    let magnitude = l.abs(x);
    let magnitude = l.select(l.lt(l.splat(SATURATED), magnitude), l.splat(SATURATED), magnitude);
    // t / (t + 2) for t = e^2x - 1 = high + low.
    let (sum, rest) = expm1_parts(l, l.add(magnitude, magnitude));
    let high = l.add(sum, rest);
    let low = l.add(l.sub(sum, high), rest);
    let divisor = l.add(high, l.splat(2.0));
    let divisor_low = l.add(l.sub(high, l.sub(divisor, l.splat(2.0))), low);
    let reciprocal = l.div(l.splat(1.0), divisor);
    let quotient = l.mul(high, reciprocal);
    let remainder = l.fma(l.neg(quotient), divisor, high);
    let remainder = l.add(remainder, l.fma(l.neg(quotient), divisor_low, low));
    with_sign(l, l.fma(remainder, reciprocal, quotient), x)
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

impl<L: Lanes<Real = f32>> Parts<L> {
    #[inline(always)]
    fn new(l: L, magnitude: L::F) -> Self {
        let (n, high, low) = reduce(l, magnitude);
        let r = l.add(high, low);
        let square = l.mul(r, r);
        let even = l.mul(square, horner(l, square, &COSH));
        let odd = l.fma(l.mul(square, r), horner(l, square, &SINH), low);
        Parts { n, high, even, odd }
    }

    /// 2^(n - less)
    #[inline(always)]
    fn power(&self, l: L, less: i32) -> L::F {
        power_of_two(l, l.int_sub(self.n, l.int(less)))
    }

    /// 2^(-n - 1)
    #[inline(always)]
    fn inverse_power(&self, l: L) -> L::F {
        power_of_two(l, l.int_sub(l.int(-1), self.n))
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

    /// `usual`, or e^|x| / 2 where the argument is large or NaN.
    #[inline(always)]
    fn or_large(&self, l: L, magnitude: L::F, usual: L::F) -> L::F {
        let is_usual = l.lt(magnitude, l.splat(NORMAL));
        l.replace_if_any(l.not(is_usual), usual, |l| {
            // 2^(n - 1) may be too large for a number: half of it is not.
            let half = self.add(l, self.power(l, 2), l.splat(0.0));
            let is_infinite = l.lt(l.splat(INFINITE), magnitude);
            l.select(is_infinite, l.splat(f32::INFINITY), l.add(half, half))
        })
    }
}
