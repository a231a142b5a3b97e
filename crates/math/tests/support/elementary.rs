//! Exponentials, logarithms, powers and hyperbolic functions, with their references.

use affinimath_math::{Scalar, double, single};

use super::double_double::DoubleDouble;
use super::{Double, DoublePair, Reference, Single, SinglePair};

/// A table row: the name, the bound, and the reference.
macro_rules! single {
    ($name:ident $bound:literal $reference:expr) => {
        Single {
            name: stringify!($name),
            function: |x| single::$name(Scalar::<f32>::new(), x),
            reference: $reference,
            bound: $bound,
        }
    };
}

/// A table row: the name, the bound, intervals, the standard library's function and the value where that is a finite
/// number other than zero.
macro_rules! double {
    ($name:ident $bound:literal $intervals:expr, $standard:expr, $reference:expr) => {
        Double {
            name: stringify!($name),
            function: |x| double::$name(Scalar::<f64>::new(), x),
            reference: |x| {
                let standard: fn(f64) -> f64 = $standard;
                let reference: fn(f64) -> Reference = $reference;
                let is_special = !x.is_finite() || x == 0.0 || standard(x).is_nan();
                if is_special { Reference::Exact(standard(x)) } else { reference(x) }
            },
            intervals: $intervals,
            bound: $bound,
        }
    };
}

pub const SINGLE: &[Single] = &[single!(exp 1.0 f64::exp), single!(exp2 1.0 f64::exp2), single!(expm1 1.1 f64::exp_m1)];

pub const SINGLE_PAIRS: &[SinglePair] = &[];

pub const DOUBLE_PAIRS: &[DoublePair] = &[];

pub const DOUBLE: &[Double] = &[
    double!(exp 1.0 &[(-746.0, 710.0), (-1.0, 1.0)], f64::exp, |x| exponential(x.into())),
    double!(exp2 1.0 &[(-1076.0, 1025.0), (-1.0, 1.0)], f64::exp2, |x| {
        if x == x.trunc() && x.abs() < 1100.0 {
            return Reference::Near { value: 1.0.into(), exponent: x as i32 };
        }
        exponential_base_2(x)
    }),
    double!(expm1 1.1 &[(-40.0, 710.0), (-1.0, 1.0), (-0.01, 0.01)], f64::exp_m1, |x| {
        if x < -100.0 {
            return Reference::Exact(-1.0);
        }
        if x > 100.0 { exponential(x.into()) } else { DoubleDouble::from(x).expm1().into() }
    }),
];

/// e^x. Results that are far out of range are replaced by ones that are so too.
fn exponential(x: DoubleDouble) -> Reference {
    if x.hi.abs() > 3000.0 {
        return Reference::Near { value: 1.0.into(), exponent: 3000 * x.hi.signum() as i32 };
    }
    let (value, exponent) = x.exp();
    Reference::Near { value, exponent }
}

fn exponential_base_2(x: f64) -> Reference {
    if x.abs() > 3000.0 {
        return Reference::Near { value: 1.0.into(), exponent: 3000 * x.signum() as i32 };
    }
    let n = x.round_ties_even();
    let (value, exponent) = (DoubleDouble::from(x - n) * super::double_double::LN_2).exp();
    Reference::Near { value, exponent: exponent + n as i32 }
}
