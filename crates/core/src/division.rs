//! Quotients and products of numbers over the whole range: nothing overflows or underflows but the result itself.

use crate::scalar::Scalar;

/// b / a.
///
/// Complex numbers by Smith's algorithm (R. L. Smith, Algorithm 116, CACM 5, 1962) in `f64`, on operands that powers of
/// two brought away from the ends of the range (M. Baudin and R. L. Smith, *A robust complex division in Scilab*,
/// 2012).
#[inline]
pub fn quotient<T: Scalar>(b: T, a: T) -> T {
    if !T::KIND.is_complex() {
        return b / a;
    }
    // Scaled products of `f32` are far from the ends of the range of `f64`.
    let (b_scale, a_scale) = if T::KIND.is_double() { (towards_one(b), towards_one(a)) } else { (1.0, 1.0) };
    let (x, y, re, im) = (b.re() * b_scale, b.im() * b_scale, a.re() * a_scale, a.im() * a_scale);
    let (real, imaginary) = if re.abs() >= im.abs() { smith(x, y, re, im) } else { smith(y, -x, im, -re) };
    let scale = a_scale / b_scale;
    T::from_parts(real * scale, imaginary * scale)
}

/// 1 / a, which may overflow.
#[inline]
pub fn reciprocal<T: Scalar>(a: T) -> T {
    quotient(T::ONE, a)
}

/// The quotient in a triangular system: as in the reference's substitution, what is zero is not divided, not by zero or
/// NaN either.
#[inline]
pub fn solved<T: Scalar>(b: T, a: T) -> T {
    if b == T::ZERO { b } else { quotient(b, a) }
}

/// alpha x. A real alpha scales both parts, so that 1 (∞ + ∞ i) is not NaN.
#[inline(always)]
pub fn scale_by<T: Scalar>(alpha: T, x: T) -> T {
    if T::KIND.is_complex() && alpha.im() == 0.0 {
        x.scaled(T::RealScalar::from_parts(alpha.re(), 0.0))
    } else {
        alpha * x
    }
}

/// The larger of a number's parts in modulus: its size, within a factor of two.
#[inline]
pub fn largest_part<T: Scalar>(x: T) -> f64 {
    x.re().abs().max(x.im().abs())
}

/// (x + y i) / (a + b i) for |a| >= |b|.
#[inline]
fn smith(x: f64, y: f64, a: f64, b: f64) -> (f64, f64) {
    if b == 0.0 {
        return (x / a, y / a);
    }
    let ratio = b / a;
    let size = a + b * ratio;
    if ratio == 0.0 {
        // It underflowed: the products are made in the other order.
        return ((x + b * (y / a)) / size, (y - b * (x / a)) / size);
    }
    ((x + y * ratio) / size, (y - x * ratio) / size)
}

/// The power of two that brings a number away from the ends of the range of `f64`.
#[inline]
fn towards_one<T: Scalar>(x: T) -> f64 {
    /// 2^1022, from which on the sum of two parts may overflow.
    const LARGE: f64 = f64::MAX / 4.0;
    /// 2 / ε², with which small numbers are multiplied.
    const LIFT: f64 = 8.0 / (f64::EPSILON * f64::EPSILON);
    /// Below this the product with ε may underflow.
    const SMALL: f64 = 4.0 * f64::MIN_POSITIVE / f64::EPSILON;
    match largest_part(x) {
        size if size >= LARGE => 0.5,
        size if size <= SMALL => LIFT,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;
    use crate::scalar::{Complex32, Complex64};

    /// Quotients of numbers of every size, the exact one being 2^exponent (p + q i) / 25 with small p and q.
    fn check<T: Scalar>(exponents: std::ops::RangeInclusive<i32>) {
        // In two steps, as 2^-1074 is no normal number.
        let times = |x: f64, e: i32| x * 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
        let pairs = [(1.0, 0.0), (0.0, 1.0), (3.0, 4.0), (4.0, -3.0), (-3.0, 4.0)];
        for e in exponents.clone().step_by(11) {
            for f in exponents.clone().step_by(17) {
                for (b, a) in pairs.iter().flat_map(|b| pairs.iter().map(move |a| (b, a))) {
                    let number = |&(re, im): &(f64, f64), e| T::from_parts(times(re, e), times(im, e));
                    let square = a.0 * a.0 + a.1 * a.1;
                    let exact = ((b.0 * a.0 + b.1 * a.1) / square, (b.1 * a.0 - b.0 * a.1) / square);
                    if !exponents.contains(&(e - f)) {
                        continue;
                    }
                    let found = quotient(number(b, e), number(a, f));
                    for (part, exact) in [(found.re(), exact.0), (found.im(), exact.1)] {
                        let error = (times(part, f - e) - exact).abs();
                        assert!(
                            error <= 4.0 * T::EPSILON,
                            "{b:?} 2^{e} / {a:?} 2^{f}: {found:?}, not 2^{} {exact}",
                            e - f
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn quotients_of_all_sizes_are_exact_but_for_rounding() {
        check::<Complex64>(-1020..=1021);
        check::<Complex32>(-124..=125);
    }

    #[test]
    fn quotients_at_the_ends_of_the_range() {
        let z = |re, im| Complex64::new(re, im);
        assert_eq!(quotient(z(1e308, 0.0), z(1e308, 0.0)), z(1.0, 0.0));
        assert_eq!(quotient(z(f64::MAX, f64::MAX), z(f64::MAX, f64::MAX)), z(1.0, 0.0));
        assert_eq!(quotient(z(5e-324, 0.0), z(5e-324, 0.0)), z(1.0, 0.0));
        assert_eq!(quotient(z(0.5, 0.0), z(1e-309, 0.0)).re, 0.5 / 1e-309);
        assert_abs_diff_eq!(reciprocal(z(1e308, 1e308)).re, 5e-309, epsilon = 5e-324);
        let c = |re, im| Complex32::new(re, im);
        assert_eq!(quotient(c(3e38, 3e38), c(3e38, 3e38)), c(1.0, 0.0));
        assert_eq!(quotient(c(0.0, 1e-45), c(1e-45, 0.0)), c(0.0, 1.0));
    }

    #[test]
    fn zero_is_not_divided_in_a_triangular_system() {
        assert_eq!(solved(0.0, 0.0), 0.0);
        assert_eq!(solved(Complex64::ZERO, Complex64::new(f64::NAN, 0.0)), Complex64::ZERO);
        assert_eq!(solved(1.0, 0.0), f64::INFINITY);
    }

    #[test]
    fn real_factors_scale_both_parts() {
        let infinite = Complex64::new(f64::INFINITY, f64::INFINITY);
        assert_eq!(scale_by(Complex64::ONE, infinite), infinite);
        assert_eq!(scale_by(Complex64::new(-2.0, 0.0), infinite), -infinite);
        assert_eq!(scale_by(Complex64::I, Complex64::new(1.0, 2.0)), Complex64::new(-2.0, 1.0));
    }
}
