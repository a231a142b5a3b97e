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
