//! The gamma function and its logarithm, with their references.

use affinimath_math::{Scalar, double, single};

use super::double_double::{DoubleDouble, scale};
use super::special::{PI, sin_of_turns};
use super::{Double, Reference, Single};

/// ln sqrt(2π)
const HALF_LN_2PI: DoubleDouble = DoubleDouble { hi: 0.9189385332046728, lo: -3.8782941580672414e-17 };
/// Numerators and denominators of B(2k) / (2k (2k - 1)).
const STIRLING: [(f64, f64); 12] = [
    (1.0, 12.0),
    (-1.0, 360.0),
    (1.0, 1260.0),
    (-1.0, 1680.0),
    (1.0, 1188.0),
    (-691.0, 360360.0),
    (1.0, 156.0),
    (-3617.0, 122400.0),
    (43867.0, 244188.0),
    (-174611.0, 125400.0),
    (77683.0, 5796.0),
    (-236364091.0, 1506960.0),
];
/// Stirling's series is used from here on.
const STIRLING_START: f64 = 60.0;

pub const SINGLE: &[Single] = &[Single {
    name: "gamma",
    function: |x| single::gamma(Scalar::<f32>::new(), x),
    reference: |x| double::gamma(Scalar::<f64>::new(), x),
    bound: 6.0,
}];

pub const DOUBLE: &[Double] = &[Double {
    name: "gamma",
    function: |x| double::gamma(Scalar::<f64>::new(), x),
    reference: gamma,
    intervals: &[(0.0, 3.0), (0.0, 172.0), (170.0, 171.7), (-5.0, 0.0), (-185.0, 0.0), (-178.0, -170.0)],
    bound: 7.0,
}];

/// The gamma function.
pub fn gamma(x: f64) -> Reference {
    if x == 0.0 {
        return Reference::Exact(1.0 / x);
    }
    if x.is_nan() || x < 0.0 && x == x.trunc() {
        return Reference::Exact(f64::NAN);
    }
    if x > 200.0 {
        return Reference::Exact(f64::INFINITY);
    }
    if x.abs() < 1e-100 {
        return Reference::Near { value: DoubleDouble::from(1.0) / scale(x, 600).into(), exponent: 600 };
    }
    if x > 0.0 {
        let (value, exponent) = gamma_of_positive(x);
        return Reference::Near { value, exponent };
    }
    let sine = sin_of_turns(-x);
    let (value, exponent) = gamma_of_positive((-x).min(250.0));
    let value = -PI / (sine * DoubleDouble::from(-x) * value);
    Reference::Near { value, exponent: -exponent }
}

/// ln |gamma x| of a number that is no pole, up to 1e300.
pub fn lgamma(x: f64) -> DoubleDouble {
    if x > 0.0 {
        let (product, start) = shifted(x);
        return stirling(start) - product.ln_scaled(0);
    }
    let sine = sin_of_turns(-x).abs();
    PI.ln_scaled(0) - (sine * DoubleDouble::from(-x)).ln_scaled(0) - lgamma(-x)
}

fn gamma_of_positive(x: f64) -> (DoubleDouble, i32) {
    let (product, start) = shifted(x);
    let (value, exponent) = stirling(start).exp();
    (value / product, exponent)
}

/// x (x + 1) ... (x + n - 1) and x + n, which is large enough for Stirling's series.
fn shifted(x: f64) -> (DoubleDouble, DoubleDouble) {
    let (mut product, mut start) = (DoubleDouble::from(1.0), DoubleDouble::from(x));
    while start.hi < STIRLING_START {
        product = product * start;
        start = start + 1.0.into();
    }
    (product, start)
}

fn stirling(x: DoubleDouble) -> DoubleDouble {
    let t = DoubleDouble::from(1.0) / x;
    let square = t.square();
    let series = STIRLING.iter().rev().fold(DoubleDouble::from(0.0), |sum, &(numerator, denominator)| {
        sum * square + DoubleDouble::from(numerator) / denominator.into()
    });
    (x - 0.5.into()) * x.ln_scaled(0) - x + HALF_LN_2PI + series * t
}
