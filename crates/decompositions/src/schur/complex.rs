//! QR iterations of a complex Hessenberg matrix: single shifts by Wilkinson, rotations.

use std::ops::Range;

use faer::MatMut;

use super::reflector::TINY;
use super::{ITERATIONS, active_start, quotient, size};
use affinimath_core::scalar::{Complex64, Scalar};

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
    range: Range<usize>,
    whole: bool,
    values: &mut [Complex64],
) -> Option<usize> {
    let low = range.start;
    let mut iteration = Iteration { h, z, whole };
    let limit = ITERATIONS * range.len().max(10);
    let (mut end, mut stalled) = (range.end, 0);
    for _ in 0..=limit {
        if end == low {
            break;
        }
        let start = active_start(&mut iteration.h, low, end);
        if start + 1 == end {
            values[start] = iteration.element(start, start);
            (end, stalled) = (start, 0);
            continue;
        }
        stalled += 1;
        let shift = iteration.shift(start, end, stalled);
        iteration.sweep(start, end, shift);
    }
    (end > low).then_some(end)
}

impl<T: Scalar> Iteration<'_, T> {
    fn element(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.h[(i, j)].re(), self.h[(i, j)].im())
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
        // Products of small numbers would underflow.
        let (x, u) = (x / scale, u / scale);
        let mut y = (x * x + u * u).sqrt();
        if x.re * y.re + x.im * y.im < 0.0 {
            y = -y;
        }
        last - u * quotient(u, x + y) * scale
    }

    /// One QR step on rows and columns from `start` to `end`.
    fn sweep(&mut self, start: usize, end: usize, shift: Complex64) {
        let n = self.h.nrows();
        let (first_row, last_column) = if self.whole { (0, n) } else { (start, end) };
        let (mut x, mut y) = (self.element(start, start) - shift, self.element(start + 1, start));
        for k in start..end - 1 {
            let (cos, sin) = rotation(x, y);
            let first_column = k.saturating_sub(1).max(start);
            rows(self.h.as_mut(), first_column..last_column, k, (cos, sin));
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

/// Multiplies two rows by a rotation.
pub(super) fn rows<T: Scalar>(mut a: MatMut<'_, T>, columns: Range<usize>, k: usize, (cos, sin): (f64, Complex64)) {
    for j in columns {
        let (upper, lower) = (a[(k, j)], a[(k + 1, j)]);
        a[(k, j)] = turned(cos, upper, sin, lower);
        a[(k + 1, j)] = turned(cos, lower, -sin.conj(), upper);
    }
}

/// Multiplies two columns by the adjoint of a rotation.
pub(super) fn columns<T: Scalar>(mut a: MatMut<'_, T>, rows: Range<usize>, k: usize, (cos, sin): (f64, Complex64)) {
    for i in rows {
        let (left, right) = (a[(i, k)], a[(i, k + 1)]);
        a[(i, k)] = turned(cos, left, sin.conj(), right);
        a[(i, k + 1)] = turned(cos, right, -sin, left);
    }
}

/// [cos, sin; -conj(sin), cos], which turns (x, y) into (r, 0).
pub(super) fn rotation(x: Complex64, y: Complex64) -> (f64, Complex64) {
    // Subnormal numbers would lose the rotation's unitarity.
    let scale = if size(x).max(size(y)) < TINY { TINY.recip() } else { 1.0 };
    let (x, y) = (x * scale, y * scale);
    let (of_x, of_y) = (x.norm(), y.norm());
    if of_y == 0.0 {
        return (1.0, Complex64::ZERO);
    }
    if of_x == 0.0 {
        return (0.0, y.conj() / of_y);
    }
    let length = of_x.hypot(of_y);
    (of_x / length, unit(x) * (y.conj() / length))
}

/// x / |x|, of subnormal numbers too.
fn unit(x: Complex64) -> Complex64 {
    let x = if size(x) < TINY { x / TINY } else { x };
    x / x.norm()
}
