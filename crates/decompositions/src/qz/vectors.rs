//! Eigenvectors of a generalised Schur form by substitution (LAPACK: xTGEVC), in complex doubles for every element
//! type. A vector that grows is scaled, so that defective pencils do not overflow.

use faer::{Mat, MatRef};

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

use super::pair::scaled_block;
use super::{near_reciprocal, size};
use crate::schur::exchange::block_order;

/// A vector is scaled where an element is larger.
const LARGE: f64 = 1e120;

/// Right eigenvectors of a generalised Schur form, as columns of the type: of a pair of complex eigenvalues of a real
/// type, real and imaginary parts for the one with the positive imaginary part. Their largest elements are of size 1 in
/// |re| + |im|. Those of eigenvalues 0 / 0 are unit vectors.
///
/// # Panics
/// If S and P are not square and of the same order.
#[instances]
pub fn right<T: Scalar>(s: MatRef<'_, T>, p: MatRef<'_, T>) -> Mat<T> {
    all(s, p, false)
}

/// Left eigenvectors: uᴴ S beta = uᴴ P alpha.
///
/// # Panics
/// If S and P are not square and of the same order.
#[instances]
pub fn left<T: Scalar>(s: MatRef<'_, T>, p: MatRef<'_, T>) -> Mat<T> {
    all(s, p, true)
}

fn all<T: Scalar>(s: MatRef<'_, T>, p: MatRef<'_, T>, left: bool) -> Mat<T> {
    let n = s.nrows();
    let mut vectors = Mat::<T>::zeros(n, n);
    let solver = Solver { s, p, scale_a: reciprocal(s), scale_b: reciprocal(p) };
    let mut k = 0;
    while k < n {
        let order = block_order(s, k);
        let mut x = vec![Complex64::ZERO; n];
        let shift = solver.shift(k, order);
        match shift {
            None => x[k] = Complex64::ONE,
            Some(shift) if left => solver.left(&mut x, &shift, k, order),
            Some(shift) => solver.right(&mut x, &shift, k, order),
        }
        let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(size(*x)));
        for (i, x) in x.iter().enumerate() {
            let x = x.unscale(largest);
            vectors[(i, k)] = T::from_parts(x.re, x.im);
            if order == 2 {
                vectors[(i, k + 1)] = T::from_parts(x.im, 0.0);
            }
        }
        k += order;
    }
    vectors
}

/// A power of two near the reciprocal of a matrix's largest element.
fn reciprocal<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    let elements = a.col_iter().flat_map(|column| column.iter());
    let largest = elements.fold(0.0, |largest: f64, x| largest.max(x.re().abs()).max(x.im().abs()));
    near_reciprocal(largest)
}

/// The pencil of an eigenvalue: beta S - alpha P, with elements of at most size 1.
struct Shift {
    alpha: Complex64,
    beta: f64,
    /// Denominators are at least of this size.
    min_size: f64,
}

/// The generalised Schur form, which is scaled where it is read.
struct Solver<'a, T> {
    s: MatRef<'a, T>,
    p: MatRef<'a, T>,
    scale_a: f64,
    scale_b: f64,
}

impl<T: Scalar> Solver<'_, T> {
    fn s(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.s[(i, j)].re(), self.s[(i, j)].im()) * self.scale_a
    }

    fn p(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.p[(i, j)].re(), self.p[(i, j)].im()) * self.scale_b
    }

    /// The eigenvalue of a block; of two the one with the positive imaginary part. None of a singular pencil.
    fn shift(&self, k: usize, order: usize) -> Option<Shift> {
        let (alpha, beta) = if order == 2 {
            let (block, scale_a, scale_b) = scaled_block(self.s, self.p, k);
            let [lambda, _] = block.eigenvalues();
            // The block's factors and those of the whole matrices.
            (lambda * (self.scale_a / scale_a), self.scale_b / scale_b)
        } else {
            (self.s(k, k), self.p(k, k).re)
        };
        let largest = alpha.re.abs().max(alpha.im.abs()).max(beta.abs());
        let normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
        if largest <= normal {
            return None;
        }
        Some(Shift { alpha: alpha.unscale(largest), beta: beta / largest, min_size: T::EPSILON })
    }

    /// An element of beta S - alpha P.
    fn element(&self, shift: &Shift, i: usize, j: usize) -> Complex64 {
        self.s(i, j) * shift.beta - self.p(i, j) * shift.alpha
    }

    fn block(&self, shift: &Shift, k: usize) -> [Complex64; 4] {
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| self.element(shift, k + i, k + j))
    }

    /// (beta S - alpha P) x = 0.
    fn right(&self, x: &mut [Complex64], shift: &Shift, k: usize, order: usize) {
        if order == 1 {
            x[k] = Complex64::ONE;
        } else {
            let [a, b, c, d] = self.block(shift, k);
            (x[k], x[k + 1]) = null_vector([a, b], [c, d]);
        }
        (k..k + order).for_each(|j| self.subtract(x, shift, j, k));
        let mut end = k;
        while end > 0 {
            let order = if end > 1 && self.s[(end - 1, end - 2)] != T::ZERO { 2 } else { 1 };
            let first = end - order;
            if order == 1 {
                x[first] = solve_one(x[first], self.element(shift, first, first), shift.min_size);
            } else {
                let solution = solve_two([x[first], x[first + 1]], self.block(shift, first), shift.min_size);
                (x[first], x[first + 1]) = solution;
            }
            limit(x, first..end);
            (first..end).for_each(|j| self.subtract(x, shift, j, first));
            end = first;
        }
    }

    /// Subtracts x[j] times a column from the first rows.
    fn subtract(&self, x: &mut [Complex64], shift: &Shift, j: usize, rows: usize) {
        let (of_s, of_p) = (x[j] * (shift.beta * self.scale_a), x[j] * shift.alpha * self.scale_b);
        let (s, p) = (self.s.col(j), self.p.col(j));
        if T::KIND.is_complex() {
            for (i, x) in x[..rows].iter_mut().enumerate() {
                let (s, p) = (Complex64::new(s[i].re(), s[i].im()), Complex64::new(p[i].re(), p[i].im()));
                *x -= s * of_s - p * of_p;
            }
        } else {
            for (i, x) in x[..rows].iter_mut().enumerate() {
                *x -= of_s * s[i].re() - of_p * p[i].re();
            }
        }
    }

    /// (beta S - alpha P)ᴴ x = 0.
    fn left(&self, x: &mut [Complex64], shift: &Shift, k: usize, order: usize) {
        let n = x.len();
        if order == 1 {
            x[k] = Complex64::ONE;
        } else {
            let [a, b, c, d] = self.block(shift, k).map(|x| x.conj());
            (x[k], x[k + 1]) = null_vector([a, c], [b, d]);
        }
        let mut first = k + order;
        while first < n {
            let order = block_order(self.s, first);
            let product = |j: usize| -self.product(&x[k..first], shift, k, j);
            if order == 1 {
                x[first] = solve_one(product(first), self.element(shift, first, first).conj(), shift.min_size);
            } else {
                let [a, b, c, d] = self.block(shift, first).map(|x| x.conj());
                let right = [product(first), product(first + 1)];
                (x[first], x[first + 1]) = solve_two(right, [a, c, b, d], shift.min_size);
            }
            limit(x, first..first + order);
            first += order;
        }
    }

    /// The product of a column's adjoint and a part of a vector, whose rows begin at k.
    fn product(&self, x: &[Complex64], shift: &Shift, k: usize, j: usize) -> Complex64 {
        let (mut of_s, mut of_p) = (Complex64::ZERO, Complex64::ZERO);
        let (s, p) = (self.s.col(j), self.p.col(j));
        for (i, x) in x.iter().enumerate() {
            let (s, p) = (s[k + i], p[k + i]);
            if T::KIND.is_complex() {
                of_s += Complex64::new(s.re(), -s.im()) * x;
                of_p += Complex64::new(p.re(), -p.im()) * x;
            } else {
                of_s += x * s.re();
                of_p += x * p.re();
            }
        }
        of_s * (shift.beta * self.scale_a) - of_p * self.scale_b * shift.alpha.conj()
    }
}

/// A vector that is orthogonal to the larger one of two rows of a singular matrix.
fn null_vector(first: [Complex64; 2], second: [Complex64; 2]) -> (Complex64, Complex64) {
    let sum = |row: [Complex64; 2]| size(row[0]) + size(row[1]);
    let row = if sum(first) >= sum(second) { first } else { second };
    let total = sum(row);
    if total == 0.0 { (Complex64::ONE, Complex64::ZERO) } else { (-row[1] / total, row[0] / total) }
}

fn solve_one(x: Complex64, mut divisor: Complex64, min_size: f64) -> Complex64 {
    if size(divisor) < min_size {
        divisor = Complex64::new(min_size, 0.0);
    }
    x / divisor
}

/// A system of two equations, by Cramer's rule.
fn solve_two(x: [Complex64; 2], [a, b, c, d]: [Complex64; 4], min_size: f64) -> (Complex64, Complex64) {
    let largest = [a, b, c, d].iter().fold(min_size, |largest: f64, x| largest.max(size(*x)));
    let [a, b, c, d] = [a, b, c, d].map(|x| x.unscale(largest));
    let mut determinant = a * d - b * c;
    if size(determinant) < min_size / largest {
        determinant = Complex64::new(min_size / largest, 0.0);
    }
    let [x, y] = x.map(|x| x.unscale(largest));
    ((d * x - b * y) / determinant, (a * y - c * x) / determinant)
}

/// Scales a vector if these elements are large.
fn limit(x: &mut [Complex64], range: std::ops::Range<usize>) {
    let largest = x[range].iter().fold(0.0, |largest: f64, x| largest.max(size(*x)));
    if largest > LARGE {
        x.iter_mut().for_each(|x| *x = x.unscale(largest));
    }
}
