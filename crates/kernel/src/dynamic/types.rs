//! Types of results.

use super::super::error::BuildError;
use super::super::types::{ScalarType, ValueType};
use super::{BinaryOp, Result, UnaryOp};

/// Refuses types that no value has.
pub(super) fn check_value(what: &str, value_type: ValueType) -> Result<()> {
    if value_type.is_legal() && value_type.scalar != ScalarType::F16 {
        return Ok(());
    }
    Err(BuildError::Type { what: what.to_owned(), value_type })
}

/// The type of a unary operation's result.
pub(super) fn unary(op: UnaryOp, operand: ValueType) -> Option<ValueType> {
    let scalar = operand.scalar;
    let taken = match op {
        UnaryOp::Neg | UnaryOp::Abs => scalar != ScalarType::Bool,
        UnaryOp::Not => !scalar.is_float(),
        UnaryOp::Popcount | UnaryOp::LeadingZeros => scalar.is_integer(),
        _ => scalar.is_float(),
    };
    let result = if op == UnaryOp::SignBit { operand.of(ScalarType::Bool) } else { operand };
    taken.then_some(result)
}

/// The type of a binary operation's result, of operands with as many lanes.
pub(super) fn binary(op: BinaryOp, a: ValueType, b: ValueType) -> Option<ValueType> {
    let scalar = a.scalar;
    if op == BinaryOp::Ldexp {
        return (scalar.is_float() && b == a.of(ScalarType::I32)).then_some(a);
    }
    let taken = match op {
        BinaryOp::Eq | BinaryOp::Ne => true,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !scalar.is_float(),
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft | BinaryOp::MulHigh => scalar.is_integer(),
        BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Hypot | BinaryOp::Copysign => scalar.is_float(),
        _ => scalar != ScalarType::Bool,
    };
    let result = if op.is_comparison() { a.of(ScalarType::Bool) } else { a };
    (taken && a == b).then_some(result)
}
