//! Constant folding and algebraic identities that preserve every bit.

use super::arithmetic;
use super::constant::Constant;
use super::ir::{Id, Node, Op};
use super::operations::{BinaryOp, UnaryOp};
use super::types::ValueType;

/// Result of folding.
pub(super) enum Folded {
    /// An existing value.
    Known(Id),
    /// A simpler operation.
    Operation(Op),
}

/// Simplifies an operation. Operations without a portable value, such as 1 / 0, are kept.
pub(super) fn fold(nodes: &[Node], op: Op, value_type: ValueType) -> Folded {
    let constant_of = |id: Id| match nodes[id].op {
        Op::Constant(constant) => Some(constant),
        _ => None,
    };
    let evaluated = match &op {
        Op::Unary(unary, a) => constant_of(*a).map(|a| arithmetic::unary(*unary, a)),
        Op::Binary(binary, a, b) => {
            constant_of(*a).zip(constant_of(*b)).map(|(a, b)| arithmetic::binary(*binary, a, b))
        }
        Op::Fma(a, b, c) => {
            constant_of(*a).zip(constant_of(*b)).zip(constant_of(*c)).map(|((a, b), c)| arithmetic::fma(a, b, c))
        }
        Op::Convert(a) => constant_of(*a).map(|a| a.convert(value_type.scalar)),
        Op::ConvertSat(a) => constant_of(*a).map(|a| Ok(a.convert_saturating(value_type.scalar))),
        Op::Bitcast(a) => constant_of(*a).map(|a| Ok(a.bitcast(value_type.scalar))),
        Op::Splat(a) | Op::Any(a) | Op::All(a) => constant_of(*a).map(Ok),
        _ => None,
    };
    match evaluated {
        // The math functions of devices differ in the last bits.
        Some(Ok(constant)) if !is_approximate(&op) => Folded::Operation(Op::Constant(constant)),
        // The result may fold again.
        _ => match simplify(nodes, op.clone(), value_type, constant_of) {
            Folded::Operation(other) if other != op => fold(nodes, other, value_type),
            folded => folded,
        },
    }
}

fn is_approximate(op: &Op) -> bool {
    match op {
        Op::Unary(op, _) => op.is_approximate(),
        Op::Binary(op, ..) => op.is_approximate(),
        _ => false,
    }
}

fn simplify(nodes: &[Node], op: Op, value_type: ValueType, constant_of: impl Fn(Id) -> Option<Constant>) -> Folded {
    match op {
        Op::Unary(UnaryOp::Neg | UnaryOp::Not, a) => match (&op, &nodes[a].op) {
            (Op::Unary(outer, _), Op::Unary(inner, value)) if outer == inner => Folded::Known(*value),
            _ => Folded::Operation(op),
        },
        // Even functions of x and of -x are one value then.
        Op::Unary(UnaryOp::Abs, a) => match nodes[a].op {
            Op::Unary(UnaryOp::Neg | UnaryOp::Abs, value) => Folded::Operation(Op::Unary(UnaryOp::Abs, value)),
            _ => Folded::Operation(op),
        },
        Op::Binary(binary, a, b) => simplify_binary(nodes, binary, a, b, constant_of),
        Op::Select(condition, a, b) => match constant_of(condition) {
            Some(condition) => Folded::Known(if condition.is_true() { a } else { b }),
            None if a == b => Folded::Known(a),
            None => Folded::Operation(op),
        },
        Op::Within(index, low, high) => {
            match [index, low, high].map(|id| constant_of(id).and_then(Constant::integer)) {
                [Some(number), Some(low), Some(high)] if (low..=high).contains(&number) => Folded::Known(index),
                _ => Folded::Operation(op),
            }
        }
        Op::Bitcast(a) => match nodes[a].op {
            Op::Bitcast(first) if nodes[first].value_type == value_type => Folded::Known(first),
            Op::Bitcast(first) => Folded::Operation(Op::Bitcast(first)),
            _ => Folded::Operation(op),
        },
        Op::Lane(vector, lane) => match &nodes[vector].op {
            // Shuffles of shuffles are kept: each is one instruction on two vectors, and their product may need more.
            Op::Gather(lanes) if !is_shuffle(nodes, lanes) => Folded::Known(lanes[lane]),
            Op::Splat(scalar) => Folded::Known(*scalar),
            Op::Constant(constant) => Folded::Operation(Op::Constant(*constant)),
            _ => Folded::Operation(op),
        },
        Op::Gather(ref lanes) => match &nodes[lanes[0]].op {
            Op::Constant(constant) if lanes.iter().all(|lane| constant_of(*lane) == Some(*constant)) => {
                Folded::Operation(Op::Constant(*constant))
            }
            Op::Lane(vector, 0) if is_whole(nodes, *vector, lanes) => Folded::Known(*vector),
            _ => Folded::Operation(op),
        },
        _ => Folded::Operation(op),
    }
}

/// True if the scalars are all lanes of vectors.
fn is_shuffle(nodes: &[Node], lanes: &[Id]) -> bool {
    lanes.iter().all(|id| matches!(nodes[*id].op, Op::Lane(..)))
}

/// True if the scalars are all the lanes of a vector, in their order.
fn is_whole(nodes: &[Node], vector: Id, lanes: &[Id]) -> bool {
    nodes[vector].value_type.lanes == lanes.len()
        && lanes.iter().enumerate().all(|(lane, id)| nodes[*id].op == Op::Lane(vector, lane))
}

/// Identities for every operand, including NaN, infinities and signed zeros.
fn simplify_binary(nodes: &[Node], op: BinaryOp, a: Id, b: Id, constant_of: impl Fn(Id) -> Option<Constant>) -> Folded {
    use BinaryOp::{Add, Div, Mul, Or, RotateLeft, Shl, Shr, Sub, Xor};
    let float = nodes[a].value_type.scalar.is_float();
    let is = |id: Id, number: f64| constant_of(id).is_some_and(|constant| constant.is(number));
    let negated = |id: Id| match nodes[id].op {
        Op::Unary(UnaryOp::Neg, value) => Some(value),
        _ => None,
    };
    let (left, right) = (is(a, 0.0), is(b, 0.0));
    match op {
        // -0 + 0 is 0, so x + 0 is not x; x + -0 is always x.
        Add if if float { is(b, -0.0) } else { right } => Folded::Known(a),
        Add if if float { is(a, -0.0) } else { left } => Folded::Known(b),
        Sub | Or | Xor | Shl | Shr | RotateLeft if right => Folded::Known(a),
        Or | Xor if left => Folded::Known(b),
        Mul | Div if is(b, 1.0) => Folded::Known(a),
        Mul if is(a, 1.0) => Folded::Known(b),
        Mul if !float && right => Folded::Known(b),
        Mul if !float && left => Folded::Known(a),
        Mul if float && is(b, -1.0) => Folded::Operation(Op::Unary(UnaryOp::Neg, a)),
        Mul if float && is(a, -1.0) => Folded::Operation(Op::Unary(UnaryOp::Neg, b)),
        Add if float => match (negated(a), negated(b)) {
            (_, Some(b)) => Folded::Operation(Op::Binary(Sub, a, b)),
            (Some(a), None) => Folded::Operation(Op::Binary(Sub, b, a)),
            _ => Folded::Operation(Op::Binary(Add, a, b)),
        },
        Sub if float => match negated(b) {
            Some(b) => Folded::Operation(Op::Binary(Add, a, b)),
            None => Folded::Operation(Op::Binary(Sub, a, b)),
        },
        _ => Folded::Operation(Op::Binary(op, a, b)),
    }
}
