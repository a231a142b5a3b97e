//! The matrix of a case, and how results are checked: a residual, applied to a vector.

use affinimath::{Complex64, Scalar, Triangle};

use super::routine::Routine;
use crate::contender::Accuracy;
use crate::error::BenchError;
use crate::memory;
use crate::random::Random;

/// A matrix, column-major and without gaps, as each contender gets it.
pub struct Data<T> {
    /// The routine.
    pub routine: Routine,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Input of the routine: the matrix, or for an inverse its factors.
    pub start: Vec<T>,
    /// The factors' pivots.
    pub pivots: Vec<i32>,
    /// The right-hand side, of max(m, n) elements; empty where there is none.
    pub right: Vec<T>,
    /// The matrix that the factors are of.
    original: Vec<T>,
}

/// Results of a call.
pub struct Results<T> {
    /// The matrix.
    pub a: Vec<T>,
    /// Its pivots, which getrf writes, or the permutation of its columns.
    pub pivots: Vec<i32>,
    /// The factors `tau` of the reflectors, which geqrf writes.
    pub tau: Vec<T>,
    /// The right-hand side after the call.
    pub x: Vec<T>,
    /// Eigenvalues, or singular values.
    pub w: Vec<f64>,
    /// Left singular vectors as columns, and right ones as rows.
    pub vectors: [Vec<T>; 2],
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
    /// A random matrix; each of the `contenders` gets two copies.
    ///
    /// # Errors
    /// [`BenchError::Memory`], and what our library says of the factorisation that an inverse begins with.
    pub fn random(routine: Routine, (m, n): (usize, usize), contenders: usize) -> Result<Self, BenchError> {
        let (whole, order) = ((m as u64).saturating_mul(n as u64), m.min(n) as u64);
        let vectors = if routine == Routine::Gesdd { order.saturating_mul((m + n) as u64) } else { 0 };
        let elements =
            whole.saturating_mul((2 * contenders + 3) as u64).saturating_add(vectors.saturating_mul(contenders as u64));
        let needed = elements.saturating_mul(T::KIND.bytes() as u64);
        let available = memory::available().unwrap_or(u64::MAX);
        if needed > available {
            let what = format!("{}{} of {m} x {n}", T::KIND.letter(), routine.name());
            return Err(BenchError::Memory { what, needed, available });
        }
        let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
        let mut original: Vec<T> = random.elements(m * n);
        match routine {
            Routine::Getrf | Routine::Getri | Routine::Geqrf | Routine::Geqp3 | Routine::Gels | Routine::Gelsy => {}
            Routine::Gesdd | Routine::GesddValues => {}
            // Its diagonal outweighs the rest of its rows.
            Routine::Potrf | Routine::Potri => (0..n).for_each(|i| original[i + i * n] = real(n as f64)),
            Routine::Trtri => (0..n).for_each(|i| original[i + i * n] = real((n as f64).sqrt())),
            Routine::Syev | Routine::SyevValues => {
                (0..n).for_each(|i| original[i + i * n] = real(original[i + i * n].re()));
            }
        }
        let (mut start, mut pivots) = (original.clone(), Vec::new());
        let shape = affinimath::MatrixShape::new(affinimath::Layout::ColumnMajor, m, n, 0, m)?;
        let matrix = affinimath::MatrixMut::from_slice(&mut start, shape)?;
        match routine {
            Routine::Getri => {
                pivots = vec![0; n];
                affinimath::getrf(matrix, &mut pivots)?;
            }
            Routine::Potri => affinimath::potrf(Triangle::Lower, matrix)?,
            _ => {}
        }
        let right = if routine.solves() { random.elements(m.max(n)) } else { Vec::new() };
        Ok(Data { routine, m, n, start, pivots, right, original })
    }

    /// Pivots before a call: those of the factors, or zeros.
    pub fn pivots_at_start(&self) -> Vec<i32> {
        match (self.pivots.is_empty(), self.routine.permutes()) {
            (false, _) => self.pivots.clone(),
            (true, true) => vec![0; self.n],
            (true, false) => vec![0; self.m.min(self.n)],
        }
    }

    /// Error of a result.
    pub fn accuracy(&self, results: &Results<T>) -> Accuracy {
        if self.routine.solves() {
            return self.accuracy_of_solution(&results.x);
        }
        if self.routine.has_eigenvalues() {
            return self.accuracy_of_eigenvalues(&results.a, &results.w);
        }
        if self.routine.has_singular_values() {
            return self.accuracy_of_singular_values(&results.vectors, &results.w);
        }
        let (m, n) = (self.m, self.n);
        let wrong = Accuracy { error: f64::NAN, bound: 0.0 };
        let mut random = Random::new(0xD1B5_4A32_D192_ED03);
        let x: Vec<Complex64> = (0..n).map(|_| wide(random.element::<T>())).collect();
        let before = |x: &[Complex64]| match self.routine {
            Routine::Potrf | Routine::Potri => hermitian(n, &self.original, x),
            Routine::Trtri => product((m, n), &self.original, Part::Lower, false, x),
            _ => product((m, n), &self.original, Part::Whole, false, x),
        };
        let a = &results.a;
        let (expected, found, size) = match self.routine {
            Routine::Getrf => {
                let mut expected = before(&x);
                for (row, pivot) in results.pivots.iter().take(m.min(n)).enumerate() {
                    let partner = usize::try_from(*pivot).unwrap_or(0).wrapping_sub(1);
                    if partner >= m {
                        return wrong;
                    }
                    expected.swap(row, partner);
                }
                let found = product((m, n), a, Part::UnitLower, false, &product((m, n), a, Part::Upper, false, &x));
                (expected, found, self.norm(&self.original))
            }
            Routine::Potrf => {
                let found = product((m, n), a, Part::Lower, false, &product((m, n), a, Part::Lower, true, &x));
                (before(&x), found, self.norm(&self.original))
            }
            Routine::Geqrf => {
                let mut found = product((m, n), a, Part::Upper, false, &x);
                apply_reflectors(m, a, &results.tau, &mut found);
                (before(&x), found, self.norm(&self.original))
            }
            Routine::Geqp3 => {
                let mut permuted = vec![None; n];
                for (value, column) in x.iter().zip(&results.pivots) {
                    let column = usize::try_from(*column).unwrap_or(0).wrapping_sub(1);
                    match permuted.get_mut(column) {
                        Some(slot) if slot.is_none() => *slot = Some(*value),
                        _ => return wrong,
                    }
                }
                let permuted: Vec<Complex64> = permuted.into_iter().map(Option::unwrap_or_default).collect();
                let mut found = product((m, n), a, Part::Upper, false, &x);
                apply_reflectors(m, a, &results.tau, &mut found);
                (before(&permuted), found, self.norm(&self.original))
            }
            Routine::Gels
            | Routine::Gelsy
            | Routine::Syev
            | Routine::SyevValues
            | Routine::Gesdd
            | Routine::GesddValues => {
                unreachable!("solutions, eigenvalues and singular values are looked at by themselves")
            }
            Routine::Getri => {
                let found = product((m, n), a, Part::Whole, false, &before(&x));
                (x.clone(), found, self.norm(&self.original) * self.norm(a))
            }
            Routine::Potri => (x.clone(), hermitian(n, a, &before(&x)), self.norm(&self.original) * self.norm(a)),
            Routine::Trtri => {
                let found = product((m, n), a, Part::Lower, false, &before(&x));
                (x.clone(), found, self.norm(&self.original) * self.norm(a))
            }
        };
        let error = expected.iter().zip(&found).fold(0.0, |worst, (x, y)| larger(worst, (x - y).norm()));
        let bound = THRESHOLD * m.max(n) as f64 * T::EPSILON;
        Accuracy { error: error / (size * largest(&x)), bound }
    }

    /// The error of A x = Z L Z^H x, and of x = Z Z^H x. Of eigenvalues alone, that of their sum and of the root of the
    /// sum of their squares: A's trace and its Frobenius norm.
    fn accuracy_of_eigenvalues(&self, z: &[T], w: &[f64]) -> Accuracy {
        let n = self.n;
        let (bound, size) = (THRESHOLD * n as f64 * T::EPSILON, self.norm(&self.original));
        if self.routine == Routine::SyevValues {
            let at = |i: usize, j: usize| wide(self.original[i + j * n]);
            let trace: f64 = (0..n).map(|i| at(i, i).re).sum();
            let below: f64 = (0..n).map(|j| (j + 1..n).map(|i| at(i, j).norm_sqr()).sum::<f64>()).sum();
            let frobenius = (2.0 * below + (0..n).map(|i| at(i, i).re.powi(2)).sum::<f64>()).sqrt();
            let found = w.iter().map(|w| w * w).sum::<f64>().sqrt();
            let of_trace = (w.iter().sum::<f64>() - trace).abs() / (size * n as f64);
            return Accuracy { error: larger(of_trace, (found - frobenius).abs() / (size * (n as f64).sqrt())), bound };
        }
        let mut random = Random::new(0xD1B5_4A32_D192_ED03);
        let x: Vec<Complex64> = (0..n).map(|_| wide(random.element::<T>())).collect();
        let inner = product((n, n), z, Part::Whole, true, &x);
        let scaled: Vec<Complex64> = inner.iter().zip(w).map(|(inner, w)| inner * w).collect();
        let of_matrix = difference(&hermitian(n, &self.original, &x), &product((n, n), z, Part::Whole, false, &scaled));
        let of_identity = difference(&x, &product((n, n), z, Part::Whole, false, &inner));
        let error = larger(largest(&of_matrix) / (size * largest(&x)), largest(&of_identity) / largest(&x));
        Accuracy { error, bound }
    }

    /// The error of A x = U S V^H x, of y = U^H U y, and of y = V^H V y; singular values have to descend. Of singular
    /// values alone, that of the root of the sum of their squares: A's Frobenius norm.
    fn accuracy_of_singular_values(&self, [u, vt]: &[Vec<T>; 2], s: &[f64]) -> Accuracy {
        let (m, n, k) = (self.m, self.n, self.m.min(self.n));
        let bound = THRESHOLD * m.max(n) as f64 * T::EPSILON;
        if !(s[..k].iter().all(|s| *s >= 0.0) && s[..k].is_sorted_by(|first, second| first >= second)) {
            return Accuracy { error: f64::NAN, bound };
        }
        if self.routine == Routine::GesddValues {
            let frobenius = length(self.original.iter().map(|value| wide(*value)));
            let found = s[..k].iter().map(|s| s * s).sum::<f64>().sqrt();
            return Accuracy { error: (found - frobenius).abs() / frobenius, bound };
        }
        let mut random = Random::new(0xD1B5_4A32_D192_ED03);
        let mut vector = |n: usize| -> Vec<Complex64> { (0..n).map(|_| wide(random.element::<T>())).collect() };
        let (x, y) = (vector(n), vector(k));
        let whole = |(m, n), a: &[T], adjoint, x: &[Complex64]| product((m, n), a, Part::Whole, adjoint, x);
        let scaled: Vec<Complex64> = whole((k, n), vt, false, &x).iter().zip(s).map(|(inner, s)| inner * s).collect();
        let of_matrix = difference(&whole((m, n), &self.original, false, &x), &whole((m, k), u, false, &scaled));
        let left = difference(&y, &whole((m, k), u, true, &whole((m, k), u, false, &y)));
        let right = difference(&y, &whole((k, n), vt, false, &whole((k, n), vt, true, &y)));
        let of_identities = larger(largest(&left), largest(&right)) / largest(&y);
        let size = self.norm(&self.original);
        Accuracy { error: larger(largest(&of_matrix) / (size * largest(&x)), of_identities), bound }
    }

    /// Elements of the left and of the right singular vectors.
    pub fn vector_lengths(&self) -> [usize; 2] {
        let k = self.m.min(self.n);
        if self.routine == Routine::Gesdd { [self.m * k, k * self.n] } else { [0, 0] }
    }

    /// The error of x as the least-squares solution of least norm. Its residual is orthogonal to A's columns, or zero
    /// where m < n. There x is in the range of A^H, which our solution for the adjoint matrix tells.
    fn accuracy_of_solution(&self, x: &[T]) -> Accuracy {
        let (m, n) = (self.m, self.n);
        let bound = THRESHOLD * m.max(n) as f64 * T::EPSILON;
        let x: Vec<Complex64> = x[..n].iter().map(|value| wide(*value)).collect();
        let b: Vec<Complex64> = self.right[..m].iter().map(|value| wide(*value)).collect();
        let residual = difference(&b, &product((m, n), &self.original, Part::Whole, false, &x));
        let size = length(self.original.iter().map(|value| wide(*value)));
        let (of_x, of_b) = (length(x.iter().copied()), length(b.iter().copied()));
        if m >= n {
            let left = length(product((m, n), &self.original, Part::Whole, true, &residual).into_iter());
            return Accuracy { error: left / (size * (size * of_x + of_b)), bound };
        }
        let error = length(residual.into_iter()) / (size * of_x + of_b);
        let outside = self.outside_of_rows(&x).map_or(f64::NAN, |distance| distance / of_x);
        Accuracy { error: larger(error, outside), bound }
    }

    /// The distance of x from the range of A^H.
    fn outside_of_rows(&self, x: &[Complex64]) -> affinimath::Result<f64> {
        use affinimath::{Layout, MatrixMut, MatrixShape, Op, gels};
        let (m, n) = (self.m, self.n);
        let mut adjoint: Vec<T> = (0..m * n).map(|at| conjugate(self.original[at / n + at % n * m])).collect();
        let mut w: Vec<T> = x.iter().map(|value| T::from_parts(value.re, value.im)).collect();
        let shape = |columns| MatrixShape::new(Layout::ColumnMajor, n, columns, 0, n);
        let of_w = MatrixMut::from_slice(&mut w, shape(1)?)?;
        gels(Op::NoTrans, MatrixMut::from_slice(&mut adjoint, shape(m)?)?, of_w)?;
        let w: Vec<Complex64> = w[..m].iter().map(|value| wide(*value)).collect();
        let nearest = product((m, n), &self.original, Part::Whole, true, &w);
        Ok(length(difference(x, &nearest).into_iter()))
    }

    /// The largest sum of moduli in a row of the part that counts.
    fn norm(&self, a: &[T]) -> f64 {
        let (m, n) = (self.m, self.n);
        let mut sums = vec![0.0; m.max(n)];
        for j in 0..n {
            let lower = self.routine.is_hermitian() || self.routine == Routine::Trtri;
            for i in (if lower { j } else { 0 })..m {
                let size = wide(a[i + j * m]).norm();
                sums[i] += size;
                if i != j && self.routine.is_hermitian() {
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

fn conjugate<T: Scalar>(value: T) -> T {
    T::from_parts(value.re(), -value.im())
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

fn difference(x: &[Complex64], y: &[Complex64]) -> Vec<Complex64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// The Euclidean norm.
fn length(x: impl Iterator<Item = Complex64>) -> f64 {
    x.map(|value| value.norm_sqr()).sum::<f64>().sqrt()
}

/// A x, or Aᴴ x, for a part of an m x n matrix.
fn product<T: Scalar>((m, n): (usize, usize), a: &[T], part: Part, adjoint: bool, x: &[Complex64]) -> Vec<Complex64> {
    let mut y = vec![Complex64::ZERO; if adjoint { n } else { m }];
    // A lower trapezoid has no more columns than rows.
    let columns = if matches!(part, Part::Lower | Part::UnitLower) { m.min(n) } else { n };
    for j in 0..columns {
        let rows = match part {
            Part::Whole => 0..m,
            Part::Lower => j..m,
            Part::UnitLower => j + 1..m,
            Part::Upper => 0..(j + 1).min(m),
        };
        if part == Part::UnitLower {
            y[j] += x[j];
        }
        for i in rows {
            let value = wide(a[i + j * m]);
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
    let mut y = product((n, n), a, Part::Lower, false, x);
    let above = product((n, n), a, Part::Lower, true, x);
    for (i, (y, above)) in y.iter_mut().zip(above).enumerate() {
        *y += above - wide(a[i + i * n]) * x[i];
    }
    y
}

/// y := Q y, for the reflectors below the diagonal.
fn apply_reflectors<T: Scalar>(m: usize, a: &[T], tau: &[T], y: &mut [Complex64]) {
    for (k, tau) in tau.iter().enumerate().rev() {
        let v = |i: usize| if i == k { Complex64::ONE } else { wide(a[i + k * m]) };
        let dot: Complex64 = (k..m).map(|i| v(i).conj() * y[i]).sum();
        let factor = wide(*tau) * dot;
        (k..m).for_each(|i| y[i] -= factor * v(i));
    }
}
