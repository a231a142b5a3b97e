//! Exponentials, logarithms, powers and hyperbolic functions, with their references.

use affinimath_math::{Scalar, double, single};

use super::double_double::{DoubleDouble, LN_2, LN_10, exponent_of, scale};
use super::random::Random;
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

pub const SINGLE: &[Single] = &[
    single!(exp 1.0 f64::exp),
    single!(exp2 1.0 f64::exp2),
    single!(expm1 1.1 f64::exp_m1),
    single!(ln 1.0 f64::ln),
    single!(log2 1.0 f64::log2),
    single!(log10 1.0 f64::log10),
    single!(log1p 1.0 f64::ln_1p),
    single!(cbrt 1.0 f64::cbrt),
    single!(sinh 1.0 f64::sinh),
    single!(cosh 1.0 f64::cosh),
    single!(tanh 1.0 f64::tanh),
];

pub const SINGLE_PAIRS: &[SinglePair] = &[
    SinglePair {
        name: "pow",
        function: |x, y| single::pow(Scalar::<f32>::new(), x, y),
        reference: f64::powf,
        arguments: |random| {
            let (x, y) = power_arguments(random, 150.0, |random| random.bits_single().into());
            (x as f32, y as f32)
        },
        bound: 1.0,
    },
    SinglePair {
        name: "hypot",
        function: |x, y| single::hypot(Scalar::<f32>::new(), x, y),
        reference: f64::hypot,
        arguments: |random| {
            let x = random.bits_single();
            let ratio = random.between((-30.0, 30.0)).exp2() as f32;
            (x, if random.bits() % 2 == 0 { random.bits_single() } else { x * ratio })
        },
        bound: 1.0,
    },
];

pub const DOUBLE_PAIRS: &[DoublePair] = &[
    DoublePair {
        name: "pow",
        function: |x, y| double::pow(Scalar::<f64>::new(), x, y),
        reference: power,
        arguments: |random| power_arguments(random, 1080.0, |random| random.bits_double()),
        bound: 1.0,
    },
    DoublePair {
        name: "hypot",
        function: |x, y| double::hypot(Scalar::<f64>::new(), x, y),
        reference: length,
        arguments: |random| {
            let x = random.bits_double();
            let ratio = random.between((-60.0, 60.0)).exp2();
            (x, if random.bits() % 2 == 0 { random.bits_double() } else { x * ratio })
        },
        bound: 1.0,
    },
];

/// Arguments of pow: any bits, whole exponents, or a base and the exponent for a result up to 2^`limit`.
fn power_arguments(random: &mut Random, limit: f64, bits: fn(&mut Random) -> f64) -> (f64, f64) {
    let x = match random.bits() % 3 {
        0 => bits(random),
        1 => random.between((0.5, 2.0)),
        _ => 1.0 + random.between((-1.0, 1.0)) * random.between((-40.0, 0.0)).exp2(),
    };
    let y = match random.bits() % 8 {
        0 => bits(random),
        1 => random.between((-20.0, 20.0)).round(),
        _ => random.between((-limit, limit)) / x.abs().log2(),
    };
    (x, y)
}

fn power(x: f64, y: f64) -> Reference {
    let standard = x.powf(y);
    if !x.is_finite() || !y.is_finite() || x == 0.0 || y == 0.0 || x.abs() == 1.0 || standard.is_nan() {
        return Reference::Exact(standard);
    }
    let exponent = exponent_of(x);
    let logarithm = DoubleDouble::from(scale(x.abs(), -exponent)).ln_scaled(exponent);
    // Its error relative to the result is that of the product, which is far below an ulp where the result is finite.
    let product = if y.abs() > 1e30 { (logarithm.hi * y).into() } else { logarithm * y.into() };
    match exponential(product) {
        Reference::Near { value, exponent } if standard.is_sign_negative() => {
            Reference::Near { value: -value, exponent }
        }
        near => near,
    }
}

fn length(x: f64, y: f64) -> Reference {
    let standard = x.hypot(y);
    if !x.is_finite() || !y.is_finite() || standard == 0.0 {
        return Reference::Exact(standard);
    }
    let (larger, smaller) = if x.abs() < y.abs() { (y.abs(), x.abs()) } else { (x.abs(), y.abs()) };
    let exponent = exponent_of(larger);
    // A smaller one that underflows here is far below the error.
    let (larger, smaller) = (scale(larger, -exponent), scale(smaller, -exponent));
    let square = DoubleDouble::product(larger, larger) + DoubleDouble::product(smaller, smaller);
    Reference::Near { value: square.sqrt(), exponent }
}

fn cube_root(x: f64) -> Reference {
    let exponent = exponent_of(x).div_euclid(3);
    let mantissa = DoubleDouble::from(scale(x, -3 * exponent));
    let start = DoubleDouble::from(mantissa.hi.cbrt());
    let value = start - (start * start * start - mantissa) / (start * start * 3.0.into());
    Reference::Near { value, exponent }
}

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
    double!(ln 1.0 NEAR_ONE, f64::ln, |x| logarithm(x).into()),
    double!(log2 1.0 NEAR_ONE, f64::log2, |x| (logarithm(x) / LN_2).into()),
    double!(log10 1.0 NEAR_ONE, f64::log10, |x| (logarithm(x) / LN_10).into()),
    double!(log1p 1.0 &[(-1.0, 3.0), (-0.5, 0.5), (0.0, 1e6)], f64::ln_1p, logarithm_of_1_plus),
    double!(cbrt 1.0 &[(0.1, 10.0), (-1.0, 1.0)], f64::cbrt, cube_root),
    double!(sinh 1.0 &[(-711.0, 711.0), (-2.0, 2.0), (-40.0, 40.0)], f64::sinh, hyperbolic_sine),
    double!(cosh 1.0 &[(-711.0, 711.0), (-2.0, 2.0), (-40.0, 40.0)], f64::cosh, hyperbolic_cosine),
    double!(tanh 1.0 &[(-20.0, 20.0), (-2.0, 2.0)], f64::tanh, hyperbolic_tangent),
];

const NEAR_ONE: &[(f64, f64)] = &[(0.0, 4.0), (0.7, 1.42), (0.99, 1.01)];

/// ln x, for positive numbers.
fn logarithm(x: f64) -> DoubleDouble {
    let exponent = exponent_of(x);
    DoubleDouble::from(scale(x, -exponent)).ln_scaled(exponent)
}

/// ln(1 + x)
fn logarithm_of_1_plus(x: f64) -> Reference {
    if x == -1.0 {
        return Reference::Exact(f64::NEG_INFINITY);
    }
    // A result may be subnormal, or so small that the series gives the argument.
    if x.abs() < 1e-40 {
        return DoubleDouble::from(x).into();
    }
    if x.abs() < 0.4 {
        return DoubleDouble::from(x).ln_1p_reduced().into();
    }
    if x > 1e40 { logarithm(x).into() } else { DoubleDouble::sum(1.0, x).ln_scaled(0).into() }
}

fn hyperbolic_sine(x: f64) -> Reference {
    if x.abs() > 100.0 {
        return half_exponential(x.abs(), x.signum());
    }
    if x.abs() < 1e-40 {
        return DoubleDouble::from(x).into();
    }
    // (t + t / (t + 1)) / 2 for t = e^x - 1.
    let t = DoubleDouble::from(x.abs()).expm1();
    ((t + t / (t + 1.0.into())).scale(-1) * x.signum().into()).into()
}

fn hyperbolic_cosine(x: f64) -> Reference {
    if x.abs() > 100.0 {
        return half_exponential(x.abs(), 1.0);
    }
    let power = DoubleDouble::from(x.abs()).expm1() + 1.0.into();
    (power + DoubleDouble::from(1.0) / power).scale(-1).into()
}

/// sign e^x / 2
fn half_exponential(x: f64, sign: f64) -> Reference {
    match exponential(x.into()) {
        Reference::Near { value, exponent } => Reference::Near { value: value * sign.into(), exponent: exponent - 1 },
        exact => exact,
    }
}

fn hyperbolic_tangent(x: f64) -> Reference {
    if x.abs() > 40.0 {
        return Reference::Exact(x.signum());
    }
    if x.abs() < 1e-40 {
        return DoubleDouble::from(x).into();
    }
    let t = DoubleDouble::from(2.0 * x).expm1();
    (t / (t + 2.0.into())).into()
}

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
    let (value, exponent) = (DoubleDouble::from(x - n) * LN_2).exp();
    Reference::Near { value, exponent: exponent + n as i32 }
}
