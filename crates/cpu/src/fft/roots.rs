//! Roots of unity, rounded once.

use num_complex::Complex;
use rustfft::FftNum;

use affinimath_kernel::root_of_unity;

/// e^(-2 pi i m / n).
pub fn root<R: FftNum>(m: usize, n: usize) -> Complex<R> {
    let (re, im) = root_of_unity(-(m as i64), n as i64);
    Complex::new(number(re), number(im))
}

/// The nearest number of the type.
pub fn number<R: FftNum>(value: f64) -> R {
    R::from_f64(value).unwrap_or_else(R::zero)
}

/// The roots e^(-2 pi i m / n) of one n. Those of the first eighth of a turn have all others by symmetry.
pub(super) struct RootTable {
    n: usize,
    /// Cosines and sines of 2 pi m / n for m <= n/8; none if n is not a multiple of 8.
    eighth: Vec<(f64, f64)>,
}

impl RootTable {
    pub(super) fn new(n: usize) -> Self {
        let eighth = if n.is_multiple_of(8) { 0..n / 8 + 1 } else { 0..0 };
        RootTable { n, eighth: eighth.map(|m| root_of_unity(m as i64, n as i64)).collect() }
    }

    /// e^(-2 pi i m / n) for m < n: the bits of [`root`].
    pub(super) fn get<R: FftNum>(&self, m: usize) -> Complex<R> {
        if self.eighth.is_empty() {
            return root(m, self.n);
        }
        let length = self.n / 8;
        let (eighth, rest) = (m / length, m % length);
        let odd = eighth % 2 == 1;
        let (cosine, sine) = self.eighth[if odd { length - rest } else { rest }];
        let (re, im) = if odd { (sine, cosine) } else { (cosine, sine) };
        let (re, im) = match eighth / 2 {
            0 => (re, im),
            1 => (-im, re),
            2 => (-re, -im),
            _ => (im, -re),
        };
        Complex::new(number(re), number(-im))
    }
}
