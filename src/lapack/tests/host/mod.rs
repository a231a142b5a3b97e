//! LAPACK's test ratios, through the public functions on views, against products by plain loops.

pub(crate) mod cholesky;
pub(crate) mod least_squares;
pub(crate) mod lu;
mod pivoted;
pub(crate) mod qr;
mod refusals;
mod triangular;

use faer::Mat;

use crate::testing::{LAPACK_THRESHOLD, Stored, lapack_ratio};
use crate::{Complex64, Layout, MatrixMut, Op, Scalar};

/// Orders on both sides of the switches between leaves, panels and blocks.
const ORDERS: [usize; 18] = [0, 1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129];

/// A matrix of any of the types, in doubles.
pub(crate) type Dense = Mat<Complex64>;

/// Layouts, and gaps around the columns or rows.
const STORAGES: [(Layout, usize); 3] = [(Layout::ColumnMajor, 0), (Layout::ColumnMajor, 3), (Layout::RowMajor, 2)];

pub(crate) fn operated(op: Op, a: &Dense) -> Dense {
    let (rows, columns) = if op.transposes() { (a.ncols(), a.nrows()) } else { (a.nrows(), a.ncols()) };
    Mat::from_fn(rows, columns, |i, j| {
        let value = if op.transposes() { a[(j, i)] } else { a[(i, j)] };
        if op.conjugates() { value.conj() } else { value }
    })
}

pub(crate) fn adjoint(a: &Dense) -> Dense {
    operated(Op::ConjTrans, a)
}

pub(crate) fn product(a: &Dense, b: &Dense) -> Dense {
    assert_eq!(a.ncols(), b.nrows());
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    for j in 0..b.ncols() {
        let sums = c.col_as_slice_mut(j);
        for (k, factor) in b.col_as_slice(j).iter().enumerate().filter(|(_, factor)| **factor != Complex64::ZERO) {
            sums.iter_mut().zip(a.col_as_slice(k)).for_each(|(sum, a)| *sum += a * factor);
        }
    }
    c
}

pub(crate) fn difference(a: &Dense, b: &Dense) -> Dense {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] - b[(i, j)])
}

pub(crate) fn identity(n: usize) -> Dense {
    Mat::from_fn(n, n, |i, j| Complex64::new(f64::from(u8::from(i == j)), 0.0))
}

/// The 1-norm; NaN where an element is.
pub(crate) fn norm(a: &Dense) -> f64 {
    let sums = (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].norm()).sum::<f64>());
    sums.fold(0.0, |largest, sum| if sum > largest || sum.is_nan() { sum } else { largest })
}

/// An error relative to its bound; zero for no error, also of an empty matrix.
pub(crate) fn ratio<T: Scalar>(error: &Dense, n: usize, size: f64) -> f64 {
    lapack_ratio::<T>(norm(error), n, size)
}

/// LAPACK's ratio for a solution: ||B - op(A) X|| / (||A|| ||X|| eps).
pub(crate) fn solution_ratio<T: Scalar>(op: Op, a: &Dense, x: &Dense, b: &Dense) -> f64 {
    ratio::<T>(&difference(b, &product(&operated(op, a), x)), 1, norm(&operated(op, a)) * norm(x))
}

/// LAPACK's ratio for an inverse: ||I - A A⁻¹|| / (n eps ||A|| ||A⁻¹||).
pub(crate) fn inverse_ratio<T: Scalar>(a: &Dense, inverse: &Dense) -> f64 {
    let n = a.nrows();
    ratio::<T>(&difference(&identity(n), &product(a, inverse)), n, norm(a) * norm(inverse))
}

/// Asserts that a ratio is below LAPACK's threshold; of a NaN it is not.
#[track_caller]
pub(crate) fn assert_ratio<T: Scalar>(ratio: f64, what: &str, case: &dyn std::fmt::Debug) {
    assert!(ratio < LAPACK_THRESHOLD, "{what}, {:?} {case:?}: ratio {ratio}", T::KIND);
}
