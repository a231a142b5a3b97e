//! LAPACK's routines on faer's views, by LAPACK's test ratios against products by plain loops.

mod auxiliary;
mod band;
mod expert;
mod indefinite;
mod rank;
mod rook;
mod spectral;
mod tridiagonal;

use faer::{Mat, MatMut};

use affinimath_core::options::{Layout, Op};
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_testing::{LAPACK_THRESHOLD, Stored, lapack_ratio, modulus};

type Dense = Mat<Complex64>;

/// Layouts, and gaps around the columns or rows.
const STORAGES: [(Layout, usize); 3] = [(Layout::ColumnMajor, 0), (Layout::ColumnMajor, 3), (Layout::RowMajor, 2)];

/// faer's view of a matrix with canaries.
fn view_mut<T: Scalar>(stored: &mut Stored<T>) -> MatMut<'_, T> {
    let (rows, columns) = (stored.shape.rows(), stored.shape.columns());
    let (row_stride, column_stride) = stored.shape.strides();
    let start = stored.data.as_mut_ptr().wrapping_add(stored.shape.offset());
    // SAFETY: the data holds the shape's matrix, and is borrowed as long as the view is.
    unsafe { MatMut::from_raw_parts_mut(start, rows, columns, row_stride as isize, column_stride as isize) }
}

fn complex<T: Scalar>(x: T) -> Complex64 {
    Complex64::new(x.re(), x.im())
}

fn operated(op: Op, a: &Dense) -> Dense {
    let (rows, columns) = if op.transposes() { (a.ncols(), a.nrows()) } else { (a.nrows(), a.ncols()) };
    Mat::from_fn(rows, columns, |i, j| {
        let value = if op.transposes() { a[(j, i)] } else { a[(i, j)] };
        if op.conjugates() { value.conj() } else { value }
    })
}

fn product(a: &Dense, b: &Dense) -> Dense {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    for j in 0..b.ncols() {
        let sums = c.col_as_slice_mut(j);
        for (k, factor) in b.col_as_slice(j).iter().enumerate().filter(|(_, factor)| **factor != Complex64::ZERO) {
            sums.iter_mut().zip(a.col_as_slice(k)).for_each(|(sum, a)| *sum += a * factor);
        }
    }
    c
}

/// The 1-norm; NaN where an element is.
fn norm(a: &Dense) -> f64 {
    let sums = (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| modulus(a[(i, j)])).sum::<f64>());
    sums.fold(0.0, |largest, sum| if sum > largest || sum.is_nan() { sum } else { largest })
}

/// Asserts LAPACK's ratio of an error: ||E|| / (n eps size). Of a NaN it is not below the threshold.
#[track_caller]
fn assert_ratio<T: Scalar>(error: &Dense, n: usize, size: f64, case: &dyn std::fmt::Debug) {
    let ratio = lapack_ratio::<T>(norm(error), n, size);
    assert!(ratio < LAPACK_THRESHOLD, "{:?} {case:?}: ratio {ratio}", T::KIND);
}

/// Asserts that X solves op(A) X = B: ||B - op(A) X|| / (||A|| ||X|| eps).
#[track_caller]
fn assert_solves<T: Scalar>(op: Op, a: &Dense, x: &Dense, b: &Dense, case: &dyn std::fmt::Debug) {
    let a = operated(op, a);
    let found = product(&a, x);
    let error = Mat::from_fn(b.nrows(), b.ncols(), |i, j| b[(i, j)] - found[(i, j)]);
    assert_ratio::<T>(&error, 1, norm(&a) * norm(x), case);
}
