//! Operations that integers and reals have in common: comparisons and conversions.

use std::marker::PhantomData;

use affinimath_array::ElementType;
use affinimath_array::function::Binary;
use pulp::Arch;

use super::{Map1, Map2, each1, each2};
use crate::array::machine::LoopFn;

/// An element type that instructions compute with.
pub trait Number: Copy + PartialOrd + Default + 'static {
    /// x + y; wraps.
    fn plus(self, other: Self) -> Self;
    /// x y; wraps.
    fn times(self, other: Self) -> Self;
    /// The lesser, or NaN if one is NaN; the other one of equals.
    fn min_value(self, other: Self) -> Self;
    /// The greater, or NaN if one is NaN; the other one of equals.
    fn greatest(self, other: Self) -> Self;
    /// True for NaN.
    fn is_nan(self) -> bool;
}

macro_rules! integers {
    ($($type:ident)+) => {
        $(impl Number for $type {
            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn min_value(self, other: $type) -> $type {
                if other < self { other } else { self }
            }
            #[inline(always)]
            fn greatest(self, other: $type) -> $type {
                if other > self { other } else { self }
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
        })+
    };
}

macro_rules! reals {
    ($($type:ident)+) => {
        $(impl Number for $type {
            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self + other
            }
            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self * other
            }
            #[inline(always)]
            fn min_value(self, other: $type) -> $type {
                if self < other || self != self { self } else { other }
            }
            #[inline(always)]
            fn greatest(self, other: $type) -> $type {
                if self > other || self != self { self } else { other }
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }
        })+
    };
}

integers!(u8 i32 u32 i64);
reals!(f32 f64);

/// A type that is converted to as Rust's `as` does.
pub trait ConvertTo<T> {
    /// The converted value.
    fn convert(self) -> T;
}

macro_rules! conversions {
    ($($from:ident)+) => {
        $(conversions!(@ $from u8 i32 u32 i64 f32 f64);)+
    };
    (@ $from:ident $($to:ident)+) => {
        $(impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                self as $to
            }
        })+
    };
}

conversions!(u8 i32 u32 i64 f32 f64);

/// A type with conversions to all others.
pub trait Convertible:
    Number + ConvertTo<u8> + ConvertTo<i32> + ConvertTo<u32> + ConvertTo<i64> + ConvertTo<f32> + ConvertTo<f64>
{
}

impl<T> Convertible for T where
    T: Number + ConvertTo<u8> + ConvertTo<i32> + ConvertTo<u32> + ConvertTo<i64> + ConvertTo<f32> + ConvertTo<f64>
{
}

struct Convert<T, U>(PhantomData<(T, U)>);

impl<T: Number + ConvertTo<U>, U: Number> Map1 for Convert<T, U> {
    type A = T;
    type R = U;

    #[inline(always)]
    fn apply(a: T) -> U {
        a.convert()
    }
}

struct NotZero<T>(PhantomData<T>);

impl<T: Number> Map1 for NotZero<T> {
    type A = T;
    type R = u8;

    #[inline(always)]
    fn apply(a: T) -> u8 {
        (a != T::default()) as u8
    }
}

/// The loop of a conversion from a type.
pub fn convert<T: Convertible>(arch: Arch, to: ElementType) -> Option<LoopFn> {
    Some(match to {
        ElementType::Bool => each1::<NotZero<T>>(arch),
        ElementType::U8 => each1::<Convert<T, u8>>(arch),
        ElementType::I32 => each1::<Convert<T, i32>>(arch),
        ElementType::U32 => each1::<Convert<T, u32>>(arch),
        ElementType::I64 => each1::<Convert<T, i64>>(arch),
        ElementType::F32 => each1::<Convert<T, f32>>(arch),
        ElementType::F64 => each1::<Convert<T, f64>>(arch),
        ElementType::C32 | ElementType::C64 => return None,
    })
}

/// Operations of two elements, each a type with the operation.
macro_rules! maps {
    ($($name:ident $bound:ident |$a:ident, $b:ident| -> $result:ty { $value:expr })+) => {
        $(pub struct $name<T>(std::marker::PhantomData<T>);

        impl<T: $bound> Map2 for $name<T> {
            type A = T;
            type B = T;
            type R = $result;

            #[inline(always)]
            fn apply($a: T, $b: T) -> $result {
                $value
            }
        })+
    };
}
pub(super) use maps;

maps! {
    Plus Number |a, b| -> T { a.plus(b) }
    Times Number |a, b| -> T { a.times(b) }
    Least Number |a, b| -> T { a.min_value(b) }
    Greatest Number |a, b| -> T { a.greatest(b) }
    Below Number |a, b| -> u8 { (a < b) as u8 }
    AtMost Number |a, b| -> u8 { (a <= b) as u8 }
    Above Number |a, b| -> u8 { (a > b) as u8 }
    AtLeast Number |a, b| -> u8 { (a >= b) as u8 }
    Equal Number |a, b| -> u8 { (a == b) as u8 }
    Unequal Number |a, b| -> u8 { (a != b) as u8 }
}

/// The loop of a comparison.
pub fn comparison<T: Number>(arch: Arch, function: Binary) -> Option<LoopFn> {
    Some(match function {
        Binary::Lt => each2::<Below<T>>(arch),
        Binary::Le => each2::<AtMost<T>>(arch),
        Binary::Gt => each2::<Above<T>>(arch),
        Binary::Ge => each2::<AtLeast<T>>(arch),
        Binary::Eq => each2::<Equal<T>>(arch),
        Binary::Ne => each2::<Unequal<T>>(arch),
        _ => return None,
    })
}

/// The loop of an operation that all types have.
pub fn common<T: Number>(arch: Arch, function: Binary) -> Option<LoopFn> {
    Some(match function {
        Binary::Add => each2::<Plus<T>>(arch),
        Binary::Mul => each2::<Times<T>>(arch),
        Binary::Min => each2::<Least<T>>(arch),
        Binary::Max => each2::<Greatest<T>>(arch),
        _ => return comparison::<T>(arch, function),
    })
}
