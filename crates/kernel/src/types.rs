//! The types of values: scalars, and vectors of 2, 4, 8 or 16 of them.

use std::fmt;

use half::f16;
use serde::{Deserialize, Serialize};

use super::constant::Constant;

/// A scalar type as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
pub enum ScalarType {
    /// `true` or `false`; in memory it is a `u8`.
    Bool,
    /// 8 bits, signed; its arithmetic wraps.
    I8,
    /// 8 bits, unsigned; its arithmetic wraps.
    U8,
    /// 16 bits, signed; its arithmetic wraps.
    I16,
    /// 16 bits, unsigned; its arithmetic wraps.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits, unsigned; its arithmetic wraps.
    U32,
    /// 64 bits, signed: the type of indices.
    I64,
    /// 64 bits, unsigned; its arithmetic wraps.
    U64,
    /// IEEE half precision, a type of memory only: loads give `f32`, and stores round to nearest, ties to even.
    F16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ScalarType {
    /// Rust's name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "i8",
            ScalarType::U8 => "u8",
            ScalarType::I16 => "i16",
            ScalarType::U16 => "u16",
            ScalarType::I32 => "i32",
            ScalarType::U32 => "u32",
            ScalarType::I64 => "i64",
            ScalarType::U64 => "u64",
            ScalarType::F16 => "f16",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
        }
    }

    /// True if it is `f16`, `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
    }

    /// True if it is an integer type; `bool` is none.
    pub const fn is_integer(self) -> bool {
        !self.is_float() && !matches!(self, ScalarType::Bool)
    }

    /// True if it has negative values.
    pub const fn is_signed(self) -> bool {
        self.is_float() || matches!(self, ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64)
    }

    /// Its size; a `bool` has 8 bits, as in memory.
    pub const fn bits(self) -> u32 {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 8,
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => 16,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 32,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 64,
        }
    }

    /// The type of values loaded from memory of this type.
    pub const fn loaded(self) -> Self {
        if matches!(self, ScalarType::F16) { ScalarType::F32 } else { self }
    }

    /// True for integers of 8 and 16 bits, which C promotes to `int`.
    pub(super) const fn is_promoted(self) -> bool {
        self.is_integer() && self.bits() < 32
    }

    /// The unsigned integer of the same size.
    pub(super) const fn unsigned(self) -> Self {
        match self.bits() {
            8 => ScalarType::U8,
            16 => ScalarType::U16,
            32 => ScalarType::U32,
            _ => ScalarType::U64,
        }
    }
}

/// The type of a value as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
pub struct ValueType {
    /// The type of one lane.
    pub scalar: ScalarType,
    /// 1 for a scalar; 2, 4, 8 or 16 for a vector.
    pub lanes: usize,
}

impl ValueType {
    /// One value of a scalar type.
    pub const fn scalar(scalar: ScalarType) -> Self {
        ValueType { scalar, lanes: 1 }
    }

    /// A vector; one lane is a scalar.
    pub const fn vector(scalar: ScalarType, lanes: usize) -> Self {
        ValueType { scalar, lanes }
    }

    /// True if a value may have as many lanes.
    pub(super) const fn is_legal(self) -> bool {
        matches!(self.lanes, 1 | 2 | 4 | 8 | 16)
    }

    pub(super) const fn is_vector(self) -> bool {
        self.is_legal() && self.lanes > 1
    }

    pub(super) const fn one_lane(self) -> Self {
        ValueType::scalar(self.scalar)
    }

    pub(super) const fn of(self, scalar: ScalarType) -> Self {
        ValueType { scalar, lanes: self.lanes }
    }

    /// True for a boolean vector.
    pub(super) const fn is_mask(self) -> bool {
        matches!(self.scalar, ScalarType::Bool) && self.lanes > 1
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// `f32`, or `f32x4` for a vector.
impl fmt::Display for ValueType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => write!(formatter, "{}", self.scalar),
            lanes => write!(formatter, "{}x{lanes}", self.scalar),
        }
    }
}

/// A vector of `N` scalars: a type of values, of buffer elements and of constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector<T, const N: usize>(pub [T; N]);

/// A complex value in memory, the real part first.
pub type Pair<R> = Vector<R, 2>;

/// The type of indices and of work-item queries.
pub type Index = i64;

mod sealed {
    pub trait Sealed {}
    pub trait Stored {}
}
use sealed::Sealed;

/// A type of values in a kernel: a [`Scalar`](ScalarKind) or a [`Vector`] of them. Rust's values of the type are its
/// constants.
pub trait Type: Sealed + Copy + 'static {
    /// The type of one lane; of a scalar the type itself.
    type Lane: ScalarKind;
    /// The type as plain data.
    const TYPE: ValueType;

    #[doc(hidden)]
    fn lanes(self) -> Vec<Constant>;
}

/// A type of values that memory and arguments have too: all but `bool` and its vectors.
pub trait Element: Type {}

/// A type of buffer and array elements: an [`Element`], [`f16`] whose values are `f32`, or `bool`, which is a `u8` in
/// memory.
pub trait Stored: sealed::Stored + 'static {
    /// The type of loaded values.
    type Value: Type;
    /// The type in memory.
    const STORED: ValueType;
}

/// A type with arithmetic.
pub trait Number: Element + SelectedBy<Self::Mask> {
    /// The type of comparisons: `bool`, or a vector of them.
    type Mask: Type;

    /// The small integer `value` in all lanes.
    fn whole(value: i32) -> Self;
}

/// A type whose values a condition of type `M` selects: every type by one `bool`, a vector lane by lane by a vector of
/// `bool`.
pub trait SelectedBy<M>: Type {}

/// Integers and vectors of them: bitwise operations, shifts.
pub trait Integer: Number {}

/// `f32`, `f64`, and vectors of them. Kernels generic over the precision, and over the width, are Rust functions
/// generic over `Float`.
pub trait Float: Number {
    /// The value rounded to the type, in all lanes: a constant of a generic kernel.
    fn real(value: f64) -> Self;
}

/// A scalar type.
pub trait ScalarKind: Type<Lane = Self> {
    #[doc(hidden)]
    fn from_constant(constant: Constant) -> Self;
}

/// A scalar type with arithmetic: all but `bool`.
pub trait LaneType: ScalarKind + Number<Mask = bool> {}

/// `f32` or `f64`.
pub trait Real: LaneType + Float {}

/// An integer type: of loop counters and of indices.
pub trait Counter: LaneType + Integer {}

/// `i32` or `u32`: a type of atomic operations.
pub trait Atomic: Counter {}

macro_rules! scalar {
    ($type:ident, $variant:ident, $default:expr, $value:expr) => {
        impl Sealed for $type {}
        impl Type for $type {
            type Lane = $type;
            const TYPE: ValueType = ValueType::scalar(ScalarType::$variant);

            fn lanes(self) -> Vec<Constant> {
                vec![self.into()]
            }
        }
        impl ScalarKind for $type {
            fn from_constant(constant: Constant) -> Self {
                if let Constant::$variant(value) = constant { $value(value) } else { $default }
            }
        }
    };
}

macro_rules! number {
    ($($type:ident $variant:ident $value:expr),*) => { $(
        scalar!($type, $variant, 0 as $type, $value);
        impl Element for $type {}
        impl Number for $type {
            type Mask = bool;

            fn whole(value: i32) -> Self {
                value as $type
            }
        }
        impl LaneType for $type {}
    )* };
}

macro_rules! integer {
    ($($type:ident $variant:ident),*) => { $(
        number!($type $variant $type::from);
        impl Integer for $type {}
        impl Counter for $type {}
    )* };
}

scalar!(bool, Bool, false, bool::from);
integer!(i8 I8, u8 U8, i16 I16, u16 U16, i32 I32, u32 U32, i64 I64, u64 U64);
number!(f32 F32 f32::from_bits, f64 F64 f64::from_bits);

impl Atomic for i32 {}
impl Atomic for u32 {}

impl Float for f32 {
    fn real(value: f64) -> Self {
        value as f32
    }
}

impl Float for f64 {
    fn real(value: f64) -> Self {
        value
    }
}

impl Real for f32 {}
impl Real for f64 {}

impl<T: Element> sealed::Stored for T {}

impl<T: Element> Stored for T {
    type Value = T;
    const STORED: ValueType = T::TYPE;
}

impl sealed::Stored for bool {}

impl Stored for bool {
    type Value = bool;
    const STORED: ValueType = ValueType::scalar(ScalarType::U8);
}

impl sealed::Stored for f16 {}

impl Stored for f16 {
    type Value = f32;
    const STORED: ValueType = ValueType::scalar(ScalarType::F16);
}

impl<T: Type> SelectedBy<bool> for T {}

impl<T: ScalarKind, const N: usize> SelectedBy<Vector<bool, N>> for Vector<T, N> {}

impl<T: ScalarKind, const N: usize> Sealed for Vector<T, N> {}

impl<T: ScalarKind, const N: usize> Type for Vector<T, N> {
    type Lane = T;
    const TYPE: ValueType = {
        assert!(matches!(N, 2 | 4 | 8 | 16), "vectors have 2, 4, 8 or 16 lanes");
        ValueType { scalar: T::TYPE.scalar, lanes: N }
    };

    fn lanes(self) -> Vec<Constant> {
        self.0.into_iter().flat_map(Type::lanes).collect()
    }
}

impl<T: LaneType, const N: usize> Element for Vector<T, N> {}

impl<T: LaneType, const N: usize> Number for Vector<T, N> {
    type Mask = Vector<bool, N>;

    fn whole(value: i32) -> Self {
        Vector([T::whole(value); N])
    }
}

impl<T: LaneType + Integer, const N: usize> Integer for Vector<T, N> {}

impl<T: LaneType + Float, const N: usize> Float for Vector<T, N> {
    fn real(value: f64) -> Self {
        Vector([T::real(value); N])
    }
}
