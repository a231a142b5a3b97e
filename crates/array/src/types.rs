//! The Rust types of elements.

use super::element::{ElementType, HostSlice, HostSliceMut, Number, Value};
use affinimath_core::{Complex32, Complex64};
use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
}

/// An element of arrays: `bool`, `u8`, `i32`, `u32`, `i64`, `f32`, `f64`, `Complex32` or `Complex64`.
pub trait Element: sealed::Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The type as plain data.
    const TYPE: ElementType;

    /// The type of the real part; of a type that is not complex the type itself.
    type Part: Element;

    /// The value as plain data.
    fn number(self) -> Number;

    /// The value of a number of this type.
    fn from_number(number: Number) -> Option<Self>;

    /// A slice as plain data.
    fn host(elements: &[Self]) -> HostSlice<'_>;

    /// A slice as plain data, for results.
    fn host_mut(elements: &mut [Self]) -> HostSliceMut<'_>;
}

/// A type with + - * and /: all but `bool`.
pub trait Numeric: Element {}

/// A number with an order: an integer, `f32` or `f64`.
pub trait Ordered: Numeric<Part = Self> {}

/// An integer; its arithmetic wraps.
pub trait Integer: Ordered + Bitwise {}

/// A type with & | ^ and !: an integer or `bool`.
pub trait Bitwise: Element<Part = Self> {}

/// A real or complex floating-point number.
pub trait Floating: Numeric {}

/// `f32` or `f64`.
pub trait Real: Floating + Ordered {
    /// The complex type with these parts.
    type Complex: ComplexNumber<Part = Self>;

    /// The value in double precision.
    fn to_f64(self) -> f64;
}

/// `Complex32` or `Complex64`.
pub trait ComplexNumber: Floating {}

macro_rules! real_elements {
    ($($element:ident $variant:ident: $($kind:ident)*;)*) => {$(
        impl sealed::Sealed for $element {}

        impl Element for $element {
            const TYPE: ElementType = ElementType::$variant;
            type Part = $element;

            fn number(self) -> Number {
                Number::Real(Value::$variant(self))
            }

            fn from_number(number: Number) -> Option<Self> {
                match number {
                    Number::Real(Value::$variant(value)) => Some(value),
                    _ => None,
                }
            }

            fn host(elements: &[Self]) -> HostSlice<'_> {
                HostSlice::$variant(elements)
            }

            fn host_mut(elements: &mut [Self]) -> HostSliceMut<'_> {
                HostSliceMut::$variant(elements)
            }
        }

        $(impl $kind for $element {})*
    )*};
}

real_elements! {
    bool Bool: Bitwise;
    u8 U8: Numeric Ordered Bitwise Integer;
    i32 I32: Numeric Ordered Bitwise Integer;
    u32 U32: Numeric Ordered Bitwise Integer;
    i64 I64: Numeric Ordered Bitwise Integer;
    f32 F32: Numeric Ordered Floating;
    f64 F64: Numeric Ordered Floating;
}

macro_rules! complex_elements {
    ($($element:ident $variant:ident $part:ident $part_variant:ident;)*) => {$(
        impl sealed::Sealed for $element {}

        impl Element for $element {
            const TYPE: ElementType = ElementType::$variant;
            type Part = $part;

            fn number(self) -> Number {
                Number::Complex(Value::$part_variant(self.re), Value::$part_variant(self.im))
            }

            fn from_number(number: Number) -> Option<Self> {
                match number {
                    Number::Complex(Value::$part_variant(re), Value::$part_variant(im)) => Some($element { re, im }),
                    _ => None,
                }
            }

            fn host(elements: &[Self]) -> HostSlice<'_> {
                HostSlice::$variant(elements)
            }

            fn host_mut(elements: &mut [Self]) -> HostSliceMut<'_> {
                HostSliceMut::$variant(elements)
            }
        }

        impl Numeric for $element {}
        impl Floating for $element {}
        impl ComplexNumber for $element {}

        impl Real for $part {
            type Complex = $element;

            fn to_f64(self) -> f64 {
                self.into()
            }
        }
    )*};
}

complex_elements! {
    Complex32 C32 f32 F32;
    Complex64 C64 f64 F64;
}
