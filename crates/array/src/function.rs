//! Functions of elements, by name.

/// A function of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    /// -x; wraps for integers.
    Neg,
    /// Logical for `bool`, bitwise for integers.
    Not,
    /// |x|; wraps for the least signed integer.
    Abs,
    /// -1, 0 or 1; of NaN and of zeros the operand.
    Sign,
    /// 1/x, correctly rounded.
    Recip,
    /// x x
    Square,
    /// Correctly rounded.
    Sqrt,
    /// The cube root.
    Cbrt,
    /// e^x
    Exp,
    /// 2^x
    Exp2,
    /// e^x - 1
    Expm1,
    /// The natural logarithm.
    Ln,
    /// The logarithm to base 2.
    Log2,
    /// The logarithm to base 10.
    Log10,
    /// ln(1 + x)
    Log1p,
    /// Of radians.
    Sin,
    /// Of radians.
    Cos,
    /// Of radians.
    Tan,
    /// In radians.
    Asin,
    /// In radians.
    Acos,
    /// In radians.
    Atan,
    /// (e^x - e^-x) / 2
    Sinh,
    /// (e^x + e^-x) / 2
    Cosh,
    /// sinh(x) / cosh(x)
    Tanh,
    /// 2/sqrt(π) ∫ e^(-t²) dt from 0 to x.
    Erf,
    /// 1 - erf(x)
    Erfc,
    /// The distribution function of the standard normal distribution.
    Normcdf,
    /// Γ(x)
    Gamma,
    /// ln |Γ(x)|
    Lgamma,
    /// The largest whole number not above x.
    Floor,
    /// The smallest whole number not below x.
    Ceil,
    /// The next whole number towards zero.
    Trunc,
    /// To the nearest whole number, ties to even.
    Round,
    /// x ≠ x
    IsNan,
    /// |x| = ∞
    IsInfinite,
    /// |x| < ∞
    IsFinite,
    /// True for -0 and negative NaN too.
    SignBit,
    /// sin(π x), exact at multiples of 1/2.
    SinPi,
    /// cos(π x), exact at multiples of 1/2.
    CosPi,
}

/// A function of two values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    /// x + y
    Add,
    /// x - y
    Sub,
    /// x y
    Mul,
    /// Correctly rounded. Of integers truncated; 0 for the divisor 0, and wrapping.
    Div,
    /// The sign of the dividend, as Rust's `%`. Of integers 0 for the divisor 0.
    Rem,
    /// x where x < y or x is NaN, else y: NaN if one is NaN; of equal operands, also of zeros, the second.
    Min,
    /// x where x > y or x is NaN, else y: NaN if one is NaN; of equal operands, also of zeros, the second.
    Max,
    /// x^y
    Pow,
    /// The angle of (y, x), the first operand being y.
    Atan2,
    /// sqrt(x² + y²) without overflow.
    Hypot,
    /// |x| with the sign of y.
    CopySign,
    /// Logical for `bool`, bitwise for integers.
    And,
    /// Logical for `bool`, bitwise for integers.
    Or,
    /// Logical for `bool`, bitwise for integers.
    Xor,
    /// The count is taken modulo the width.
    Shl,
    /// Arithmetic for signed integers. The count is taken modulo the width.
    Shr,
    /// x < y
    Lt,
    /// x <= y
    Le,
    /// x > y
    Gt,
    /// x >= y
    Ge,
    /// x = y
    Eq,
    /// x ≠ y, true for NaN.
    Ne,
}

impl Binary {
    /// True if the result is `bool`.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne)
    }
}

/// A function with two results: the real and the imaginary part of a complex function of x + i y.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ComplexUnary {
    /// e^z
    Exp,
    /// The principal value.
    Ln,
    /// The principal value.
    Sqrt,
    /// 1/z
    Recip,
}

/// An operation that joins the elements of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reduction {
    /// x + y
    Sum,
    /// x y
    Product,
    /// [`Binary::Min`] of the elements. Of no elements an error of the expression.
    Min,
    /// [`Binary::Max`] of the elements. Of no elements an error of the expression.
    Max,
    /// The index of the first minimum, or of the first NaN.
    ArgMin,
    /// The index of the first maximum, or of the first NaN.
    ArgMax,
    /// True if one is.
    Any,
    /// True if none is false.
    All,
}
