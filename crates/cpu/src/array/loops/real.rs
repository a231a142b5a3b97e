//! Operations of reals that processors have themselves.

use std::marker::PhantomData;

use affinimath_array::function::{Binary, Unary};
use pulp::Arch;

use super::integer::maps1;
use super::number::{self, Number, maps};
use super::{Map1, Map2, Map3, each1, each2};
use crate::array::machine::LoopFn;

/// `f32` or `f64`.
pub trait RealNumber: Number {
    /// x - y
    fn minus(self, other: Self) -> Self;
    /// x / y
    fn quotient(self, other: Self) -> Self;
    /// The sign of the dividend.
    fn remainder(self, other: Self) -> Self;
    /// |x| with the sign of y.
    fn with_sign(self, other: Self) -> Self;
    /// x y + z, rounded once.
    fn fma(self, y: Self, z: Self) -> Self;
    /// -x
    fn negative(self) -> Self;
    /// |x|
    fn modulus(self) -> Self;
    /// -1, 0 or 1; NaN and zeros are themselves.
    fn sign(self) -> Self;
    /// 1/x
    fn reciprocal(self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// To a whole number below.
    fn down(self) -> Self;
    /// To a whole number above.
    fn up(self) -> Self;
    /// To a whole number towards zero.
    fn towards_zero(self) -> Self;
    /// To the nearest whole number.
    fn nearest(self) -> Self;
    /// |x| = ∞
    fn is_infinite(self) -> bool;
    /// |x| < ∞
    fn is_finite(self) -> bool;
    /// The bit of the sign.
    fn sign_bit(self) -> bool;
}

macro_rules! real {
    ($type:ident) => {
        impl RealNumber for $type {
            #[inline(always)]
            fn minus(self, other: $type) -> $type {
                self - other
            }
            #[inline(always)]
            fn quotient(self, other: $type) -> $type {
                self / other
            }
            #[inline(always)]
            fn remainder(self, other: $type) -> $type {
                self % other
            }
            #[inline(always)]
            fn with_sign(self, other: $type) -> $type {
                self.copysign(other)
            }
            #[inline(always)]
            fn fma(self, y: $type, z: $type) -> $type {
                self.mul_add(y, z)
            }
            #[inline(always)]
            fn negative(self) -> $type {
                -self
            }
            #[inline(always)]
            fn modulus(self) -> $type {
                self.abs()
            }
            #[inline(always)]
            fn sign(self) -> $type {
                let is_itself = self == 0.0 || self != self;
                if is_itself { self } else { $type::copysign(1.0, self) }
            }
            #[inline(always)]
            fn reciprocal(self) -> $type {
                1.0 / self
            }
            #[inline(always)]
            fn root(self) -> $type {
                self.sqrt()
            }
            #[inline(always)]
            fn down(self) -> $type {
                self.floor()
            }
            #[inline(always)]
            fn up(self) -> $type {
                self.ceil()
            }
            #[inline(always)]
            fn towards_zero(self) -> $type {
                self.trunc()
            }
            #[inline(always)]
            fn nearest(self) -> $type {
                self.round_ties_even()
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                self.abs() == $type::INFINITY
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.abs() < $type::INFINITY
            }
            #[inline(always)]
            fn sign_bit(self) -> bool {
                self.is_sign_negative()
            }
        }
    };
}

real!(f32);
real!(f64);

maps! {
    Minus RealNumber |a, b| -> T { a.minus(b) }
    Quotient RealNumber |a, b| -> T { a.quotient(b) }
    Remainder RealNumber |a, b| -> T { a.remainder(b) }
    WithSign RealNumber |a, b| -> T { a.with_sign(b) }
}

maps1! {
    Negative RealNumber |a| -> T { a.negative() }
    Modulus RealNumber |a| -> T { a.modulus() }
    Sign RealNumber |a| -> T { a.sign() }
    Reciprocal RealNumber |a| -> T { a.reciprocal() }
    Square RealNumber |a| -> T { a.times(a) }
    Root RealNumber |a| -> T { a.root() }
    Down RealNumber |a| -> T { a.down() }
    Up RealNumber |a| -> T { a.up() }
    TowardsZero RealNumber |a| -> T { a.towards_zero() }
    Nearest RealNumber |a| -> T { a.nearest() }
    IsNan RealNumber |a| -> u8 { a.is_nan() as u8 }
    IsInfinite RealNumber |a| -> u8 { a.is_infinite() as u8 }
    IsFinite RealNumber |a| -> u8 { a.is_finite() as u8 }
    SignBit RealNumber |a| -> u8 { a.sign_bit() as u8 }
}

/// a b + c
pub struct Fma<T>(PhantomData<T>);

impl<T: RealNumber> Map3 for Fma<T> {
    type A = T;
    type B = T;
    type R = T;

    #[inline(always)]
    fn apply(a: T, b: T, c: T) -> T {
        a.fma(b, c)
    }
}

/// The loop of a function of one real.
pub fn unary<T: RealNumber>(arch: Arch, function: Unary) -> Option<LoopFn> {
    Some(match function {
        Unary::Neg => each1::<Negative<T>>(arch),
        Unary::Abs => each1::<Modulus<T>>(arch),
        Unary::Sign => each1::<Sign<T>>(arch),
        Unary::Recip => each1::<Reciprocal<T>>(arch),
        Unary::Square => each1::<Square<T>>(arch),
        Unary::Sqrt => each1::<Root<T>>(arch),
        Unary::Floor => each1::<Down<T>>(arch),
        Unary::Ceil => each1::<Up<T>>(arch),
        Unary::Trunc => each1::<TowardsZero<T>>(arch),
        Unary::Round => each1::<Nearest<T>>(arch),
        Unary::IsNan => each1::<IsNan<T>>(arch),
        Unary::IsInfinite => each1::<IsInfinite<T>>(arch),
        Unary::IsFinite => each1::<IsFinite<T>>(arch),
        Unary::SignBit => each1::<SignBit<T>>(arch),
        _ => return None,
    })
}

/// The loop of a function of two reals.
pub fn binary<T: RealNumber>(arch: Arch, function: Binary) -> Option<LoopFn> {
    Some(match function {
        Binary::Sub => each2::<Minus<T>>(arch),
        Binary::Div => each2::<Quotient<T>>(arch),
        Binary::Rem => each2::<Remainder<T>>(arch),
        Binary::CopySign => each2::<WithSign<T>>(arch),
        _ => return number::common::<T>(arch, function),
    })
}
