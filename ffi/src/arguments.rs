//! From C's numbers to the library's types, each checked under the name that the C function gives it.

use std::ffi::c_int;

use affinimath::{Error, Layout, MatrixShape, Op, Result};

/// The argument `layout`.
pub(crate) fn layout(code: c_int) -> Result<Layout> {
    Layout::from_code(code).ok_or_else(|| wrong_code("layout", code, "AFFINIMATH_ROW_MAJOR or AFFINIMATH_COL_MAJOR"))
}

/// An operation on a matrix operand.
pub(crate) fn op(name: &'static str, code: c_int) -> Result<Op> {
    Op::from_code(code).ok_or_else(|| {
        let legal = "AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS or AFFINIMATH_CONJ_NO_TRANS";
        wrong_code(name, code, legal)
    })
}

#[cold]
fn wrong_code(name: &'static str, code: c_int, legal: &str) -> Error {
    Error::argument(name, format!("{code} is not {legal}"))
}

/// A size or an offset: not negative.
pub(crate) fn size(name: &'static str, value: i64) -> Result<usize> {
    usize::try_from(value).map_err(|_| {
        let reason = if value < 0 { "is negative" } else { "is more than this machine can address" };
        Error::argument(name, format!("{value} {reason}"))
    })
}

/// A leading dimension: at least 1, and at least the matrix's rows (its columns, in row-major layout).
pub(crate) fn leading_dimension(
    name: &'static str,
    value: i64,
    layout: Layout,
    (rows, columns): (usize, usize),
) -> Result<usize> {
    let (adjacent, what) = match layout {
        Layout::ColumnMajor => (rows, "rows"),
        Layout::RowMajor => (columns, "columns"),
    };
    match usize::try_from(value) {
        Ok(value) if value >= adjacent.max(1) => Ok(value),
        _ => Err(Error::argument(name, format!("{value} is less than max(1, {adjacent}), the {what} of its matrix"))),
    }
}

/// A pointer to data that the operation needs.
pub(crate) fn not_null<T>(name: &'static str, pointer: *const T) -> Result<()> {
    if pointer.is_null() {
        return Err(Error::argument(name, "it is null, and the operation needs its data"));
    }
    Ok(())
}

/// A matrix's shape from sizes that were checked. What is still wrong then is the matrix as a whole: it would reach past
/// the end of the address space.
pub(crate) fn shape(
    name: &'static str,
    layout: Layout,
    (rows, columns): (usize, usize),
    offset: usize,
    leading_dimension: usize,
) -> Result<MatrixShape> {
    MatrixShape::new(layout, rows, columns, offset, leading_dimension)
        .map_err(|error| Error::argument(name, error.to_string()))
}
