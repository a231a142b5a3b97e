//! The small calls: their arguments are checked in a few comparisons, and anything unusual goes the general way.

use std::ffi::c_int;

use affinimath::{Layout, Op, Scalar, Triangle};
use affinimath_cpu::small::products::ByColumns;
use affinimath_cpu::small::triangles::StoredTriangle;
use affinimath_cpu::small::vectors::{GATHERED_BYTES, StridedVector};
use affinimath_cpu::small::{MATRIX_BYTES, Strided, VECTOR, max_products};

use crate::form::{Form, Location};

/// True if adjacent vectors of n elements are small.
#[inline(always)]
pub(super) fn vectors(n: i64, incx: i64, incy: i64) -> bool {
    n > 0 && n <= VECTOR as i64 && incx == 1 && incy == 1
}

/// Limit of increments and leading dimensions of small calls, so that addresses do not wrap around.
pub(crate) const MAX_INCREMENT: u64 = 1 << 40;

/// Vectors of n elements with increments other than 0, if they are small.
#[inline(always)]
pub(super) fn strided<T, F: Form, const COUNT: usize>(
    n: i64,
    vectors: [(F::Location<T>, i64); COUNT],
) -> Option<(usize, [StridedVector<T>; COUNT])> {
    let is_ordinary = |increment: i64| increment != 0 && increment.unsigned_abs() <= MAX_INCREMENT;
    if n <= 0 || n > VECTOR as i64 || !vectors.iter().all(|(_, increment)| is_ordinary(*increment)) {
        return None;
    }
    let n = n as usize;
    let pointers = locations::<T, F, COUNT>(vectors.map(|(location, _)| location))?;
    Some((n, std::array::from_fn(|v| StridedVector::new(n, pointers[v], vectors[v].1))))
}

/// A small vector whose increment is positive; BLAS leaves others alone.
#[inline(always)]
pub(super) fn forward<T, F: Form>(n: i64, x: F::Location<T>, incx: i64) -> Option<(usize, StridedVector<T>)> {
    let (n, [x]) = strided::<T, F, 1>(n, [(x, incx)])?;
    (incx > 0).then_some((n, x))
}

/// True if a product of matrices of these sizes is small and not empty.
#[inline(always)]
pub(crate) fn product<T: Scalar>(sizes: [i64; 3]) -> bool {
    let [m, n, k] = sizes;
    let most = const { max_products::<T>() as i64 };
    sizes.iter().all(|size| (1..=most).contains(size)) && m * n <= most && m * n * k <= most
}

/// True if a product of a matrix of these sizes with a vector is small and not empty.
#[inline(always)]
pub(super) fn matrix_and_vector<T>([m, n]: [i64; 2]) -> bool {
    let most = (MATRIX_BYTES / size_of::<T>()) as i64;
    m > 0 && n > 0 && m <= most && n <= most && m * n <= most
}

/// Pointers of host operands, if none is null.
#[inline(always)]
pub(crate) fn locations<T, F: Form, const COUNT: usize>(locations: [F::Location<T>; COUNT]) -> Option<[*mut T; COUNT]> {
    let mut pointers = [std::ptr::null_mut(); COUNT];
    for (pointer, location) in pointers.iter_mut().zip(locations) {
        *pointer = location.pointer().filter(|pointer| !pointer.is_null())?;
    }
    Some(pointers)
}

/// op of a stored matrix, where `rows` and `columns` are op's; none if a code or the leading dimension is wrong.
#[inline(always)]
pub(crate) fn matrix<T>(
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
    let step = step.filter(|step| *step >= adjacent.max(1) && *step as u64 <= MAX_INCREMENT)?;
    let (row, column) = if by_columns { (1, step) } else { (step, 1) };
    Some(Strided { first, row, column, conjugate: op.conjugates() })
}

/// A vector of n elements of a small level 2 call.
///
/// One with an increment other than 1 is gathered on the stack.
#[inline(always)]
pub(super) fn vector<T, F: Form>(n: usize, x: F::Location<T>, incx: i64) -> Option<StridedVector<T>> {
    let gathers = incx != 0 && incx.unsigned_abs() <= MAX_INCREMENT && n * size_of::<T>() <= GATHERED_BYTES;
    let start = x.pointer().filter(|start| !start.is_null())?;
    (incx == 1 || gathers).then(|| StridedVector::new(n, start, incx))
}

/// A host pointer that is not null.
#[inline(always)]
pub(crate) fn pointer<T, P: Location<T>>(location: P) -> Option<*mut T> {
    location.pointer().filter(|pointer| !pointer.is_null())
}

/// A triangle of a small square matrix; none if an argument is wrong or the matrix is empty.
#[inline(always)]
pub(super) fn triangle<T: Scalar, P: Location<T>>(
    (layout, uplo): (c_int, c_int),
    n: i64,
    first: P,
    leading_dimension: i64,
) -> Option<StoredTriangle<T>> {
    if !matrix_and_vector::<T>([n, n]) || leading_dimension < n || leading_dimension > MAX_INCREMENT as i64 {
        return None;
    }
    let (first, by_rows, triangle) = (pointer(first)?, by_rows(layout)?, Triangle::from_code(uplo)?);
    Some(StoredTriangle::full(first, n as usize, leading_dimension as usize, by_rows, triangle))
}

/// A packed triangle; none as of [`triangle`].
#[inline(always)]
pub(super) fn packed<T: Scalar, P: Location<T>>(
    (layout, uplo): (c_int, c_int),
    n: i64,
    first: P,
) -> Option<StoredTriangle<T>> {
    let (first, by_rows, triangle) = (pointer(first)?, by_rows(layout)?, Triangle::from_code(uplo)?);
    matrix_and_vector::<T>([n, n]).then(|| StoredTriangle::packed(first, n as usize, by_rows, triangle))
}

/// A triangular band with k diagonals beside the main one; none as of [`triangle`].
#[inline(always)]
pub(super) fn band<T: Scalar, P: Location<T>>(
    (layout, uplo): (c_int, c_int),
    [n, k]: [i64; 2],
    first: P,
    leading_dimension: i64,
) -> Option<StoredTriangle<T>> {
    if k < 0 || !matrix_and_vector::<T>([n, k.saturating_add(1)]) || !is_step(leading_dimension, k + 1) {
        return None;
    }
    let (first, by_rows, triangle) = (pointer(first)?, by_rows(layout)?, Triangle::from_code(uplo)?);
    Some(StoredTriangle::band(first, (n as usize, k as usize), leading_dimension as usize, by_rows, triangle))
}

/// True if a leading dimension is in the range of small calls and at least `min`.
#[inline(always)]
pub(crate) const fn is_step(leading_dimension: i64, min: i64) -> bool {
    leading_dimension >= min && leading_dimension <= MAX_INCREMENT as i64
}

/// True for row-major layout; none for a wrong code.
#[inline(always)]
pub(crate) fn by_rows(layout: c_int) -> Option<bool> {
    Some(Layout::from_code(layout)? == Layout::RowMajor)
}

/// A column-major matrix of `rows` rows; none if the leading dimension is wrong.
#[inline(always)]
pub(crate) fn by_columns<T, P: Location<T>>(first: P, rows: usize, leading_dimension: i64) -> Option<ByColumns<T>> {
    let fits = is_step(leading_dimension, (rows as i64).max(1));
    Some(ByColumns { first: pointer(first)?, leading_dimension: fits.then_some(leading_dimension as usize)? })
}
