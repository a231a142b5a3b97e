//! Constructors of nodes, which check types, shapes and memory.
//!
//! They have no static types: typed expressions ([`Expr`](crate::Expr)) and text call the same ones. None fails: an
//! operation that is not legal gives an [`Op::Error`], whose line is the caller's.

mod combine;
mod elementwise;
mod generate;
mod part;
mod reduce;
mod strided;

pub use combine::routine;

use crate::element::ElementType;
use crate::error::{ArrayError, ErrorKind};
use crate::node::{Node, Op, Operands};
use crate::shape::Shape;
use std::sync::Arc;

/// An operation with the type and shape of its result.
type Checked = Result<(Op, ElementType, Shape), ErrorKind>;

impl Node {
    /// An expression without a value: the error is one of the caller's line.
    #[track_caller]
    pub fn from_error(kind: ErrorKind, element: ElementType) -> Node {
        Node::new(Op::Error(Arc::new(ArrayError::new(kind))), Operands::Zero, element, Shape::SCALAR)
    }

    /// The same error, for an expression of the type.
    #[track_caller]
    pub(crate) fn same_error(&self, element: ElementType) -> Node {
        match self.op() {
            Op::Error(_) if self.element() == element => self.clone(),
            op => Node::new(op.clone(), Operands::Zero, element, Shape::SCALAR),
        }
    }

    /// A node of checked operands. The first operand's error, or else the rule's, becomes one of an expression of the
    /// type `element`.
    #[track_caller]
    pub(crate) fn build(
        operands: Operands,
        operation: &'static str,
        element: ElementType,
        rule: impl FnOnce(&[Node]) -> Checked,
    ) -> Node {
        let nodes = operands.as_slice();
        if let Some(failed) = nodes.iter().find(|node| node.error().is_some()) {
            return failed.same_error(element);
        }
        let mut contexts = nodes.iter().filter_map(Node::context);
        let context = contexts.next();
        if contexts.any(|other| Some(other) != context) {
            return Node::from_error(ErrorKind::Memory { operation }, element);
        }
        match rule(nodes) {
            Ok((op, element, shape)) => Node::new(op, operands, element, shape),
            Err(kind) => Node::from_error(kind, element),
        }
    }
}

/// The shape that all broadcast to.
fn broadcast(nodes: &[Node], operation: &'static str) -> Result<Shape, ErrorKind> {
    let (first, others) = nodes.split_first().expect("an elementwise operation has operands");
    others.iter().try_fold(*first.shape(), |shape, node| shape.broadcast(node.shape(), operation))
}
