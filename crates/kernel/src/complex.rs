//! Complex values as pairs of expressions: conjugation and products with i are free.

use std::ops::{Add, Mul, Neg, Sub};

use super::expr::{Expr, IntoExpr};
use super::memory::{Array, IntoIndex, Readable, Writable};
use super::types::{Float, Pair, Real};

/// A complex value, or for a vector `T` one in each lane. In memory it is a [`Pair`].
pub struct Complex<'k, T> {
    /// The real part.
    pub re: Expr<'k, T>,
    /// The imaginary part.
    pub im: Expr<'k, T>,
}

impl<T> Clone for Complex<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Complex<'_, T> {}

impl<'k, T: Float> Complex<'k, T> {
    /// re + i im.
    pub const fn new(re: Expr<'k, T>, im: Expr<'k, T>) -> Self {
        Complex { re, im }
    }

    /// re - i im.
    #[must_use]
    pub fn conj(self) -> Self {
        Complex::new(self.re, -self.im)
    }

    /// The parts exchanged.
    #[must_use]
    pub const fn swap(self) -> Self {
        Complex { re: self.im, im: self.re }
    }

    /// The product with i.
    #[must_use]
    pub fn times_i(self) -> Self {
        Complex::new(-self.im, self.re)
    }

    /// The product with a real value.
    #[must_use]
    pub fn scale(self, factor: impl IntoExpr<'k, T>) -> Self {
        let factor = factor.into_expr(self.re.builder);
        Complex::new(self.re * factor, self.im * factor)
    }

    /// The product with a constant. Its factors 0, 1 and -1 make no arithmetic.
    #[must_use]
    pub fn times(self, re: f64, im: f64) -> Self {
        if im == 0.0 {
            return self.scale(T::real(re));
        }
        if re == 0.0 {
            return self.times_i().scale(T::real(im));
        }
        self * Complex::new(self.re.builder.value(T::real(re)), self.re.builder.value(T::real(im)))
    }

    /// The product with e^(2 pi i numerator / denominator), a constant, computed in double precision. Eighths of a turn
    /// are exact, but for the root of one half.
    #[must_use]
    pub fn turn(self, numerator: i64, denominator: i64) -> Self {
        let (re, im) = root_of_unity(numerator, denominator);
        self.times(re, im)
    }

    /// self*b + c, with fused multiply-adds.
    #[must_use]
    pub fn mul_add(self, b: Self, c: Self) -> Self {
        Complex::new(
            (-self.im).mul_add(b.im, self.re.mul_add(b.re, c.re)),
            self.im.mul_add(b.re, self.re.mul_add(b.im, c.im)),
        )
    }

    /// |z|^2.
    #[must_use]
    pub fn norm_sqr(self) -> Expr<'k, T> {
        self.re * self.re + self.im * self.im
    }
}

impl<'k, R: Real> Complex<'k, R> {
    /// The value as a pair in memory.
    pub fn pair(self) -> Expr<'k, Pair<R>> {
        Expr::from_lanes([self.re, self.im])
    }
}

impl<'k, R: Real> From<Expr<'k, Pair<R>>> for Complex<'k, R> {
    fn from(pair: Expr<'k, Pair<R>>) -> Self {
        Complex::new(pair.x(), pair.y())
    }
}

/// cos and sin of 2 pi numerator / denominator, rounded to within little more than half a unit in the last place.
///
/// The exact fraction is reduced to the first octant, and the rounding error of the angle is corrected.
///
/// # Panics
/// For a denominator that is not positive.
pub fn root_of_unity(numerator: i64, denominator: i64) -> (f64, f64) {
    assert!(denominator > 0, "a turn has a positive number of parts");
    // In eighths: the angle is 2 pi (eighth + rest / denominator) / 8, with rest between 0 and the denominator.
    let (turns, denominator) = (i128::from(numerator) * 8, i128::from(denominator));
    let whole = turns.rem_euclid(8 * denominator);
    let (eighth, rest) = (whole / denominator, whole % denominator);
    let odd = eighth % 2 == 1;
    let (sine, cosine) = sin_cos_of_eighth(if odd { denominator - rest } else { rest }, denominator);
    let (re, im) = if odd { (sine, cosine) } else { (cosine, sine) };
    match eighth / 2 {
        0 => (re, im),
        1 => (-im, re),
        2 => (-re, -im),
        _ => (im, -re),
    }
}

/// sin and cos of pi/4 part / whole, for a part from 0 to the whole: the angle is a sum of two numbers, of which the
/// second is the first one's error.
fn sin_cos_of_eighth(part: i128, whole: i128) -> (f64, f64) {
    const EIGHTH: f64 = std::f64::consts::FRAC_PI_4;
    /// pi/4 minus `EIGHTH`.
    const REST: f64 = 3.061_616_997_868_383e-17;
    let (part, whole) = (part as f64, whole as f64);
    let ratio = part / whole;
    let ratio_rest = (-ratio).mul_add(whole, part) / whole;
    let angle = ratio * EIGHTH;
    let angle_rest = ratio.mul_add(EIGHTH, -angle) + ratio * REST + ratio_rest * EIGHTH;
    let (sine, cosine) = angle.sin_cos();
    (angle_rest.mul_add(cosine, sine), (-angle_rest).mul_add(sine, cosine))
}

impl<T: Float> Add for Complex<'_, T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Complex::new(self.re + other.re, self.im + other.im)
    }
}

impl<T: Float> Sub for Complex<'_, T> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Complex::new(self.re - other.re, self.im - other.im)
    }
}

impl<T: Float> Mul for Complex<'_, T> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Complex::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

impl<T: Float> Neg for Complex<'_, T> {
    type Output = Self;

    fn neg(self) -> Self {
        Complex::new(-self.re, -self.im)
    }
}

impl<'k, R: Real, A: Readable> Array<'k, Pair<R>, A> {
    /// Loads the complex value at an index.
    pub fn complex_at(self, index: impl IntoIndex<'k>) -> Complex<'k, R> {
        self.at(index).into()
    }
}

impl<'k, R: Real, A: Writable> Array<'k, Pair<R>, A> {
    /// Stores the complex value at an index.
    pub fn store_complex(self, index: impl IntoIndex<'k>, value: Complex<'k, R>) {
        self.store(index, value.pair());
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::root_of_unity;

    #[test]
    fn roots_of_unity_are_exact_in_quarters_and_close_elsewhere() {
        assert_eq!(root_of_unity(0, 1), (1.0, 0.0));
        assert_eq!(root_of_unity(-1, 4), (0.0, -1.0));
        assert_eq!(root_of_unity(6, 4), (-1.0, 0.0));
        assert_eq!((root_of_unity(1, 6).0, root_of_unity(1, 3).0, root_of_unity(-5, 12).1), (0.5, -0.5, -0.5));
        for denominator in 1..50 {
            for numerator in -60..60 {
                let (re, im) = root_of_unity(numerator, denominator);
                let angle = std::f64::consts::TAU * numerator as f64 / denominator as f64;
                assert_abs_diff_eq!(re, angle.cos(), epsilon = 1e-13);
                assert_abs_diff_eq!(im, angle.sin(), epsilon = 1e-13);
                assert_abs_diff_eq!(re * re + im * im, 1.0, epsilon = 4.0 * f64::EPSILON);
            }
        }
    }
}
