//! The types of values: scalars, and vectors of 2, 4, 8 or 16 of them.

use super::constant::Constant;

/// A scalar type as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarType {
    /// `true` or `false`; not a type of memory.
    Bool,
    /// 32 bits, signed.
    I32,
    /// 32 bits, unsigned; its arithmetic wraps.
    U32,
    /// 64 bits, signed: the type of indices.
    I64,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ScalarType {
    /// True if it is `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, ScalarType::F32 | ScalarType::F64)
    }
}

/// The type of a value as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueType {
    /// The type of one lane.
    pub scalar: ScalarType,
    /// 1 for a scalar; 2, 4, 8 or 16 for a vector.
    pub lanes: usize,
}

impl ValueType {
    pub(super) const fn scalar(scalar: ScalarType) -> Self {
        ValueType { scalar, lanes: 1 }
    }

    pub(super) const fn one_lane(self) -> Self {
        ValueType::scalar(self.scalar)
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

/// A type of buffer elements and of arguments: all but `bool`.
pub trait Element: Type {}

/// A type with arithmetic.
pub trait Number: Element {
    /// The small integer `value` in all lanes.
    fn whole(value: i32) -> Self;
}

/// `i32`, `u32`, `i64`, and vectors of them: bitwise operations, shifts.
pub trait Integer: Number {}

/// `f32`, `f64`, and vectors of them. Kernels generic over the precision, and over the width, are Rust functions
/// generic over `Float`.
pub trait Float: Number {
    /// The value rounded to the type, in all lanes: a constant of a generic kernel.
    fn real(value: f64) -> Self;
}

/// A scalar type.
pub trait ScalarKind: Type<Lane = Self> {}

/// A scalar type of vectors: all but `bool`.
pub trait LaneType: ScalarKind + Number {}

/// `f32` or `f64`.
pub trait Real: LaneType + Float {}

/// `i32`, `u32` or `i64`: a type of loop counters and of indices.
pub trait Counter: LaneType + Integer {}

/// `i32` or `u32`: a type of atomic operations.
pub trait Atomic: Counter {}

macro_rules! scalar {
    ($type:ident, $variant:ident) => {
        impl Sealed for $type {}
        impl Type for $type {
            type Lane = $type;
            const TYPE: ValueType = ValueType::scalar(ScalarType::$variant);

            fn lanes(self) -> Vec<Constant> {
                vec![self.into()]
            }
        }
        impl ScalarKind for $type {}
    };
}

macro_rules! number {
    ($($type:ident $variant:ident),*) => { $(
        scalar!($type, $variant);
        impl Element for $type {}
        impl Number for $type {
            fn whole(value: i32) -> Self {
                value as $type
            }
        }
        impl LaneType for $type {}
    )* };
}

scalar!(bool, Bool);
number!(i32 I32, u32 U32, i64 I64, f32 F32, f64 F64);

impl Integer for i32 {}
impl Integer for u32 {}
impl Integer for i64 {}
impl Counter for i32 {}
impl Counter for u32 {}
impl Counter for i64 {}
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

impl<T: LaneType, const N: usize> Sealed for Vector<T, N> {}

impl<T: LaneType, const N: usize> Type for Vector<T, N> {
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
