//! Factors that bring rows and columns to about the same size (LAPACK: xGEEQU, xGEEQUB, xPOEQU, xPOEQUB, xLAQGE,
//! xLAQSY).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::{larger, real, safe_minimum, size};
use crate::lapack::Info;
use affinimath_core::options::Triangle;
use affinimath_core::scalar::Scalar;

/// Ratio of the smallest to the largest factor from which scaling does not pay (LAPACK's THRESH).
const THRESHOLD: f64 = 0.1;

/// Scalings that were applied: LAPACK's `equed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Equed {
    /// None.
    #[default]
    None,
    /// Of the rows: diag(r) A.
    Rows,
    /// Of the columns: A diag(c).
    Columns,
    /// Of both; of a symmetric matrix diag(s) A diag(s).
    Both,
}

impl Equed {
    /// True if rows were scaled.
    pub const fn rows(self) -> bool {
        matches!(self, Equed::Rows | Equed::Both)
    }

    /// True if columns were scaled.
    pub const fn columns(self) -> bool {
        matches!(self, Equed::Columns | Equed::Both)
    }
}

/// Measures of an equilibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equilibration {
    /// The smallest row's size divided by the largest one's. Of a symmetric matrix, of the scaling.
    pub rows: f64,
    /// The same of the columns.
    pub columns: f64,
    /// Size of the largest element.
    pub largest: f64,
}

impl Equilibration {
    /// Of a matrix without elements.
    pub const EMPTY: Self = Equilibration { rows: 1.0, columns: 1.0, largest: 0.0 };
}

/// The power of two between x and 1, which scales without rounding.
fn power_of_two(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() { x.log2().trunc().exp2() } else { x }
}

/// The smallest and the largest of some sizes.
fn extremes(sizes: &[f64]) -> (f64, f64) {
    (sizes.iter().copied().fold(f64::INFINITY, f64::min), sizes.iter().copied().fold(0.0, larger))
}

/// Writes 1 / size for each size, and returns the ratio of the smallest to the largest; none where a size is zero.
fn reciprocals<T: Scalar>(sizes: &[f64], factors: &mut [T::RealScalar]) -> Result<f64, usize> {
    let (low, high) = (safe_minimum::<T>(), 1.0 / safe_minimum::<T>());
    let (smallest, largest) = extremes(sizes);
    if smallest == 0.0 {
        factors.iter_mut().zip(sizes).for_each(|(factor, size)| *factor = real::<T>(*size));
        return Err(sizes.iter().position(|size| *size == 0.0).unwrap_or(0));
    }
    factors.iter_mut().zip(sizes).for_each(|(factor, size)| *factor = real::<T>(1.0 / size.max(low).min(high)));
    Ok(smallest.max(low) / largest.min(high))
}

/// Factors r and c with which the largest element of each row and column of diag(r) A diag(c) is 1 (LAPACK: xGEEQU).
/// The info is i for a row i of zeros, m + j for a column j of zeros.
#[instances]
pub fn geequ<T: Scalar>(
    a: MatRef<'_, T>,
    r: &mut [T::RealScalar],
    c: &mut [T::RealScalar],
    found: &mut Equilibration,
) -> Info {
    general(a, r, c, found, false)
}

/// [`geequ`] by powers of two, so that scaling does not round (LAPACK: xGEEQUB). The largest elements are then between
/// 1 / 2 and 2.
#[instances]
pub fn geequb<T: Scalar>(
    a: MatRef<'_, T>,
    r: &mut [T::RealScalar],
    c: &mut [T::RealScalar],
    found: &mut Equilibration,
) -> Info {
    general(a, r, c, found, true)
}

fn general<T: Scalar>(
    a: MatRef<'_, T>,
    r: &mut [T::RealScalar],
    c: &mut [T::RealScalar],
    found: &mut Equilibration,
    powers: bool,
) -> Info {
    let (m, n) = (a.nrows(), a.ncols());
    *found = Equilibration::EMPTY;
    if m == 0 || n == 0 {
        return None;
    }
    let round = |x| if powers { power_of_two(x) } else { x };
    let mut rows = vec![0.0; m];
    for j in 0..n {
        rows.iter_mut().enumerate().for_each(|(i, largest)| *largest = f64::max(*largest, size(a[(i, j)])));
    }
    rows.iter_mut().for_each(|size| *size = round(*size));
    found.largest = extremes(&rows).1;
    match reciprocals::<T>(&rows, &mut r[..m]) {
        Ok(ratio) => found.rows = ratio,
        Err(row) => return Some(row + 1),
    }
    let mut columns = vec![0.0; n];
    for (j, largest) in columns.iter_mut().enumerate() {
        *largest = round((0..m).fold(0.0, |largest, i| f64::max(largest, size(a[(i, j)]) * r[i].re())));
    }
    match reciprocals::<T>(&columns, &mut c[..n]) {
        Ok(ratio) => found.columns = ratio,
        Err(column) => return Some(m + column + 1),
    }
    None
}

/// Factors s with which diag(s) A diag(s) of a positive definite A has a diagonal of ones (LAPACK: xPOEQU). The info is
/// the first index of a diagonal element that is not positive.
#[instances]
pub fn poequ<T: Scalar>(a: MatRef<'_, T>, s: &mut [T::RealScalar], found: &mut Equilibration) -> Info {
    definite::<T>(&(0..a.nrows()).map(|i| a[(i, i)].re()).collect::<Vec<_>>(), s, found, false)
}

/// [`poequ`] by powers of two (LAPACK: xPOEQUB).
#[instances]
pub fn poequb<T: Scalar>(a: MatRef<'_, T>, s: &mut [T::RealScalar], found: &mut Equilibration) -> Info {
    definite::<T>(&(0..a.nrows()).map(|i| a[(i, i)].re()).collect::<Vec<_>>(), s, found, true)
}

fn definite<T: Scalar>(diagonal: &[f64], s: &mut [T::RealScalar], found: &mut Equilibration, powers: bool) -> Info {
    *found = Equilibration::EMPTY;
    if diagonal.is_empty() {
        return None;
    }
    s.iter_mut().zip(diagonal).for_each(|(s, d)| *s = real::<T>(*d));
    let smallest = diagonal.iter().copied().fold(diagonal[0], f64::min);
    found.largest = diagonal.iter().copied().fold(diagonal[0], f64::max);
    if smallest <= 0.0 {
        return diagonal.iter().position(|d| *d <= 0.0).map(|index| index + 1);
    }
    let factor = |d: f64| if powers { (-0.5 * d.log2()).trunc().exp2() } else { 1.0 / d.sqrt() };
    s.iter_mut().zip(diagonal).for_each(|(s, d)| *s = real::<T>(factor(*d)));
    found.rows = smallest.sqrt() / found.largest.sqrt();
    found.columns = found.rows;
    None
}

/// Largest count of sweeps of [`syequb`] (LAPACK's MAX_ITER).
const SWEEPS: usize = 100;

/// Factors s, powers of two, with which the rows of diag(s) A diag(s) of a symmetric or Hermitian A have about the same
/// 1-norm (LAPACK: xSYEQUB, xHEEQUB; O. E. Livne and G. H. Golub, *Scaling by binormalization*, 2004).
#[instances]
pub fn syequb<T: Scalar>(
    triangle: Triangle,
    a: MatRef<'_, T>,
    s: &mut [T::RealScalar],
    found: &mut Equilibration,
) -> Info {
    let n = a.nrows();
    *found = Equilibration::EMPTY;
    if n == 0 {
        return None;
    }
    let stored = |i: usize, j: usize| if (triangle == Triangle::Lower) == (i >= j) { a[(i, j)] } else { a[(j, i)] };
    let sizes: Vec<f64> = (0..n * n).map(|k| size(stored(k % n, k / n))).collect();
    let element = |i: usize, j: usize| sizes[j * n + i];
    let mut scale: Vec<f64> = (0..n).map(|i| (0..n).fold(0.0, |largest, j| larger(largest, element(i, j)))).collect();
    found.largest = scale.iter().copied().fold(0.0, larger);
    scale.iter_mut().for_each(|x| *x = 1.0 / *x);
    let tolerance = 1.0 / (2.0 * n as f64).sqrt();
    let count = n as f64;
    let mut average = 1.0;
    'sweeps: for _ in 0..SWEEPS {
        let mut sums: Vec<f64> = (0..n).map(|i| (0..n).map(|j| element(i, j) * scale[j]).sum()).collect();
        average = scale.iter().zip(&sums).map(|(s, sum)| s * sum).sum::<f64>() / count;
        let squares: f64 = scale.iter().zip(&sums).map(|(s, sum)| (s * sum - average).powi(2)).sum();
        let deviation = (squares / count).sqrt();
        if deviation < tolerance * average || deviation.is_nan() {
            break;
        }
        for i in 0..n {
            let (t, s) = (element(i, i), scale[i]);
            let c2 = (count - 1.0) * t;
            let c1 = (count - 2.0) * (sums[i] - t * s);
            let c0 = -(t * s) * s + 2.0 * sums[i] * s - count * average;
            let discriminant = c1 * c1 - 4.0 * c0 * c2;
            if discriminant <= 0.0 || discriminant.is_nan() {
                break 'sweeps;
            }
            let new = -2.0 * c0 / (c1 + discriminant.sqrt());
            let change = new - s;
            let mut product = 0.0;
            for j in 0..n {
                product += scale[j] * element(i, j);
                sums[j] += change * element(i, j);
            }
            average += (product + sums[i]) * change / count;
            scale[i] = new;
        }
    }
    let factor = 1.0 / average.sqrt();
    scale.iter_mut().for_each(|x| *x = power_of_two(*x * factor));
    s.iter_mut().zip(&scale).for_each(|(s, x)| *s = real::<T>(*x));
    let (low, high) = (safe_minimum::<T>(), 1.0 / safe_minimum::<T>());
    let (smallest, largest) = extremes(&scale);
    found.rows = smallest.max(low) / largest.min(high);
    found.columns = found.rows;
    None
}

/// True if elements of this size are far from the ends of the range.
fn is_moderate<T: Scalar>(largest: f64) -> bool {
    let small = safe_minimum::<T>() / T::EPSILON;
    (small..=1.0 / small).contains(&largest)
}

/// A := diag(r) A diag(c), as far as it pays (LAPACK: xLAQGE).
pub(super) fn laqge<T: Scalar>(
    mut a: MatMut<'_, T>,
    r: &[T::RealScalar],
    c: &[T::RealScalar],
    found: &Equilibration,
) -> Equed {
    if a.nrows() == 0 || a.ncols() == 0 {
        return Equed::None;
    }
    let rows = found.rows < THRESHOLD || !is_moderate::<T>(found.largest);
    let equed = match (rows, found.columns < THRESHOLD) {
        (false, false) => return Equed::None,
        (true, false) => Equed::Rows,
        (false, true) => Equed::Columns,
        (true, true) => Equed::Both,
    };
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            let row = if equed.rows() { r[i].re() } else { 1.0 };
            let column = if equed.columns() { c[j].re() } else { 1.0 };
            let x = a[(i, j)];
            a[(i, j)] = x.scaled(real::<T>(column)).scaled(real::<T>(row));
        }
    }
    equed
}

/// A := diag(s) A diag(s) in a triangle, where it pays (LAPACK: xLAQSY). Returns true where it was done.
pub(super) fn laqsy<T: Scalar>(
    triangle: Triangle,
    mut a: MatMut<'_, T>,
    s: &[T::RealScalar],
    found: &Equilibration,
) -> bool {
    let n = a.nrows();
    if n == 0 || found.rows >= THRESHOLD && is_moderate::<T>(found.largest) {
        return false;
    }
    for j in 0..n {
        for i in if triangle == Triangle::Lower { j..n } else { 0..j + 1 } {
            let x = a[(i, j)];
            a[(i, j)] = x.scaled(s[j]).scaled(s[i]);
        }
    }
    true
}

/// Scales the rows of a matrix.
pub(super) fn scale_rows<T: Scalar>(mut a: MatMut<'_, T>, factors: &[T::RealScalar]) {
    for j in 0..a.ncols() {
        for (i, factor) in factors.iter().enumerate() {
            let x = a[(i, j)];
            a[(i, j)] = x.scaled(*factor);
        }
    }
}
