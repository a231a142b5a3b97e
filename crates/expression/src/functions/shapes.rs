//! Functions that move elements.

use super::{Function, Result, array, arrays, given, list, shape_of, whole, whole_list};
use crate::index::integer;
use crate::operators::constant;
use crate::types::{array_of, of_all};
use crate::value::{Value, Weak};
use affinimath_array::function::{Binary, Reduction, Unary};
use affinimath_array::{Axes, ElementType, Node, Number, Shape, Slice, Value as Element};

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
    "reshape"("x" "shape") 2: reshape;
    "ravel"("x") 1: |values: Values<'_>| Ok(flat(&array(values, 0)?));
    "transpose"("x" "axes") 1: transpose;
    "permute_dims"("x" "axes") 2: transpose;
    "T"("x") 1: |values: Values<'_>| Ok(array(values, 0)?.transpose());
    "mT"("x") 1: |values: Values<'_>| Ok(array(values, 0)?.transpose_last());
    "matrix_transpose"("x") 1: |values: Values<'_>| Ok(array(values, 0)?.transpose_last());
    "swapaxes"("x" "axis1" "axis2") 3: swapaxes;
    "moveaxis"("x" "source" "destination") 3: moveaxis;
    "flip"("x" "axis") 1: flip;
    "roll"("x" "shift" "axis") 2: roll;
    "broadcast_to"("x" "shape") 2: |values: Values<'_>| {
        Ok(array(values, 0)?.broadcast_to(&shape_of(given(values, 1)?)?))
    };
    "expand_dims"("x" "axis") 2: expand_dims;
    "squeeze"("x" "axis") 1: squeeze;
    "concat"("arrays" "axis") 1: concat;
    "concatenate"("arrays" "axis") 1: concat;
    "stack"("arrays" "axis") 1: |values: Values<'_>| Ok(Node::stack(whole(values, 1, 0)?, &arrays(given(values, 0)?)?));
    "tile"("x" "repetitions") 2: tile;
    "repeat"("x" "repeats" "axis") 2: repeat;
    "take"("x" "indices" "axis") 2: take;
    "astype"("x" "dtype") 2: astype;
    "tril"("x" "k") 1: |values| triangle(values, true);
    "triu"("x" "k") 1: |values| triangle(values, false);
    "diagonal"("x" "offset") 1: diagonal;
    "trace"("x" "offset") 1: trace;
};

/// The elements in row-major order, along one axis.
pub(super) fn flat(x: &Node) -> Node {
    match Shape::new(&[x.shape().len()]) {
        Ok(line) => x.reshape(&line),
        Err(kind) => Node::from_error(kind, x.element()),
    }
}

/// The shape with another extent along an axis.
pub(super) fn with_extent(shape: &Shape, axis: usize, extent: usize) -> Result<Shape> {
    let mut extents = shape.to_vec();
    extents[axis] = extent;
    Shape::new(&extents).map_err(|error| error.to_string())
}

fn axis_of(shape: &Shape, axis: i64) -> Result<usize> {
    shape.axis(axis).map_err(|error| error.to_string())
}

/// Another shape, of which one extent may be -1.
fn reshape(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let mut extents = whole_list(given(values, 1)?)?;
    let known = extents.iter().filter(|extent| **extent != -1).try_fold(1_i64, |a, b| a.checked_mul(*b));
    let known = known.ok_or_else(|| "a shape with more elements than 2^63".to_owned())?;
    let open = extents.iter().filter(|extent| **extent == -1).count();
    if open > 1 {
        return Err("one extent may be -1".to_owned());
    }
    if open == 1 {
        let len = x.shape().len() as i64;
        if known <= 0 || len % known != 0 {
            return Err(format!("{len} elements are no multiple of {known}"));
        }
        extents.iter_mut().filter(|extent| **extent == -1).for_each(|extent| *extent = len / known);
    }
    let extents = Value::List(extents.into_iter().map(|extent| Value::Number(Weak::Integer(extent))).collect());
    Ok(x.reshape(&shape_of(&extents)?))
}

fn transpose(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    match &values[1] {
        None | Some(Value::None) => Ok(x.transpose()),
        Some(axes) => Ok(x.permute(&whole_list(axes)?)),
    }
}

fn swapaxes(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let [a, b] = [axis_of(x.shape(), whole(values, 1, 0)?)?, axis_of(x.shape(), whole(values, 2, 0)?)?];
    let mut order: Vec<i64> = (0..x.shape().rank() as i64).collect();
    order.swap(a, b);
    Ok(x.permute(&order))
}

fn moveaxis(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let axes = |position| -> Result<Vec<usize>> {
        whole_list(given(values, position)?)?.into_iter().map(|axis| axis_of(x.shape(), axis)).collect()
    };
    let (from, to) = (axes(1)?, axes(2)?);
    if from.len() != to.len() {
        return Err(format!("{} axes are moved to {}", from.len(), to.len()));
    }
    let mut order: Vec<usize> = (0..x.shape().rank()).filter(|axis| !from.contains(axis)).collect();
    let mut moves: Vec<_> = to.into_iter().zip(from).collect();
    moves.sort_unstable();
    for (to, from) in moves {
        order.insert(to.min(order.len()), from);
    }
    Ok(x.permute(&order.into_iter().map(|axis| axis as i64).collect::<Vec<_>>()))
}

fn flip(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    Ok(x.reverse(super::axes(values, 1, x.shape())?))
}

/// Elements moved along axes, those behind the end to the beginning.
fn roll(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let shifts = whole_list(given(values, 1)?)?;
    let Some(axes) = values[2].as_ref().filter(|axis| !matches!(axis, Value::None)) else {
        let [shift] = shifts[..] else { return Err("several shifts need as many axes".to_owned()) };
        return Ok(rolled(&flat(&x), 0, shift).reshape(x.shape()));
    };
    let axes = whole_list(axes)?;
    let pairs: Vec<(i64, i64)> = match (&shifts[..], &axes[..]) {
        ([shift], axes) => axes.iter().map(|axis| (*axis, *shift)).collect(),
        (shifts, axes) if shifts.len() == axes.len() => axes.iter().copied().zip(shifts.iter().copied()).collect(),
        _ => return Err(format!("{} shifts for {} axes", shifts.len(), axes.len())),
    };
    let mut result = x;
    for (axis, shift) in pairs {
        let axis = axis_of(result.shape(), axis)?;
        result = rolled(&result, axis, shift);
    }
    Ok(result)
}

fn rolled(x: &Node, axis: usize, shift: i64) -> Node {
    let extent = x.shape()[axis] as i64;
    let first = if extent == 0 { 0 } else { (extent - shift.rem_euclid(extent)) % extent };
    if first == 0 {
        return x.clone();
    }
    let part = |slice: Slice| x.slice(&[vec![Slice::FULL; axis], vec![slice]].concat());
    Node::concatenate(axis as i64, &[part(Slice::from(first..)), part(Slice::from(..first))])
}

fn expand_dims(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let list = whole_list(given(values, 1)?)?;
    let rank = (x.shape().rank() + list.len()) as i64;
    let mut axes: Vec<i64> = list.iter().map(|axis| if *axis < 0 { axis + rank } else { *axis }).collect();
    axes.sort_unstable();
    if let Some(axis) = axes.iter().find(|axis| !(0..rank).contains(axis)) {
        return Err(format!("axis {axis} of an array that has {rank} axes then"));
    }
    if axes.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("an axis stands twice".to_owned());
    }
    Ok(axes.into_iter().fold(x, |x, axis| x.new_axis(axis)))
}

fn squeeze(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let is_named = values[1].as_ref().is_some_and(|axis| !matches!(axis, Value::None));
    let axes = super::axes(values, 1, x.shape())?;
    let mut slices = Vec::new();
    for (axis, extent) in x.shape().iter().enumerate() {
        let is_taken = axes.contains(axis);
        if is_taken && is_named && *extent != 1 {
            return Err(format!("axis {axis} has {extent} elements, not one"));
        }
        slices.push(if is_taken && *extent == 1 { Slice::Index(0) } else { Slice::FULL });
    }
    Ok(x.slice(&slices))
}

fn concat(values: Values<'_>) -> Result<Node> {
    let nodes = arrays(given(values, 0)?)?;
    if matches!(values[1], Some(Value::None)) {
        return Ok(Node::concatenate(0, &nodes.iter().map(flat).collect::<Vec<_>>()));
    }
    Ok(Node::concatenate(whole(values, 1, 0)?, &nodes))
}

/// Copies of an array of 8 axes that are put together at most.
const MAX_PARTS: usize = 4096;

/// The array repeated along its axes.
fn tile(values: Values<'_>) -> Result<Node> {
    let (mut x, mut counts) = (array(values, 0)?, whole_list(given(values, 1)?)?);
    while x.shape().rank() < counts.len() {
        x = x.new_axis(0);
    }
    while counts.len() < x.shape().rank() {
        counts.insert(0, 1);
    }
    for (axis, count) in counts.into_iter().enumerate() {
        let count = usize::try_from(count).map_err(|_| format!("{count} repetitions"))?;
        x = match count {
            0 => x.slice(&[vec![Slice::FULL; axis], vec![Slice::from(..0_i64)]].concat()),
            1 => x,
            _ => repeated(&x, axis, axis, count)?,
        };
    }
    Ok(x)
}

/// The elements of an axis as often as `count` says: one by one with a new axis behind it, all in turn with one before.
fn repeated(x: &Node, axis: usize, new_axis: usize, count: usize) -> Result<Node> {
    let extent = x.shape()[axis].checked_mul(count).ok_or_else(|| format!("{count} repetitions"))?;
    let shape = with_extent(x.shape(), axis, extent)?;
    let wide = x.new_axis(new_axis as i64);
    match wide.error() {
        // All axes are there already.
        Some(_) if new_axis == axis && count <= MAX_PARTS => {
            Ok(Node::concatenate(axis as i64, &vec![x.clone(); count]))
        }
        Some(error) => Err(error.kind.to_string()),
        None => Ok(wide.broadcast_to(&with_extent(wide.shape(), new_axis, count)?).reshape(&shape)),
    }
}

/// Each element repeated along an axis, without one of the elements in row-major order.
fn repeat(values: Values<'_>) -> Result<Node> {
    let (x, count) = (array(values, 0)?, integer(given(values, 1)?, "repeats")?);
    let count = usize::try_from(count).map_err(|_| format!("{count} repetitions"))?;
    let is_flat = matches!(values[2], None | Some(Value::None));
    let x = if is_flat { flat(&x) } else { x };
    let axis = axis_of(x.shape(), whole(values, 2, 0)?)?;
    repeated(&x, axis, axis + 1, count)
}

fn take(values: Values<'_>) -> Result<Node> {
    let (x, indices) = (array(values, 0)?, given(values, 1)?);
    let element = of_all(&list(indices))?;
    if !element.is_integer() {
        return Err(format!("indices are integers, not {element}"));
    }
    let indices = match indices {
        Value::List(_) => Node::stack(0, &arrays(indices)?).convert(ElementType::I64),
        value => array_of(value, ElementType::I64)?,
    };
    let is_flat = matches!(values[2], None | Some(Value::None)) && x.shape().rank() != 1;
    let x = if is_flat { flat(&x) } else { x };
    Ok(x.gather(whole(values, 2, 0)?, &indices))
}

fn astype(values: Values<'_>) -> Result<Node> {
    match given(values, 1)? {
        Value::Type(element) => super::converted(given(values, 0)?, *element),
        other => Err(format!("the type of elements is one as float64, not {}", other.describe())),
    }
}

/// The elements on one side of a diagonal, zeros on the other one.
fn triangle(values: Values<'_>, is_lower: bool) -> Result<Node> {
    let (x, diagonal) = (array(values, 0)?, whole(values, 1, 0)?);
    if x.shape().rank() < 2 {
        return Err(format!("a matrix has 2 axes at least, not {}", x.shape().rank()));
    }
    let shift = Node::scalar(Number::Real(Element::I64(diagonal)));
    let rows = Node::coordinates(x.shape(), -2).binary(Binary::Add, &shift);
    let function = if is_lower { Binary::Le } else { Binary::Ge };
    Ok(Node::coordinates(x.shape(), -1).binary(function, &rows).select(&x, &constant(0.0, &x)))
}

/// A diagonal of the matrices of the last two axes.
fn diagonal(values: Values<'_>) -> Result<Node> {
    let (x, offset) = (array(values, 0)?, whole(values, 1, 0)?);
    let &[.., rows, columns] = &x.shape()[..] else {
        return Err(format!("a matrix has 2 axes at least, not {}", x.shape().rank()));
    };
    let (down, right) = (offset.saturating_neg().max(0), offset.max(0));
    let length = (rows as i64 - down).min(columns as i64 - right).max(0);
    let part = x.slice(&[Slice::Ellipsis, Slice::from(down..down + length), Slice::from(right..right + length)]);
    // Elements of the square part whose row is their column, summed over rows.
    let last = x.shape().rank() - 2;
    let is_other = Node::diagonal_mask(part.shape(), 0).unary(Unary::Not);
    let reduction = if part.element() == ElementType::Bool { Reduction::Any } else { Reduction::Sum };
    let masked = is_other.select(&constant(0.0, &part), &part);
    Ok(masked.reduce(reduction, Axes::one(last), false))
}

fn trace(values: Values<'_>) -> Result<Node> {
    let diagonal = diagonal(values)?;
    let diagonal = match diagonal.element() {
        ElementType::Bool | ElementType::U8 | ElementType::I32 | ElementType::U32 => diagonal.convert(ElementType::I64),
        _ => diagonal,
    };
    let last = diagonal.shape().rank() - 1;
    Ok(diagonal.reduce(Reduction::Sum, Axes::one(last), false))
}
