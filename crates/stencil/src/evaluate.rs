//! Expressions node by node: operands come first, and unknown values pass through what needs them.

use crate::bound::Parameters;
use crate::definition::{Constant, ExprId, Graph, MAX_AXES, Node, Type, Unary};
use crate::value::{Value, binary, call, logical, negated, raised};

/// A point of evaluation: coordinates on the stencil's axes, and the time `t`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) coordinates: [i64; MAX_AXES],
    pub(crate) time: i64,
    /// The level that taps at `t` read: boundaries read the level that they complete.
    pub(crate) shift: i32,
}

/// An expression with the nodes that it needs, operands first.
pub(crate) struct Compiled {
    root: ExprId,
    order: Vec<ExprId>,
}

impl Compiled {
    pub(crate) fn new(graph: &Graph, root: ExprId) -> Self {
        Compiled { root, order: graph.reachable([root]) }
    }

    /// The value; none where it depends on an element outside its range or its memory. `leaf` gives the values of
    /// sizes, temporaries, results and taps. There is one register for each node of the graph.
    pub(crate) fn value(
        &self,
        graph: &Graph,
        registers: &mut [Option<Value>],
        parameters: &Parameters,
        point: &Point,
        leaf: impl Fn(&Node) -> Option<Value>,
    ) -> Option<Value> {
        for &expression in &self.order {
            let value = match graph.node(expression) {
                Node::Coordinate(axis) => Some(Value::I64(point.coordinates[*axis])),
                Node::Time => Some(Value::I64(point.time)),
                node @ (Node::Size(_) | Node::Result(_) | Node::Temporary(_) | Node::Tap(_)) => leaf(node),
                node => operation(node, graph.type_of(expression), registers, parameters),
            };
            registers[expression.index()] = value;
        }
        registers[self.root.index()]
    }
}

/// A node whose value depends on its operands alone.
fn operation(node: &Node, kind: Type, registers: &[Option<Value>], parameters: &Parameters) -> Option<Value> {
    let of = |operand: &ExprId| registers[operand.index()];
    match node {
        Node::Constant(Constant(value)) => Some(Value::constant(*value, kind)),
        Node::Parameter { parameter, indices } => {
            let indices = indices.iter().map(|index| match of(index)?.converted(Type::I64) {
                Value::I64(index) => Some(index),
                _ => None,
            });
            parameters.element(*parameter, &indices.collect::<Option<Vec<i64>>>()?)
        }
        Node::Convert(a) => Some(of(a)?.converted(kind)),
        Node::Unary(Unary::Negate, a) => negated(of(a)?),
        Node::Unary(Unary::Not, a) => Some(Value::Bool(of(a)? != Value::Bool(true))),
        Node::Binary(operator, a, b) if operator.is_logical() => logical(*operator, of(a), of(b)),
        Node::Binary(operator, a, b) => binary(*operator, of(a)?, of(b)?),
        Node::Power(a, exponent) => Some(raised(of(a)?, *exponent)),
        Node::Call(function, arguments) => {
            let a = of(&arguments[0])?;
            call(*function, a, of(arguments.last().unwrap_or(&arguments[0]))?)
        }
        Node::Select(condition, a, b) => {
            if of(condition)? == Value::Bool(true) {
                of(a)
            } else {
                of(b)
            }
        }
        leaf => unreachable!("{leaf:?} has no operands"),
    }
}
