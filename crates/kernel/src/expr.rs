//! Expressions and variables, and Rust's operators on them.

use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::builder::Builder;
use super::ir::{Id, Op, Statement};
use super::operations::{BinaryOp, UnaryOp};
use super::types::{Integer, Number, Type, Vector};

/// An immutable value of type `T`, computed where the expression was made.
pub struct Expr<'k, T> {
    pub(super) builder: Builder<'k>,
    pub(super) id: Id,
    value_type: PhantomData<fn() -> T>,
}

impl<T> Clone for Expr<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Expr<'_, T> {}

/// A mutable variable of type `T`, for loop-carried values and results of branches.
pub struct Var<'k, T> {
    builder: Builder<'k>,
    variable: usize,
    value_type: PhantomData<fn() -> T>,
}

impl<T> Clone for Var<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Var<'_, T> {}

/// A value of type `T`: an expression, the current value of a variable, or a Rust constant.
pub trait IntoExpr<'k, T: Type> {
    /// The value.
    fn into_expr(self, builder: Builder<'k>) -> Expr<'k, T>;
}

impl<'k, T: Type> IntoExpr<'k, T> for Expr<'k, T> {
    fn into_expr(self, _: Builder<'k>) -> Expr<'k, T> {
        self
    }
}

impl<'k, T: Type> IntoExpr<'k, T> for Var<'k, T> {
    fn into_expr(self, _: Builder<'k>) -> Expr<'k, T> {
        self.get()
    }
}

impl<'k, T: Type> IntoExpr<'k, T> for T {
    fn into_expr(self, builder: Builder<'k>) -> Expr<'k, T> {
        let lanes: Vec<Id> =
            self.lanes().into_iter().map(|lane| builder.emit::<T::Lane>(Op::Constant(lane)).id).collect();
        match lanes[..] {
            [scalar] => Expr::new(builder, scalar),
            _ => builder.emit(Op::Gather(lanes)),
        }
    }
}

macro_rules! index_from {
    ($($integer:ident),*) => { $(
        impl<'k> IntoExpr<'k, i64> for $integer {
            fn into_expr(self, builder: Builder<'k>) -> Expr<'k, i64> {
                (self as i64).into_expr(builder)
            }
        }
    )* };
}

index_from!(i32, usize);

impl<'k, T: Type> Expr<'k, T> {
    pub(super) const fn new(builder: Builder<'k>, id: Id) -> Self {
        Expr { builder, id, value_type: PhantomData }
    }

    pub(super) fn binary<R: Type>(self, op: BinaryOp, other: impl IntoExpr<'k, T>) -> Expr<'k, R> {
        let other = other.into_expr(self.builder);
        self.builder.emit(Op::Binary(op, self.id, other.id))
    }

    pub(super) fn unary<R: Type>(self, op: UnaryOp) -> Expr<'k, R> {
        self.builder.emit(Op::Unary(op, self.id))
    }
}

impl<'k, T: Type> Var<'k, T> {
    /// The current value.
    pub fn get(self) -> Expr<'k, T> {
        self.builder.emit(Op::Read(self.variable))
    }

    /// Assigns a value.
    pub fn set(self, value: impl IntoExpr<'k, T>) {
        let value = value.into_expr(self.builder);
        self.builder.push(Statement::Assign(self.variable, value.id));
    }
}

impl<'k> Builder<'k> {
    /// A variable with an initial value.
    pub fn var<T: Type>(self, name: &str, value: impl IntoExpr<'k, T>) -> Var<'k, T> {
        let value = value.into_expr(self);
        let variable = self.add_variable(name, T::TYPE);
        self.push(Statement::Declare(variable, value.id));
        Var { builder: self, variable, value_type: PhantomData }
    }
}

macro_rules! operators {
    ($bound:ident: $($operator:ident $method:ident $op:ident),*) => { $(
        impl<'k, T: $bound, V: IntoExpr<'k, T>> $operator<V> for Expr<'k, T> {
            type Output = Expr<'k, T>;

            fn $method(self, other: V) -> Expr<'k, T> {
                self.binary(BinaryOp::$op, other)
            }
        }

        impl<'k, T: $bound, V: IntoExpr<'k, T>> $operator<V> for Var<'k, T> {
            type Output = Expr<'k, T>;

            fn $method(self, other: V) -> Expr<'k, T> {
                self.get().binary(BinaryOp::$op, other)
            }
        }
    )* };
}

/// A type with `&`, `|`, `^` and `!`: integers, `bool`, and vectors of them.
pub trait Bits: Type {}
impl Bits for bool {}
impl<const N: usize> Bits for Vector<bool, N> {}
impl<T: Integer> Bits for T {}

operators!(Number: Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem);
operators!(Bits: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);
operators!(Integer: Shl shl Shl, Shr shr Shr);

macro_rules! constant_first {
    ($($type:ident)*) => { $(
        constant_first!($type: Add add, Sub sub, Mul mul, Div div);
    )* };
    ($type:ident: $($operator:ident $method:ident),*) => { $(
        impl<'k> $operator<Expr<'k, $type>> for $type {
            type Output = Expr<'k, $type>;

            fn $method(self, other: Expr<'k, $type>) -> Expr<'k, $type> {
                self.into_expr(other.builder).$method(other)
            }
        }
    )* };
}

constant_first!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

impl<T: Number> Neg for Expr<'_, T> {
    type Output = Self;

    fn neg(self) -> Self {
        self.unary(UnaryOp::Neg)
    }
}

impl<T: Bits> Not for Expr<'_, T> {
    type Output = Self;

    fn not(self) -> Self {
        self.unary(UnaryOp::Not)
    }
}
