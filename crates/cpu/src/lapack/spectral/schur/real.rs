//! QR iterations of a real Hessenberg matrix: double shifts, reflectors of order 3.

use faer::MatMut;

use super::super::super::Info;
use super::super::quasi::Block;
use super::ITERATIONS;
use affinimath_core::scalar::{Complex64, Scalar};

/// A matrix in the course of its iteration.
struct Iteration<'a, T> {
    h: MatMut<'a, T>,
    z: Option<MatMut<'a, T>>,
    /// All rows and columns are transformed, not only those of the active block.
    whole: bool,
}

/// A reflector I - tau v vᵀ of order 2 or 3, with v[0] = 1.
struct Reflector {
    tau: f64,
    v: [f64; 3],
    beta: f64,
}

/// Quasi-triangular form of a Hessenberg matrix, and Z times the transformations.
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
        match end - start {
            1 => values[start] = Complex64::new(iteration.element(start, start), 0.0),
            2 => values[start..end].copy_from_slice(&iteration.standardise(start)),
            _ => {
                stalled += 1;
                let shifts = iteration.shifts(start, end, stalled);
                iteration.sweep(start, end, shifts);
                continue;
            }
        }
        (end, stalled) = (start, 0);
    }
    (end > 0).then_some(end)
}

impl<T: Scalar> Iteration<'_, T> {
    fn element(&self, i: usize, j: usize) -> f64 {
        self.h[(i, j)].re()
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
        let below = self.element(k, k - 1).abs();
        if below <= smallest {
            return true;
        }
        let (upper, lower) = (self.element(k - 1, k - 1), self.element(k, k));
        let mut around = upper.abs() + lower.abs();
        if around == 0.0 {
            around += if k >= 2 { self.element(k - 1, k - 2).abs() } else { 0.0 };
            around += if k + 1 < n { self.element(k + 1, k).abs() } else { 0.0 };
        }
        if below > T::EPSILON * around {
            return false;
        }
        let above = self.element(k - 1, k).abs();
        let (most, least) = (below.max(above), below.min(above));
        let difference = (upper - lower).abs();
        let (larger, smaller) = (lower.abs().max(difference), lower.abs().min(difference));
        let sum = larger + most;
        least * (most / sum) <= smallest.max(T::EPSILON * (smaller * (larger / sum)))
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
            let reflector = Reflector::new(v, order);
            if k > first {
                self.h[(k, k - 1)] = T::from_parts(reflector.beta, 0.0);
                (1..order).for_each(|i| self.h[(k + i, k - 1)] = T::ZERO);
            } else if k > start {
                self.h[(k, k - 1)] = T::from_parts(self.element(k, k - 1) * (1.0 - reflector.tau), 0.0);
            }
            self.reflect(k, order, (start, end), &reflector);
        }
    }

    /// Applies a reflector to rows and columns from k on.
    fn reflect(&mut self, k: usize, order: usize, (start, end): (usize, usize), reflector: &Reflector) {
        let n = self.h.nrows();
        let (first_row, last_column) = if self.whole { (0, n) } else { (start, end) };
        let v: [T; 3] = reflector.v.map(|x| T::from_parts(x, 0.0));
        let tau = T::from_parts(reflector.tau, 0.0);
        for j in k..last_column {
            let mut column = self.h.as_mut().col_mut(j);
            let sum = (1..order).fold(column[k], |sum, i| sum + v[i] * column[k + i]) * tau;
            (0..order).for_each(|i| column[k + i] -= sum * v[i]);
        }
        right(self.h.as_mut(), first_row..(k + 4).min(end), k, order, (tau, v));
        if let Some(z) = &mut self.z {
            right(z.as_mut(), 0..n, k, order, (tau, v));
        }
    }

    /// Brings a block of order 2 into standard form. Returns its eigenvalues.
    fn standardise(&mut self, k: usize) -> [Complex64; 2] {
        let n = self.h.nrows();
        let block = Block {
            a: self.element(k, k),
            b: self.element(k, k + 1),
            c: self.element(k + 1, k),
            d: self.element(k + 1, k + 1),
        };
        let (standard, rotation) = block.standardised(T::EPSILON);
        let round = |x: f64| T::from_parts(x, 0.0);
        self.h[(k, k)] = round(standard.a);
        self.h[(k, k + 1)] = round(standard.b);
        self.h[(k + 1, k)] = round(standard.c);
        self.h[(k + 1, k + 1)] = round(standard.d);
        let (cos, sin) = (round(rotation.cos), round(rotation.sin));
        if self.whole {
            for j in k + 2..n {
                let (upper, lower) = (self.h[(k, j)], self.h[(k + 1, j)]);
                self.h[(k, j)] = cos * upper + sin * lower;
                self.h[(k + 1, j)] = cos * lower - sin * upper;
            }
            turn_columns(self.h.as_mut(), 0..k, k, (cos, sin));
        }
        if let Some(z) = &mut self.z {
            turn_columns(z.as_mut(), 0..n, k, (cos, sin));
        }
        // A rounded element may be zero.
        let rounded = |i, j| self.element(k + i, k + j);
        Block { a: rounded(0, 0), b: rounded(0, 1), c: rounded(1, 0), d: rounded(1, 1) }.eigenvalues()
    }
}

/// A block whose eigenvalues are off the matrix's.
fn exceptional(element: f64, size: f64) -> Block {
    let a = 0.75 * size + element;
    Block { a, b: -0.4375 * size, c: size, d: a }
}

impl Reflector {
    fn new(x: [f64; 3], order: usize) -> Self {
        let rest = if order == 3 { x[1].hypot(x[2]) } else { x[1].abs() };
        if rest == 0.0 {
            return Reflector { tau: 0.0, v: [1.0, 0.0, 0.0], beta: x[0] };
        }
        let beta = -x[0].hypot(rest).copysign(x[0]);
        let divisor = x[0] - beta;
        Reflector { tau: (beta - x[0]) / beta, v: [1.0, x[1] / divisor, x[2] / divisor], beta }
    }
}

/// Applies a reflector to columns from the right.
fn right<T: Scalar>(a: MatMut<'_, T>, rows: std::ops::Range<usize>, k: usize, order: usize, (tau, v): (T, [T; 3])) {
    let block = a.subrows_mut(rows.start, rows.len()).subcols_mut(k, order);
    let (first, rest) = block.split_at_col_mut(1);
    let (second, third) = rest.split_at_col_mut(1);
    let (Some(x), Some(y)) = (first.col_mut(0).try_as_col_major_mut(), second.col_mut(0).try_as_col_major_mut()) else {
        unreachable!("the matrix has contiguous columns")
    };
    let (x, y) = (x.as_slice_mut(), y.as_slice_mut());
    if order == 2 {
        for (x, y) in x.iter_mut().zip(y) {
            let sum = (*x + v[1] * *y) * tau;
            *x -= sum;
            *y -= sum * v[1];
        }
        return;
    }
    let Some(z) = third.col_mut(0).try_as_col_major_mut() else { unreachable!("the matrix has contiguous columns") };
    for ((x, y), z) in x.iter_mut().zip(y).zip(z.as_slice_mut()) {
        let sum = (*x + v[1] * *y + v[2] * *z) * tau;
        *x -= sum;
        *y -= sum * v[1];
        *z -= sum * v[2];
    }
}

/// Multiplies two columns by the transpose of a rotation.
fn turn_columns<T: Scalar>(mut a: MatMut<'_, T>, rows: std::ops::Range<usize>, k: usize, (cos, sin): (T, T)) {
    for i in rows {
        let (left, right) = (a[(i, k)], a[(i, k + 1)]);
        a[(i, k)] = cos * left + sin * right;
        a[(i, k + 1)] = cos * right - sin * left;
    }
}
