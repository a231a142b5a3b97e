//! Comparisons within tolerances by the crate `approx`, and the tolerances that error analysis gives.

use affinimath_core::scalar::{Complex64, Scalar};
pub use approx::{AbsDiffEq, abs_diff_eq, assert_abs_diff_eq, assert_relative_eq, relative_eq};

/// |x - y|, of the exact difference in doubles.
pub fn distance<T: Scalar>(x: T, y: T) -> f64 {
    let difference = Complex64::new(x.re() - y.re(), x.im() - y.im());
    let square = difference.norm_sqr();
    // `hypot` would take most of the time of many checks.
    if (1e-280..1e280).contains(&square) { square.sqrt() } else { difference.norm() }
}

/// True if |found - expected| <= tolerance. `approx` alone would compare the parts of complex numbers one by one.
/// Nothing is close to NaN.
pub fn is_close<T: Scalar>(found: T, expected: T, tolerance: f64) -> bool {
    distance(found, expected).abs_diff_eq(&0.0, tolerance)
}

/// Asserts that |found - expected| <= tolerance, for numbers of one [`Scalar`] type. The tolerance is an `f64`. A
/// message may follow, as in `assert!`.
#[macro_export]
macro_rules! assert_close {
    ($found:expr, $expected:expr, $tolerance:expr $(,)?) => {
        $crate::assert_close!($found, $expected, $tolerance, "")
    };
    ($found:expr, $expected:expr, $tolerance:expr, $($message:tt)+) => {{
        let (found, expected, tolerance): (_, _, f64) = ($found, $expected, $tolerance);
        assert!(
            $crate::close::is_close(found, expected, tolerance),
            "{found:?} is {:e} from {expected:?}, more than {tolerance:e}: {}",
            $crate::close::distance(found, expected),
            format_args!($($message)+)
        );
    }};
}

/// The error of a sum of `terms` products in any order, whose moduli add up to `size`: 4 terms eps size. The factor
/// covers complex products, whose parts are sums themselves (Higham 2002, sections 3.1 and 3.6).
pub fn sum_tolerance<T: Scalar>(terms: usize, size: f64) -> f64 {
    4.0 * terms as f64 * T::EPSILON * size
}

/// LAPACK's test ratio: a residual's norm in units of n eps `size`, where `size` is the norm that the error is relative
/// to. 0 for no residual.
pub fn lapack_ratio<T: Scalar>(residual: f64, n: usize, size: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / (n.max(1) as f64 * T::EPSILON * size) }
}

/// LAPACK's test programs call a ratio from this one on a failure.
pub const LAPACK_THRESHOLD: f64 = 30.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complex_distance_is_a_modulus() {
        let (x, y) = (Complex64::new(1.0, 1.0), Complex64::new(4.0, 5.0));
        assert!(is_close(x, y, 5.0) && !is_close(x, y, 4.99));
        for scale in [1e-300, 1e300] {
            assert_eq!(distance(x * scale, x * scale), 0.0);
            assert!(is_close(distance(x * scale, y * scale), 5.0 * scale, 4.0 * f64::EPSILON * scale));
        }
    }

    #[test]
    fn nothing_is_close_to_nan() {
        assert!(!is_close(f64::NAN, f64::NAN, f64::INFINITY) && !is_close(1.0_f32, f32::NAN, 1.0));
        assert!(!is_close(f64::INFINITY, f64::INFINITY, 1.0));
    }

    #[test]
    #[should_panic(expected = "1.0 is 1e0 from 2.0, more than 5e-1: of 7")]
    fn a_failure_has_both_numbers_and_the_message() {
        assert_close!(1.0, 2.0, 0.5, "of {}", 7);
    }
}
