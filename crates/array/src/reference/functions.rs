//! Functions of the math crate on one lane.

use crate::element::Value;
use crate::function::{Binary, ComplexUnary, Unary};
use affinimath_math::{Functions, Scalar, binary_functions, complex, unary_functions};

/// A precision with the functions that are not single operations.
pub(super) trait Function: Copy {
    const ONE: Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    /// `None` for a function that is no elementary one of a real.
    fn unary(self, function: Unary) -> Option<Self>;
    fn binary(function: Binary, x: Self, y: Self) -> Option<Self>;
    /// The real and the imaginary part.
    fn complex(function: ComplexUnary, x: Self, y: Self) -> (Self, Self);
}

macro_rules! unary_by_name {
    ({ $real:ident $function:ident $x:ident } $($variant:ident $name:ident,)*) => {
        match $function {
            $(Unary::$variant => Some(<$real as Functions>::$name(Scalar::<$real>::new(), $x)),)*
            _ => None,
        }
    };
}

macro_rules! binary_by_name {
    ({ $real:ident $function:ident $x:ident $y:ident } $($variant:ident $name:ident,)*) => {
        match $function {
            $(Binary::$variant => Some(<$real as Functions>::$name(Scalar::<$real>::new(), $x, $y)),)*
            _ => None,
        }
    };
}

macro_rules! function {
    ($real:ident) => {
        impl Function for $real {
            const ONE: $real = 1.0;
            fn neg(self) -> Self {
                -self
            }
            fn abs(self) -> Self {
                $real::abs(self)
            }
            fn sign(self) -> Self {
                if self > 0.0 {
                    1.0
                } else if self < 0.0 {
                    -1.0
                } else {
                    self
                }
            }
            fn mul(self, other: Self) -> Self {
                self * other
            }
            fn div(self, other: Self) -> Self {
                self / other
            }
            fn sqrt(self) -> Self {
                $real::sqrt(self)
            }
            fn floor(self) -> Self {
                $real::floor(self)
            }
            fn trunc(self) -> Self {
                $real::trunc(self)
            }
            fn round(self) -> Self {
                self.round_ties_even()
            }
            fn unary(self, function: Unary) -> Option<Self> {
                let x = self;
                unary_functions!(unary_by_name $real function x)
            }
            fn binary(function: Binary, x: Self, y: Self) -> Option<Self> {
                binary_functions!(binary_by_name $real function x y)
            }
            fn complex(function: ComplexUnary, x: Self, y: Self) -> (Self, Self) {
                let l = Scalar::<$real>::new();
                match function {
                    ComplexUnary::Exp => complex::exp(l, x, y),
                    ComplexUnary::Ln => complex::ln(l, x, y),
                    ComplexUnary::Sqrt => complex::sqrt(l, x, y),
                    ComplexUnary::Recip => complex::recip(l, x, y),
                }
            }
        }
    };
}

function!(f32);
function!(f64);

pub(super) fn binary<R: Function>(function: Binary, x: R, y: R) -> Option<R> {
    R::binary(function, x, y)
}

/// The real and the imaginary part.
pub(super) fn complex(function: ComplexUnary, x: Value, y: Value) -> Option<(Value, Value)> {
    match (x, y) {
        (Value::F32(x), Value::F32(y)) => {
            let (re, im) = f32::complex(function, x, y);
            Some((Value::F32(re), Value::F32(im)))
        }
        (Value::F64(x), Value::F64(y)) => {
            let (re, im) = f64::complex(function, x, y);
            Some((Value::F64(re), Value::F64(im)))
        }
        _ => None,
    }
}
