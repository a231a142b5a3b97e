//! Double-double arithmetic: the unevaluated sum of two numbers, with 106 bits (Dekker 1971; Hida, Li and Bailey 2001).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo, where |lo| is at most half an ulp of hi.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleDouble {
    pub hi: f64,
    pub lo: f64,
}

pub const LN_2: DoubleDouble = DoubleDouble { hi: std::f64::consts::LN_2, lo: 2.3190468138462996e-17 };
pub const LN_10: DoubleDouble = DoubleDouble { hi: std::f64::consts::LN_10, lo: -2.1707562233822494e-16 };
/// ln 2 less `LN_2`.
const LN_2_REST: f64 = 5.707708438416212e-34;

impl From<f64> for DoubleDouble {
    fn from(hi: f64) -> Self {
        DoubleDouble { hi, lo: 0.0 }
    }
}

/// a + b exactly, where |a| >= |b| or a = 0.
fn fast_two_sum(a: f64, b: f64) -> DoubleDouble {
    let hi = a + b;
    DoubleDouble { hi, lo: b - (hi - a) }
}

impl DoubleDouble {
    /// a + b exactly.
    pub fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let b_part = hi - a;
        DoubleDouble { hi, lo: (a - (hi - b_part)) + (b - b_part) }
    }

    /// a b exactly, where nothing underflows.
    pub fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        DoubleDouble { hi, lo: a.mul_add(b, -hi) }
    }

    pub fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }

    /// self · 2^exponent, where nothing underflows.
    pub fn scale(self, exponent: i32) -> Self {
        DoubleDouble { hi: scale(self.hi, exponent), lo: scale(self.lo, exponent) }
    }

    pub fn square(self) -> Self {
        self * self
    }

    pub fn sqrt(self) -> Self {
        if self.hi == 0.0 {
            return self;
        }
        let root = self.hi.sqrt();
        let rest = self - Self::product(root, root);
        fast_two_sum(root, rest.hi / (2.0 * root))
    }

    /// e^self, as a number and a power of two.
    pub fn exp(self) -> (Self, i32) {
        let n = (self.hi / LN_2.hi).round_ties_even();
        let r = self - LN_2 * n.into() - (LN_2_REST * n).into();
        (r.expm1_series() + 1.0.into(), n as i32)
    }

    /// e^self - 1, for results that are normal numbers.
    pub fn expm1(self) -> Self {
        if self.hi.abs() < 0.4 {
            return self.expm1_series();
        }
        let (mantissa, exponent) = self.exp();
        mantissa.scale(exponent) - 1.0.into()
    }

    /// Taylor's series, for |self| < 0.4.
    fn expm1_series(self) -> Self {
        let mut sum = DoubleDouble::from(1.0);
        for k in (2..=26).rev() {
            sum = sum * self / f64::from(k).into() + 1.0.into();
        }
        sum * self
    }

    /// ln(self · 2^exponent), for positive numbers.
    pub fn ln_scaled(self, exponent: i32) -> Self {
        let shift = exponent_of(self.hi);
        let mantissa = self.scale(-shift);
        // In [1/√2, √2), so that the logarithm keeps its relative accuracy about 1.
        let (mantissa, shift) =
            if mantissa.hi > std::f64::consts::SQRT_2 { (mantissa.scale(-1), shift + 1) } else { (mantissa, shift) };
        let exponent = f64::from(exponent + shift);
        let whole = LN_2 * exponent.into() + (LN_2_REST * exponent).into();
        whole + (mantissa - 1.0.into()).ln_1p_reduced()
    }

    /// ln(1 + self), for |self| up to √2 - 1: by Newton's iteration, or the series of the inverse hyperbolic tangent.
    pub fn ln_1p_reduced(self) -> Self {
        if self.hi.abs() > 0.05 {
            let start = DoubleDouble::from(self.hi.ln_1p());
            // e^y = 1 + self: y + 2 (self - expm1 y) / (2 + self + expm1 y) converges cubically.
            let value = start.expm1_series_wide();
            return start + (self - value) * 2.0.into() / (self + value + 2.0.into());
        }
        let s = self / (self + 2.0.into());
        let square = s.square();
        let mut sum = DoubleDouble::from(0.0);
        for k in (0..=12).rev() {
            sum = sum * square + DoubleDouble::from(1.0) / f64::from(2 * k + 1).into();
        }
        s * sum * 2.0.into()
    }

    fn expm1_series_wide(self) -> Self {
        let half = self.scale(-1).expm1_series();
        half * (half + 2.0.into())
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    fn neg(self) -> Self {
        DoubleDouble { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.hi, other.hi), Self::sum(self.lo, other.lo));
        let first = fast_two_sum(high.hi, high.lo + low.hi);
        fast_two_sum(first.hi, first.lo + low.lo)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let high = Self::product(self.hi, other.hi);
        fast_two_sum(high.hi, high.lo + self.hi.mul_add(other.lo, self.lo * other.hi))
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * first.into();
        let second = rest.hi / other.hi;
        let rest = rest - other * second.into();
        fast_two_sum(first, second) + (rest.hi / other.hi).into()
    }
}

/// x · 2^exponent, rounded once.
pub fn scale(x: f64, exponent: i32) -> f64 {
    // The first steps are exact, unless the result is 0 or infinite.
    let mut value = x;
    let mut left = exponent;
    while left.abs() > 500 {
        let step = 500 * left.signum();
        if left < 0 && value.abs() < 2f64.powi(-400) {
            break;
        }
        value *= 2f64.powi(step);
        left -= step;
    }
    if left < -1000 {
        return value * 0.0;
    }
    // 2^left may be subnormal, but not both halves of it.
    value * 2f64.powi(left / 2) * 2f64.powi(left - left / 2)
}

/// The e of 2^e <= |x| < 2^(e + 1), also for subnormal numbers.
pub fn exponent_of(x: f64) -> i32 {
    let biased = (x.to_bits() >> 52 & 0x7ff) as i32;
    if biased == 0 { exponent_of(x * 2f64.powi(64)) - 64 } else { biased - 1023 }
}
