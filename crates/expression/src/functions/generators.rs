//! Functions that make arrays: constants, ranges and random numbers.

use super::{Function, Result, array, element_type, given, shape_of, whole};
use crate::index::integer;
use crate::operators::constant;
use crate::types::of_all;
use crate::value::{Value, Weak};
use affinimath_array::function::Binary;
use affinimath_array::{ElementType, Node, Number, Shape, Value as Element, exponential, integers, normal, uniform};

type Values<'a> = &'a [Option<Value>];

macro_rules! table {
    ($($name:literal ($($parameter:literal)*) $required:literal: $compute:expr;)*) => {
        &[$(Function {
            name: $name,
            parameters: &[$($parameter),*],
            required: $required,
            compute: |values| $compute(values).map(Value::Array),
        }),*]
    };
}

pub(super) const TABLE: &[Function] = table! {
    "zeros"("shape" "dtype") 1: |values| filled(values, 0.0);
    "ones"("shape" "dtype") 1: |values| filled(values, 1.0);
    "full"("shape" "fill_value" "dtype") 2: full;
    "zeros_like"("x" "dtype") 1: |values| like(values, 0.0);
    "ones_like"("x" "dtype") 1: |values| like(values, 1.0);
    "full_like"("x" "fill_value" "dtype") 2: full_like;
    "arange"("start" "stop" "step" "dtype") 1: arange;
    "linspace"("start" "stop" "num" "dtype") 2: linspace;
    "eye"("n" "m" "k" "dtype") 1: eye;
    "coordinates"("shape" "axis") 2: |values: Values<'_>| {
        Ok(Node::coordinates(&shape_of(given(values, 0)?)?, whole(values, 1, 0)?))
    };
    "uniform"("seed" "shape" "dtype") 2: |values| random(values, uniform::<f32>, uniform::<f64>);
    "normal"("seed" "shape" "dtype") 2: |values| random(values, normal::<f32>, normal::<f64>);
    "exponential"("seed" "shape" "dtype") 2: |values| random(values, exponential::<f32>, exponential::<f64>);
    "integers"("seed" "shape" "low" "high") 4: random_integers;
};

fn of_shape(value: f64, element: ElementType, shape: &Shape) -> Node {
    Node::scalar(Number::of_real(value, element)).broadcast_to(shape)
}

fn filled(values: Values<'_>, value: f64) -> Result<Node> {
    Ok(of_shape(value, element_type(values, 1, ElementType::F64)?, &shape_of(given(values, 0)?)?))
}

fn full(values: Values<'_>) -> Result<Node> {
    let value = given(values, 1)?;
    let element = element_type(values, 2, of_all(&[value])?)?;
    Ok(super::converted(value, element)?.broadcast_to(&shape_of(given(values, 0)?)?))
}

fn like(values: Values<'_>, value: f64) -> Result<Node> {
    let x = array(values, 0)?;
    Ok(of_shape(value, element_type(values, 1, x.element())?, x.shape()))
}

fn full_like(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let element = element_type(values, 2, x.element())?;
    Ok(super::converted(given(values, 1)?, element)?.broadcast_to(x.shape()))
}

/// A number of the text.
fn number(value: &Value) -> Result<Weak> {
    match value {
        Value::Number(number) => Ok(*number),
        other => Err(format!("the argument is a number, not {}", other.describe())),
    }
}

fn arange(values: Values<'_>) -> Result<Node> {
    let is_given = |position: usize| values[position].as_ref().filter(|value| !matches!(value, Value::None));
    let (start, stop) = match is_given(1) {
        None => (Weak::Integer(0), number(given(values, 0)?)?),
        Some(stop) => (number(given(values, 0)?)?, number(stop)?),
    };
    let step = is_given(2).map_or(Ok(Weak::Integer(1)), number)?;
    let all = [Value::Number(start), Value::Number(stop), Value::Number(step)];
    let element = element_type(values, 3, of_all(&[&all[0], &all[1], &all[2]])?)?;
    if element.is_complex() || element == ElementType::Bool {
        return Err(format!("a range has real elements or integers, not {element}"));
    }
    let ((start, _), (stop, _), (step, _)) = (start.parts(), stop.parts(), step.parts());
    let count = ((stop - start) / step).ceil().max(0.0);
    if step == 0.0 || !count.is_finite() {
        return Err(format!("a range from {start} to {stop} with the step {step}"));
    }
    let shape = Shape::new(&[count as usize]).map_err(|error| error.to_string())?;
    let index = Node::iota(&shape);
    if element.is_integer() && [start, step].iter().all(|value| value.fract() == 0.0) {
        let whole = |value: f64| Node::scalar(Number::Real(Element::I64(value as i64)));
        return Ok(index.binary(Binary::Mul, &whole(step)).binary(Binary::Add, &whole(start)).convert(element));
    }
    let wide = index.convert(ElementType::F64);
    let wide = wide.binary(Binary::Mul, &constant(step, &wide)).binary(Binary::Add, &constant(start, &wide));
    Ok(wide.convert(element))
}

/// `num` numbers from `start` to `stop`, both included.
fn linspace(values: Values<'_>) -> Result<Node> {
    let ((start, _), (stop, _)) = (number(given(values, 0)?)?.parts(), number(given(values, 1)?)?.parts());
    let count = whole(values, 2, 50)?;
    let element = element_type(values, 3, ElementType::F64)?;
    let count = usize::try_from(count).map_err(|_| format!("num is not negative, and {count} is"))?;
    let shape = Shape::new(&[count]).map_err(|error| error.to_string())?;
    let index = Node::iota(&shape);
    let wide = index.convert(ElementType::F64);
    let step = (stop - start) / (count.max(2) - 1) as f64;
    let line = wide.binary(Binary::Mul, &constant(step, &wide)).binary(Binary::Add, &constant(start, &wide));
    if count < 2 {
        return Ok(line.convert(element));
    }
    // The last one is `stop` itself.
    let last = Node::scalar(Number::Real(Element::I64(count as i64 - 1)));
    Ok(index.binary(Binary::Eq, &last).select(&constant(stop, &wide), &line).convert(element))
}

fn eye(values: Values<'_>) -> Result<Node> {
    let rows = integer(given(values, 0)?, "n")?;
    let columns = whole(values, 1, rows)?;
    let extents = Value::List(vec![Value::Number(Weak::Integer(rows)), Value::Number(Weak::Integer(columns))]);
    let mask = Node::diagonal_mask(&shape_of(&extents)?, whole(values, 2, 0)?);
    Ok(mask.convert(element_type(values, 3, ElementType::F64)?))
}

type Generator<T> = fn(u64, Vec<usize>) -> affinimath_array::Expr<T>;

fn random(values: Values<'_>, single: Generator<f32>, double: Generator<f64>) -> Result<Node> {
    let (seed, shape) = (integer(given(values, 0)?, "seed")? as u64, shape_of(given(values, 1)?)?.to_vec());
    match element_type(values, 2, ElementType::F64)? {
        ElementType::F32 => Ok(single(seed, shape).node().clone()),
        ElementType::F64 => Ok(double(seed, shape).node().clone()),
        other => Err(format!("random numbers are float32 or float64, not {other}")),
    }
}

fn random_integers(values: Values<'_>) -> Result<Node> {
    let (seed, shape) = (integer(given(values, 0)?, "seed")? as u64, shape_of(given(values, 1)?)?.to_vec());
    let (low, high) = (integer(given(values, 2)?, "low")?, integer(given(values, 3)?, "high")?);
    Ok(integers::<i64>(seed, shape, low..high).node().clone())
}
