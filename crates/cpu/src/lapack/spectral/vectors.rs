//! Eigenvectors of a Schur form by back substitution (LAPACK: xTREVC), in complex doubles for every element type. A
//! vector that grows is scaled, so that defective matrices do not overflow.

use faer::{Mat, MatRef};

use super::quotient;
use affinimath_core::scalar::{Complex64, Scalar};

/// Elements of a vector stay below this size in a substitution.
const LARGE: f64 = 1e150;

/// Right eigenvectors of a Schur form, as columns of the type: of a pair of complex eigenvalues of a real type, real
/// and imaginary parts for the first one.
pub(super) fn right<T: Scalar>(t: MatRef<'_, T>) -> Mat<T> {
    let n = t.nrows();
    let mut vectors = Mat::<T>::zeros(n, n);
    let solver = Solver::new(t);
    let mut k = 0;
    while k < n {
        let order = solver.order(k);
        let x = solver.vector(k, order);
        for (i, x) in x.iter().enumerate() {
            if order == 1 {
                vectors[(i, k)] = T::from_parts(x.re, x.im);
            } else {
                vectors[(i, k)] = T::from_parts(x.re, 0.0);
                vectors[(i, k + 1)] = T::from_parts(x.im, 0.0);
            }
        }
        k += order;
    }
    vectors
}

/// Left eigenvectors, uᴴ T = lambda uᴴ: right ones of the adjoint, whose rows and columns are reversed.
pub(super) fn left<T: Scalar>(t: MatRef<'_, T>) -> Mat<T> {
    let n = t.nrows();
    let flipped = Mat::from_fn(n, n, |i, j| t[(n - 1 - j, n - 1 - i)].conjugate());
    let found = right(flipped.as_ref());
    let mut vectors = Mat::from_fn(n, n, |i, j| found[(n - 1 - i, n - 1 - j)]);
    // A pair's columns are reversed too, and belong to the conjugate eigenvalue.
    let mut k = 0;
    while k + 1 < n {
        if t[(k + 1, k)] == T::ZERO {
            k += 1;
            continue;
        }
        for i in 0..n {
            let (im, re) = (vectors[(i, k)], vectors[(i, k + 1)]);
            (vectors[(i, k)], vectors[(i, k + 1)]) = (re, -im);
        }
        k += 2;
    }
    vectors
}

struct Solver<'a, T> {
    t: MatRef<'a, T>,
    /// Sums of moduli of each column above the diagonal's block.
    sizes: Vec<f64>,
    /// Denominators are at least of this size.
    min_size: f64,
}

impl<'a, T: Scalar> Solver<'a, T> {
    fn new(t: MatRef<'a, T>) -> Self {
        let n = t.nrows();
        let sizes = (0..n).map(|j| (0..j).map(|i| t[(i, j)].modulus()).sum()).collect();
        let normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
        Solver { t, sizes, min_size: normal * n as f64 / T::EPSILON }
    }

    fn element(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.t[(i, j)].re(), self.t[(i, j)].im())
    }

    /// Order of the diagonal's block that begins here.
    fn order(&self, k: usize) -> usize {
        if k + 1 < self.t.nrows() && self.t[(k + 1, k)] != T::ZERO { 2 } else { 1 }
    }

    /// The eigenvector of a block's eigenvalue, of two the one with the positive imaginary part. Its largest element is
    /// of size 1.
    fn vector(&self, k: usize, order: usize) -> Vec<Complex64> {
        let mut x = vec![Complex64::ZERO; k + order];
        let mut lambda = self.element(k, k);
        if order == 1 {
            x[k] = Complex64::ONE;
        } else {
            let (b, c) = (self.t[(k, k + 1)].re(), self.t[(k + 1, k)].re());
            lambda.im = b.abs().sqrt() * c.abs().sqrt();
            if b.abs() >= c.abs() {
                (x[k], x[k + 1]) = (Complex64::ONE, Complex64::new(0.0, lambda.im / b));
            } else {
                (x[k], x[k + 1]) = (Complex64::new(-lambda.im / c, 0.0), Complex64::I);
            }
        }
        let min_size = (T::EPSILON * (lambda.re.abs() + lambda.im.abs())).max(self.min_size);
        (k..k + order).for_each(|j| self.subtract(&mut x, j, k));
        let mut end = k;
        while end > 0 {
            let order = if end > 1 && self.t[(end - 1, end - 2)] != T::ZERO { 2 } else { 1 };
            let first = end - order;
            if order == 1 {
                self.solve_one(&mut x, first, lambda, min_size);
            } else {
                self.solve_two(&mut x, first, lambda, min_size);
            }
            (first..end).for_each(|j| self.subtract(&mut x, j, first));
            end = first;
        }
        let size = x.iter().map(|x| x.re.abs() + x.im.abs()).fold(0.0, f64::max);
        x.iter_mut().for_each(|x| *x /= size);
        x
    }

    /// Subtracts x[j] times a column of T from the first rows.
    fn subtract(&self, x: &mut [Complex64], j: usize, rows: usize) {
        let size = x[j].re.abs() + x[j].im.abs();
        if size * self.sizes[j].max(1.0) > LARGE {
            let factor = (size * self.sizes[j].max(1.0)).recip();
            x.iter_mut().for_each(|x| *x *= factor);
        }
        let factor = x[j];
        if factor == Complex64::ZERO {
            return;
        }
        let column = self.t.col(j);
        for (i, x) in x[..rows].iter_mut().enumerate() {
            *x -= factor * Complex64::new(column[i].re(), column[i].im());
        }
    }

    fn solve_one(&self, x: &mut [Complex64], j: usize, lambda: Complex64, min_size: f64) {
        let mut divisor = self.element(j, j) - lambda;
        if divisor.re.abs() + divisor.im.abs() < min_size {
            divisor = Complex64::new(min_size, 0.0);
        }
        make_room(x, j..j + 1, divisor.norm());
        x[j] = quotient(x[j], divisor);
    }

    /// A system of two equations, by Cramer's rule on elements of size 1.
    fn solve_two(&self, x: &mut [Complex64], j: usize, lambda: Complex64, min_size: f64) {
        let [a, b, c, d] = [
            self.element(j, j) - lambda,
            self.element(j, j + 1),
            self.element(j + 1, j),
            self.element(j + 1, j + 1) - lambda,
        ];
        let size = [a, b, c, d].iter().map(|x| x.norm()).fold(min_size, f64::max);
        let [a, b, c, d] = [a / size, b / size, c / size, d / size];
        let mut determinant = a * d - b * c;
        if determinant.norm() < min_size / size {
            determinant = Complex64::new(min_size / size, 0.0);
        }
        make_room(x, j..j + 2, (determinant.norm() * size).min(determinant.norm()));
        let (first, second) = (x[j] / size, x[j + 1] / size);
        x[j] = quotient(d * first - b * second, determinant);
        x[j + 1] = quotient(a * second - c * first, determinant);
    }
}

/// Scales a vector if a division of some elements would make them too large.
fn make_room(x: &mut [Complex64], range: std::ops::Range<usize>, divisor: f64) {
    let size = x[range].iter().map(|x| x.re.abs() + x.im.abs()).fold(0.0, f64::max);
    if divisor < 1.0 && size > divisor * LARGE {
        let factor = divisor * LARGE / size * 0.25;
        x.iter_mut().for_each(|x| *x *= factor);
    }
}
