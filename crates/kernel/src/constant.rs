//! Constants and their arithmetic, for folding and for the interpreter.

use super::ir::{BinaryOp, UnaryOp};
use super::types::ScalarType;

/// A scalar value. Floating-point values are stored as bits, so that constants compare bitwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// An `i32`.
    I32(i32),
    /// A `u32`.
    U32(u32),
    /// An `i64`.
    I64(i64),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
}

macro_rules! constant_from {
    ($($type:ident $variant:ident $bits:expr),*) => { $(
        impl From<$type> for Constant {
            fn from(value: $type) -> Self {
                Constant::$variant($bits(value))
            }
        }
    )* };
}

constant_from!(bool Bool bool::from, i32 I32 i32::from, u32 U32 u32::from, i64 I64 i64::from);
constant_from!(f32 F32 f32::to_bits, f64 F64 f64::to_bits);

/// Reason for an operation without a portable value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// A signed result that does not fit.
    #[error("a signed integer overflows")]
    Overflow,
    /// An integer divided by zero.
    #[error("an integer is divided by zero")]
    DivisionByZero,
    /// A shift by less than 0, or by all bits and more.
    #[error("a shift by more bits than the integer has, or by less than 0")]
    Shift,
    /// A conversion out of the target's range.
    #[error("a number is converted to an integer that cannot hold it")]
    Conversion,
}

type Value = Result<Constant, Undefined>;

impl Constant {
    /// The constant's type.
    pub const fn scalar_type(self) -> ScalarType {
        match self {
            Constant::Bool(_) => ScalarType::Bool,
            Constant::I32(_) => ScalarType::I32,
            Constant::U32(_) => ScalarType::U32,
            Constant::I64(_) => ScalarType::I64,
            Constant::F32(_) => ScalarType::F32,
            Constant::F64(_) => ScalarType::F64,
        }
    }

    /// The type's zero.
    pub(super) fn zero(scalar: ScalarType) -> Self {
        match scalar {
            ScalarType::Bool => false.into(),
            ScalarType::I32 => 0_i32.into(),
            ScalarType::U32 => 0_u32.into(),
            ScalarType::I64 => 0_i64.into(),
            ScalarType::F32 => 0.0_f32.into(),
            ScalarType::F64 => 0.0_f64.into(),
        }
    }

    /// The value as an integer, if it is one.
    pub(super) fn integer(self) -> Option<i64> {
        match self {
            Constant::I32(value) => Some(value.into()),
            Constant::U32(value) => Some(value.into()),
            Constant::I64(value) => Some(value),
            _ => None,
        }
    }

    /// The value as a real number; exact but for large `i64`.
    pub(super) fn float(self) -> f64 {
        match self {
            Constant::Bool(value) => f64::from(u8::from(value)),
            Constant::I32(value) => value.into(),
            Constant::U32(value) => value.into(),
            Constant::I64(value) => value as f64,
            Constant::F32(bits) => f32::from_bits(bits).into(),
            Constant::F64(bits) => f64::from_bits(bits),
        }
    }

    pub(super) fn is_true(self) -> bool {
        self == Constant::Bool(true)
    }

    /// True if it is exactly this value; zeros compare with their signs.
    pub(super) fn is(self, number: f64) -> bool {
        self.scalar_type() != ScalarType::Bool && self.float().to_bits() == number.to_bits()
    }

    /// The value converted as in C: truncated to integers, else rounded to nearest.
    pub(super) fn convert(self, to: ScalarType) -> Value {
        if to.is_float() {
            return Ok(match (self, to) {
                // A conversion through f64 would round twice.
                (Constant::I64(value), ScalarType::F32) => (value as f32).into(),
                (_, ScalarType::F32) => (self.float() as f32).into(),
                _ => self.float().into(),
            });
        }
        let wide = match self {
            Constant::Bool(value) => i64::from(value),
            Constant::F32(_) | Constant::F64(_) => {
                let value = self.float().trunc();
                if !(value >= -(2.0_f64.powi(63)) && value < 2.0_f64.powi(63)) {
                    return Err(Undefined::Conversion);
                }
                value as i64
            }
            _ => self.integer().unwrap_or_default(),
        };
        let from_float = self.scalar_type().is_float();
        Ok(match to {
            ScalarType::Bool => (self.float() != 0.0).into(),
            ScalarType::I64 => wide.into(),
            ScalarType::I32 => i32::try_from(wide).map_err(|_| Undefined::Conversion)?.into(),
            _ if from_float => u32::try_from(wide).map_err(|_| Undefined::Conversion)?.into(),
            _ => (wide as u32).into(),
        })
    }
}

/// An operation on one scalar.
pub(super) fn unary(op: UnaryOp, a: Constant) -> Value {
    match a {
        Constant::Bool(value) => Ok((!value).into()),
        Constant::F32(bits) => {
            let value = f32::from_bits(bits);
            Ok(match op {
                // Computed in f64 and rounded once: more accurate than f32 libraries.
                UnaryOp::Neg => -value,
                UnaryOp::Abs => value.abs(),
                UnaryOp::Sqrt => value.sqrt(),
                _ => real_function(op, value.into()) as f32,
            }
            .into())
        }
        Constant::F64(bits) => Ok(real_function(op, f64::from_bits(bits)).into()),
        Constant::U32(value) => Ok(if op == UnaryOp::Neg { value.wrapping_neg() } else { !value }.into()),
        Constant::I32(value) => match op {
            UnaryOp::Neg => value.checked_neg().map(Constant::from).ok_or(Undefined::Overflow),
            UnaryOp::Abs => value.checked_abs().map(Constant::from).ok_or(Undefined::Overflow),
            _ => Ok((!value).into()),
        },
        Constant::I64(value) => match op {
            UnaryOp::Neg => value.checked_neg().map(Constant::from).ok_or(Undefined::Overflow),
            UnaryOp::Abs => value.checked_abs().map(Constant::from).ok_or(Undefined::Overflow),
            _ => Ok((!value).into()),
        },
    }
}

fn real_function(op: UnaryOp, value: f64) -> f64 {
    match op {
        UnaryOp::Neg | UnaryOp::Not => -value,
        UnaryOp::Abs => value.abs(),
        UnaryOp::Sqrt => value.sqrt(),
        UnaryOp::Sin => value.sin(),
        UnaryOp::Cos => value.cos(),
        UnaryOp::Tan => value.tan(),
        UnaryOp::Exp => value.exp(),
        UnaryOp::Log => value.ln(),
        UnaryOp::Floor => value.floor(),
        UnaryOp::Ceil => value.ceil(),
        UnaryOp::Trunc => value.trunc(),
        UnaryOp::Rint => value.round_ties_even(),
    }
}

/// An operation on two scalars of one type.
pub(super) fn binary(op: BinaryOp, a: Constant, b: Constant) -> Value {
    match (a, b) {
        (Constant::Bool(a), Constant::Bool(b)) => Ok(match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Eq => a == b,
            _ => a ^ b,
        }
        .into()),
        (Constant::F32(a), Constant::F32(b)) => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            Ok(match op {
                BinaryOp::Add => (a + b).into(),
                BinaryOp::Sub => (a - b).into(),
                BinaryOp::Mul => (a * b).into(),
                BinaryOp::Div => (a / b).into(),
                BinaryOp::Rem => (a % b).into(),
                BinaryOp::Min => a.min(b).into(),
                BinaryOp::Max => a.max(b).into(),
                BinaryOp::Pow => (f64::from(a).powf(b.into()) as f32).into(),
                _ => compare(op, a, b),
            })
        }
        (Constant::F64(a), Constant::F64(b)) => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            Ok(match op {
                BinaryOp::Add => (a + b).into(),
                BinaryOp::Sub => (a - b).into(),
                BinaryOp::Mul => (a * b).into(),
                BinaryOp::Div => (a / b).into(),
                BinaryOp::Rem => (a % b).into(),
                BinaryOp::Min => a.min(b).into(),
                BinaryOp::Max => a.max(b).into(),
                BinaryOp::Pow => a.powf(b).into(),
                _ => compare(op, a, b),
            })
        }
        _ => integers(op, a, b),
    }
}

fn compare<V: PartialOrd>(op: BinaryOp, a: V, b: V) -> Constant {
    match op {
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        BinaryOp::Eq => a == b,
        _ => a != b,
    }
    .into()
}

/// No operation on 64 bits overflows 128, except shifts, which are bounded before.
fn integers(op: BinaryOp, a: Constant, b: Constant) -> Value {
    let scalar = a.scalar_type();
    let (x, y) = (i128::from(a.integer().unwrap_or_default()), i128::from(b.integer().unwrap_or_default()));
    if op.is_comparison() {
        return Ok(compare(op, x, y));
    }
    if matches!(op, BinaryOp::Div | BinaryOp::Rem) && y == 0 {
        return Err(Undefined::DivisionByZero);
    }
    let bits = if scalar == ScalarType::I64 { 64 } else { 32 };
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) && !(0..bits).contains(&y) {
        return Err(Undefined::Shift);
    }
    let value = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        BinaryOp::Rem => x % y,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x << y,
        BinaryOp::Shr => x >> y,
        BinaryOp::Min => x.min(y),
        _ => x.max(y),
    };
    match scalar {
        ScalarType::U32 => Ok((value as u32).into()),
        ScalarType::I32 => i32::try_from(value).map(Constant::from).map_err(|_| Undefined::Overflow),
        _ => i64::try_from(value).map(Constant::from).map_err(|_| Undefined::Overflow),
    }
}

/// a*b + c, rounded once.
pub(super) fn fma(a: Constant, b: Constant, c: Constant) -> Value {
    Ok(match (a, b, c) {
        (Constant::F32(a), Constant::F32(b), Constant::F32(c)) => {
            f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)).into()
        }
        _ => a.float().mul_add(b.float(), c.float()).into(),
    })
}
