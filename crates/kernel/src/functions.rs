//! Comparisons, selection, conversions, and functions of numbers.

use super::expr::{Expr, IntoExpr};
use super::ir::Op;
use super::operations::{BinaryOp, UnaryOp};
use super::types::{Float, Integer, LaneType, Number, ScalarKind, SelectedBy, Type, Vector};

macro_rules! comparisons {
    ($($method:ident $op:ident $text:literal),*) => { $(
        #[doc = concat!("True if it is ", $text, " `other`; of a vector for each lane.")]
        pub fn $method(self, other: impl IntoExpr<'k, T>) -> Expr<'k, T::Mask> {
            self.binary(BinaryOp::$op, other)
        }
    )* };
}

impl<'k, T: Number> Expr<'k, T> {
    comparisons!(lt Lt "less than", le Le "at most", gt Gt "greater than", ge Ge "at least");
    comparisons!(eq Eq "equal to", ne Ne "other than");

    /// The minimum; NaN is ignored.
    pub fn min(self, other: impl IntoExpr<'k, T>) -> Self {
        self.binary(BinaryOp::Min, other)
    }

    /// The maximum; NaN is ignored.
    pub fn max(self, other: impl IntoExpr<'k, T>) -> Self {
        self.binary(BinaryOp::Max, other)
    }

    /// The value of the interval from `low` to `high` that is nearest to it; of NaN it is `low`.
    pub fn clamp(self, low: impl IntoExpr<'k, T>, high: impl IntoExpr<'k, T>) -> Self {
        self.max(low).min(high)
    }
}

impl<'k, T: LaneType> Expr<'k, T> {
    /// Broadcasts to a vector.
    pub fn splat<const N: usize>(self) -> Expr<'k, Vector<T, N>> {
        self.builder.emit(Op::Splat(self.id))
    }
}

impl<'k, T: ScalarKind> Expr<'k, T> {
    /// Converts as C does: by truncation to integers, else to nearest; `bool` is 0 or 1, and any other value than 0 is
    /// true. A floating-point value beyond an integer type, or an integer beyond a signed type, has no portable result.
    pub fn to<U: ScalarKind>(self) -> Expr<'k, U> {
        Expr::new(self.builder, self.builder.converted(self.id, U::TYPE.scalar, false))
    }

    /// Converts as Rust's `as`: a value beyond an integer type becomes the nearest one of the type, and NaN becomes 0.
    pub fn to_saturating<U: ScalarKind>(self) -> Expr<'k, U> {
        Expr::new(self.builder, self.builder.converted(self.id, U::TYPE.scalar, true))
    }

    /// The same bits as a value of another type of the same size, which the compiler checks.
    ///
    /// ```compile_fail
    /// # use affinimath_kernel::Kernel;
    /// Kernel::build("refused", |k| { k.argument::<f32>("a").bitcast::<u64>(); });
    /// ```
    pub fn bitcast<U: LaneType>(self) -> Expr<'k, U>
    where
        T: LaneType,
    {
        const { assert!(size_of::<T>() == size_of::<U>(), "a bitcast keeps the size") };
        Expr::new(self.builder, self.builder.bitcast_of(self.id, U::TYPE.scalar))
    }
}

impl<'k, T: ScalarKind, const N: usize> Expr<'k, Vector<T, N>> {
    /// Converts each lane, as [`Expr::to`] of a scalar.
    pub fn to<U: ScalarKind>(self) -> Expr<'k, Vector<U, N>> {
        Expr::new(self.builder, self.builder.converted(self.id, U::TYPE.scalar, false))
    }

    /// Converts each lane, as [`Expr::to_saturating`] of a scalar.
    pub fn to_saturating<U: ScalarKind>(self) -> Expr<'k, Vector<U, N>> {
        Expr::new(self.builder, self.builder.converted(self.id, U::TYPE.scalar, true))
    }

    /// The same bits of each lane as a value of another type of the same size.
    pub fn bitcast<U: LaneType>(self) -> Expr<'k, Vector<U, N>>
    where
        T: LaneType,
    {
        const { assert!(size_of::<T>() == size_of::<U>(), "a bitcast keeps the size") };
        Expr::new(self.builder, self.builder.bitcast_of(self.id, U::TYPE.scalar))
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

macro_rules! functions_of_two {
    ($($method:ident $op:ident $text:literal),*) => { $(
        #[doc = $text]
        pub fn $method(self, other: impl IntoExpr<'k, T>) -> Self {
            self.binary(BinaryOp::$op, other)
        }
    )* };
}

impl<'k, T: Float> Expr<'k, T> {
    functions!(
        abs Abs "The modulus.", sqrt Sqrt "The square root.", cbrt Cbrt "The cube root.", sin Sin "The sine.",
        cos Cos "The cosine.", tan Tan "The tangent.", asin Asin "The inverse of the sine.",
        acos Acos "The inverse of the cosine.", atan Atan "The inverse of the tangent.",
        sinh Sinh "The hyperbolic sine.", cosh Cosh "The hyperbolic cosine.", tanh Tanh "The hyperbolic tangent.",
        asinh Asinh "The inverse of the hyperbolic sine.", acosh Acosh "The inverse of the hyperbolic cosine.",
        atanh Atanh "The inverse of the hyperbolic tangent.",
        exp Exp "e to its power.", exp2 Exp2 "2 to its power.", exp_m1 Expm1 "e to its power, minus 1.",
        ln Log "The natural logarithm.", log2 Log2 "The logarithm to base 2.", log10 Log10 "The logarithm to base 10.",
        ln_1p Log1p "The natural logarithm of 1 + x.", erf Erf "The error function.", erfc Erfc "1 - erf(x).",
        tgamma Tgamma "The gamma function.", lgamma Lgamma "The logarithm of the gamma function's modulus.",
        floor Floor "The whole number below.", ceil Ceil "The whole number above.",
        trunc Trunc "The whole number towards zero.", round Rint "The nearest whole number, the even one of two."
    );
    functions_of_two!(
        pow Pow "self to the power of `other`.", copysign Copysign "Its modulus, with the sign of `other`.",
        atan2 Atan2 "The angle of the point (other, self), from -pi to pi.",
        hypot Hypot "The square root of the sum of squares, without overflow."
    );

    /// self*b + c, rounded once.
    pub fn mul_add(self, b: impl IntoExpr<'k, T>, c: impl IntoExpr<'k, T>) -> Self {
        let (b, c) = (b.into_expr(self.builder), c.into_expr(self.builder));
        self.builder.emit(Op::Fma(self.id, b.id, c.id))
    }

    /// True if the sign bit is set, also that of -0 and of NaN.
    pub fn sign_bit(self) -> Expr<'k, T::Mask> {
        self.unary(UnaryOp::SignBit)
    }

    /// True if it is NaN.
    pub fn is_nan(self) -> Expr<'k, T::Mask> {
        self.ne(self)
    }
}

impl<'k, T: LaneType + Float> Expr<'k, T> {
    /// self times 2 to the exponent, rounded once.
    pub fn ldexp(self, exponent: impl IntoExpr<'k, i32>) -> Self {
        let exponent = exponent.into_expr(self.builder);
        self.builder.emit(Op::Binary(BinaryOp::Ldexp, self.id, exponent.id))
    }
}

impl<'k, T: LaneType + Float, const N: usize> Expr<'k, Vector<T, N>> {
    /// Each lane times 2 to the exponent's lane, rounded once.
    pub fn ldexp(self, exponent: impl IntoExpr<'k, Vector<i32, N>>) -> Self {
        let exponent = exponent.into_expr(self.builder);
        self.builder.emit(Op::Binary(BinaryOp::Ldexp, self.id, exponent.id))
    }
}

impl<'k, T: Integer> Expr<'k, T> {
    functions!(
        popcount Popcount "The number of bits that are set.",
        leading_zeros LeadingZeros "The number of zeros above the highest bit that is set; of 0 it is all bits."
    );
    functions_of_two!(
        mul_hi MulHigh "The upper half of the product.",
        rotate_left RotateLeft "The bits rotated to the left, by `other` modulo the number of bits."
    );

    /// The bits rotated to the right, by `other` modulo the number of bits.
    pub fn rotate_right(self, other: impl IntoExpr<'k, T>) -> Self {
        let other = other.into_expr(self.builder);
        Expr::new(self.builder, self.builder.rotated_right(self.id, other.id))
    }
}

impl<'k, M: Type<Lane = bool>> Expr<'k, M> {
    /// Selects one of two values, both of which are computed. A vector of conditions selects lane by lane.
    pub fn select<T: SelectedBy<M>>(
        self,
        if_true: impl IntoExpr<'k, T>,
        if_false: impl IntoExpr<'k, T>,
    ) -> Expr<'k, T> {
        let (a, b) = (if_true.into_expr(self.builder), if_false.into_expr(self.builder));
        self.builder.emit(Op::Select(self.id, a.id, b.id))
    }
}

impl<'k, const N: usize> Expr<'k, Vector<bool, N>> {
    /// True if any lane is.
    pub fn any(self) -> Expr<'k, bool> {
        self.builder.emit(Op::Any(self.id))
    }

    /// True if all lanes are.
    pub fn all(self) -> Expr<'k, bool> {
        self.builder.emit(Op::All(self.id))
    }
}

impl<'k> Expr<'k, bool> {
    /// Broadcasts to a boolean vector.
    pub fn splat_mask<const N: usize>(self) -> Expr<'k, Vector<bool, N>> {
        self.builder.emit(Op::Splat(self.id))
    }
}
