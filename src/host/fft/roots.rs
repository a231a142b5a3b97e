//! Roots of unity, rounded once.

use std::f64::consts::FRAC_PI_4;

use num_complex::Complex;
use rustfft::FftNum;

/// e^(-2 pi i m / n) for m < n: sine and cosine of at most an eighth of a turn, so that the angle's rounding is small beside the
/// result's.
pub(super) fn root<R: FftNum>(m: usize, n: usize) -> Complex<R> {
    let eighths = 8 * m as u128;
    let (octant, rest) = (eighths / n as u128, (eighths % n as u128) as usize);
    let mirrored = octant % 2 == 1;
    let part = if mirrored { n - rest } else { rest };
    let (sin, cos) = (FRAC_PI_4 * (part as f64 / n as f64)).sin_cos();
    // From the nearest quarter turn, forwards or backwards.
    let (re, im) = (cos, if mirrored { sin } else { -sin });
    let (re, im) = match octant.div_ceil(2) % 4 {
        0 => (re, im),
        1 => (im, -re),
        2 => (-re, -im),
        _ => (-im, re),
    };
    Complex::new(number(re), number(im))
}

/// The nearest number of the type.
pub(super) fn number<R: FftNum>(value: f64) -> R {
    R::from_f64(value).unwrap_or_else(R::zero)
}
