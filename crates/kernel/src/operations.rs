//! The operations on values, by name.

use serde::{Deserialize, Serialize};

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[non_exhaustive]
pub enum UnaryOp {
    /// The negative.
    Neg,
    /// Logical for `bool`, bitwise for integers.
    Not,
    /// The modulus.
    Abs,
    /// The square root.
    Sqrt,
    /// The cube root.
    Cbrt,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
    /// The tangent.
    Tan,
    /// The inverse of the sine.
    Asin,
    /// The inverse of the cosine.
    Acos,
    /// The inverse of the tangent.
    Atan,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic cosine.
    Cosh,
    /// The hyperbolic tangent.
    Tanh,
    /// The inverse of the hyperbolic sine.
    Asinh,
    /// The inverse of the hyperbolic cosine.
    Acosh,
    /// The inverse of the hyperbolic tangent.
    Atanh,
    /// e to the power.
    Exp,
    /// 2 to the power.
    Exp2,
    /// e to the power, minus 1.
    Expm1,
    /// The natural logarithm.
    Log,
    /// The logarithm to base 2.
    Log2,
    /// The logarithm to base 10.
    Log10,
    /// The natural logarithm of 1 + x.
    Log1p,
    /// The error function.
    Erf,
    /// 1 - erf(x).
    Erfc,
    /// The gamma function.
    Tgamma,
    /// The logarithm of the gamma function's modulus.
    Lgamma,
    /// The whole number below.
    Floor,
    /// The whole number above.
    Ceil,
    /// The whole number towards zero.
    Trunc,
    /// The nearest whole number, the even one of two.
    Rint,
    /// True if the sign bit is set, also that of -0 and of NaN.
    SignBit,
    /// The number of bits that are set, in the operand's type.
    Popcount,
    /// The number of zeros above the highest bit that is set, in the operand's type; of 0 it is the number of bits.
    LeadingZeros,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[non_exhaustive]
pub enum BinaryOp {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient; of integers it is truncated.
    Div,
    /// The remainder, with the dividend's sign.
    Rem,
    /// Logical or bitwise and.
    And,
    /// Logical or bitwise or.
    Or,
    /// Logical or bitwise exclusive or.
    Xor,
    /// A shift to the left, by 0 to bits - 1.
    Shl,
    /// A shift to the right, by 0 to bits - 1; arithmetic for signed integers.
    Shr,
    /// A rotation of the bits to the left, by any number modulo the bits.
    RotateLeft,
    /// The upper half of the product of two integers.
    MulHigh,
    /// The minimum; NaN is ignored.
    Min,
    /// The maximum; NaN is ignored.
    Max,
    /// The power.
    Pow,
    /// The angle of the point (second, first), from -pi to pi.
    Atan2,
    /// The square root of the sum of squares, without overflow.
    Hypot,
    /// The modulus of the first with the sign of the second.
    Copysign,
    /// The first times 2 to the second, an `i32`.
    Ldexp,
    /// Less than.
    Lt,
    /// At most.
    Le,
    /// Greater than.
    Gt,
    /// At least.
    Ge,
    /// Equal.
    Eq,
    /// Not equal; NaN is not equal to itself.
    Ne,
}

impl UnaryOp {
    /// True if results of devices differ in the last bits.
    pub(super) const fn is_approximate(self) -> bool {
        use UnaryOp::{Abs, Ceil, Floor, LeadingZeros, Neg, Not, Popcount, Rint, SignBit, Sqrt, Trunc};
        !matches!(self, Neg | Not | Abs | Sqrt | Floor | Ceil | Trunc | Rint | SignBit | Popcount | LeadingZeros)
    }
}

impl BinaryOp {
    pub(super) const fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Lt | Le | Gt | Ge | Eq | Ne)
    }

    /// True if results of devices differ in the last bits.
    pub(super) const fn is_approximate(self) -> bool {
        matches!(self, BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Hypot)
    }
}
