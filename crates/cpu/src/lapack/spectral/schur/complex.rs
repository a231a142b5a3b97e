//! QR iterations of a complex Hessenberg matrix: single shifts by Wilkinson, rotations.

use faer::MatMut;

use super::super::super::Info;
use super::super::quotient;
use super::ITERATIONS;
use affinimath_core::scalar::{Complex64, Scalar};

/// |re| + |im|.
fn size(x: Complex64) -> f64 {
    x.re.abs() + x.im.abs()
}

/// A matrix in the course of its iteration.
struct Iteration<'a, T> {
    h: MatMut<'a, T>,
    z: Option<MatMut<'a, T>>,
    /// All rows and columns are transformed, not only those of the active block.
    whole: bool,
}

/// Triangular form of a Hessenberg matrix, and Z times the transformations.
pub(super) fn iterate<T: Scalar>(
    h: MatMut<'_, T>,
    z: Option<MatMut<'_, T>>,
    whole: bool,
    values: &mut [Complex64],
) -> Info {
    let n = h.nrows();
    let mut iteration = Iteration { h, z, whole };
    let limit = ITERATIONS * n.max(10);
    let (mut end, mut stalled) = (n, 0);
    for _ in 0..=limit {
        if end == 0 {
            break;
        }
        let start = iteration.active_start(end);
        if start + 1 == end {
            values[start] = iteration.element(start, start);
            (end, stalled) = (start, 0);
            continue;
        }
        stalled += 1;
        let shift = iteration.shift(start, end, stalled);
        iteration.sweep(start, end, shift);
    }
    (end > 0).then_some(end)
}

impl<T: Scalar> Iteration<'_, T> {
    fn element(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.h[(i, j)].re(), self.h[(i, j)].im())
    }

    /// First row of the block that ends here, above which an element of the subdiagonal is negligible.
    fn active_start(&mut self, end: usize) -> usize {
        let normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
        let smallest = normal * self.h.nrows() as f64 / T::EPSILON;
        for k in (1..end).rev() {
            if self.negligible(k, smallest) {
                self.h[(k, k - 1)] = T::ZERO;
                return k;
            }
        }
        0
    }

    /// Ahues and Tisseur's test (LAPACK Working Note 122).
    fn negligible(&self, k: usize, smallest: f64) -> bool {
        let n = self.h.nrows();
        let below = size(self.element(k, k - 1));
        if below <= smallest {
            return true;
        }
        let (upper, lower) = (self.element(k - 1, k - 1), self.element(k, k));
        let mut around = size(upper) + size(lower);
        if around == 0.0 {
            around += if k >= 2 { self.element(k - 1, k - 2).re.abs() } else { 0.0 };
            around += if k + 1 < n { self.element(k + 1, k).re.abs() } else { 0.0 };
        }
        if below > T::EPSILON * around {
            return false;
        }
        let above = size(self.element(k - 1, k));
        let (most, least) = (below.max(above), below.min(above));
        let difference = size(upper - lower);
        let (larger, smaller) = (size(lower).max(difference), size(lower).min(difference));
        let sum = larger + most;
        least * (most / sum) <= smallest.max(T::EPSILON * (smaller * (larger / sum)))
    }

    /// Eigenvalue of the last block of order 2 that is nearer to its last element; exceptional after 10 iterations.
    fn shift(&self, start: usize, end: usize, stalled: usize) -> Complex64 {
        let last = self.element(end - 1, end - 1);
        if stalled % 20 == 10 {
            return self.element(start, start) + 0.75 * self.element(start + 1, start).norm();
        }
        if stalled.is_multiple_of(20) {
            return last + 0.75 * self.element(end - 1, end - 2).norm();
        }
        let (b, c) = (self.element(end - 2, end - 1), self.element(end - 1, end - 2));
        let u = b.sqrt() * c.sqrt();
        if size(u) == 0.0 {
            return last;
        }
        let x = 0.5 * (self.element(end - 2, end - 2) - last);
        let scale = size(u).max(size(x));
        let mut y = scale * ((x / scale).powi(2) + (u / scale).powi(2)).sqrt();
        if x.re * y.re + x.im * y.im < 0.0 {
            y = -y;
        }
        last - u * quotient(u, x + y)
    }

    /// One QR step on rows and columns from `start` to `end`.
    fn sweep(&mut self, start: usize, end: usize, shift: Complex64) {
        let n = self.h.nrows();
        let (first_row, last_column) = if self.whole { (0, n) } else { (start, end) };
        let (mut x, mut y) = (self.element(start, start) - shift, self.element(start + 1, start));
        for k in start..end - 1 {
            let (cos, sin) = rotation(x, y);
            let first_column = k.saturating_sub(1).max(start);
            for j in first_column..last_column {
                let (upper, lower) = (self.h[(k, j)], self.h[(k + 1, j)]);
                self.h[(k, j)] = turned(cos, upper, sin, lower);
                self.h[(k + 1, j)] = turned(cos, lower, -sin.conj(), upper);
            }
            if k > start {
                self.h[(k + 1, k - 1)] = T::ZERO;
            }
            columns(self.h.as_mut(), first_row..(k + 3).min(end), k, (cos, sin));
            if let Some(z) = &mut self.z {
                columns(z.as_mut(), 0..n, k, (cos, sin));
            }
            if k + 2 < end {
                (x, y) = (self.element(k + 1, k), self.element(k + 2, k));
            }
        }
    }
}

/// cos a + sin b.
fn turned<T: Scalar>(cos: f64, a: T, sin: Complex64, b: T) -> T {
    let b = Complex64::new(b.re(), b.im()) * sin;
    T::from_parts(cos * a.re() + b.re, cos * a.im() + b.im)
}

/// Multiplies two columns by the adjoint of a rotation.
fn columns<T: Scalar>(mut a: MatMut<'_, T>, rows: std::ops::Range<usize>, k: usize, (cos, sin): (f64, Complex64)) {
    for i in rows {
        let (left, right) = (a[(i, k)], a[(i, k + 1)]);
        a[(i, k)] = turned(cos, left, sin.conj(), right);
        a[(i, k + 1)] = turned(cos, right, -sin, left);
    }
}

/// [cos, sin; -conj(sin), cos], which turns (x, y) into (r, 0).
fn rotation(x: Complex64, y: Complex64) -> (f64, Complex64) {
    let (of_x, of_y) = (x.norm(), y.norm());
    if of_y == 0.0 {
        return (1.0, Complex64::ZERO);
    }
    if of_x == 0.0 {
        return (0.0, y.conj() / of_y);
    }
    let length = of_x.hypot(of_y);
    (of_x / length, (x / of_x) * (y.conj() / length))
}
