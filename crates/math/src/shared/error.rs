//! erf, erfc and the normal distribution function.

use super::{Estimates, flip_sign, polynomial, product_error, rough_reciprocal, sign_of};
use crate::lanes::Lanes;
use crate::layout::{Layout, power_of_two, round_product};
use crate::tables::{error as tables, exponential};

/// The factor f(x) = t G(t - center) of a function that decays as e^(-x²), with t = 1/(x + shift).
pub(crate) struct Tail<R: 'static> {
    shift: R,
    center: R,
    /// The function underflows from here on.
    end: R,
    /// G
    coefficients: &'static [R],
    /// d ln f / d ln t, linear in t.
    condition: [R; 2],
}

/// Coefficients of a precision.
pub(crate) trait ErrorFunctions: Estimates {
    /// (erf x - x) / x in x² on [0, `ERF_SPLIT`].
    const ERF_SMALL: &'static [Self];
    /// ln(1 - erf x) on [`ERF_SPLIT`, `ERF_END`].
    const ERF_LARGE: &'static [Self];
    const ERF_SPLIT: Self;
    /// erf is 1 from here on.
    const ERF_END: Self;
    const ERFC: Tail<Self>;
    const NORMCDF: Tail<Self>;
    const LOG2_E: Self;
    const MINUS_LN_2_HI: Self;
    const MINUS_LN_2_LO: Self;
    /// (e^r - 1 - r) / r²
    const EXP: &'static [Self];
    /// Brings the smallest results among normal numbers: 2^`LIFT`.
    const LIFT: Self::Int;
    /// 2^-`LIFT`
    const LOWER: Self;
    /// Halley steps from an error of 6 %, before a step of Newton, that leave less than rounding.
    const CUBIC_STEPS: usize;

    /// 1/x with an error of 2 ulp, for numbers from 1 to 64. On a GPU it takes fewer operations than a correctly
    /// rounded division.
    #[inline(always)]
    fn reciprocal<L: Lanes<Real = Self>>(l: L, x: L::F) -> L::F {
        let one = l.splat(Self::ONE);
        let minus_x = l.neg(x);
        let mut t = rough_reciprocal(l, x);
        for _ in 0..Self::CUBIC_STEPS {
            // Halley: an error e becomes e³.
            let error = l.fma(minus_x, t, one);
            t = l.fma(t, l.fma(error, error, error), t);
        }
        l.fma(t, l.fma(minus_x, t, one), t)
    }
}

macro_rules! error_functions {
    ($real:ident $precision:ident $end:literal $lift:literal $lower:expr; $steps:literal) => {
        impl ErrorFunctions for $real {
            const ERF_SMALL: &'static [$real] = &tables::$precision::ERF_SMALL;
            const ERF_LARGE: &'static [$real] = &tables::$precision::ERF_LARGE;
            const ERF_SPLIT: $real = 0.875;
            const ERF_END: $real = $end;
            const ERFC: Tail<$real> = Tail {
                shift: tables::$precision::ERFC_SHIFT,
                center: tables::$precision::ERFC_CENTER,
                end: tables::$precision::ERFC_END,
                coefficients: &tables::$precision::ERFC,
                condition: tables::$precision::ERFC_CONDITION,
            };
            const NORMCDF: Tail<$real> = Tail {
                shift: tables::$precision::NORMCDF_SHIFT,
                center: tables::$precision::NORMCDF_CENTER,
                end: tables::$precision::NORMCDF_END,
                coefficients: &tables::$precision::NORMCDF,
                condition: tables::$precision::NORMCDF_CONDITION,
            };
            const LOG2_E: $real = exponential::$precision::LOG2_E;
            const MINUS_LN_2_HI: $real = -exponential::$precision::LN_2_HI;
            const MINUS_LN_2_LO: $real = -exponential::$precision::LN_2_LO;
            const EXP: &'static [$real] = &exponential::$precision::EXP;
            const LIFT: <$real as crate::lanes::Real>::Int = $lift;
            const LOWER: $real = $lower;
            const CUBIC_STEPS: usize = $steps;
        }
    };
}

error_functions!(f32 single 4.0 64 1.0 / (1u128 << 64) as f32; 1);
error_functions!(f64 double 6.0 500 f64::from_bits((1023 - 500) << 52); 2);

/// A polynomial on [0, 7/8], and 1 - e^(p(x)) above.
#[inline(always)]
pub(crate) fn erf<L: Lanes<Real: ErrorFunctions>>(l: L, x: L::F) -> L::F {
    let one = l.splat(L::Real::ONE);
    let magnitude = min(l, l.abs(x), L::Real::ERF_END);
    let small = l.fma(magnitude, polynomial(l, l.mul(magnitude, magnitude), L::Real::ERF_SMALL), magnitude);
    let exponent = polynomial(l, magnitude, L::Real::ERF_LARGE);
    let (power, rest) = exp_parts(l, exponent, l.splat(L::Real::ZERO));
    let power = power_of_two(l, power);
    let large = l.fma(l.neg(power), rest, l.sub(one, power));
    flip_sign(l, l.select(l.lt(magnitude, l.splat(L::Real::ERF_SPLIT)), small, large), sign_of(l, x))
}

/// The tail of |x|, or its distance from 2.
#[inline(always)]
pub(crate) fn erfc<L: Lanes<Real: ErrorFunctions>>(l: L, x: L::F) -> L::F {
    let magnitude = min(l, l.abs(x), L::Real::ERFC.end);
    let square = l.mul(magnitude, magnitude);
    let rest = product_error(l, magnitude, magnitude, square);
    let value = tail(l, &L::Real::ERFC, magnitude, (l.neg(square), l.neg(rest)));
    l.select(l.lt(x, l.splat(L::Real::ZERO)), l.sub(l.splat(L::Real::TWO), value), value)
}

/// The tail of |x|, or its distance from 1. Arguments of both signs, as in Black and Scholes's formula, have all but
/// the last step in common: a compiler finds it.
#[inline(always)]
pub(crate) fn normcdf<L: Lanes<Real: ErrorFunctions>>(l: L, x: L::F) -> L::F {
    let magnitude = min(l, l.abs(x), L::Real::NORMCDF.end);
    let half = l.mul(magnitude, l.splat(L::Real::MINUS_HALF));
    let square = l.mul(magnitude, half);
    let rest = product_error(l, magnitude, half, square);
    let value = tail(l, &L::Real::NORMCDF, magnitude, (square, rest));
    l.select(l.lt(l.splat(L::Real::ZERO), x), l.sub(l.splat(L::Real::ONE), value), value)
}

/// e^exponent f(x) for x >= 0, where the exponent is a sum.
///
/// The rounding errors of x + shift and of t join the exponent, by the relative change of f for one of t.
#[inline(always)]
fn tail<L: Lanes<Real: ErrorFunctions>>(l: L, tail: &Tail<L::Real>, x: L::F, exponent: (L::F, L::F)) -> L::F {
    let (shift, one) = (l.splat(tail.shift), l.splat(L::Real::ONE));
    let divisor = l.add(x, shift);
    let divisor_low = l.sub(x, l.sub(divisor, shift));
    let t = L::Real::reciprocal(l, divisor);
    let minus_t = l.neg(t);
    let error = l.fma(minus_t, divisor_low, l.fma(minus_t, divisor, one));
    let condition = l.fma(t, l.splat(tail.condition[1]), l.splat(tail.condition[0]));
    let (power, rest) = exp_parts(l, exponent.0, l.fma(condition, error, exponent.1));
    let quotient = polynomial(l, l.sub(t, l.splat(tail.center)), tail.coefficients);
    let factor = l.mul(t, quotient);
    let value = l.add(factor, l.fma(factor, rest, product_error(l, t, quotient, factor)));
    let lifted = l.mul(value, power_of_two(l, l.int_add(power, l.int(L::Real::LIFT))));
    l.mul(lifted, l.splat(L::Real::LOWER))
}

/// n and p of e^(high + low) = 2^n (1 + p), with |p| below √2 - 1.
#[inline(always)]
fn exp_parts<L: Lanes<Real: ErrorFunctions>>(l: L, high: L::F, low: L::F) -> (L::I, L::F) {
    let (n, power) = round_product(l, high, l.splat(L::Real::LOG2_E));
    let r = l.fma(n, l.splat(L::Real::MINUS_LN_2_HI), high);
    let r = l.add(r, l.fma(n, l.splat(L::Real::MINUS_LN_2_LO), low));
    (power, l.fma(l.mul(r, r), polynomial(l, r, L::Real::EXP), r))
}

/// The lesser of x and a constant, and NaN for NaN.
#[inline(always)]
fn min<L: Lanes>(l: L, x: L::F, most: L::Real) -> L::F {
    let most = l.splat(most);
    l.select(l.lt(most, x), most, x)
}
