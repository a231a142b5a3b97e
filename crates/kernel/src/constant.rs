//! Constants and their conversions.

use half::f16;
use serde::{Deserialize, Serialize};

use super::types::ScalarType;

/// A scalar value. Floating-point values are stored as bits, so that constants compare bitwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// An `i8`.
    I8(i8),
    /// A `u8`.
    U8(u8),
    /// An `i16`.
    I16(i16),
    /// A `u16`.
    U16(u16),
    /// An `i32`.
    I32(i32),
    /// A `u32`.
    U32(u32),
    /// An `i64`.
    I64(i64),
    /// A `u64`.
    U64(u64),
    /// The bits of an `f16`, in memory only.
    F16(u16),
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

constant_from!(bool Bool bool::from, i8 I8 i8::from, u8 U8 u8::from, i16 I16 i16::from, u16 U16 u16::from);
constant_from!(i32 I32 i32::from, u32 U32 u32::from, i64 I64 i64::from, u64 U64 u64::from);
constant_from!(f16 F16 f16::to_bits, f32 F32 f32::to_bits, f64 F64 f64::to_bits);

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
    /// An index of a view outside of its dimension's bounds.
    #[error("an index is outside of the bounds of its dimension")]
    Bounds,
}

/// A constant, or the reason why there is none.
pub(super) type Value = Result<Constant, Undefined>;

impl Constant {
    /// The constant's type.
    pub const fn scalar_type(self) -> ScalarType {
        match self {
            Constant::Bool(_) => ScalarType::Bool,
            Constant::I8(_) => ScalarType::I8,
            Constant::U8(_) => ScalarType::U8,
            Constant::I16(_) => ScalarType::I16,
            Constant::U16(_) => ScalarType::U16,
            Constant::I32(_) => ScalarType::I32,
            Constant::U32(_) => ScalarType::U32,
            Constant::I64(_) => ScalarType::I64,
            Constant::U64(_) => ScalarType::U64,
            Constant::F16(_) => ScalarType::F16,
            Constant::F32(_) => ScalarType::F32,
            Constant::F64(_) => ScalarType::F64,
        }
    }

    /// The type's zero.
    pub(super) fn zero(scalar: ScalarType) -> Self {
        Constant::from_bits(0, scalar)
    }

    /// An integer modulo the type's size; a number for the floating-point types.
    pub(super) fn wrapped(value: i128, scalar: ScalarType) -> Self {
        match scalar {
            ScalarType::Bool => (value != 0).into(),
            ScalarType::F16 => f16::from_f64(value as f64).into(),
            ScalarType::F32 => (value as f32).into(),
            ScalarType::F64 => (value as f64).into(),
            _ => Constant::from_bits(value as u64, scalar),
        }
    }

    /// The value of these bits, of which the type takes the lowest.
    pub(super) fn from_bits(bits: u64, scalar: ScalarType) -> Self {
        match scalar {
            ScalarType::Bool => (bits != 0).into(),
            ScalarType::I8 => (bits as i8).into(),
            ScalarType::U8 => (bits as u8).into(),
            ScalarType::I16 => (bits as i16).into(),
            ScalarType::U16 => (bits as u16).into(),
            ScalarType::I32 => (bits as i32).into(),
            ScalarType::U32 => (bits as u32).into(),
            ScalarType::I64 => (bits as i64).into(),
            ScalarType::U64 => bits.into(),
            ScalarType::F16 => Constant::F16(bits as u16),
            ScalarType::F32 => Constant::F32(bits as u32),
            ScalarType::F64 => Constant::F64(bits),
        }
    }

    /// The bits, with zeros above.
    pub(super) fn bits(self) -> u64 {
        match self {
            Constant::Bool(value) => value.into(),
            Constant::F16(bits) => bits.into(),
            Constant::F32(bits) => bits.into(),
            Constant::F64(bits) => bits,
            _ => {
                let above = u64::BITS - self.scalar_type().bits();
                (self.wide().unwrap_or_default() as u64) << above >> above
            }
        }
    }

    /// The value as an integer, if it is one.
    pub(super) fn wide(self) -> Option<i128> {
        match self {
            Constant::I8(value) => Some(value.into()),
            Constant::U8(value) => Some(value.into()),
            Constant::I16(value) => Some(value.into()),
            Constant::U16(value) => Some(value.into()),
            Constant::I32(value) => Some(value.into()),
            Constant::U32(value) => Some(value.into()),
            Constant::I64(value) => Some(value.into()),
            Constant::U64(value) => Some(value.into()),
            _ => None,
        }
    }

    /// The value as an integer, if it is one that an `i64` holds.
    pub(super) fn integer(self) -> Option<i64> {
        self.wide().and_then(|value| value.try_into().ok())
    }

    /// The value as a real number; exact but for large integers of 64 bits.
    pub(super) fn float(self) -> f64 {
        match self {
            Constant::Bool(value) => f64::from(u8::from(value)),
            Constant::F16(bits) => f16::from_bits(bits).into(),
            Constant::F32(bits) => f32::from_bits(bits).into(),
            Constant::F64(bits) => f64::from_bits(bits),
            _ => self.wide().unwrap_or_default() as f64,
        }
    }

    pub(super) fn is_true(self) -> bool {
        self == Constant::Bool(true)
    }

    /// True if it is exactly this value; zeros compare with their signs.
    pub(super) fn is(self, number: f64) -> bool {
        self.scalar_type() != ScalarType::Bool && self.float().to_bits() == number.to_bits()
    }

    /// The value converted as in C: truncated to integers, modulo the size of unsigned ones, else rounded to nearest.
    pub(super) fn convert(self, to: ScalarType) -> Value {
        let from = self.scalar_type();
        if to == ScalarType::Bool {
            return Ok((self.float() != 0.0).into());
        }
        if to.is_float() {
            return Ok(self.to_float(to));
        }
        let (low, high) = range(to);
        if !from.is_float() {
            let value = self.wide().unwrap_or_else(|| self.bits().into());
            let fits = !to.is_signed() || (low..=high).contains(&value);
            return if fits { Ok(Constant::wrapped(value, to)) } else { Err(Undefined::Conversion) };
        }
        let value = self.float().trunc();
        // The comparison is in f64: high + 1 is a power of two, and exact.
        if value >= low as f64 && value < (high + 1) as f64 {
            Ok(Constant::wrapped(value as i128, to))
        } else {
            Err(Undefined::Conversion)
        }
    }

    /// The value rounded once: a conversion of large integers through f64 would round twice.
    fn to_float(self, to: ScalarType) -> Constant {
        match (self.wide(), to) {
            (Some(value), _) => Constant::wrapped(value, to),
            (None, ScalarType::F16) => f16::from_f64(self.float()).into(),
            (None, ScalarType::F32) => (self.float() as f32).into(),
            (None, _) => self.float().into(),
        }
    }

    /// The value converted with saturation, as Rust's `as`: out-of-range values become the nearest one of the type,
    /// and NaN becomes 0.
    pub(super) fn convert_saturating(self, to: ScalarType) -> Constant {
        if to == ScalarType::Bool || to.is_float() {
            return self.convert(to).unwrap_or(Constant::zero(to));
        }
        let (low, high) = range(to);
        let value = match self.wide() {
            Some(value) => value,
            // Rust's conversion saturates to 128 bits, and makes 0 of NaN.
            None => self.float() as i128,
        };
        Constant::wrapped(value.clamp(low, high), to)
    }

    /// The same bits as a value of another type of the same size.
    pub(super) fn bitcast(self, to: ScalarType) -> Constant {
        Constant::from_bits(self.bits(), to)
    }
}

/// The least and the largest value of an integer type.
pub(super) const fn range(scalar: ScalarType) -> (i128, i128) {
    let bits = scalar.bits();
    if scalar.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}
