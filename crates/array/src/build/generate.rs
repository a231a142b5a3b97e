//! Nodes without operands, and what follows from them.

use crate::element::{ElementType, Number, Value};
use crate::function::Binary;
use crate::node::{Node, Op, Operands};
use crate::shape::Shape;
use crate::slice::Slice;

impl Node {
    /// One value, of rank 0.
    #[track_caller]
    pub fn scalar(number: Number) -> Node {
        Node::new(Op::Scalar(number), Operands::Zero, number.element_type(), Shape::SCALAR)
    }

    /// The row-major index of each element, an `I64`.
    #[track_caller]
    pub fn iota(shape: &Shape) -> Node {
        Node::new(Op::Iota, Operands::Zero, ElementType::I64, *shape)
    }

    /// The index of each element along the axis, an `I64`.
    #[track_caller]
    pub fn coordinates(shape: &Shape, axis: i64) -> Node {
        let axis = match shape.axis(axis) {
            Ok(axis) => axis,
            Err(kind) => return Node::from_error(kind, ElementType::I64),
        };
        let line = Shape::new(&shape[axis..=axis]).expect("an axis of a shape is a shape");
        let mut slices = vec![Slice::FULL];
        slices.resize(shape.rank() - axis, Slice::NewAxis);
        Node::iota(&line).slice(&slices).broadcast_to(shape)
    }

    /// True in column `i + diagonal` of each row `i`, a `Bool`.
    #[track_caller]
    pub fn diagonal_mask(shape: &Shape, diagonal: i64) -> Node {
        let shifted =
            Node::coordinates(shape, -2).binary(Binary::Add, &Node::scalar(Number::Real(Value::I64(diagonal))));
        Node::coordinates(shape, -1).binary(Binary::Eq, &shifted)
    }
}
