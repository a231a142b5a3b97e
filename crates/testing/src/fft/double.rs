//! Numbers of twice a double's precision: unevaluated sums of two doubles (Dekker 1971, Knuth's TAOCP 4.2.2), and
//! complex numbers and roots of unity of them.

use std::f64::consts::FRAC_PI_4;
use std::ops::{Add, Mul, Neg, Sub};

/// The sum of both, of which `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    pub high: f64,
    pub low: f64,
}

impl DoubleDouble {
    const ONE: Self = DoubleDouble { high: 1.0, low: 0.0 };
    /// pi/4: what the double misses is a quarter of sin(pi).
    const QUARTER_PI: Self = DoubleDouble { high: FRAC_PI_4, low: 1.2246467991473532e-16 / 4.0 };

    /// The sum of two doubles, exactly; the first is not smaller.
    #[inline(always)]
    fn ordered(large: f64, small: f64) -> Self {
        let high = large + small;
        DoubleDouble { high, low: small - (high - large) }
    }

    /// The sum of two doubles, exactly.
    #[inline(always)]
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        DoubleDouble { high, low: (a - (high - part)) + (b - part) }
    }

    /// Divided by a double.
    fn over(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        let rest = (-high).mul_add(divisor, self.high) + self.low;
        Self::ordered(high, rest / divisor)
    }

    /// The nearest double.
    pub fn rounded(self) -> f64 {
        self.high + self.low
    }
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        DoubleDouble { high, low: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (highs, lows) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let joined = Self::ordered(highs.high, highs.low + lows.high);
        Self::ordered(joined.high, joined.low + lows.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        DoubleDouble { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = self.high * other.high;
        let rest = self.high.mul_add(other.high, -product);
        Self::ordered(product, rest + (self.high * other.low + self.low * other.high))
    }
}

/// A complex number of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wide {
    pub re: DoubleDouble,
    pub im: DoubleDouble,
}

impl Wide {
    pub fn new(re: f64, im: f64) -> Self {
        Wide { re: re.into(), im: im.into() }
    }

    pub fn conjugate(self) -> Self {
        Wide { re: self.re, im: -self.im }
    }

    #[inline(always)]
    pub fn times(self, factor: DoubleDouble) -> Self {
        Wide { re: self.re * factor, im: self.im * factor }
    }

    /// Divided by a double.
    pub fn over(self, divisor: f64) -> Self {
        Wide { re: self.re.over(divisor), im: self.im.over(divisor) }
    }

    pub fn rounded(self) -> (f64, f64) {
        (self.re.rounded(), self.im.rounded())
    }
}

impl Add for Wide {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Wide { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Wide {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Wide { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Wide {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Wide { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// e^(-2 pi i m / n), for m < n: Taylor's series at an angle of at most an eighth of a turn.
fn taylor_root(m: usize, n: usize) -> Wide {
    let eighths = 8 * m as u128;
    let (octant, rest) = (eighths / n as u128, (eighths % n as u128) as usize);
    let mirrored = octant % 2 == 1;
    let part = if mirrored { n - rest } else { rest };
    let angle = DoubleDouble::QUARTER_PI * DoubleDouble::from(part as f64).over(n as f64);
    let square = angle * angle;
    let (mut cos, mut sin) = (DoubleDouble::ONE, angle);
    let (mut cos_term, mut sin_term) = (DoubleDouble::ONE, angle);
    for i in 1..=15 {
        let k = f64::from(2 * i);
        cos_term = -(cos_term * square).over(k * (k - 1.0));
        sin_term = -(sin_term * square).over(k * (k + 1.0));
        cos = cos + cos_term;
        sin = sin + sin_term;
    }
    // The angle from the nearest quarter turn, forwards or backwards.
    let from_quarter = Wide { re: cos, im: if mirrored { sin } else { -sin } };
    let Wide { re, im } = from_quarter;
    match octant.div_ceil(2) % 4 {
        0 => from_quarter,
        1 => Wide { re: im, im: -re },
        2 => Wide { re: -re, im: -im },
        _ => Wide { re: -im, im: re },
    }
}

/// The n-th roots of unity e^(-2 pi i m / n): each is the product of one of two short tables' entries.
pub struct Roots {
    n: usize,
    step: usize,
    coarse: Vec<Wide>,
    fine: Vec<Wide>,
}

impl Roots {
    pub fn new(n: usize) -> Self {
        let step = (n as f64).sqrt().ceil() as usize;
        let coarse = (0..n.div_ceil(step)).map(|i| taylor_root(i * step, n)).collect();
        let fine = (0..step.min(n)).map(|i| taylor_root(i, n)).collect();
        Roots { n, step, coarse, fine }
    }

    /// All of them.
    pub fn table(n: usize) -> Vec<Wide> {
        let roots = Self::new(n);
        (0..n).map(|m| roots.get(m)).collect()
    }

    pub fn get(&self, m: usize) -> Wide {
        let m = m % self.n;
        self.coarse[m / self.step] * self.fine[m % self.step]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn roots_multiply_to_roots_in_twice_the_precision() {
        for n in [1, 2, 3, 7, 8, 48, 1000, 1009] {
            let roots = Roots::new(n);
            let mut power = Wide::new(1.0, 0.0);
            for m in 0..n {
                let root = taylor_root(m, n);
                let plain = -2.0 * PI * m as f64 / n as f64;
                let (off, short) = (root - power, root - roots.get(m));
                for (part, bound) in
                    [(off.re, 1e-31 * n as f64), (off.im, 1e-31 * n as f64), (short.re, 1e-31), (short.im, 1e-31)]
                {
                    assert!(part.high.abs() <= bound, "{m} of {n}: {part:?}");
                }
                assert!((root.re.high - plain.cos()).abs() < 1e-15 && (root.im.high - plain.sin()).abs() < 1e-15);
                power = power * taylor_root(1 % n, n);
            }
        }
    }
}
