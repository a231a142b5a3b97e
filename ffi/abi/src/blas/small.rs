//! Which calls are small enough for the short way: their numbers are right beyond doubt.

use std::ffi::c_int;

use affinimath::host::small::triangles::StoredTriangle;
use affinimath::host::small::vectors::StridedVector;
use affinimath::host::small::{MATRIX_BYTES, Strided, VECTOR, most_products};
use affinimath::{Layout, Op, Scalar, Triangle};

use crate::form::{Form, Place};

/// Whether adjacent vectors of n elements are for the short way.
#[inline(always)]
pub(super) fn vectors(n: i64, incx: i64, incy: i64) -> bool {
    n > 0 && n <= VECTOR as i64 && incx == 1 && incy == 1
}

/// Increments and leading dimensions up to which addresses do not wrap around, whatever n is: what wraps is for the long way.
pub(crate) const LARGEST_INCREMENT: u64 = 1 << 40;

/// Vectors of n elements with any increments but 0, if they are for the short way.
#[inline(always)]
pub(super) fn strided<T, F: Form, const COUNT: usize>(
    n: i64,
    vectors: [(F::Place<T>, i64); COUNT],
) -> Option<(usize, [StridedVector<T>; COUNT])> {
    let is_ordinary = |increment: i64| increment != 0 && increment.unsigned_abs() <= LARGEST_INCREMENT;
    if n <= 0 || n > VECTOR as i64 || !vectors.iter().all(|(_, increment)| is_ordinary(*increment)) {
        return None;
    }
    let n = n as usize;
    let pointers = places::<T, F, COUNT>(vectors.map(|(place, _)| place))?;
    Some((n, std::array::from_fn(|v| StridedVector::new(n, pointers[v], vectors[v].1))))
}

/// The same for one vector, where BLAS passes over those whose increment is not positive.
#[inline(always)]
pub(super) fn forward<T, F: Form>(n: i64, x: F::Place<T>, incx: i64) -> Option<(usize, StridedVector<T>)> {
    let (n, [x]) = strided::<T, F, 1>(n, [(x, incx)])?;
    (incx > 0).then_some((n, x))
}

/// Whether a product of matrices of these sizes is, none of which is 0.
#[inline(always)]
pub(super) fn product<T: Scalar>(sizes: [i64; 3]) -> bool {
    let [m, n, k] = sizes;
    let most = const { most_products::<T>() as i64 };
    sizes.iter().all(|size| (1..=most).contains(size)) && m * n <= most && m * n * k <= most
}

/// Whether the product of a matrix of these sizes with a vector is, none of which is 0.
#[inline(always)]
pub(super) fn matrix_and_vector<T>([m, n]: [i64; 2]) -> bool {
    let most = (MATRIX_BYTES / size_of::<T>()) as i64;
    m > 0 && n > 0 && m <= most && n <= most && m * n <= most
}

/// The pointers of host operands, if none is null.
#[inline(always)]
pub(super) fn places<T, F: Form, const COUNT: usize>(places: [F::Place<T>; COUNT]) -> Option<[*mut T; COUNT]> {
    let mut pointers = [std::ptr::null_mut(); COUNT];
    for (pointer, place) in pointers.iter_mut().zip(places) {
        *pointer = place.pointer().filter(|pointer| !pointer.is_null())?;
    }
    Some(pointers)
}

/// op of a stored matrix, where op of it has these sizes; none where a code or the leading dimension is wrong.
#[inline(always)]
pub(super) fn matrix<T>(
    layout: c_int,
    op: c_int,
    (rows, columns): (usize, usize),
    first: *mut T,
    leading_dimension: i64,
) -> Option<Strided<T>> {
    let (layout, op) = (Layout::from_code(layout)?, Op::from_code(op)?);
    let by_columns = (layout == Layout::ColumnMajor) != op.transposes();
    let adjacent = if by_columns { rows } else { columns };
    let step = usize::try_from(leading_dimension).ok();
    let step = step.filter(|step| *step >= adjacent.max(1) && *step as u64 <= LARGEST_INCREMENT)?;
    let (row, column) = if by_columns { (1, step) } else { (step, 1) };
    Some(Strided { first, row, column, conjugate: op.conjugates() })
}

/// A triangle of a small square matrix, none of whose numbers is 0; none where a code or the leading dimension is wrong.
#[inline(always)]
pub(super) fn triangle<T>(
    layout: c_int,
    uplo: c_int,
    n: i64,
    first: *mut T,
    leading_dimension: i64,
) -> Option<StoredTriangle<T>> {
    if !matrix_and_vector::<T>([n, n]) || leading_dimension < n || leading_dimension > LARGEST_INCREMENT as i64 {
        return None;
    }
    let (by_rows, triangle) = (Layout::from_code(layout)? == Layout::RowMajor, Triangle::from_code(uplo)?);
    Some(StoredTriangle { first, n: n as usize, leading_dimension: leading_dimension as usize, by_rows, triangle })
}
