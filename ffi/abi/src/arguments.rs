//! C's arguments as the library's types, each checked under the name that the C function gives it.

use std::ffi::c_int;

use affinimath::{
    BandShape, Diag, Error, Layout, MatrixShape, Norm, Op, PackedShape, Result, Side, Triangle, VectorShape,
};

use crate::form::{Location, Names, Operand};

/// The argument `layout`.
#[inline]
pub fn layout(code: c_int) -> Result<Layout> {
    Layout::from_code(code).ok_or_else(|| wrong_code("layout", code, "AFFINIMATH_ROW_MAJOR or AFFINIMATH_COL_MAJOR"))
}

/// The op of a matrix operand.
#[inline]
pub fn op(name: &'static str, code: c_int) -> Result<Op> {
    Op::from_code(code).ok_or_else(|| {
        let legal = "AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS or AFFINIMATH_CONJ_NO_TRANS";
        wrong_code(name, code, legal)
    })
}

/// The argument `uplo`.
#[inline]
pub fn triangle(code: c_int) -> Result<Triangle> {
    Triangle::from_code(code).ok_or_else(|| wrong_code("uplo", code, "AFFINIMATH_UPPER or AFFINIMATH_LOWER"))
}

/// The argument `diag`.
#[inline]
pub fn diagonal(code: c_int) -> Result<Diag> {
    Diag::from_code(code).ok_or_else(|| wrong_code("diag", code, "AFFINIMATH_NON_UNIT or AFFINIMATH_UNIT"))
}

/// The argument `side`.
#[inline]
pub fn side(code: c_int) -> Result<Side> {
    Side::from_code(code).ok_or_else(|| wrong_code("side", code, "AFFINIMATH_LEFT or AFFINIMATH_RIGHT"))
}

/// The argument `norm`.
pub fn norm(code: c_int) -> Result<Norm> {
    Norm::from_code(code).ok_or_else(|| {
        let legal = "AFFINIMATH_ONE_NORM, AFFINIMATH_INFINITY_NORM, AFFINIMATH_FROBENIUS_NORM or AFFINIMATH_MAX_NORM";
        wrong_code("norm", code, legal)
    })
}

/// The argument `norm` of routines that take the 1-norm or the infinity norm alone.
pub fn consistent_norm(code: c_int) -> Result<Norm> {
    let norm = Norm::from_code(code).filter(|norm| matches!(norm, Norm::One | Norm::Infinity));
    norm.ok_or_else(|| wrong_code("norm", code, "AFFINIMATH_ONE_NORM or AFFINIMATH_INFINITY_NORM"))
}

/// The error for a code that is none of the `legal` ones.
#[cold]
pub fn wrong_code(name: &'static str, code: c_int, legal: &str) -> Error {
    Error::argument(name, format!("{code} is not {legal}"))
}

/// A size or an offset, which is not negative.
#[inline]
pub fn size(name: &'static str, value: i64) -> Result<usize> {
    usize::try_from(value).map_err(|_| wrong_size(name, value))
}

#[cold]
fn wrong_size(name: &'static str, value: i64) -> Error {
    let reason = if value < 0 { "is negative" } else { "is more than this machine can address" };
    Error::argument(name, format!("{value} {reason}"))
}

/// Level 1's argument `n`. BLAS: n <= 0 is no error and changes nothing.
#[inline]
pub fn length(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Refuses a null pointer to data that the operation needs.
pub fn not_null<T>(name: &'static str, pointer: *const T) -> Result<()> {
    if pointer.is_null() { Err(null(name)) } else { Ok(()) }
}

#[cold]
fn no_step(names: Names) -> Error {
    Error::argument(names.step, "it is 0")
}

#[cold]
fn null(name: &'static str) -> Error {
    Error::argument(name, "it is null, and the operation needs its data")
}

/// The offset of an operand; 0 where `needed` is false.
#[inline]
fn location<T, P: Location<T>>(names: Names, location: P, needed: bool) -> Result<usize> {
    if needed && location.is_null() {
        return Err(null(names.memory));
    }
    let offset = location.offset(names.offset)?;
    Ok(if needed { offset } else { 0 })
}

/// A vector of `n` elements. Size and increment are checked even if `needed` is false or n is 0; the memory is not.
#[inline]
pub fn vector<T, P: Location<T>>(
    names: Names,
    n: usize,
    memory: P,
    increment: i64,
    needed: bool,
) -> Result<Operand<P, VectorShape>> {
    let needed = needed && n > 0;
    let offset = location(names, memory, needed)?;
    let (memory, increment) = memory.vector(n, increment);
    if increment == 0 {
        return Err(no_step(names));
    }
    operand(names, memory, VectorShape::new(n, offset, increment as isize), needed)
}

/// `count` adjacent elements to read or write, such as a result. Null is refused.
#[inline]
pub fn numbers<T, P: Location<T>>(names: Names, count: usize, memory: P) -> Result<Operand<P, VectorShape>> {
    let offset = location(names, memory, true)?;
    operand(names, memory, VectorShape::new(count, offset, 1), true)
}

/// An array of `count` adjacent elements, such as pivots; null is legal if `count` is 0.
#[inline]
pub fn array<T, P: Location<T>>(names: Names, count: usize, memory: P) -> Result<Operand<P, VectorShape>> {
    let offset = location(names, memory, count > 0)?;
    operand(names, memory, VectorShape::new(count, offset, 1), count > 0)
}

/// `count` elements of an array, from index `first` on, `step` elements apart.
pub fn strided<T, P: Location<T>>(
    names: Names,
    first: usize,
    (count, step): (usize, usize),
    memory: P,
) -> Result<Operand<P, VectorShape>> {
    let offset = location(names, memory, true)?.saturating_add(first);
    let step = isize::try_from(step).unwrap_or(isize::MAX);
    operand(names, memory, VectorShape::new(count, offset, step), true)
}

/// A matrix of `rows` x `columns` elements, as it is stored. [`vector`] explains `needed`.
#[inline]
pub fn matrix<T, P: Location<T>>(
    names: Names,
    layout: Layout,
    (rows, columns): (usize, usize),
    memory: P,
    leading_dimension: i64,
    needed: bool,
) -> Result<Operand<P, MatrixShape>> {
    let needed = needed && rows > 0 && columns > 0;
    let offset = location(names, memory, needed)?;
    let leading_dimension = self::leading_dimension(names, layout, (rows, columns), leading_dimension)?;
    operand(names, memory, MatrixShape::new(layout, rows, columns, offset, leading_dimension), needed)
}

/// The leading dimension of a `rows` x `columns` matrix, checked alone: the sizes of a workspace query may exceed any
/// memory.
pub fn leading_dimension(
    names: Names,
    layout: Layout,
    (rows, columns): (usize, usize),
    leading_dimension: i64,
) -> Result<usize> {
    let (adjacent, what) = match layout {
        Layout::ColumnMajor => (rows, "rows"),
        Layout::RowMajor => (columns, "columns"),
    };
    let bound = || format!("max(1, {adjacent}), the {what} of its matrix");
    step(names, leading_dimension, adjacent.max(1), &bound)
}

/// A band of `lower` + 1 + `upper` diagonals of a `rows` x `columns` matrix. [`vector`] explains `needed`.
#[inline]
pub fn band<T, P: Location<T>>(
    names: Names,
    layout: Layout,
    (rows, columns): (usize, usize),
    (lower, upper): (usize, usize),
    memory: P,
    leading_dimension: i64,
    needed: bool,
) -> Result<Operand<P, BandShape>> {
    let needed = needed && rows > 0 && columns > 0;
    let offset = location(names, memory, needed)?;
    let diagonals = lower.saturating_add(upper).saturating_add(1);
    let bound = || format!("{diagonals}, the diagonals of its matrix");
    let leading_dimension = step(names, leading_dimension, diagonals, &bound)?;
    let shape = BandShape::new(layout, rows, columns, lower, upper, offset, leading_dimension);
    operand(names, memory, shape, needed)
}

/// A packed triangle. [`vector`] explains `needed`.
#[inline]
pub fn packed<T, P: Location<T>>(
    names: Names,
    layout: Layout,
    triangle: Triangle,
    order: usize,
    memory: P,
    needed: bool,
) -> Result<Operand<P, PackedShape>> {
    let needed = needed && order > 0;
    let offset = location(names, memory, needed)?;
    operand(names, memory, PackedShape::new(layout, triangle, order, offset), needed)
}

/// A leading dimension of at least `min`; `words` name that bound in the error.
#[inline]
fn step(names: Names, value: i64, min: usize, words: &dyn Fn() -> String) -> Result<usize> {
    match usize::try_from(value) {
        Ok(value) if value >= min => Ok(value),
        _ => Err(short_step(names, value, words)),
    }
}

#[cold]
fn short_step(names: Names, value: i64, words: &dyn Fn() -> String) -> Error {
    Error::argument(names.step, format!("{value} is less than {}", words()))
}

/// The operand of a shape. Each argument was checked before, so a wrong shape reaches past the end of the address
/// space.
#[inline]
fn operand<P, S: Copy>(names: Names, memory: P, shape: Result<S>, needed: bool) -> Result<Operand<P, S>> {
    let shape = shape.map_err(|error| unaddressable(names, &error))?;
    Ok(Operand::new(names.memory, memory, shape, needed))
}

#[cold]
fn unaddressable(names: Names, error: &Error) -> Error {
    Error::argument(names.memory, error.to_string())
}
