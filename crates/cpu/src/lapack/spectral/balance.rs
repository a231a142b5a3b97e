//! Balancing of a general matrix before its eigenvalues (Parlett and Reinsch 1969; James, Langou and Lowery 2014;
//! LAPACK: xGEBAL, xGEBAK): a permutation that isolates eigenvalues, and a diagonal similarity by powers of two.

use std::ops::Range;

use affinimath_macros::instances;
use faer::MatMut;

use super::{real, scaled};
use affinimath_core::scalar::Scalar;

/// The parts of a balancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balancing {
    /// Rows and columns are exchanged.
    pub permute: bool,
    /// Rows and columns are scaled.
    pub scale: bool,
}

impl Balancing {
    /// Both parts: LAPACK's `B`.
    pub const BOTH: Balancing = Balancing { permute: true, scale: true };
}

/// A factor is applied if it makes a row's and a column's norms smaller by 5 percent.
const GAIN: f64 = 0.95;

/// Balances a matrix (LAPACK: xGEBAL). Returns the rows and columns outside of which it is upper triangular. There
/// `scale` gets the 1-based index of the row and column that each one was exchanged with, and the factors of columns in
/// the range.
#[instances]
pub fn gebal<T: Scalar>(a: MatMut<'_, T>, wanted: Balancing, scale: &mut [T::RealScalar]) -> Range<usize> {
    let (mut a, n) = (a, scale.len());
    let (exchanges, mut active) = if wanted.permute { permute(a.as_mut()) } else { (Vec::new(), 0..n) };
    if active.is_empty() {
        // LAPACK: of a triangle the first row is left.
        active = 0..n.min(1);
    }
    let mut factors = vec![1.0; n];
    if wanted.scale {
        balance(a, active.clone(), &mut factors);
    }
    exchanges.iter().for_each(|(from, to)| factors[*to] = (from + 1) as f64);
    scale.iter_mut().zip(&factors).for_each(|(to, factor)| *to = real::<T>(*factor));
    active
}

/// Eigenvectors of a matrix from those of the balanced one, in V's place: right ones, or left ones (LAPACK: xGEBAK).
#[instances]
pub fn gebak<T: Scalar>(v: MatMut<'_, T>, done: Balancing, range: Range<usize>, scale: &[T::RealScalar], left: bool) {
    let (mut v, n) = (v, scale.len());
    if done.scale {
        for i in range.clone() {
            let factor = if left { scale[i].re().recip() } else { scale[i].re() };
            (0..v.ncols()).for_each(|j| v[(i, j)] = scaled(v[(i, j)], factor));
        }
    }
    if done.permute {
        for i in (0..range.start).rev().chain(range.end..n) {
            let other = (scale[i].re() as usize).clamp(1, n) - 1;
            for j in 0..v.ncols() {
                let saved = v[(i, j)];
                v[(i, j)] = v[(other, j)];
                v[(other, j)] = saved;
            }
        }
    }
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
fn balance<T: Scalar>(mut a: MatMut<'_, T>, active: Range<usize>, factors: &mut [f64]) {
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
            // The power of two that is nearest to the root of their quotient; of two, that LAPACK's loops end with.
            let exponent = (row / column).log2();
            let exponent = if exponent > 0.0 { ((exponent - 1.0) / 2.0).ceil() } else { (exponent / 2.0).round() };
            let factor = 2f64.powi(exponent.clamp(-400.0, 400.0) as i32);
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
