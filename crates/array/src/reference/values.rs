//! Instructions on values, one at a time. `None` stands for operands that an instruction is not defined for.

use super::functions::{self, Function};
use crate::element::{ElementType, Value};
use crate::function::{Binary, Reduction, Unary};

/// A function of one value.
pub fn unary(function: Unary, x: Value) -> Option<Value> {
    match x {
        Value::Bool(x) => (function == Unary::Not).then_some(Value::Bool(!x)),
        Value::U8(x) => match function {
            Unary::Neg => Some(x.wrapping_neg()),
            Unary::Abs => Some(x),
            Unary::Sign => Some(x.min(1)),
            _ => integer_unary(function, !x, x.wrapping_mul(x)),
        }
        .map(Value::U8),
        Value::U32(x) => match function {
            Unary::Neg => Some(x.wrapping_neg()),
            Unary::Abs => Some(x),
            Unary::Sign => Some(x.min(1)),
            _ => integer_unary(function, !x, x.wrapping_mul(x)),
        }
        .map(Value::U32),
        Value::I32(x) => match function {
            Unary::Neg => Some(x.wrapping_neg()),
            Unary::Abs => Some(x.wrapping_abs()),
            Unary::Sign => Some(x.signum()),
            _ => integer_unary(function, !x, x.wrapping_mul(x)),
        }
        .map(Value::I32),
        Value::I64(x) => match function {
            Unary::Neg => Some(x.wrapping_neg()),
            Unary::Abs => Some(x.wrapping_abs()),
            Unary::Sign => Some(x.signum()),
            _ => integer_unary(function, !x, x.wrapping_mul(x)),
        }
        .map(Value::I64),
        Value::F32(x) => match function {
            Unary::IsNan => Some(Value::Bool(x.is_nan())),
            Unary::IsInfinite => Some(Value::Bool(x.is_infinite())),
            Unary::IsFinite => Some(Value::Bool(x.is_finite())),
            Unary::SignBit => Some(Value::Bool(x.is_sign_negative())),
            _ => real_unary(function, x).map(Value::F32),
        },
        Value::F64(x) => match function {
            Unary::IsNan => Some(Value::Bool(x.is_nan())),
            Unary::IsInfinite => Some(Value::Bool(x.is_infinite())),
            Unary::IsFinite => Some(Value::Bool(x.is_finite())),
            Unary::SignBit => Some(Value::Bool(x.is_sign_negative())),
            _ => real_unary(function, x).map(Value::F64),
        },
    }
}

fn integer_unary<T>(function: Unary, not: T, square: T) -> Option<T> {
    match function {
        Unary::Not => Some(not),
        Unary::Square => Some(square),
        _ => None,
    }
}

/// Functions of one real with a real result: those that are exact or correctly rounded, then those of crates/math.
fn real_unary<R: Function>(function: Unary, x: R) -> Option<R> {
    Some(match function {
        Unary::Not | Unary::IsNan | Unary::IsInfinite | Unary::IsFinite | Unary::SignBit => return None,
        Unary::Neg => x.neg(),
        Unary::Abs => x.abs(),
        Unary::Sign => x.sign(),
        Unary::Recip => R::ONE.div(x),
        Unary::Square => x.mul(x),
        Unary::Sqrt => x.sqrt(),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.neg().floor().neg(),
        Unary::Trunc => x.trunc(),
        Unary::Round => x.round(),
        _ => return x.unary(function),
    })
}

macro_rules! number_binary {
    ($value:ident, $function:ident, $x:ident, $y:ident, $arithmetic:expr) => {
        match $function {
            Binary::Lt => Some(Value::Bool($x < $y)),
            Binary::Le => Some(Value::Bool($x <= $y)),
            Binary::Gt => Some(Value::Bool($x > $y)),
            Binary::Ge => Some(Value::Bool($x >= $y)),
            Binary::Eq => Some(Value::Bool($x == $y)),
            Binary::Ne => Some(Value::Bool($x != $y)),
            _ => $arithmetic.map(Value::$value),
        }
    };
}

macro_rules! integer_binary {
    ($function:ident, $x:ident, $y:ident) => {
        match $function {
            Binary::Add => Some($x.wrapping_add($y)),
            Binary::Sub => Some($x.wrapping_sub($y)),
            Binary::Mul => Some($x.wrapping_mul($y)),
            Binary::Div => Some(if $y == 0 { 0 } else { $x.wrapping_div($y) }),
            Binary::Rem => Some(if $y == 0 { 0 } else { $x.wrapping_rem($y) }),
            Binary::Min => Some($x.min($y)),
            Binary::Max => Some($x.max($y)),
            Binary::And => Some($x & $y),
            Binary::Or => Some($x | $y),
            Binary::Xor => Some($x ^ $y),
            Binary::Shl => Some($x.wrapping_shl($y as u32)),
            Binary::Shr => Some($x.wrapping_shr($y as u32)),
            _ => None,
        }
    };
}

macro_rules! real_binary {
    ($function:ident, $x:ident, $y:ident) => {
        match $function {
            Binary::Add => Some($x + $y),
            Binary::Sub => Some($x - $y),
            Binary::Mul => Some($x * $y),
            Binary::Div => Some($x / $y),
            Binary::Rem => Some($x % $y),
            Binary::Min => Some(if $x < $y || $x.is_nan() { $x } else { $y }),
            Binary::Max => Some(if $x > $y || $x.is_nan() { $x } else { $y }),
            Binary::CopySign => Some($x.copysign($y)),
            Binary::Pow | Binary::Atan2 | Binary::Hypot => functions::binary($function, $x, $y),
            _ => None,
        }
    };
}

/// A function of two values of one type.
pub fn binary(function: Binary, x: Value, y: Value) -> Option<Value> {
    match (x, y) {
        (Value::Bool(x), Value::Bool(y)) => match function {
            Binary::And => Some(Value::Bool(x & y)),
            Binary::Or => Some(Value::Bool(x | y)),
            Binary::Xor => Some(Value::Bool(x ^ y)),
            _ => number_binary!(Bool, function, x, y, None),
        },
        (Value::U8(x), Value::U8(y)) => number_binary!(U8, function, x, y, integer_binary!(function, x, y)),
        (Value::I32(x), Value::I32(y)) => number_binary!(I32, function, x, y, integer_binary!(function, x, y)),
        (Value::U32(x), Value::U32(y)) => number_binary!(U32, function, x, y, integer_binary!(function, x, y)),
        (Value::I64(x), Value::I64(y)) => number_binary!(I64, function, x, y, integer_binary!(function, x, y)),
        (Value::F32(x), Value::F32(y)) => number_binary!(F32, function, x, y, real_binary!(function, x, y)),
        (Value::F64(x), Value::F64(y)) => number_binary!(F64, function, x, y, real_binary!(function, x, y)),
        _ => None,
    }
}

/// a b + c of reals, rounded once.
pub fn fma(a: Value, b: Value, c: Value) -> Option<Value> {
    match (a, b, c) {
        (Value::F32(a), Value::F32(b), Value::F32(c)) => Some(Value::F32(a.mul_add(b, c))),
        (Value::F64(a), Value::F64(b), Value::F64(c)) => Some(Value::F64(a.mul_add(b, c))),
        _ => None,
    }
}

macro_rules! convert_to {
    ($to:ident, $x:expr) => {
        match $to {
            ElementType::Bool => None,
            ElementType::U8 => Some(Value::U8($x as u8)),
            ElementType::I32 => Some(Value::I32($x as i32)),
            ElementType::U32 => Some(Value::U32($x as u32)),
            ElementType::I64 => Some(Value::I64($x as i64)),
            ElementType::F32 => Some(Value::F32($x as f32)),
            ElementType::F64 => Some(Value::F64($x as f64)),
            ElementType::C32 | ElementType::C64 => None,
        }
    };
}

/// The value as one of another type, by Rust's `as`.
pub fn convert(to: ElementType, x: Value) -> Option<Value> {
    if to == ElementType::Bool {
        return is_nonzero(x).map(Value::Bool);
    }
    match x {
        Value::Bool(x) => convert_to!(to, x as u8),
        Value::U8(x) => convert_to!(to, x),
        Value::I32(x) => convert_to!(to, x),
        Value::U32(x) => convert_to!(to, x),
        Value::I64(x) => convert_to!(to, x),
        Value::F32(x) => convert_to!(to, x),
        Value::F64(x) => convert_to!(to, x),
    }
}

fn is_nonzero(x: Value) -> Option<bool> {
    match x {
        Value::Bool(x) => Some(x),
        Value::F32(x) => Some(x != 0.0),
        Value::F64(x) => Some(x != 0.0),
        x => Some(x.bits() != 0),
    }
}

/// Two elements of a reduction in one. Those of `ArgMin` and `ArgMax` have their index in the row.
pub(super) fn join(reduction: Reduction, x: (Value, i64), y: (Value, i64)) -> Option<(Value, i64)> {
    let function = match reduction {
        Reduction::Sum => Binary::Add,
        Reduction::Product => Binary::Mul,
        Reduction::Min => Binary::Min,
        Reduction::Max => Binary::Max,
        Reduction::Any => Binary::Or,
        Reduction::All => Binary::And,
        Reduction::ArgMin | Reduction::ArgMax => return Some(if precedes(reduction, x, y)? { x } else { y }),
    };
    Some((binary(function, x.0, y.0)?, 0))
}

/// NaN comes first, then the less (or greater) value, then the lower index.
fn precedes(reduction: Reduction, x: (Value, i64), y: (Value, i64)) -> Option<bool> {
    let is_true = |function, a, b| binary(function, a, b).map(|v| v == Value::Bool(true));
    let (x_is_nan, y_is_nan) = (is_true(Binary::Ne, x.0, x.0)?, is_true(Binary::Ne, y.0, y.0)?);
    let better = if reduction == Reduction::ArgMin { Binary::Lt } else { Binary::Gt };
    Some(match (x_is_nan, y_is_nan) {
        (false, false) if is_true(Binary::Eq, x.0, y.0)? => x.1 < y.1,
        (false, false) => is_true(better, x.0, y.0)?,
        (true, true) => x.1 < y.1,
        (x_is_nan, _) => x_is_nan,
    })
}
