//! Schur forms of Hessenberg matrices: small-bulge multishift QR with aggressive early deflation (Braman, Byers and
//! Mathias 2002; LAPACK: xHSEQR, xLAQR0), on small blocks the QR iterations of Francis (LAPACK: xLAHQR).
//!
//! Shifts, rotations and reflectors are computed in doubles for every element type.

mod complex;
mod deflation;
pub mod exchange;
mod multishift;
pub mod quasi;
mod real;
pub(crate) mod reflector;
mod shifts;
mod window;

use std::ops::Range;

use faer::{MatMut, Par};

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

/// Iterations for each eigenvalue, on average.
const ITERATIONS: usize = 30;

/// Maximum order of a block without multishift sweeps.
const MAX_UNBLOCKED: usize = 75;

/// Schur form of the rows and columns in a range of a Hessenberg matrix, in its place, and Z times the transformations.
/// Outside of the range the matrix is upper triangular. `values` gets the eigenvalues in the order of the diagonal.
/// Real types have blocks of order 2 in LAPACK's standard form.
///
/// `whole` transforms all rows and columns; without it only eigenvalues are computed. Columns are contiguous.
///
/// If the iteration does not converge, it returns an i from which on eigenvalues of the range are right.
///
/// # Panics
/// If H is not square, if the range or the sizes of Z and `values` do not fit, or if columns are not contiguous.
#[instances]
pub fn iterate<T: Scalar>(
    h: MatMut<'_, T>,
    z: Option<MatMut<'_, T>>,
    range: Range<usize>,
    whole: bool,
    values: &mut [Complex64],
    par: Par,
) -> Option<usize> {
    let n = h.nrows();
    for i in (0..range.start).chain(range.end..n) {
        values[i] = element(&h, i, i);
    }
    if range.len() <= MAX_UNBLOCKED {
        unblocked(h, z, range, whole, values)
    } else {
        multishift::iterate(h, z, range, whole, values, par)
    }
}

fn unblocked<T: Scalar>(
    h: MatMut<'_, T>,
    z: Option<MatMut<'_, T>>,
    range: Range<usize>,
    whole: bool,
    values: &mut [Complex64],
) -> Option<usize> {
    if T::KIND.is_complex() {
        complex::iterate(h, z, range, whole, values)
    } else {
        real::iterate(h, z, range, whole, values)
    }
}

fn element<T: Scalar>(a: &MatMut<'_, T>, i: usize, j: usize) -> Complex64 {
    Complex64::new(a[(i, j)].re(), a[(i, j)].im())
}

/// |re| + |im|.
fn size(x: Complex64) -> f64 {
    x.re.abs() + x.im.abs()
}

/// Elements of this size are negligible anywhere in a matrix of order n.
fn smallest<T: Scalar>(n: usize) -> f64 {
    let normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    normal * n as f64 / T::EPSILON
}

/// True if the element left of the diagonal's k-th one is negligible: the test of Ahues and Tisseur (LAPACK Working
/// Note 122).
fn negligible<T: Scalar>(h: &MatMut<'_, T>, k: usize, smallest: f64) -> bool {
    let n = h.nrows();
    let below = size(element(h, k, k - 1));
    if below <= smallest {
        return true;
    }
    let (upper, lower) = (element(h, k - 1, k - 1), element(h, k, k));
    let mut around = size(upper) + size(lower);
    if around == 0.0 {
        around += if k >= 2 { size(element(h, k - 1, k - 2)) } else { 0.0 };
        around += if k + 1 < n { size(element(h, k + 1, k)) } else { 0.0 };
    }
    if below > T::EPSILON * around {
        return false;
    }
    let above = size(element(h, k - 1, k));
    let (most, least) = (below.max(above), below.min(above));
    let difference = size(upper - lower);
    let (larger, smaller) = (size(lower).max(difference), size(lower).min(difference));
    let sum = larger + most;
    least * (most / sum) <= smallest.max(T::EPSILON * (smaller * (larger / sum)))
}

/// First row of the block that ends here. The element of the subdiagonal left of it is negligible, and is set to zero.
fn active_start<T: Scalar>(h: &mut MatMut<'_, T>, low: usize, end: usize) -> usize {
    let smallest = smallest::<T>(h.nrows());
    for k in (low + 1..end).rev() {
        if negligible(h, k, smallest) {
            h[(k, k - 1)] = T::ZERO;
            return k;
        }
    }
    low
}

/// A quotient without the square of the divisor's modulus, which may underflow.
fn quotient(x: Complex64, divisor: Complex64) -> Complex64 {
    let size = divisor.norm();
    (x / size) * (divisor.conj() / size)
}
