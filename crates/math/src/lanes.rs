//! The instructions that functions are made of.

use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`, with the signed integers of its width.
pub trait Real: sealed::Sealed + Copy + Debug + PartialEq + PartialOrd + 'static {
    /// `i32` or `i64`.
    type Int: Copy + Debug + PartialEq + Eq + 'static;
}

impl Real for f32 {
    type Int = i32;
}

impl Real for f64 {
    type Int = i64;
}

/// A machine's instructions on vectors of one precision, and of integers and masks with as many lanes.
///
/// A value of this type is a token: it holds what the machine needs to emit or to execute an instruction. Vectors of
/// one lane make scalars.
///
/// # Contract
/// - Floating-point operations round to nearest even, and keep subnormal numbers.
/// - Integer operations wrap. Shift counts are below the width.
/// - Comparisons with NaN are false, but for [`Lanes::ne`].
pub trait Lanes: Copy {
    /// The precision.
    type Real: Real;
    /// A vector of reals.
    type F: Copy;
    /// A vector of signed integers as wide as the reals.
    type I: Copy;
    /// A mask: one boolean for each lane.
    type M: Copy;

    /// The constant in all lanes.
    fn splat(self, value: Self::Real) -> Self::F;
    /// -a; changes the sign of zeros and NaN too.
    fn neg(self, a: Self::F) -> Self::F;
    /// |a|
    fn abs(self, a: Self::F) -> Self::F;
    /// a + b
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// a - b
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// a b
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// a / b, correctly rounded.
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// sqrt(a), correctly rounded.
    fn sqrt(self, a: Self::F) -> Self::F;
    /// a b + c, rounded once.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The nearest whole number, ties to even.
    fn round(self, a: Self::F) -> Self::F;
    /// The largest whole number not above `a`.
    fn floor(self, a: Self::F) -> Self::F;
    /// The whole number next to `a` towards zero.
    fn trunc(self, a: Self::F) -> Self::F;

    /// a < b
    fn lt(self, a: Self::F, b: Self::F) -> Self::M;
    /// a <= b
    fn le(self, a: Self::F, b: Self::F) -> Self::M;
    /// a = b
    fn eq(self, a: Self::F, b: Self::F) -> Self::M;
    /// a ≠ b, true for NaN.
    fn ne(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a` in the lanes of the mask, `b` in the others.
    fn select(self, mask: Self::M, a: Self::F, b: Self::F) -> Self::F;

    /// The integer constant in all lanes.
    fn int(self, value: <Self::Real as Real>::Int) -> Self::I;
    /// a + b
    fn int_add(self, a: Self::I, b: Self::I) -> Self::I;
    /// a - b
    fn int_sub(self, a: Self::I, b: Self::I) -> Self::I;
    /// a b, the lower half.
    fn int_mul(self, a: Self::I, b: Self::I) -> Self::I;
    /// The upper half of a b, both taken as unsigned.
    fn int_mul_hi_unsigned(self, a: Self::I, b: Self::I) -> Self::I;
    /// Bitwise and.
    fn int_and(self, a: Self::I, b: Self::I) -> Self::I;
    /// Bitwise or.
    fn int_or(self, a: Self::I, b: Self::I) -> Self::I;
    /// Bitwise exclusive or.
    fn int_xor(self, a: Self::I, b: Self::I) -> Self::I;
    /// a << count, lane by lane.
    fn int_shl(self, a: Self::I, count: Self::I) -> Self::I;
    /// a >> count with copies of the sign.
    fn int_shr(self, a: Self::I, count: Self::I) -> Self::I;
    /// a >> count with zeros.
    fn int_shr_unsigned(self, a: Self::I, count: Self::I) -> Self::I;
    /// a < b, signed.
    fn int_lt(self, a: Self::I, b: Self::I) -> Self::M;
    /// a = b
    fn int_eq(self, a: Self::I, b: Self::I) -> Self::M;
    /// `a` in the lanes of the mask, `b` in the others.
    fn int_select(self, mask: Self::M, a: Self::I, b: Self::I) -> Self::I;

    /// Both.
    fn and(self, a: Self::M, b: Self::M) -> Self::M;
    /// At least one.
    fn or(self, a: Self::M, b: Self::M) -> Self::M;
    /// The others.
    fn not(self, a: Self::M) -> Self::M;

    /// The bits of reals as integers.
    fn to_bits(self, a: Self::F) -> Self::I;
    /// The reals with these bits.
    #[allow(clippy::wrong_self_convention, reason = "every operation takes the machine's token")]
    fn from_bits(self, a: Self::I) -> Self::F;
    /// A whole number as an integer. Lanes out of the integers' range have any value.
    fn to_int(self, a: Self::F) -> Self::I;
    /// An integer as a real, rounded to nearest even.
    fn to_real(self, a: Self::I) -> Self::F;

    /// Elements of a table of reals. Indices are within the table.
    fn lookup(self, table: &'static [Self::Real], index: Self::I) -> Self::F;
    /// Elements of a table of integers. Indices are within the table.
    fn int_lookup(self, table: &'static [<Self::Real as Real>::Int], index: Self::I) -> Self::I;

    /// `usual`, with the lanes of the mask replaced by those of `rare`. `rare` is computed only if the mask has a lane;
    /// it may compute any value in the others.
    fn replace_if_any(self, mask: Self::M, usual: Self::F, rare: impl FnOnce(Self) -> Self::F) -> Self::F;
}
