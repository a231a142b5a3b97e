//! Rules that keep each bit of a result: constant operands, and identities that hold for all reals of IEEE 754.

use super::code::Code;
use crate::check::constant;
use crate::element::{ElementType, Value};
use crate::function::{Binary, Unary};
use crate::fused::{Instruction, Register};
use crate::reference;

pub(super) enum Folded {
    Register(Register),
    Instruction(Instruction),
}

/// The simpler form of an instruction with a result of the type.
pub(super) fn folded(code: &Code, instruction: &Instruction, element: ElementType) -> Option<Folded> {
    let at = |register: Register| &code.instructions[register];
    let value = |register: Register| match *at(register) {
        Instruction::Constant(element, bits) => constant(element, bits).ok(),
        _ => None,
    };
    let is_value = |register: Register, is: fn(Value) -> bool| value(register).is_some_and(is);
    let same = match *instruction {
        Instruction::Unary(Unary::Neg, x) => match *at(x) {
            Instruction::Unary(Unary::Neg, inner) => Some(inner),
            _ => None,
        },
        Instruction::Unary(Unary::Not, x) => match *at(x) {
            Instruction::Unary(Unary::Not, inner) => Some(inner),
            _ => None,
        },
        Instruction::Unary(Unary::Abs, x) => match *at(x) {
            Instruction::Unary(Unary::Abs, _) => Some(x),
            Instruction::Unary(Unary::Neg, inner) if element.is_real() => {
                return Some(Folded::Instruction(Instruction::Unary(Unary::Abs, inner)));
            }
            _ => None,
        },
        Instruction::Binary(Binary::Mul | Binary::Div, x, y) if is_value(y, is_one) => Some(x),
        Instruction::Binary(Binary::Mul, x, y) if is_value(x, is_one) => Some(y),
        Instruction::Binary(Binary::Add, x, y) if is_value(y, is_negative_zero) => Some(x),
        Instruction::Binary(Binary::Add, x, y) if is_value(x, is_negative_zero) => Some(y),
        Instruction::Binary(Binary::Sub, x, y) if is_value(y, is_zero) => Some(x),
        Instruction::Binary(Binary::And | Binary::Or, x, y) if x == y => Some(x),
        Instruction::Select(_, a, b) if a == b => Some(a),
        Instruction::Select(mask, a, b) => match value(mask) {
            Some(Value::Bool(mask)) => Some(if mask { a } else { b }),
            _ => None,
        },
        Instruction::Convert(to, x) if code.types[x] == to => Some(x),
        _ => None,
    };
    match same {
        Some(register) => Some(Folded::Register(register)),
        None => evaluated(instruction, value).map(|v| Folded::Instruction(Instruction::Constant(element, v.bits()))),
    }
}

/// The result of an instruction with constant operands.
fn evaluated(instruction: &Instruction, value: impl Fn(Register) -> Option<Value>) -> Option<Value> {
    let mut operands = Vec::new();
    let mut moved = instruction.clone();
    let mut is_constant = true;
    super::code::each_operand(&mut moved, |operand| {
        match value(*operand) {
            Some(value) => operands.push(value),
            None => is_constant = false,
        }
        *operand = operands.len().saturating_sub(1);
    });
    if !is_constant || operands.is_empty() || matches!(instruction, Instruction::LoadAt { .. }) {
        return None;
    }
    reference::evaluate_one(&moved, &operands)
}

fn is_one(value: Value) -> bool {
    match value {
        Value::F32(x) => x == 1.0,
        Value::F64(x) => x == 1.0,
        Value::Bool(_) => false,
        other => other.bits() == 1,
    }
}

fn is_zero(value: Value) -> bool {
    !matches!(value, Value::Bool(_)) && value.bits() == 0
}

/// -0 of reals, 0 of integers.
fn is_negative_zero(value: Value) -> bool {
    match value {
        Value::F32(x) => x == 0.0 && x.is_sign_negative(),
        Value::F64(x) => x == 0.0 && x.is_sign_negative(),
        other => is_zero(other),
    }
}
