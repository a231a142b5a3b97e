//! Balancing of a general matrix before its eigenvalues (Parlett and Reinsch 1969; James, Langou and Lowery 2014;
//! LAPACK: xGEBAL, xGEBAK): a permutation that isolates eigenvalues, and a diagonal similarity by powers of two.

use std::ops::Range;

use faer::MatMut;

use super::scaled;
use affinimath_core::scalar::Scalar;

/// A D P: what was done to a matrix, for its eigenvectors.
pub(super) struct Balance {
    /// Exchanges of rows and columns, in order.
    exchanges: Vec<(usize, usize)>,
    /// Factors of rows; their reciprocals are those of columns.
    factors: Vec<f64>,
}

/// A factor is applied if it makes a row's and a column's norms smaller by 5 percent.
const GAIN: f64 = 0.95;

/// Balances a matrix.
pub(super) fn balance<T: Scalar>(mut a: MatMut<'_, T>) -> Balance {
    let n = a.nrows();
    let (exchanges, active) = permute(a.as_mut());
    let mut factors = vec![1.0; n];
    scale(a, active, &mut factors);
    Balance { exchanges, factors }
}

/// Moves rows without elements off the diagonal to the end and columns without them to the front, which isolates their
/// eigenvalues. Returns the rows and columns between them.
fn permute<T: Scalar>(mut a: MatMut<'_, T>) -> (Vec<(usize, usize)>, Range<usize>) {
    let (mut exchanges, mut low, mut high) = (Vec::new(), 0, a.nrows());
    let isolated_row =
        |a: &MatMut<'_, T>, i: usize, range: Range<usize>| range.into_iter().all(|j| j == i || a[(i, j)] == T::ZERO);
    let isolated_column =
        |a: &MatMut<'_, T>, j: usize, range: Range<usize>| range.into_iter().all(|i| i == j || a[(i, j)] == T::ZERO);
    while let Some(row) = (low..high).rev().find(|i| isolated_row(&a, *i, low..high)) {
        high -= 1;
        exchange(a.as_mut(), row, high);
        exchanges.push((row, high));
    }
    while let Some(column) = (low..high).find(|j| isolated_column(&a, *j, low..high)) {
        exchange(a.as_mut(), column, low);
        exchanges.push((column, low));
        low += 1;
    }
    (exchanges, low..high)
}

fn exchange<T: Scalar>(mut a: MatMut<'_, T>, i: usize, j: usize) {
    if i == j {
        return;
    }
    for k in 0..a.nrows() {
        let saved = a[(i, k)];
        a[(i, k)] = a[(j, k)];
        a[(j, k)] = saved;
    }
    for k in 0..a.nrows() {
        let saved = a[(k, i)];
        a[(k, i)] = a[(k, j)];
        a[(k, j)] = saved;
    }
}

/// Makes the norms of rows and columns alike.
fn scale<T: Scalar>(mut a: MatMut<'_, T>, active: Range<usize>, factors: &mut [f64]) {
    let limit = if T::KIND.is_double() { 2f64.powi(900) } else { 2f64.powi(100) };
    let mut changed = true;
    while changed {
        changed = false;
        for i in active.clone() {
            let column = active.clone().fold(0.0, |sum: f64, k| sum.hypot(a[(k, i)].modulus()));
            let row = active.clone().fold(0.0, |sum: f64, k| sum.hypot(a[(i, k)].modulus()));
            if column == 0.0 || row == 0.0 {
                continue;
            }
            // The power of two that is nearest to the root of their quotient.
            let factor = 2f64.powi(((row / column).log2() / 2.0).round().clamp(-400.0, 400.0) as i32);
            let total = factors[i] * factor;
            if factor == 1.0
                || column * factor + row / factor >= GAIN * (column + row)
                || !(limit.recip()..=limit).contains(&total)
            {
                continue;
            }
            factors[i] = total;
            changed = true;
            for k in 0..a.nrows() {
                a[(i, k)] = scaled(a[(i, k)], factor.recip());
            }
            for k in 0..a.nrows() {
                a[(k, i)] = scaled(a[(k, i)], factor);
            }
        }
    }
}

impl Balance {
    /// Eigenvectors of the matrix from those of the balanced one: right ones, or left ones.
    pub(super) fn undo<T: Scalar>(&self, mut vectors: MatMut<'_, T>, left: bool) {
        for (i, factor) in self.factors.iter().enumerate().filter(|(_, factor)| **factor != 1.0) {
            let factor = if left { factor.recip() } else { *factor };
            for j in 0..vectors.ncols() {
                vectors[(i, j)] = scaled(vectors[(i, j)], factor);
            }
        }
        for &(i, j) in self.exchanges.iter().rev().filter(|(i, j)| i != j) {
            for k in 0..vectors.ncols() {
                let saved = vectors[(i, k)];
                vectors[(i, k)] = vectors[(j, k)];
                vectors[(j, k)] = saved;
            }
        }
    }
}
