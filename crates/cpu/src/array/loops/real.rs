//! Operations of reals that processors have themselves.

use std::marker::PhantomData;

use affinimath_array::function::{Binary, Unary};
use affinimath_math::Lanes;
use pulp::Arch;

use super::integer::maps1;
use super::number::{self, Number, maps};
use super::{Map1, Map2, each1, each2};
use crate::array::machine::{Call, GRANULE, Loop, LoopFn, Machine, Precision, Vectors, entry};

/// `f32` or `f64`.
pub trait RealNumber: Number + Precision {
    /// The sign of the dividend.
    fn remainder(self, other: Self) -> Self;
    /// |x| with the sign of y.
    fn with_sign(self, other: Self) -> Self;
    /// -1, 0 or 1; NaN and zeros are themselves.
    fn sign(self) -> Self;
    /// |x| = ∞
    fn is_infinite(self) -> bool;
    /// |x| < ∞
    fn is_finite(self) -> bool;
    /// The bit of the sign.
    fn sign_bit(self) -> bool;
    /// 1
    fn one() -> Self;
}

macro_rules! real {
    ($type:ident) => {
        impl RealNumber for $type {
            #[inline(always)]
            fn remainder(self, other: $type) -> $type {
                self % other
            }
            #[inline(always)]
            fn with_sign(self, other: $type) -> $type {
                self.copysign(other)
            }
            #[inline(always)]
            fn sign(self) -> $type {
                let is_itself = self == 0.0 || self != self;
                if is_itself { self } else { $type::copysign(1.0, self) }
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
            #[inline(always)]
            fn one() -> $type {
                1.0
            }
        }
    };
}

real!(f32);
real!(f64);

maps! {
    Remainder RealNumber |a, b| -> T { a.remainder(b) }
    WithSign RealNumber |a, b| -> T { a.with_sign(b) }
}

maps1! {
    Sign RealNumber |a| -> T { a.sign() }
    IsNan RealNumber |a| -> u8 { a.is_nan() as u8 }
    IsInfinite RealNumber |a| -> u8 { a.is_infinite() as u8 }
    IsFinite RealNumber |a| -> u8 { a.is_finite() as u8 }
    SignBit RealNumber |a| -> u8 { a.sign_bit() as u8 }
}

/// Loops over vectors: the operation of the machine's token on one to four operands.
macro_rules! vector_loops {
    ($($name:ident |$lanes:ident, $($operand:ident $index:literal),+| $value:expr;)+) => {
        $(pub struct $name<R>(PhantomData<R>);

        impl<R: RealNumber> Loop for $name<R> {
            #[inline(always)]
            unsafe fn run<M: Machine>(machine: M, call: &Call) {
                let ($lanes, to) = (R::of(machine), call.to[0].cast::<R>());
                let width = <R::Of<M> as Vectors>::WIDTH;
                for granule in (0..call.n).step_by(GRANULE) {
                    for i in (granule..granule + GRANULE).step_by(width) {
                        // SAFETY: by contract: the types and the length, which the width divides.
                        unsafe {
                            $(let $operand = $lanes.load(call.from[$index].element(i));)+
                            $lanes.store(to.add(i), $value);
                        }
                    }
                }
            }
        })+
    };
}

vector_loops! {
    Negative |l, a 0| l.neg(a);
    Modulus |l, a 0| l.abs(a);
    Reciprocal |l, a 0| l.div(l.splat(R::one()), a);
    Square |l, a 0| l.mul(a, a);
    Root |l, a 0| l.sqrt(a);
    Down |l, a 0| l.floor(a);
    Up |l, a 0| l.neg(l.floor(l.neg(a)));
    TowardsZero |l, a 0| l.trunc(a);
    Nearest |l, a 0| l.round(a);
    Plus |l, a 0, b 1| l.add(a, b);
    Minus |l, a 0, b 1| l.sub(a, b);
    Times |l, a 0, b 1| l.mul(a, b);
    Quotient |l, a 0, b 1| l.div(a, b);
    Fma |l, a 0, b 1, c 2| l.fma(a, b, c);
    ChoiceBelow |l, a 0, b 1, c 2, d 3| l.select(l.lt(a, b), c, d);
    ChoiceAtMost |l, a 0, b 1, c 2, d 3| l.select(l.le(a, b), c, d);
    ChoiceAbove |l, a 0, b 1, c 2, d 3| l.select(l.lt(b, a), c, d);
    ChoiceAtLeast |l, a 0, b 1, c 2, d 3| l.select(l.le(b, a), c, d);
    ChoiceEqual |l, a 0, b 1, c 2, d 3| l.select(l.eq(a, b), c, d);
    ChoiceUnequal |l, a 0, b 1, c 2, d 3| l.select(l.ne(a, b), c, d);
}

/// The loop of a function of one real.
pub fn unary<T: RealNumber>(arch: Arch, function: Unary) -> Option<LoopFn> {
    Some(match function {
        Unary::Neg => entry::<Negative<T>>(arch),
        Unary::Abs => entry::<Modulus<T>>(arch),
        Unary::Sign => each1::<Sign<T>>(arch),
        Unary::Recip => entry::<Reciprocal<T>>(arch),
        Unary::Square => entry::<Square<T>>(arch),
        Unary::Sqrt => entry::<Root<T>>(arch),
        Unary::Floor => entry::<Down<T>>(arch),
        Unary::Ceil => entry::<Up<T>>(arch),
        Unary::Trunc => entry::<TowardsZero<T>>(arch),
        Unary::Round => entry::<Nearest<T>>(arch),
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
        Binary::Add => entry::<Plus<T>>(arch),
        Binary::Sub => entry::<Minus<T>>(arch),
        Binary::Mul => entry::<Times<T>>(arch),
        Binary::Div => entry::<Quotient<T>>(arch),
        Binary::Rem => each2::<Remainder<T>>(arch),
        Binary::CopySign => each2::<WithSign<T>>(arch),
        _ => return number::common::<T>(arch, function),
    })
}

/// The loop of a choice by a comparison of reals between values of the same size, whose bits stay as they are.
pub fn choice<T: RealNumber>(arch: Arch, function: Binary) -> Option<LoopFn> {
    Some(match function {
        Binary::Lt => entry::<ChoiceBelow<T>>(arch),
        Binary::Le => entry::<ChoiceAtMost<T>>(arch),
        Binary::Gt => entry::<ChoiceAbove<T>>(arch),
        Binary::Ge => entry::<ChoiceAtLeast<T>>(arch),
        Binary::Eq => entry::<ChoiceEqual<T>>(arch),
        Binary::Ne => entry::<ChoiceUnequal<T>>(arch),
        _ => return None,
    })
}
