//! Arithmetic of constants, for folding and for the interpreter.

use super::constant::{Constant, Undefined, Value, range};
use super::operations::{BinaryOp, UnaryOp};
use super::types::ScalarType;

/// An operation on one scalar.
pub(super) fn unary(op: UnaryOp, a: Constant) -> Value {
    if op == UnaryOp::SignBit {
        return Ok(a.float().is_sign_negative().into());
    }
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
        _ => integer_function(op, a),
    }
}

fn integer_function(op: UnaryOp, a: Constant) -> Value {
    let scalar = a.scalar_type();
    let value = a.wide().unwrap_or_default();
    let result = match op {
        UnaryOp::Neg => -value,
        UnaryOp::Abs => value.abs(),
        UnaryOp::Popcount => a.bits().count_ones().into(),
        UnaryOp::LeadingZeros => (a.bits().leading_zeros() - (u64::BITS - scalar.bits())).into(),
        _ => !value,
    };
    fit(result, scalar)
}

/// The result of an operation on integers: `i32` and `i64` overflow, others wrap around.
fn fit(value: i128, scalar: ScalarType) -> Value {
    let (low, high) = range(scalar);
    let checked = matches!(scalar, ScalarType::I32 | ScalarType::I64);
    if checked && !(low..=high).contains(&value) {
        return Err(Undefined::Overflow);
    }
    Ok(Constant::wrapped(value, scalar))
}

fn real_function(op: UnaryOp, value: f64) -> f64 {
    match op {
        UnaryOp::Neg | UnaryOp::Not => -value,
        UnaryOp::Abs => value.abs(),
        UnaryOp::Sqrt => value.sqrt(),
        UnaryOp::Cbrt => value.cbrt(),
        UnaryOp::Sin => value.sin(),
        UnaryOp::Cos => value.cos(),
        UnaryOp::Tan => value.tan(),
        UnaryOp::Asin => value.asin(),
        UnaryOp::Acos => value.acos(),
        UnaryOp::Atan => value.atan(),
        UnaryOp::Sinh => value.sinh(),
        UnaryOp::Cosh => value.cosh(),
        UnaryOp::Tanh => value.tanh(),
        UnaryOp::Asinh => libm::asinh(value),
        UnaryOp::Acosh => libm::acosh(value),
        UnaryOp::Atanh => libm::atanh(value),
        UnaryOp::Exp => value.exp(),
        UnaryOp::Exp2 => value.exp2(),
        UnaryOp::Expm1 => value.exp_m1(),
        UnaryOp::Log => value.ln(),
        UnaryOp::Log2 => value.log2(),
        UnaryOp::Log10 => value.log10(),
        UnaryOp::Log1p => value.ln_1p(),
        UnaryOp::Erf => libm::erf(value),
        UnaryOp::Erfc => libm::erfc(value),
        UnaryOp::Tgamma => libm::tgamma(value),
        UnaryOp::Lgamma => libm::lgamma(value),
        UnaryOp::Floor => value.floor(),
        UnaryOp::Ceil => value.ceil(),
        UnaryOp::Trunc => value.trunc(),
        UnaryOp::Rint => value.round_ties_even(),
        // They are of integers, or give a truth value.
        UnaryOp::Popcount | UnaryOp::LeadingZeros | UnaryOp::SignBit => value,
    }
}

macro_rules! reals {
    ($name:ident $type:ident $power:expr, $angle:expr, $length:expr) => {
        fn $name(op: BinaryOp, a: $type, b: $type) -> Constant {
            match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                BinaryOp::Rem => a % b,
                BinaryOp::Min => a.min(b),
                BinaryOp::Max => a.max(b),
                BinaryOp::Copysign => a.copysign(b),
                BinaryOp::Pow => $power(a, b),
                BinaryOp::Atan2 => $angle(a, b),
                BinaryOp::Hypot => $length(a, b),
                _ => return compare(op, a, b),
            }
            .into()
        }
    };
}

// Functions of f32 are computed in f64 and rounded once.
reals!(reals_f32 f32 |a, b| f64::from(a).powf(f64::from(b)) as f32, |a, b| f64::from(a).atan2(f64::from(b)) as f32,
    |a, b| f64::from(a).hypot(f64::from(b)) as f32);
reals!(reals_f64 f64 f64::powf, f64::atan2, f64::hypot);

/// An operation on two scalars of one type; of `Ldexp`, the second is an `i32`.
pub(super) fn binary(op: BinaryOp, a: Constant, b: Constant) -> Value {
    match (a, b) {
        (Constant::Bool(a), Constant::Bool(b)) => Ok(match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Eq => a == b,
            _ => a ^ b,
        }
        .into()),
        (Constant::F32(a), Constant::I32(b)) => Ok(libm::ldexpf(f32::from_bits(a), b).into()),
        (Constant::F64(a), Constant::I32(b)) => Ok(libm::ldexp(f64::from_bits(a), b).into()),
        (Constant::F32(a), Constant::F32(b)) => Ok(reals_f32(op, f32::from_bits(a), f32::from_bits(b))),
        (Constant::F64(a), Constant::F64(b)) => Ok(reals_f64(op, f64::from_bits(a), f64::from_bits(b))),
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

/// Results are exact in 128 bits, or right in the bits that an unsigned type keeps.
fn integers(op: BinaryOp, a: Constant, b: Constant) -> Value {
    let scalar = a.scalar_type();
    let (x, y) = (a.wide().unwrap_or_default(), b.wide().unwrap_or_default());
    let bits = scalar.bits();
    if op.is_comparison() {
        return Ok(compare(op, x, y));
    }
    if matches!(op, BinaryOp::Div | BinaryOp::Rem) && y == 0 {
        return Err(Undefined::DivisionByZero);
    }
    // The quotient of the least value and -1 does not fit, whatever the size.
    if matches!(op, BinaryOp::Div | BinaryOp::Rem) && x / y > range(scalar).1 {
        return Err(Undefined::Overflow);
    }
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) && !(0..i128::from(bits)).contains(&y) {
        return Err(Undefined::Shift);
    }
    let value = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div => x / y,
        BinaryOp::Rem => x % y,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x << y,
        BinaryOp::Shr => x >> y,
        BinaryOp::RotateLeft => return Ok(rotated(a, y.rem_euclid(bits.into()) as u32)),
        BinaryOp::MulHigh if scalar.is_signed() => (x * y) >> bits,
        BinaryOp::MulHigh => ((x as u128 * y as u128) >> bits) as i128,
        BinaryOp::Min => x.min(y),
        _ => x.max(y),
    };
    fit(value, scalar)
}

fn rotated(a: Constant, by: u32) -> Constant {
    let (bits, scalar) = (u128::from(a.bits()), a.scalar_type());
    Constant::from_bits((bits << by | bits >> (scalar.bits() - by)) as u64, scalar)
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
