//! Eigenvectors of a Schur form by back substitution (LAPACK: xTREVC), in complex doubles for every element type. A
//! vector that grows is scaled, so that defective matrices do not overflow.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::among_threads;
use super::quotient;
use crate::gemm;
use crate::norm::max_norm;
use affinimath_core::options::Op;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::schur::exchange::block_order;

/// Elements of a vector stay below this size in a substitution.
const LARGE: f64 = 1e150;
/// Columns that are substituted together, and rows of a block between products.
const GROUP: usize = 32;
const ROWS: usize = 64;

/// Right eigenvectors of a Schur form, as columns of the type: of a pair of complex eigenvalues of a real type, real
/// and imaginary parts for the first one. Their largest elements are of size 1.
pub(super) fn right<T: Scalar>(t: MatRef<'_, T>) -> Mat<T> {
    chosen_right(t, &vec![true; t.nrows()])
}

/// Left eigenvectors, uᴴ T = lambda uᴴ.
pub(super) fn left<T: Scalar>(t: MatRef<'_, T>) -> Mat<T> {
    chosen_left(t, &vec![true; t.nrows()])
}

/// Right eigenvectors of some eigenvalues. Of a pair both are chosen, or none.
fn chosen_right<T: Scalar>(t: MatRef<'_, T>, chosen: &[bool]) -> Mat<T> {
    let n = t.nrows();
    let mut vectors = Mat::<T>::zeros(n, chosen.iter().filter(|chosen| **chosen).count());
    let size = max_norm(t);
    if size > 0.0 && !(largest::<T>().recip()..=largest::<T>()).contains(&size) {
        // Products stay in range. Eigenvectors do not change.
        let factor = 2f64.powi(-(size.log2() as i32).clamp(-1000, 1000));
        return chosen_right(super::scaled_copy(t, factor).as_ref(), chosen);
    }
    let mut columns = Vec::new();
    let (mut k, mut at) = (0, 0);
    while k < n {
        let order = block_order(t, k);
        if chosen[k] {
            columns.push(Column::new(t, k, order, at));
            at += order;
        }
        k += order;
    }
    for group in columns.chunks(GROUP) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let width = last.at + last.order - first.at;
        substitute(t, group, first.at, vectors.as_mut().subcols_mut(first.at, width));
    }
    vectors
}

/// Elements of a Schur form and of a vector between blocks are at most of this size, so that products do not overflow.
fn largest<T: Scalar>() -> f64 {
    if T::KIND.is_double() { 1e100 } else { 1e10 }
}

/// An eigenvalue whose vector is wanted.
struct Column {
    k: usize,
    order: usize,
    /// Its column among the vectors.
    at: usize,
    lambda: Complex64,
    /// The vector's elements in the eigenvalue's block.
    start: [Complex64; 2],
    /// Denominators are at least of this size.
    min_size: f64,
}

impl Column {
    /// Of two eigenvalues of a block the one with the positive imaginary part.
    fn new<T: Scalar>(t: MatRef<'_, T>, k: usize, order: usize, at: usize) -> Self {
        let mut lambda = Complex64::new(t[(k, k)].re(), t[(k, k)].im());
        let mut start = [Complex64::ONE, Complex64::ZERO];
        if order == 2 {
            let (b, c) = (t[(k, k + 1)].re(), t[(k + 1, k)].re());
            lambda.im = b.abs().sqrt() * c.abs().sqrt();
            start = if b.abs() >= c.abs() {
                [Complex64::ONE, Complex64::new(0.0, lambda.im / b)]
            } else {
                [Complex64::new(-lambda.im / c, 0.0), Complex64::I]
            };
        }
        let normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
        let smallest = normal * t.nrows() as f64 / T::EPSILON;
        let min_size = (T::EPSILON * (lambda.re.abs() + lambda.im.abs())).max(smallest);
        Column { k, order, at, lambda, start, min_size }
    }
}

/// Eigenvectors of a group of eigenvalues: rows of a block are substituted, after a product with those below them.
fn substitute<T: Scalar>(t: MatRef<'_, T>, group: &[Column], first: usize, mut x: MatMut<'_, T>) {
    let end = group.last().map_or(0, |column| column.k + column.order);
    let mut high = end;
    while high > 0 {
        let mut low = high.saturating_sub(ROWS);
        if low > 0 && t[(low, low - 1)] != T::ZERO {
            low -= 1;
        }
        let (above, below) = x.as_mut().split_at_row_mut(high);
        let (mut rows, mut below) = (above.subrows_mut(low, high - low), below.subrows_mut(0, end - high));
        if high < end {
            let block = t.submatrix(low, high, high - low, end - high);
            gemm(Op::NoTrans, Op::NoTrans, -T::ONE, block, below.as_ref(), T::ONE, rows.as_mut());
        }
        let solver = Solver::new(t.submatrix(low, low, high - low, high - low));
        for column in group.iter().filter(|column| column.k >= low) {
            let (at, pair) = (column.at - first, column.order == 2);
            let mut vector: Vec<Complex64> = (0..high - low)
                .map(|i| {
                    Complex64::new(rows[(i, at)].re(), if pair { rows[(i, at + 1)].re() } else { rows[(i, at)].im() })
                })
                .collect();
            let factor = solver.vector(&mut vector, column, low);
            for (i, x) in vector.iter().enumerate() {
                rows[(i, at)] = T::from_parts(x.re, if pair { 0.0 } else { x.im });
                if pair {
                    rows[(i, at + 1)] = T::from_parts(x.im, 0.0);
                }
            }
            for j in (at..at + column.order).filter(|_| factor != 1.0) {
                (0..below.nrows()).for_each(|i| below[(i, j)] = super::scaled(below[(i, j)], factor));
            }
        }
        high = low;
    }
    for column in group {
        let columns = column.at - first..column.at - first + column.order;
        let one = |i: usize| columns.clone().map(|j| x[(i, j)].re().abs() + x[(i, j)].im().abs()).sum::<f64>();
        let size = (0..end).map(one).fold(0.0, f64::max);
        for j in columns {
            (0..end).for_each(|i| x[(i, j)] = super::scaled(x[(i, j)], size.recip()));
        }
    }
}

/// Left eigenvectors: right ones of the adjoint, whose rows and columns are reversed.
fn chosen_left<T: Scalar>(t: MatRef<'_, T>, chosen: &[bool]) -> Mat<T> {
    let n = t.nrows();
    let flipped = Mat::from_fn(n, n, |i, j| t[(n - 1 - j, n - 1 - i)].conjugate());
    let backwards: Vec<bool> = chosen.iter().rev().copied().collect();
    let found = chosen_right(flipped.as_ref(), &backwards);
    let count = found.ncols();
    let mut vectors = Mat::from_fn(n, count, |i, j| found[(n - 1 - i, count - 1 - j)]);
    // A pair's columns are reversed too, and belong to the conjugate eigenvalue.
    let (mut k, mut column) = (0, 0);
    while k < n {
        let order = block_order(t, k);
        if chosen[k] {
            for i in (0..n).filter(|_| order == 2) {
                let (im, re) = (vectors[(i, column)], vectors[(i, column + 1)]);
                (vectors[(i, column)], vectors[(i, column + 1)]) = (re, -im);
            }
            column += order;
        }
        k += order;
    }
    vectors
}

/// Eigenvectors of a Schur form that are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// Those of the Schur form itself.
    All,
    /// Those of `Z T Zᴴ`, where V has Z at first.
    Transformed,
    /// Those of the selected eigenvalues; of a pair both, if one is.
    Selected(&'a [bool]),
}

/// Which eigenvalues are selected: of a real type both of a pair, if one is.
pub fn selected_pairs<T: Scalar>(t: MatRef<'_, T>, select: &[bool]) -> Vec<bool> {
    let mut chosen = select.to_vec();
    let mut k = 0;
    while k < t.nrows() {
        let order = block_order(t, k);
        let any = chosen[k..k + order].contains(&true);
        chosen[k..k + order].fill(any);
        k += order;
    }
    chosen
}

/// Eigenvectors of a Schur form (LAPACK: xTREVC): |re| + |im| of each one's largest element is 1. T is read only.
/// Returns the number of columns.
#[instances]
pub fn trevc<T: Scalar>(
    t: MatRef<'_, T>,
    wanted: Wanted<'_>,
    vl: Option<MatMut<'_, T>>,
    vr: Option<MatMut<'_, T>>,
) -> usize {
    let n = t.nrows();
    let chosen = if let Wanted::Selected(select) = wanted { selected_pairs(t, select) } else { vec![true; n] };
    let count = chosen.iter().filter(|chosen| **chosen).count();
    among_threads(n, || {
        for (left, v) in [(true, vl), (false, vr)] {
            let Some(v) = v else { continue };
            let x = if left { chosen_left(t, &chosen) } else { chosen_right(t, &chosen) };
            let mut v = v.subcols_mut(0, count);
            if matches!(wanted, Wanted::Transformed) {
                let z = v.to_owned();
                gemm(Op::NoTrans, Op::NoTrans, T::ONE, z.as_ref(), x.as_ref(), T::ZERO, v.as_mut());
                normalise(t, v);
            } else {
                v.copy_from(&x);
            }
        }
    });
    count
}

/// Largest elements of size 1, in columns or pairs of them.
fn normalise<T: Scalar>(t: MatRef<'_, T>, mut v: MatMut<'_, T>) {
    let mut k = 0;
    while k < t.nrows() {
        let order = block_order(t, k);
        let one = |i: usize| (k..k + order).map(|j| v[(i, j)].re().abs() + v[(i, j)].im().abs()).sum::<f64>();
        let size = (0..v.nrows()).map(one).fold(0.0, f64::max);
        for j in (k..k + order).filter(|_| size > 0.0) {
            (0..v.nrows()).for_each(|i| v[(i, j)] = super::scaled(v[(i, j)], size.recip()));
        }
        k += order;
    }
}

/// A block on a Schur form's diagonal.
struct Solver<'a, T> {
    t: MatRef<'a, T>,
    /// Sums of moduli of each column above the diagonal's block.
    sizes: Vec<f64>,
}

impl<'a, T: Scalar> Solver<'a, T> {
    fn new(t: MatRef<'a, T>) -> Self {
        let n = t.nrows();
        Solver { t, sizes: (0..n).map(|j| (0..j).map(|i| t[(i, j)].modulus()).sum()).collect() }
    }

    fn element(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.t[(i, j)].re(), self.t[(i, j)].im())
    }

    /// Substitutes the elements of a vector in the block's rows, which begin at `low`. Returns the factor by which they
    /// were scaled.
    fn vector(&self, x: &mut [Complex64], column: &Column, low: usize) -> f64 {
        let (mut end, mut factor) = (x.len(), 1.0);
        if column.k < low + x.len() {
            end = column.k - low;
            x[end..end + column.order].copy_from_slice(&column.start[..column.order]);
            (end..end + column.order).for_each(|j| factor *= self.subtract(x, j, end));
        }
        while end > 0 {
            let order = if end > 1 && self.t[(end - 1, end - 2)] != T::ZERO { 2 } else { 1 };
            let first = end - order;
            factor *= if order == 1 {
                self.solve_one(x, first, column.lambda, column.min_size)
            } else {
                self.solve_two(x, first, column.lambda, column.min_size)
            };
            (first..end).for_each(|j| factor *= self.subtract(x, j, first));
            end = first;
        }
        let size = x.iter().map(|x| x.re.abs() + x.im.abs()).fold(0.0, f64::max);
        if size > largest::<T>() {
            x.iter_mut().for_each(|x| *x /= size);
            factor /= size;
        }
        factor
    }

    /// Subtracts x[j] times a column of T from the first rows.
    fn subtract(&self, x: &mut [Complex64], j: usize, rows: usize) -> f64 {
        let size = (x[j].re.abs() + x[j].im.abs()) * self.sizes[j].max(1.0);
        let mut scale = 1.0;
        if size > LARGE {
            scale = size.recip();
            x.iter_mut().for_each(|x| *x *= scale);
        }
        let factor = x[j];
        let column = self.t.col(j);
        if factor.im == 0.0 && !T::KIND.is_complex() {
            for (i, x) in x[..rows].iter_mut().enumerate() {
                x.re -= factor.re * column[i].re();
            }
        } else if factor != Complex64::ZERO {
            for (i, x) in x[..rows].iter_mut().enumerate() {
                *x -= factor * Complex64::new(column[i].re(), column[i].im());
            }
        }
        scale
    }

    fn solve_one(&self, x: &mut [Complex64], j: usize, lambda: Complex64, min_size: f64) -> f64 {
        let mut divisor = self.element(j, j) - lambda;
        if divisor.re.abs() + divisor.im.abs() < min_size {
            divisor = Complex64::new(min_size, 0.0);
        }
        let factor = make_room(x, j..j + 1, divisor.norm());
        x[j] = quotient(x[j], divisor);
        factor
    }

    /// A system of two equations, by Cramer's rule on elements of size 1.
    fn solve_two(&self, x: &mut [Complex64], j: usize, lambda: Complex64, min_size: f64) -> f64 {
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
        let factor = make_room(x, j..j + 2, (determinant.norm() * size).min(determinant.norm()));
        let (first, second) = (x[j] / size, x[j + 1] / size);
        x[j] = quotient(d * first - b * second, determinant);
        x[j + 1] = quotient(a * second - c * first, determinant);
        factor
    }
}

/// Scales a vector if a division of some elements would make them too large. Returns the factor.
fn make_room(x: &mut [Complex64], range: std::ops::Range<usize>, divisor: f64) -> f64 {
    let size = x[range].iter().map(|x| x.re.abs() + x.im.abs()).fold(0.0, f64::max);
    if divisor >= 1.0 || size <= divisor * LARGE {
        return 1.0;
    }
    let factor = divisor * LARGE / size * 0.25;
    x.iter_mut().for_each(|x| *x *= factor);
    factor
}
