//! Operations of integers, which wrap, and of booleans.

use affinimath_array::function::{Binary, Unary};
use pulp::Arch;

use super::number::{self, Number, maps};
use super::{Map1, Map2, each1, each2};
use crate::array::machine::LoopFn;

/// An integer type.
pub trait Integer: Number {
    /// x - y
    fn minus(self, other: Self) -> Self;
    /// 0 for the divisor 0.
    fn quotient(self, other: Self) -> Self;
    /// 0 for the divisor 0.
    fn remainder(self, other: Self) -> Self;
    /// The count modulo the width.
    fn shl(self, count: Self) -> Self;
    /// The count modulo the width.
    fn shr(self, count: Self) -> Self;
    /// Bitwise.
    fn and(self, other: Self) -> Self;
    /// Bitwise.
    fn or(self, other: Self) -> Self;
    /// Bitwise.
    fn xor(self, other: Self) -> Self;
    /// Bitwise.
    fn complement(self) -> Self;
    /// -x
    fn negative(self) -> Self;
    /// |x|
    fn modulus(self) -> Self;
    /// -1, 0 or 1.
    fn sign(self) -> Self;
}

macro_rules! integer {
    ($type:ident, |$x:ident| $modulus:expr, $sign:expr) => {
        impl Integer for $type {
            #[inline(always)]
            fn minus(self, other: $type) -> $type {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn quotient(self, other: $type) -> $type {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn remainder(self, other: $type) -> $type {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn shl(self, count: $type) -> $type {
                self.wrapping_shl(count as u32)
            }
            #[inline(always)]
            fn shr(self, count: $type) -> $type {
                self.wrapping_shr(count as u32)
            }
            #[inline(always)]
            fn and(self, other: $type) -> $type {
                self & other
            }
            #[inline(always)]
            fn or(self, other: $type) -> $type {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: $type) -> $type {
                self ^ other
            }
            #[inline(always)]
            fn complement(self) -> $type {
                !self
            }
            #[inline(always)]
            fn negative(self) -> $type {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn modulus(self) -> $type {
                let $x = self;
                $modulus
            }
            #[inline(always)]
            fn sign(self) -> $type {
                let $x = self;
                $sign
            }
        }
    };
}

integer!(u8, |x| x, (x != 0) as u8);
integer!(u32, |x| x, (x != 0) as u32);
integer!(i32, |x| x.wrapping_abs(), x.signum());
integer!(i64, |x| x.wrapping_abs(), x.signum());

maps! {
    Minus Integer |a, b| -> T { a.minus(b) }
    Quotient Integer |a, b| -> T { a.quotient(b) }
    Remainder Integer |a, b| -> T { a.remainder(b) }
    Shl Integer |a, b| -> T { a.shl(b) }
    Shr Integer |a, b| -> T { a.shr(b) }
    And Integer |a, b| -> T { a.and(b) }
    Or Integer |a, b| -> T { a.or(b) }
    Xor Integer |a, b| -> T { a.xor(b) }
}

/// Operations of one element, each a type with the operation.
macro_rules! maps1 {
    ($($name:ident $bound:ident |$a:ident| -> $result:ty { $value:expr })+) => {
        $(struct $name<T>(std::marker::PhantomData<T>);

        impl<T: $bound> Map1 for $name<T> {
            type A = T;
            type R = $result;

            #[inline(always)]
            fn apply($a: T) -> $result {
                $value
            }
        })+
    };
}
pub(super) use maps1;

maps1! {
    Complement Integer |a| -> T { a.complement() }
    Negative Integer |a| -> T { a.negative() }
    Modulus Integer |a| -> T { a.modulus() }
    Sign Integer |a| -> T { a.sign() }
    Square Integer |a| -> T { a.times(a) }
}

/// Not, of booleans.
pub struct LogicalNot;

impl Map1 for LogicalNot {
    type A = u8;
    type R = u8;

    #[inline(always)]
    fn apply(a: u8) -> u8 {
        a ^ 1
    }
}

/// The loop of a function of one integer.
pub fn unary<T: Integer>(arch: Arch, function: Unary) -> Option<LoopFn> {
    Some(match function {
        Unary::Neg => each1::<Negative<T>>(arch),
        Unary::Not => each1::<Complement<T>>(arch),
        Unary::Abs => each1::<Modulus<T>>(arch),
        Unary::Sign => each1::<Sign<T>>(arch),
        Unary::Square => each1::<Square<T>>(arch),
        _ => return None,
    })
}

/// The loop of a function of two integers.
pub fn binary<T: Integer>(arch: Arch, function: Binary) -> Option<LoopFn> {
    Some(match function {
        Binary::Sub => each2::<Minus<T>>(arch),
        Binary::Div => each2::<Quotient<T>>(arch),
        Binary::Rem => each2::<Remainder<T>>(arch),
        Binary::Shl => each2::<Shl<T>>(arch),
        Binary::Shr => each2::<Shr<T>>(arch),
        Binary::And => each2::<And<T>>(arch),
        Binary::Or => each2::<Or<T>>(arch),
        Binary::Xor => each2::<Xor<T>>(arch),
        _ => return number::common::<T>(arch, function),
    })
}

/// The loop of a function of two booleans with a boolean result.
pub fn logical(arch: Arch, function: Binary) -> Option<LoopFn> {
    match function {
        Binary::And | Binary::Or | Binary::Xor => binary::<u8>(arch, function),
        _ => None,
    }
}
