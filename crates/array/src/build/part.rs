//! Arrays with new elements in a part.

use crate::element::{Number, Value};
use crate::error::ErrorKind;
use crate::function::Binary;
use crate::node::Node;
use crate::shape::Shape;
use crate::slice::{self, Slice};

/// The indices of a part along one axis: `count` of them, `step` apart, from `low` on.
struct Line {
    low: usize,
    step: usize,
    count: usize,
}

impl Line {
    /// The index behind the last one.
    const fn end(&self) -> usize {
        self.low + (self.count - 1) * self.step + 1
    }
}

impl Node {
    /// The elements, of which those of a part are the value's: it has their type, and broadcasts to the part's shape.
    /// `x[slices] = value` as an expression.
    #[track_caller]
    pub fn with_part(&self, slices: &[Slice], value: &Node) -> Node {
        if self.error().is_some() {
            return self.clone();
        }
        let (map, part) = match slice::view(self.shape(), slices) {
            Ok(view) => view,
            Err(kind) => return Node::from_error(kind, self.element()),
        };
        let value = value.broadcast_to(&part);
        if value.error().is_some() || part.is_empty() {
            return if part.is_empty() && value.error().is_none() { self.clone() } else { value };
        }
        if value.element() != self.element() {
            let (left, right) = (self.element(), value.element());
            return Node::from_error(ErrorKind::Types { operation: "assign", left, right }, self.element());
        }
        // The value with the axes of the array: those that no axis of the array follows have one element.
        let mut own = vec![Slice::Index(0); part.rank()];
        let mut lines = Vec::with_capacity(map.axes().len());
        let mut axes = Vec::with_capacity(map.axes().len());
        for map in map.axes() {
            let count = map.axis.map_or(1, |axis| part[axis]);
            let last = map.start as i64 + (count as i64 - 1) * map.step;
            let low = map.start.min(last as usize);
            lines.push(Line { low, step: map.step.unsigned_abs() as usize, count });
            if let Some(axis) = map.axis {
                own[axis] = Slice::FULL.by(if map.step < 0 { -1 } else { 1 });
            }
            axes.push(if map.axis.is_some() { Slice::FULL } else { Slice::NewAxis });
        }
        placed(self, &value.slice(&own).slice(&axes), 0, &lines)
    }
}

/// The value, with an element for each index of the lines, within the array from an axis on.
fn placed(x: &Node, value: &Node, axis: usize, lines: &[Line]) -> Node {
    let [line, others @ ..] = lines else { return value.clone() };
    let along = |start: usize, end: usize| {
        let mut slices = vec![Slice::FULL; axis + 1];
        slices[axis] = Slice::from(start..end);
        x.slice(&slices)
    };
    let extent = x.shape()[axis];
    let middle = along(line.low, line.end());
    let inner = placed(&middle, &spread(value, axis, line), axis + 1, others);
    let inner = if line.step == 1 { inner } else { every(&inner, &middle, axis, line.step) };
    let parts = [along(0, line.low), inner, along(line.end(), extent)];
    let parts: Vec<Node> = parts.into_iter().filter(|part| part.shape()[axis] > 0).collect();
    Node::concatenate(axis as i64, &parts)
}

/// Each element of a value repeated along an axis, up to the next index of the line.
fn spread(value: &Node, axis: usize, line: &Line) -> Node {
    if line.step == 1 || line.count == 1 {
        return value.clone();
    }
    let mut extents = value.shape().to_vec();
    extents.insert(axis + 1, line.step);
    let repeated = Shape::new(&extents).map(|shape| value.new_axis(axis as i64 + 1).broadcast_to(&shape));
    extents.remove(axis + 1);
    extents[axis] *= line.step;
    let mut slices = vec![Slice::FULL; axis + 1];
    slices[axis] = Slice::from(..line.end() - line.low);
    match (repeated, Shape::new(&extents)) {
        (Ok(repeated), Ok(shape)) => repeated.reshape(&shape).slice(&slices),
        (Err(kind), _) | (_, Err(kind)) => Node::from_error(kind, value.element()),
    }
}

/// The value at each multiple of the step along an axis, and the others of x.
fn every(value: &Node, x: &Node, axis: usize, step: usize) -> Node {
    let number = |value: usize| Node::scalar(Number::Real(Value::I64(value as i64)));
    let rest = Node::coordinates(x.shape(), axis as i64).binary(Binary::Rem, &number(step));
    rest.binary(Binary::Eq, &number(0)).select(value, x)
}
