//! QR iterations of a real Hessenberg matrix: double shifts, reflectors of order 3.

use std::ops::Range;

use faer::MatMut;

use super::quasi::Block;
use super::reflector::Reflector;
use super::{ITERATIONS, active_start};
use affinimath_core::scalar::{Complex64, Scalar};

/// A matrix in the course of its iteration.
struct Iteration<'a, T> {
    h: MatMut<'a, T>,
    z: Option<MatMut<'a, T>>,
    /// All rows and columns are transformed, not only those of the active block.
    whole: bool,
}

/// Quasi-triangular form of a Hessenberg matrix, and Z times the transformations.
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
        match end - start {
            1 => values[start] = Complex64::new(iteration.element(start, start), 0.0),
            2 => values[start..end].copy_from_slice(&standardise(
                iteration.h.as_mut(),
                iteration.z.as_mut().map(|z| z.as_mut()),
                start,
                whole,
            )),
            _ => {
                stalled += 1;
                let shifts = iteration.shifts(start, end, stalled);
                iteration.sweep(start, end, shifts);
                continue;
            }
        }
        (end, stalled) = (start, 0);
    }
    (end > low).then_some(end)
}

impl<T: Scalar> Iteration<'_, T> {
    fn element(&self, i: usize, j: usize) -> f64 {
        self.h[(i, j)].re()
    }

    /// The last block of order 2, whose eigenvalues are the shifts; exceptional ones after 10 iterations. Real ones are
    /// replaced by the one that is nearer to the last element, twice.
    fn shifts(&self, start: usize, end: usize, stalled: usize) -> [Complex64; 2] {
        let block = if stalled.is_multiple_of(20) {
            let size = self.element(end - 1, end - 2).abs() + self.element(end - 2, end - 3).abs();
            exceptional(self.element(end - 1, end - 1), size)
        } else if stalled % 20 == 10 {
            let size = self.element(start + 1, start).abs() + self.element(start + 2, start + 1).abs();
            exceptional(self.element(start, start), size)
        } else {
            let (i, j) = (end - 2, end - 1);
            Block { a: self.element(i, i), b: self.element(i, j), c: self.element(j, i), d: self.element(j, j) }
        };
        let Block { a, b, c, d } = block;
        let size = a.abs() + b.abs() + c.abs() + d.abs();
        if size == 0.0 {
            return [Complex64::ZERO; 2];
        }
        let [a, b, c, d] = [a / size, b / size, c / size, d / size];
        let middle = (a + d) / 2.0;
        let determinant = (a - middle) * (d - middle) - b * c;
        let root = determinant.abs().sqrt();
        if determinant >= 0.0 {
            return [Complex64::new(middle * size, root * size), Complex64::new(middle * size, -root * size)];
        }
        let (first, second) = (middle + root, middle - root);
        let nearer = if (first - d).abs() <= (second - d).abs() { first } else { second };
        [Complex64::new(nearer * size, 0.0); 2]
    }

    /// First column of (H - s1)(H - s2) from row m on, scaled.
    fn first_column(&self, m: usize, [first, second]: [Complex64; 2]) -> [f64; 3] {
        let (h11, h21) = (self.element(m, m), self.element(m + 1, m));
        let (h12, h22) = (self.element(m, m + 1), self.element(m + 1, m + 1));
        let size = (h11 - second.re).abs() + second.im.abs() + h21.abs();
        if size == 0.0 {
            return [0.0; 3];
        }
        let scaled = h21 / size;
        let v = [
            scaled * h12 + (h11 - first.re) * ((h11 - second.re) / size) - first.im * (second.im / size),
            scaled * (h11 + h22 - first.re - second.re),
            scaled * self.element(m + 2, m + 1),
        ];
        let size = v.iter().map(|x| x.abs()).sum::<f64>();
        if size == 0.0 { v } else { v.map(|x| x / size) }
    }

    /// One double QR step on rows and columns from `start` to `end`, at least three.
    fn sweep(&mut self, start: usize, end: usize, shifts: [Complex64; 2]) {
        // Two consecutive small elements of the subdiagonal let the step begin below them.
        let mut first = end - 3;
        let mut v = self.first_column(first, shifts);
        while first > start {
            let around = self.element(first - 1, first - 1).abs()
                + self.element(first, first).abs()
                + self.element(first + 1, first + 1).abs();
            let below = self.element(first, first - 1).abs();
            if below * (v[1].abs() + v[2].abs()) <= T::EPSILON * v[0].abs() * around {
                break;
            }
            first -= 1;
            v = self.first_column(first, shifts);
        }
        for k in first..end - 1 {
            let order = 3.min(end - k);
            if k > first {
                v = std::array::from_fn(|i| if i < order { self.element(k + i, k - 1) } else { 0.0 });
            }
            let reflector = Reflector::<T>::new(v.map(|x| Complex64::new(x, 0.0)));
            if k > first {
                self.h[(k, k - 1)] = reflector.beta;
                (1..order).for_each(|i| self.h[(k + i, k - 1)] = T::ZERO);
            } else if k > start {
                self.h[(k, k - 1)] *= T::ONE - reflector.tau;
            }
            self.reflect(k, order, (start, end), &reflector);
        }
    }

    /// Applies a reflector to rows and columns from k on.
    fn reflect(&mut self, k: usize, order: usize, (start, end): (usize, usize), reflector: &Reflector<T>) {
        let n = self.h.nrows();
        let (first_row, last_column) = if self.whole { (0, n) } else { (start, end) };
        reflector.left(&mut self.h, k, order, k..last_column);
        reflector.right(&mut self.h, k, order, first_row..(k + 4).min(end));
        if let Some(z) = &mut self.z {
            let rows = 0..z.nrows();
            reflector.right(z, k, order, rows);
        }
    }
}

/// Brings a block of order 2 into standard form. Returns its eigenvalues.
pub(super) fn standardise<T: Scalar>(
    mut h: MatMut<'_, T>,
    z: Option<MatMut<'_, T>>,
    k: usize,
    whole: bool,
) -> [Complex64; 2] {
    let n = h.nrows();
    let at = |h: &MatMut<'_, T>| {
        let element = |i: usize, j: usize| h[(k + i, k + j)].re();
        Block { a: element(0, 0), b: element(0, 1), c: element(1, 0), d: element(1, 1) }
    };
    let (standard, rotation) = at(&h).standardised(T::EPSILON);
    let round = |x: f64| T::from_parts(x, 0.0);
    h[(k, k)] = round(standard.a);
    h[(k, k + 1)] = round(standard.b);
    h[(k + 1, k)] = round(standard.c);
    h[(k + 1, k + 1)] = round(standard.d);
    let (cos, sin) = (round(rotation.cos), round(rotation.sin));
    if whole {
        turn_rows(h.as_mut(), k + 2..n, k, (cos, sin));
        turn_columns(h.as_mut(), 0..k, k, (cos, sin));
    }
    if let Some(z) = z {
        let rows = 0..z.nrows();
        turn_columns(z, rows, k, (cos, sin));
    }
    // A rounded element may be zero.
    at(&h).eigenvalues()
}

/// A block whose eigenvalues are off the matrix's.
fn exceptional(element: f64, size: f64) -> Block {
    let a = 0.75 * size + element;
    Block { a, b: -0.4375 * size, c: size, d: a }
}

/// Multiplies two columns by the transpose of a rotation.
pub(super) fn turn_columns<T: Scalar>(mut a: MatMut<'_, T>, rows: Range<usize>, k: usize, (cos, sin): (T, T)) {
    for i in rows {
        let (left, right) = (a[(i, k)], a[(i, k + 1)]);
        a[(i, k)] = cos * left + sin * right;
        a[(i, k + 1)] = cos * right - sin * left;
    }
}

/// Multiplies two rows by a rotation.
pub(super) fn turn_rows<T: Scalar>(mut a: MatMut<'_, T>, columns: Range<usize>, k: usize, (cos, sin): (T, T)) {
    for j in columns {
        let (upper, lower) = (a[(k, j)], a[(k + 1, j)]);
        a[(k, j)] = cos * upper + sin * lower;
        a[(k + 1, j)] = cos * lower - sin * upper;
    }
}
