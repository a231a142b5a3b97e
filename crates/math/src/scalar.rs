//! One lane, by Rust's own arithmetic: the reference of the other machines.

use std::marker::PhantomData;

use super::lanes::{Lanes, Real};

/// The machine of one lane, in the precision `R`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar<R: Real>(PhantomData<R>);

impl<R: Real> Scalar<R> {
    /// The token.
    pub const fn new() -> Self {
        Scalar(PhantomData)
    }
}

macro_rules! machine {
    ($real:ident $int:ident $unsigned:ident $wide:ident) => {
        impl Lanes for Scalar<$real> {
            type Real = $real;
            type F = $real;
            type I = $int;
            type M = bool;

            #[inline(always)]
            fn splat(self, value: $real) -> $real {
                value
            }
            #[inline(always)]
            fn neg(self, a: $real) -> $real {
                -a
            }
            #[inline(always)]
            fn abs(self, a: $real) -> $real {
                a.abs()
            }
            #[inline(always)]
            fn add(self, a: $real, b: $real) -> $real {
                a + b
            }
            #[inline(always)]
            fn sub(self, a: $real, b: $real) -> $real {
                a - b
            }
            #[inline(always)]
            fn mul(self, a: $real, b: $real) -> $real {
                a * b
            }
            #[inline(always)]
            fn div(self, a: $real, b: $real) -> $real {
                a / b
            }
            #[inline(always)]
            fn sqrt(self, a: $real) -> $real {
                a.sqrt()
            }
            #[inline(always)]
            fn fma(self, a: $real, b: $real, c: $real) -> $real {
                a.mul_add(b, c)
            }
            #[inline(always)]
            fn round(self, a: $real) -> $real {
                a.round_ties_even()
            }
            #[inline(always)]
            fn floor(self, a: $real) -> $real {
                a.floor()
            }
            #[inline(always)]
            fn trunc(self, a: $real) -> $real {
                a.trunc()
            }
            #[inline(always)]
            fn lt(self, a: $real, b: $real) -> bool {
                a < b
            }
            #[inline(always)]
            fn le(self, a: $real, b: $real) -> bool {
                a <= b
            }
            #[inline(always)]
            fn eq(self, a: $real, b: $real) -> bool {
                a == b
            }
            #[inline(always)]
            fn ne(self, a: $real, b: $real) -> bool {
                a != b
            }
            #[inline(always)]
            fn select(self, mask: bool, a: $real, b: $real) -> $real {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn int(self, value: $int) -> $int {
                value
            }
            #[inline(always)]
            fn int_add(self, a: $int, b: $int) -> $int {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn int_sub(self, a: $int, b: $int) -> $int {
                a.wrapping_sub(b)
            }
            #[inline(always)]
            fn int_mul(self, a: $int, b: $int) -> $int {
                a.wrapping_mul(b)
            }
            #[inline(always)]
            fn int_mul_hi_unsigned(self, a: $int, b: $int) -> $int {
                ((a as $unsigned as $wide * b as $unsigned as $wide) >> $int::BITS) as $int
            }
            #[inline(always)]
            fn int_and(self, a: $int, b: $int) -> $int {
                a & b
            }
            #[inline(always)]
            fn int_or(self, a: $int, b: $int) -> $int {
                a | b
            }
            #[inline(always)]
            fn int_xor(self, a: $int, b: $int) -> $int {
                a ^ b
            }
            #[inline(always)]
            fn int_shl(self, a: $int, count: $int) -> $int {
                a.wrapping_shl(count as u32)
            }
            #[inline(always)]
            fn int_shr(self, a: $int, count: $int) -> $int {
                a.wrapping_shr(count as u32)
            }
            #[inline(always)]
            fn int_shr_unsigned(self, a: $int, count: $int) -> $int {
                (a as $unsigned).wrapping_shr(count as u32) as $int
            }
            #[inline(always)]
            fn int_lt(self, a: $int, b: $int) -> bool {
                a < b
            }
            #[inline(always)]
            fn int_eq(self, a: $int, b: $int) -> bool {
                a == b
            }
            #[inline(always)]
            fn int_select(self, mask: bool, a: $int, b: $int) -> $int {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn and(self, a: bool, b: bool) -> bool {
                a & b
            }
            #[inline(always)]
            fn or(self, a: bool, b: bool) -> bool {
                a | b
            }
            #[inline(always)]
            fn not(self, a: bool) -> bool {
                !a
            }
            #[inline(always)]
            fn to_bits(self, a: $real) -> $int {
                a.to_bits() as $int
            }
            #[inline(always)]
            fn from_bits(self, a: $int) -> $real {
                $real::from_bits(a as $unsigned)
            }
            #[inline(always)]
            fn to_int(self, a: $real) -> $int {
                a as $int
            }
            #[inline(always)]
            fn to_real(self, a: $int) -> $real {
                a as $real
            }
            #[inline(always)]
            fn lookup(self, table: &'static [$real], index: $int) -> $real {
                table[index as usize]
            }
            #[inline(always)]
            fn int_lookup(self, table: &'static [$int], index: $int) -> $int {
                table[index as usize]
            }
            #[inline(always)]
            fn replace_if_any(self, mask: bool, usual: $real, rare: impl FnOnce(Self) -> $real) -> $real {
                if mask { rare(self) } else { usual }
            }
        }
    };
}

machine!(f32 i32 u32 u64);
machine!(f64 i64 u64 u128);
