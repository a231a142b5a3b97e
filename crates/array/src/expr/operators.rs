//! The operators + - * / % & | ^ ! << >>, and comparisons.

use super::{Expr, IntoExpr};
use crate::array::Array;
use crate::function::{Binary, Unary};
use crate::node::Node;
use crate::types::{Bitwise, Element, Integer, Numeric, Ordered};
use affinimath_core::{Complex32, Complex64};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

/// An operand of + - * / with an array of type `T`: one of the same type, a complex scalar with real elements, or a
/// real scalar with complex ones. A real array with a complex one is converted by [`to_complex`](Expr::to_complex).
pub trait Operand<T: Numeric> {
    /// The type of the result.
    type Output: Numeric;

    /// The operand as a node.
    fn into_node(self) -> Node;
}

macro_rules! operand {
    ([$($generic:tt)*] $operand:ty, $other:ty => $output:ty) => {
        impl<$($generic)*> Operand<$other> for $operand {
            type Output = $output;

            #[track_caller]
            fn into_node(self) -> Node {
                IntoExpr::into_expr(self).node
            }
        }
    };
    (mixed $($own:ty, $other:ty => $output:ty;)*) => {$(
        operand!([] $own, $other => $output);
    )*};
}

operand!([T: Numeric] T, T => T);
operand!([T: Numeric] Expr<T>, T => T);
operand!([T: Numeric] &Expr<T>, T => T);
operand!([T: Numeric] Array<T>, T => T);
operand!([T: Numeric] &Array<T>, T => T);
operand! { mixed
    f32, Complex32 => Complex32;
    f64, Complex64 => Complex64;
    Complex32, f32 => Complex32;
    Complex64, f64 => Complex64;
}

/// An operator of expressions and arrays on the left, with `$bound` as the rule of the right side.
macro_rules! operator {
    ($operator:ident $method:ident $function:ident; $([$($generic:tt)*] $left:ty;)*) => {$(
        impl<$($generic)*, R: Operand<T>> $operator<R> for $left {
            type Output = Expr<R::Output>;

            #[track_caller]
            fn $method(self, other: R) -> Self::Output {
                Expr::new(self.node().binary(Binary::$function, &other.into_node()))
            }
        }
    )*};
}

/// The same for an operator whose operands have one type.
macro_rules! same_type_operator {
    ($operator:ident $method:ident $function:ident; $([$($generic:tt)*] $left:ty;)*) => {$(
        impl<$($generic)*, R: IntoExpr<T>> $operator<R> for $left {
            type Output = Expr<T>;

            #[track_caller]
            fn $method(self, other: R) -> Self::Output {
                Expr::new(self.node().binary(Binary::$function, other.into_expr().node()))
            }
        }
    )*};
}

macro_rules! for_left_sides {
    ($macro:ident $bound:ident: $($operator:ident $method:ident $function:ident;)*) => {$(
        $macro! { $operator $method $function;
            [T: $bound] Expr<T>;
            [T: $bound] &Expr<T>;
            [T: $bound] Array<T>;
            [T: $bound] &Array<T>;
        }
    )*};
}

for_left_sides! { operator Numeric:
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
}

for_left_sides! { same_type_operator Ordered:
    Rem rem Rem;
}

for_left_sides! { same_type_operator Bitwise:
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
}

for_left_sides! { same_type_operator Integer:
    Shl shl Shl;
    Shr shr Shr;
}

/// Operators with a scalar on the left.
macro_rules! scalar_operators {
    ($scalar:ty, $element:ty => $output:ty: $($operator:ident $method:ident $function:ident;)*) => {$(
        scalar_operators!(@one $scalar, Expr<$element>, $output, $operator $method $function);
        scalar_operators!(@one $scalar, &Expr<$element>, $output, $operator $method $function);
        scalar_operators!(@one $scalar, Array<$element>, $output, $operator $method $function);
        scalar_operators!(@one $scalar, &Array<$element>, $output, $operator $method $function);
    )*};
    (@one $scalar:ty, $right:ty, $output:ty, $operator:ident $method:ident $function:ident) => {
        impl $operator<$right> for $scalar {
            type Output = Expr<$output>;

            #[track_caller]
            fn $method(self, other: $right) -> Self::Output {
                Expr::new(Node::scalar(self.number()).binary(Binary::$function, other.node()))
            }
        }
    };
}

macro_rules! arithmetic {
    ($($scalar:ty, $element:ty => $output:ty;)*) => {$(
        scalar_operators! { $scalar, $element => $output:
            Add add Add;
            Sub sub Sub;
            Mul mul Mul;
            Div div Div;
        }
    )*};
}

macro_rules! scalar_operators_of {
    (@each [] $($rest:tt)*) => {};
    (@each [$first:ty $(, $scalar:ty)*] $($rest:tt)*) => {
        scalar_operators! { $first, $first => $first: $($rest)* }
        scalar_operators_of!(@each [$($scalar),*] $($rest)*);
    };
}

arithmetic! {
    u8, u8 => u8;
    i32, i32 => i32;
    u32, u32 => u32;
    i64, i64 => i64;
    f32, f32 => f32;
    f64, f64 => f64;
    Complex32, Complex32 => Complex32;
    Complex64, Complex64 => Complex64;
    f32, Complex32 => Complex32;
    f64, Complex64 => Complex64;
    Complex32, f32 => Complex32;
    Complex64, f64 => Complex64;
}

scalar_operators_of! { @each [u8, i32, u32, i64, f32, f64] Rem rem Rem; }
scalar_operators_of! { @each [bool, u8, i32, u32, i64]
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
}
scalar_operators_of! { @each [u8, i32, u32, i64]
    Shl shl Shl;
    Shr shr Shr;
}

/// Operators with one operand.
macro_rules! unary_operators {
    ($($operator:ident $method:ident $bound:ident: $($left:ty)*;)*) => {$($(
        impl<T: $bound> $operator for $left {
            type Output = Expr<T>;

            #[track_caller]
            fn $method(self) -> Expr<T> {
                Expr::new(self.node().unary(Unary::$operator))
            }
        }
    )*)*};
}

unary_operators! {
    Neg neg Numeric: Expr<T> &Expr<T> Array<T> &Array<T>;
    Not not Bitwise: Expr<T> &Expr<T> Array<T> &Array<T>;
}

/// `x += y` makes `x` the expression `x + y`.
macro_rules! assigning_operators {
    ($($operator:ident $method:ident $bound:ident $function:ident;)*) => {$(
        impl<T: $bound, R: IntoExpr<T>> $operator<R> for Expr<T> {
            #[track_caller]
            fn $method(&mut self, other: R) {
                self.node = self.node.binary(Binary::$function, other.into_expr().node());
            }
        }
    )*};
}

assigning_operators! {
    AddAssign add_assign Numeric Add;
    SubAssign sub_assign Numeric Sub;
    MulAssign mul_assign Numeric Mul;
    DivAssign div_assign Numeric Div;
    RemAssign rem_assign Ordered Rem;
    BitAndAssign bitand_assign Bitwise And;
    BitOrAssign bitor_assign Bitwise Or;
    BitXorAssign bitxor_assign Bitwise Xor;
    ShlAssign shl_assign Integer Shl;
    ShrAssign shr_assign Integer Shr;
}

/// Comparisons, which give masks.
macro_rules! comparisons {
    ($bound:ident: $($(#[$doc:meta])* $method:ident $function:ident;)*) => {
        impl<T: $bound> Expr<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self, other: impl IntoExpr<T>) -> Expr<bool> {
                    Expr::new(self.node.binary(Binary::$function, other.into_expr().node()))
                }
            )*
        }
    };
}

comparisons! { Ordered:
    /// True where the element is below the other one.
    lt Lt;
    /// True where the element is not above the other one.
    le Le;
    /// True where the element is above the other one.
    gt Gt;
    /// True where the element is not below the other one.
    ge Ge;
}

comparisons! { Element:
    /// True where the elements are equal.
    equal Eq;
    /// True where the elements are not equal; NaN is not equal to itself.
    not_equal Ne;
}
