//! Which calls are small enough for the short way: their numbers are right beyond doubt, and nothing demands another place than
//! the host.

use std::ffi::c_int;

use affinimath::host::small::{MATRIX, PRODUCT, Strided, VECTOR};
use affinimath::{Layout, Op, route};

use crate::form::{Form, Place};

/// Whether adjacent vectors of n elements are for the short way.
#[inline]
pub(super) fn vectors(n: i64, incx: i64, incy: i64) -> bool {
    n > 0 && n <= VECTOR as i64 && incx == 1 && incy == 1
}

/// Whether a product of matrices of these sizes is, none of which is 0. With a vector, the last size is 1.
#[inline]
pub(super) fn product([m, n, k]: [i64; 3]) -> bool {
    let most = if k == 1 { MATRIX } else { PRODUCT } as i64;
    m > 0 && n > 0 && k > 0 && m <= most && n <= most && k <= most && m * n <= most && m * n * k <= most
}

/// The pointers of host operands, if none is null and small calls run on the host.
#[inline]
pub(super) fn places<T, F: Form, const COUNT: usize>(places: [F::Place<T>; COUNT]) -> Option<[*mut T; COUNT]> {
    if !route::settings().is_ok_and(route::Settings::small_on_host) {
        return None;
    }
    let mut pointers = [std::ptr::null_mut(); COUNT];
    for (pointer, place) in pointers.iter_mut().zip(places) {
        *pointer = place.pointer().filter(|pointer| !pointer.is_null())?;
    }
    Some(pointers)
}

/// op of a stored matrix, where op of it has these sizes; none where a code or the leading dimension is wrong. The elements are
/// real: conjugation changes nothing.
#[inline]
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
    let step = usize::try_from(leading_dimension).ok().filter(|step| *step >= adjacent.max(1))?;
    Some(if by_columns { Strided { first, row: 1, column: step } } else { Strided { first, row: step, column: 1 } })
}
