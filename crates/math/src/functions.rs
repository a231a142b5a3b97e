//! Functions by name: methods of the precision, and lists for macros.

use crate::lanes::{Lanes, Real};
use crate::{double, single};

/// Calls a macro with the functions of one value.
///
/// The macro receives the given tokens in braces, then a pair for each function: its name in camel case, and in
/// [`Functions`], [`single`](crate::single) and [`double`](crate::double). An executor makes a match of them:
/// ```
/// use affinimath_math::{Functions, Lanes, unary_functions};
///
/// macro_rules! apply {
///     ({ $l:ident $name:ident $x:ident } $($variant:ident $function:ident,)*) => {
///         match $name {
///             $(stringify!($variant) => Some(<L::Real as Functions>::$function($l, $x)),)*
///             _ => None,
///         }
///     };
/// }
///
/// fn apply<L: Lanes<Real: Functions>>(l: L, name: &str, x: L::F) -> Option<L::F> {
///     unary_functions!(apply l name x)
/// }
///
/// assert_eq!(apply(affinimath_math::Scalar::<f64>::new(), "Exp2", 3.0), Some(8.0));
/// ```
#[macro_export]
macro_rules! unary_functions {
    ($macro:ident $($tokens:tt)*) => {
        $macro! {
            { $($tokens)* }
            Cbrt cbrt,
            Exp exp,
            Exp2 exp2,
            Expm1 expm1,
            Ln ln,
            Log2 log2,
            Log10 log10,
            Log1p log1p,
            Sin sin,
            Cos cos,
            Tan tan,
            Asin asin,
            Acos acos,
            Atan atan,
            Erf erf,
            Erfc erfc,
            Normcdf normcdf,
            Gamma gamma,
            Lgamma lgamma,
            SinPi sinpi,
            CosPi cospi,
            Sinh sinh,
            Cosh cosh,
            Tanh tanh,
        }
    };
}

/// Calls a macro with the functions of two values, as [`unary_functions`](crate::unary_functions) does.
#[macro_export]
macro_rules! binary_functions {
    ($macro:ident $($tokens:tt)*) => {
        $macro! {
            { $($tokens)* }
            Atan2 atan2,
            Hypot hypot,
            Pow pow,
        }
    };
}

macro_rules! unary {
    ({ declare } $($variant:ident $function:ident,)*) => {
        $(
            #[doc = concat!("As [`single::", stringify!($function), "`] and [`double::", stringify!($function), "`].")]
            fn $function<L: Lanes<Real = Self>>(l: L, x: L::F) -> L::F;
        )*
    };
    ({ $module:ident } $($variant:ident $function:ident,)*) => {
        $(
            #[inline(always)]
            fn $function<L: Lanes<Real = Self>>(l: L, x: L::F) -> L::F {
                $module::$function(l, x)
            }
        )*
    };
}

macro_rules! binary {
    ({ declare } $($variant:ident $function:ident,)*) => {
        $(
            #[doc = concat!("As [`single::", stringify!($function), "`] and [`double::", stringify!($function), "`].")]
            fn $function<L: Lanes<Real = Self>>(l: L, x: L::F, y: L::F) -> L::F;
        )*
    };
    ({ $module:ident } $($variant:ident $function:ident,)*) => {
        $(
            #[inline(always)]
            fn $function<L: Lanes<Real = Self>>(l: L, x: L::F, y: L::F) -> L::F {
                $module::$function(l, x, y)
            }
        )*
    };
}

/// The functions of a precision, for code that is generic over it.
pub trait Functions: Real {
    unary_functions!(unary declare);
    binary_functions!(binary declare);
}

impl Functions for f32 {
    unary_functions!(unary single);
    binary_functions!(binary single);
}

impl Functions for f64 {
    unary_functions!(unary double);
    binary_functions!(binary double);
}
