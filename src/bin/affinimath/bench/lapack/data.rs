//! The matrix of a case, and how results are checked: a residual, applied to a vector.

use affinimath::{Complex64, Scalar, Triangle};

use super::routine::Routine;
use crate::bench::contender::Accuracy;
use crate::bench::error::BenchError;
use crate::bench::random::Random;
use crate::memory;

/// A matrix, column-major and without gaps, as each contender gets it.
pub struct Data<T> {
    /// The routine.
    pub routine: Routine,
    /// Rows and columns.
    pub n: usize,
    /// What the routine works on: the matrix, or for an inverse its factors.
    pub start: Vec<T>,
    /// The factors' pivots.
    pub pivots: Vec<i32>,
    /// The matrix that the factors are of.
    original: Vec<T>,
}

/// What a call left behind.
pub struct Results<T> {
    /// The matrix.
    pub a: Vec<T>,
    /// Its pivots, which getrf writes.
    pub pivots: Vec<i32>,
    /// The factors of reflections, which geqrf writes.
    pub tau: Vec<T>,
}

/// LAPACK's own threshold for its test ratios, in units of n eps.
const THRESHOLD: f64 = 30.0;

/// Which elements of a stored matrix count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Lower,
    /// Below the diagonal, which is all ones.
    UnitLower,
    Upper,
}

impl<T: Scalar> Data<T> {
    /// A random matrix, of which each of so many `contenders` will have two copies.
    ///
    /// # Errors
    /// [`BenchError::Memory`], and what our library says of the factorisation that an inverse begins with.
    pub fn random(routine: Routine, n: usize, contenders: usize) -> Result<Self, BenchError> {
        let needed = (n as u64).saturating_pow(2).saturating_mul((T::KIND.bytes() * (2 * contenders + 3)) as u64);
        let available = memory::available().unwrap_or(u64::MAX);
        if needed > available {
            let what = format!("{}{} of size {n}", T::KIND.letter(), routine.name());
            return Err(BenchError::Memory { what, needed, available });
        }
        let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
        let mut original: Vec<T> = random.elements(n * n);
        match routine {
            Routine::Getrf | Routine::Getri | Routine::Geqrf => {}
            // Its diagonal outweighs the rest of its rows.
            Routine::Potrf | Routine::Potri => (0..n).for_each(|i| original[i + i * n] = real(n as f64)),
            Routine::Trtri => (0..n).for_each(|i| original[i + i * n] = real((n as f64).sqrt())),
        }
        let (mut start, mut pivots) = (original.clone(), Vec::new());
        let shape = affinimath::MatrixShape::new(affinimath::Layout::ColumnMajor, n, n, 0, n)?;
        let matrix = affinimath::MatrixMut::from_slice(&mut start, shape)?;
        match routine {
            Routine::Getri => {
                pivots = vec![0; n];
                affinimath::getrf(matrix, &mut pivots)?;
            }
            Routine::Potri => affinimath::potrf(Triangle::Lower, matrix)?,
            _ => {}
        }
        Ok(Data { routine, n, start, pivots, original })
    }

    /// How far a result is from one that is exact for the matrix.
    pub fn accuracy(&self, results: &Results<T>) -> Accuracy {
        let n = self.n;
        let mut random = Random::new(0xD1B5_4A32_D192_ED03);
        let x: Vec<Complex64> = (0..n).map(|_| wide(random.element::<T>())).collect();
        let before = |x: &[Complex64]| match self.routine {
            Routine::Potrf | Routine::Potri => hermitian(n, &self.original, x),
            Routine::Trtri => product(n, &self.original, Part::Lower, false, x),
            _ => product(n, &self.original, Part::Whole, false, x),
        };
        let a = &results.a;
        let (expected, found, size) = match self.routine {
            Routine::Getrf => {
                let mut expected = before(&x);
                for (row, pivot) in results.pivots.iter().enumerate() {
                    let partner = usize::try_from(*pivot).unwrap_or(0).wrapping_sub(1);
                    if partner >= n {
                        return Accuracy { error: f64::NAN, bound: 0.0 };
                    }
                    expected.swap(row, partner);
                }
                let found = product(n, a, Part::UnitLower, false, &product(n, a, Part::Upper, false, &x));
                (expected, found, self.norm(&self.original))
            }
            Routine::Potrf => {
                let found = product(n, a, Part::Lower, false, &product(n, a, Part::Lower, true, &x));
                (before(&x), found, self.norm(&self.original))
            }
            Routine::Geqrf => {
                let mut found = product(n, a, Part::Upper, false, &x);
                reflect(n, a, &results.tau, &mut found);
                (before(&x), found, self.norm(&self.original))
            }
            Routine::Getri => {
                let found = product(n, a, Part::Whole, false, &before(&x));
                (x.clone(), found, self.norm(&self.original) * self.norm(a))
            }
            Routine::Potri => (x.clone(), hermitian(n, a, &before(&x)), self.norm(&self.original) * self.norm(a)),
            Routine::Trtri => {
                let found = product(n, a, Part::Lower, false, &before(&x));
                (x.clone(), found, self.norm(&self.original) * self.norm(a))
            }
        };
        let error = expected.iter().zip(&found).fold(0.0, |worst, (x, y)| larger(worst, (x - y).norm()));
        let bound = THRESHOLD * n as f64 * T::EPSILON;
        Accuracy { error: error / (size * largest(&x)), bound }
    }

    /// The largest sum of moduli in a row of the part that counts.
    fn norm(&self, a: &[T]) -> f64 {
        let n = self.n;
        let mut sums = vec![0.0; n];
        for j in 0..n {
            let lower = !matches!(self.routine, Routine::Getrf | Routine::Geqrf | Routine::Getri);
            for i in (if lower { j } else { 0 })..n {
                let size = wide(a[i + j * n]).norm();
                sums[i] += size;
                if i != j && matches!(self.routine, Routine::Potrf | Routine::Potri) {
                    sums[j] += size;
                }
            }
        }
        sums.into_iter().fold(0.0, larger)
    }
}

fn real<T: Scalar>(value: f64) -> T {
    T::from_parts(value, 0.0)
}

fn wide<T: Scalar>(value: T) -> Complex64 {
    Complex64::new(value.re(), value.im())
}

/// The larger one, or NaN.
fn larger(x: f64, y: f64) -> f64 {
    if x >= y || x.is_nan() { x } else { y }
}

fn largest(x: &[Complex64]) -> f64 {
    x.iter().fold(0.0, |largest, value| larger(largest, value.norm()))
}

/// A x, or Aᴴ x, for a part of a matrix.
fn product<T: Scalar>(n: usize, a: &[T], part: Part, adjoint: bool, x: &[Complex64]) -> Vec<Complex64> {
    let mut y = vec![Complex64::ZERO; n];
    for j in 0..n {
        let rows = match part {
            Part::Whole => 0..n,
            Part::Lower => j..n,
            Part::UnitLower => j + 1..n,
            Part::Upper => 0..j + 1,
        };
        if part == Part::UnitLower {
            y[j] += x[j];
        }
        for i in rows {
            let value = wide(a[i + j * n]);
            if adjoint {
                y[j] += value.conj() * x[i];
            } else {
                y[i] += value * x[j];
            }
        }
    }
    y
}

/// A x for a Hermitian matrix of which the lower triangle is stored.
fn hermitian<T: Scalar>(n: usize, a: &[T], x: &[Complex64]) -> Vec<Complex64> {
    let mut y = product(n, a, Part::Lower, false, x);
    let above = product(n, a, Part::Lower, true, x);
    for (i, (y, above)) in y.iter_mut().zip(above).enumerate() {
        *y += above - wide(a[i + i * n]) * x[i];
    }
    y
}

/// y := Q y, for the reflections below the diagonal.
fn reflect<T: Scalar>(n: usize, a: &[T], tau: &[T], y: &mut [Complex64]) {
    for (k, tau) in tau.iter().enumerate().rev() {
        let v = |i: usize| if i == k { Complex64::ONE } else { wide(a[i + k * n]) };
        let dot: Complex64 = (k..n).map(|i| v(i).conj() * y[i]).sum();
        let factor = wide(*tau) * dot;
        (k..n).for_each(|i| y[i] -= factor * v(i));
    }
}
