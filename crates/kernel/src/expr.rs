//! Expressions and variables, and Rust's operators on them.

use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::builder::Builder;
use super::ir::{BinaryOp, Id, Op, Statement, UnaryOp};
use super::types::{Float, Integer, LaneType, Number, Pair, Real, ScalarKind, Type, Vector};

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

    fn binary<R: Type>(self, op: BinaryOp, other: impl IntoExpr<'k, T>) -> Expr<'k, R> {
        let other = other.into_expr(self.builder);
        self.builder.emit(Op::Binary(op, self.id, other.id))
    }

    fn unary(self, op: UnaryOp) -> Self {
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

/// A type with `&`, `|`, `^` and `!`: integers and `bool`.
pub trait Bits: Type {}
impl Bits for bool {}
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

constant_first!(i32 u32 i64 f32 f64);

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

macro_rules! comparisons {
    ($($method:ident $op:ident $text:literal),*) => { $(
        #[doc = concat!("True if it is ", $text, " `other`.")]
        pub fn $method(self, other: impl IntoExpr<'k, T>) -> Expr<'k, bool> {
            self.binary(BinaryOp::$op, other)
        }
    )* };
}

impl<'k, T: LaneType> Expr<'k, T> {
    comparisons!(lt Lt "less than", le Le "at most", gt Gt "greater than", ge Ge "at least");
    comparisons!(eq Eq "equal to", ne Ne "other than");

    /// Converts as C does: by truncation to integers, else to nearest.
    pub fn to<U: LaneType>(self) -> Expr<'k, U> {
        if T::TYPE == U::TYPE { Expr::new(self.builder, self.id) } else { self.builder.emit(Op::Convert(self.id)) }
    }

    /// Broadcasts to a vector.
    pub fn splat<const N: usize>(self) -> Expr<'k, Vector<T, N>> {
        self.builder.emit(Op::Splat(self.id))
    }
}

impl<'k, T: Number> Expr<'k, T> {
    /// The minimum; NaN is ignored.
    pub fn min(self, other: impl IntoExpr<'k, T>) -> Self {
        self.binary(BinaryOp::Min, other)
    }

    /// The maximum; NaN is ignored.
    pub fn max(self, other: impl IntoExpr<'k, T>) -> Self {
        self.binary(BinaryOp::Max, other)
    }
}

macro_rules! functions {
    ($($method:ident $op:ident $text:literal),*) => { $(
        #[doc = $text]
        pub fn $method(self) -> Self {
            self.unary(UnaryOp::$op)
        }
    )* };
}

impl<'k, T: Float> Expr<'k, T> {
    functions!(
        abs Abs "The modulus.", sqrt Sqrt "The square root.", sin Sin "The sine.", cos Cos "The cosine.",
        tan Tan "The tangent.",
        exp Exp "e to its power.", ln Log "The natural logarithm.", floor Floor "The whole number below.",
        ceil Ceil "The whole number above.", trunc Trunc "The whole number towards zero.",
        round Rint "The nearest whole number, the even one of two."
    );

    /// self to the power of the exponent.
    pub fn pow(self, exponent: impl IntoExpr<'k, T>) -> Self {
        self.binary(BinaryOp::Pow, exponent)
    }

    /// self*b + c, rounded once.
    pub fn mul_add(self, b: impl IntoExpr<'k, T>, c: impl IntoExpr<'k, T>) -> Self {
        let (b, c) = (b.into_expr(self.builder), c.into_expr(self.builder));
        self.builder.emit(Op::Fma(self.id, b.id, c.id))
    }
}

impl<'k> Expr<'k, bool> {
    /// Selects one of two values, both of which are computed.
    pub fn select<T: ScalarKind>(self, if_true: impl IntoExpr<'k, T>, if_false: impl IntoExpr<'k, T>) -> Expr<'k, T> {
        let (a, b) = (if_true.into_expr(self.builder), if_false.into_expr(self.builder));
        self.builder.emit(Op::Select(self.id, a.id, b.id))
    }
}

impl<'k, T: LaneType, const N: usize> Expr<'k, Vector<T, N>> {
    /// A lane of a vector.
    ///
    /// # Panics
    /// For a lane that the vector does not have.
    pub fn lane(self, lane: usize) -> Expr<'k, T> {
        assert!(lane < N, "a vector of {N} has no lane {lane}");
        self.builder.emit(Op::Lane(self.id, lane))
    }

    /// A vector of scalars.
    pub fn from_lanes(lanes: [Expr<'k, T>; N]) -> Self {
        lanes[0].builder.emit(Op::Gather(lanes.iter().map(|lane| lane.id).collect()))
    }

    /// A shuffle: lane i is lane `pick(i)` of this vector.
    pub fn shuffle<const M: usize>(self, pick: impl Fn(usize) -> usize) -> Expr<'k, Vector<T, M>> {
        Expr::from_lanes(std::array::from_fn(|lane| self.lane(pick(lane))))
    }

    /// Interleaves the lanes of two vectors.
    pub fn interleave<const M: usize>(self, other: Self) -> Expr<'k, Vector<T, M>> {
        const { assert!(M == 2 * N, "a vector of both has twice the lanes") };
        Expr::from_lanes(std::array::from_fn(|lane| if lane % 2 == 0 { self } else { other }.lane(lane / 2)))
    }
}

impl<'k, R: Real> Expr<'k, Pair<R>> {
    /// Its first lane.
    pub fn x(self) -> Expr<'k, R> {
        self.lane(0)
    }

    /// Its second lane.
    pub fn y(self) -> Expr<'k, R> {
        self.lane(1)
    }
}
