//! Reductions and scans.

use super::{Function, Result, array, axes, element_type, flag, given, numbers, whole};
use crate::index::integer;
use crate::operators::constant;
use crate::types::{array_of, of_all};
use crate::value::Value;
use affinimath_array::function::{Binary, Reduction, Unary};
use affinimath_array::node::Complex;
use affinimath_array::{Axes, ElementType, Node, Slice};

type Values<'a> = &'a [Option<Value>];

macro_rules! table {
    ($($name:literal ($($parameter:literal)*) $compute:expr;)*) => {
        &[$(Function {
            name: $name,
            parameters: &[$($parameter),*],
            required: 1,
            compute: |values| $compute(values).map(Value::Array),
        }),*]
    };
}

pub(super) const TABLE: &[Function] = table! {
    "sum"("x" "axis" "keepdims" "dtype") |values| total(values, Reduction::Sum);
    "prod"("x" "axis" "keepdims" "dtype") |values| total(values, Reduction::Product);
    "min"("x" "axis" "keepdims") |values| extremum(values, Reduction::Min);
    "amin"("x" "axis" "keepdims") |values| extremum(values, Reduction::Min);
    "max"("x" "axis" "keepdims") |values| extremum(values, Reduction::Max);
    "amax"("x" "axis" "keepdims") |values| extremum(values, Reduction::Max);
    "argmin"("x" "axis" "keepdims") |values| position(values, Reduction::ArgMin);
    "argmax"("x" "axis" "keepdims") |values| position(values, Reduction::ArgMax);
    "any"("x" "axis" "keepdims") |values| joined(values, Reduction::Any);
    "all"("x" "axis" "keepdims") |values| joined(values, Reduction::All);
    "count_nonzero"("x" "axis" "keepdims") count;
    "mean"("x" "axis" "keepdims") |values: Values<'_>| mean(&numbers(values, 0)?, values);
    "var"("x" "axis" "correction" "keepdims" "ddof") variance;
    "std"("x" "axis" "correction" "keepdims" "ddof") |values| Ok(variance(values)?.unary(Unary::Sqrt));
    "norm"("x" "axis" "keepdims") norm;
    "cumsum"("x" "axis") |values| scan(values, Reduction::Sum, false);
    "cumulative_sum"("x" "axis" "include_initial") |values| scan(values, Reduction::Sum, true);
    "cumprod"("x" "axis") |values| scan(values, Reduction::Product, false);
    "cumulative_prod"("x" "axis" "include_initial") |values| scan(values, Reduction::Product, true);
    "diff"("x" "n" "axis") diff;
    "ptp"("x" "axis" "keepdims") |values| {
        extremum(values, Reduction::Max).and_then(|max| Ok(max.binary(Binary::Sub, &extremum(values, Reduction::Min)?)))
    };
};

/// A sum or a product: of small integers and conditions in 64 bits.
fn total(values: Values<'_>, reduction: Reduction) -> Result<Node> {
    let x = array(values, 0)?;
    let default = match x.element() {
        ElementType::Bool | ElementType::U8 | ElementType::I32 | ElementType::U32 => ElementType::I64,
        element => element,
    };
    let element = element_type(values, 3, default)?;
    Ok(x.convert(element).reduce(reduction, axes(values, 1, x.shape())?, flag(values, 2)?))
}

fn extremum(values: Values<'_>, reduction: Reduction) -> Result<Node> {
    let x = array(values, 0)?;
    let (axes, keep) = (axes(values, 1, x.shape())?, flag(values, 2)?);
    if x.element() != ElementType::Bool {
        return Ok(x.reduce(reduction, axes, keep));
    }
    Ok(x.reduce(if reduction == Reduction::Max { Reduction::Any } else { Reduction::All }, axes, keep))
}

/// The index of an extremum: along an axis, or of all elements in row-major order.
fn position(values: Values<'_>, reduction: Reduction) -> Result<Node> {
    let x = array(values, 0)?;
    let x = if x.element() == ElementType::Bool { x.convert(ElementType::U8) } else { x };
    Ok(x.reduce(reduction, axes(values, 1, x.shape())?, flag(values, 2)?))
}

fn truth(x: &Node) -> Node {
    if x.element() == ElementType::Bool { x.clone() } else { x.binary(Binary::Ne, &constant(0.0, x)) }
}

fn joined(values: Values<'_>, reduction: Reduction) -> Result<Node> {
    let x = array(values, 0)?;
    Ok(truth(&x).reduce(reduction, axes(values, 1, x.shape())?, flag(values, 2)?))
}

fn count(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let ones = truth(&x).convert(ElementType::I64);
    Ok(ones.reduce(Reduction::Sum, axes(values, 1, x.shape())?, flag(values, 2)?))
}

fn mean_over(x: &Node, axes: Axes, keep: bool) -> Node {
    let sum = x.reduce(Reduction::Sum, axes, keep);
    let part = if x.element().is_complex() { x.complex(Complex::Re) } else { x.clone() };
    sum.binary(Binary::Div, &constant(x.shape().len_of(axes) as f64, &part))
}

fn mean(x: &Node, values: Values<'_>) -> Result<Node> {
    Ok(mean_over(x, axes(values, 1, x.shape())?, flag(values, 2)?))
}

/// The mean of squared distances from the mean, over n - correction.
fn variance(values: Values<'_>) -> Result<Node> {
    let x = numbers(values, 0)?;
    let axes = axes(values, 1, x.shape())?;
    let correction = match values[2].as_ref().or(values[4].as_ref()) {
        None | Some(Value::None) => 0.0,
        Some(Value::Number(number)) => number.parts().0,
        Some(other) => return Err(format!("correction is a number, not {}", other.describe())),
    };
    let sum =
        squares(&x.binary(Binary::Sub, &mean_over(&x, axes, true))).reduce(Reduction::Sum, axes, flag(values, 3)?);
    let divisor = (x.shape().len_of(axes) as f64 - correction).max(0.0);
    Ok(sum.binary(Binary::Div, &constant(divisor, &sum)))
}

fn squares(x: &Node) -> Node {
    if x.element().is_complex() { x.complex(Complex::NormSquared) } else { x.unary(Unary::Square) }
}

/// The Euclidean norm; of a matrix the Frobenius norm.
fn norm(values: Values<'_>) -> Result<Node> {
    let x = numbers(values, 0)?;
    let sum = squares(&x).reduce(Reduction::Sum, axes(values, 1, x.shape())?, flag(values, 2)?);
    Ok(sum.unary(Unary::Sqrt))
}

/// Running sums or products: along an axis, without one along that of a vector, or of all elements.
fn scan(values: Values<'_>, reduction: Reduction, may_begin: bool) -> Result<Node> {
    let x = array(values, 0)?;
    let x = match x.element() {
        ElementType::Bool | ElementType::U8 | ElementType::I32 | ElementType::U32 => x.convert(ElementType::I64),
        _ => x,
    };
    let (x, axis) = match &values[1] {
        Some(value) if !matches!(value, Value::None) => (x, integer(value, "axis")?),
        _ if x.shape().rank() == 1 => (x, 0),
        _ if may_begin => return Err("an array of several axes needs an axis".to_owned()),
        _ => (super::shapes::flat(&x), 0),
    };
    let scanned = x.scan(reduction, axis);
    if !may_begin || !flag(values, 2)? || scanned.error().is_some() {
        return Ok(scanned);
    }
    let first = x.shape().axis(axis).map_err(|error| error.to_string())?;
    let start = super::shapes::with_extent(x.shape(), first, 1)?;
    let neutral = constant(if reduction == Reduction::Sum { 0.0 } else { 1.0 }, &x).broadcast_to(&start);
    Ok(Node::concatenate(axis, &[neutral, scanned]))
}

/// Differences of neighbours, `n` times.
fn diff(values: Values<'_>) -> Result<Node> {
    let mut x = array_of(given(values, 0)?, of_all(&[given(values, 0)?])?)?;
    let (times, axis) = (whole(values, 1, 1)?, whole(values, 2, -1)?);
    if times < 0 {
        return Err(format!("n is not negative, and {times} is"));
    }
    let axis = x.shape().axis(axis).map_err(|error| error.to_string())?;
    let function = if x.element() == ElementType::Bool { Binary::Xor } else { Binary::Sub };
    for _ in 0..times.min(x.shape()[axis] as i64) {
        let part = |slice: Slice| x.slice(&[vec![Slice::FULL; axis], vec![slice]].concat());
        x = part(Slice::from(1_i64..)).binary(function, &part(Slice::from(..-1_i64)));
    }
    Ok(x)
}
