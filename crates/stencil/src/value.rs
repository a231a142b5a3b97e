//! Numbers and the operations on them: the meaning of a node for every executor.

use crate::definition::scalar::{Number, power};
use crate::definition::{Binary, Function, Type};

/// A number of a type that grids have, or a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A condition.
    Bool(bool),
    /// An `int`.
    I32(i32),
    /// A `long`.
    I64(i64),
    /// A `float`.
    F32(f32),
    /// A `double`.
    F64(f64),
}

impl Value {
    /// The number in double precision: exact except for a `long` beyond 2^53. Conditions are 1 or 0.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Bool(value) => f64::from(u8::from(value)),
            Value::I32(value) => f64::from(value),
            Value::I64(value) => value as f64,
            Value::F32(value) => f64::from(value),
            Value::F64(value) => value,
        }
    }

    /// A constant of a type.
    pub(crate) fn constant(value: f64, kind: Type) -> Value {
        match kind {
            Type::Bool => Value::Bool(value != 0.0),
            Type::I32 => Value::I32(value as i32),
            Type::I64 => Value::I64(value as i64),
            Type::F32 => Value::F32(value as f32),
            Type::F64 => Value::F64(value),
        }
    }

    /// The number in a type: integers wrap, real numbers are truncated to integers and saturate.
    pub(crate) fn converted(self, kind: Type) -> Value {
        match (self, kind) {
            (Value::I64(value), Type::I32) => Value::I32(value as i32),
            (Value::I32(value), Type::I64) => Value::I64(i64::from(value)),
            (Value::F32(value), Type::I64) => Value::I64(value as i64),
            (Value::F64(value), Type::I64) => Value::I64(value as i64),
            (Value::F32(value), Type::I32) => Value::I32(value as i32),
            (Value::I64(value), Type::I64) => Value::I64(value),
            (Value::I64(value), Type::F32) => Value::F32(value as f32),
            (Value::I32(value), Type::F32) => Value::F32(value as f32),
            (value, kind) => Value::constant(value.as_f64(), kind),
        }
    }
}

macro_rules! same {
    ($a:expr, $b:expr, $x:ident, $y:ident => $result:expr) => {
        match ($a, $b) {
            (Value::I32($x), Value::I32($y)) => Some(Value::I32($result)),
            (Value::I64($x), Value::I64($y)) => Some(Value::I64($result)),
            (Value::F32($x), Value::F32($y)) => Some(Value::F32($result)),
            (Value::F64($x), Value::F64($y)) => Some(Value::F64($result)),
            (a, b) => unreachable!("operands of one type, not {a:?} and {b:?}"),
        }
    };
}

macro_rules! compare {
    ($a:expr, $b:expr, $x:ident, $y:ident => $result:expr) => {
        match ($a, $b) {
            (Value::I32($x), Value::I32($y)) => $result,
            (Value::I64($x), Value::I64($y)) => $result,
            (Value::F32($x), Value::F32($y)) => $result,
            (Value::F64($x), Value::F64($y)) => $result,
            (a, b) => unreachable!("operands of one type, not {a:?} and {b:?}"),
        }
    };
}

pub(crate) fn add(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.add(b)).unwrap_or(a)
}

pub(crate) fn subtract(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.subtract(b)).unwrap_or(a)
}

pub(crate) fn multiply(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.multiply(b)).unwrap_or(a)
}

pub(crate) fn lesser(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.lesser(b)).unwrap_or(a)
}

pub(crate) fn greater(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.greater(b)).unwrap_or(a)
}

fn divide(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => Value::F32(a / b),
        (Value::F64(a), Value::F64(b)) => Value::F64(a / b),
        (a, b) => unreachable!("real numbers are divided, not {a:?} and {b:?}"),
    }
}

/// An operator on two numbers, or two conditions.
pub(crate) fn binary(operator: Binary, a: Value, b: Value) -> Option<Value> {
    Some(match operator {
        Binary::Add => add(a, b),
        Binary::Subtract => subtract(a, b),
        Binary::Multiply => multiply(a, b),
        Binary::Divide => divide(a, b),
        Binary::Remainder => return same!(a, b, a, b => a.remainder(b)),
        Binary::Less => Value::Bool(compare!(a, b, a, b => a < b)),
        Binary::LessEqual => Value::Bool(compare!(a, b, a, b => a <= b)),
        Binary::Greater => Value::Bool(compare!(a, b, a, b => a > b)),
        Binary::GreaterEqual => Value::Bool(compare!(a, b, a, b => a >= b)),
        Binary::Equal => Value::Bool(compare!(a, b, a, b => a == b)),
        Binary::NotEqual => Value::Bool(compare!(a, b, a, b => a != b)),
        Binary::And | Binary::Or => unreachable!("logical operators know what they do not need"),
    })
}

/// `&&` and `||`: an unknown operand does not matter where the other one decides.
pub(crate) fn logical(operator: Binary, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    let decides = Value::Bool(operator == Binary::Or);
    if a == Some(decides) || b == Some(decides) {
        return Some(decides);
    }
    a.and(b)
}

pub(crate) fn raised(base: Value, exponent: i32) -> Value {
    let magnitude = exponent.unsigned_abs();
    match base {
        Value::I32(base) => Value::I32(power(base, magnitude, Number::ONE, Number::multiply)),
        Value::I64(base) => Value::I64(power(base, magnitude, Number::ONE, Number::multiply)),
        Value::F32(base) => {
            let result = power(base, magnitude, Number::ONE, Number::multiply);
            Value::F32(if exponent < 0 { 1.0 / result } else { result })
        }
        Value::F64(base) => {
            let result = power(base, magnitude, Number::ONE, Number::multiply);
            Value::F64(if exponent < 0 { 1.0 / result } else { result })
        }
        Value::Bool(_) => unreachable!("conditions have no powers"),
    }
}

pub(crate) fn call(function: Function, a: Value, b: Value) -> Option<Value> {
    same!(a, b, a, b => Number::call(function, a, b))
}

/// `-a`
pub(crate) fn negated(a: Value) -> Option<Value> {
    same!(a, a, a, _b => a.negate())
}
