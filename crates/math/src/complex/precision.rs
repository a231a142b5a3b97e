//! Constants and helpers of complex functions.

use super::Functions;
use crate::lanes::Lanes;
use crate::layout::{Layout, with_sign};
use crate::shared::trigonometric::sincos;

/// A precision that complex functions are given in.
pub trait Precision: Functions {
    /// 0
    const ZERO: Self;
    /// 1/2
    const HALF: Self;
    /// 1
    const ONE: Self;
    /// 2
    const TWO: Self;
    /// ∞
    const INFINITY: Self;
    /// NaN
    const NAN: Self;
    /// e^x is a normal number for |x| below this.
    const EXP_END: Self;
    /// A hypotenuse and a sum of two numbers up to this are finite.
    const LARGE: Self;
    /// A number below this has too few bits for a square root's parts.
    const SMALL: Self;
    /// 2^-4.
    const FOURTH_POWER_DOWN: Self;
    /// 2^-4's root undone: 2^2.
    const SQUARE_UP: Self;
    /// A power of four that makes subnormal numbers normal.
    const FOURTH_POWER_UP: Self;
    /// Its root undone.
    const SQUARE_DOWN: Self;

    /// sin x and cos x.
    fn sincos<L: Lanes<Real = Self>>(l: L, x: L::F) -> (L::F, L::F);

    /// |a| with the sign of b, where a is not negative.
    fn copysign<L: Lanes<Real = Self>>(l: L, a: L::F, b: L::F) -> L::F;

    /// 2^-e for a number in [2^e, 2^(e + 1)), with e limited so that the power and its inverse are normal numbers.
    fn inverse_power<L: Lanes<Real = Self>>(l: L, a: L::F) -> L::F;
}

macro_rules! precision {
    ($real:ident $exp_end:literal $power:literal) => {
        impl Precision for $real {
            const ZERO: Self = 0.0;
            const HALF: Self = 0.5;
            const ONE: Self = 1.0;
            const TWO: Self = 2.0;
            const INFINITY: Self = $real::INFINITY;
            const NAN: Self = $real::NAN;
            const EXP_END: Self = $exp_end;
            const LARGE: Self = $real::MAX / 4.0;
            const SMALL: Self = $real::MIN_POSITIVE * Self::FOURTH_POWER_UP;
            const FOURTH_POWER_DOWN: Self = 0.0625;
            const SQUARE_UP: Self = 4.0;
            const FOURTH_POWER_UP: Self = ((1u64 << $power) as Self) * ((1u64 << $power) as Self);
            const SQUARE_DOWN: Self = 1.0 / (1u64 << $power) as Self;

            #[inline(always)]
            fn sincos<L: Lanes<Real = Self>>(l: L, x: L::F) -> (L::F, L::F) {
                sincos(l, x)
            }

            #[inline(always)]
            fn copysign<L: Lanes<Real = Self>>(l: L, a: L::F, b: L::F) -> L::F {
                with_sign(l, a, b)
            }

            #[inline(always)]
            fn inverse_power<L: Lanes<Real = Self>>(l: L, a: L::F) -> L::F {
                let fraction_bits = l.int(Self::FRACTION_BITS);
                let biased = l.int_shr_unsigned(l.to_bits(a), fraction_bits);
                let most = l.int(2 * Self::BIAS - 1);
                let biased = l.int_select(l.int_lt(most, biased), most, biased);
                let biased = l.int_select(l.int_lt(biased, l.int(1)), l.int(1), biased);
                l.from_bits(l.int_shl(l.int_sub(l.int(2 * Self::BIAS), biased), fraction_bits))
            }
        }
    };
}

precision!(f32 87.0 24);
precision!(f64 708.0 54);
