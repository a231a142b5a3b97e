//! Trigonometric functions, their inverses and error functions, with their references.

use affinimath_math::{Scalar, double, single};

use super::double_double::{DoubleDouble, exponent_of, scale};
use super::half_pi;
use super::random::Random;
use super::{Double, DoublePair, Reference, Single, SinglePair};

pub const PI: DoubleDouble = DoubleDouble { hi: std::f64::consts::PI, lo: 1.2246467991473532e-16 };
const SQRT_PI: DoubleDouble = DoubleDouble { hi: 1.772453850905516, lo: -7.666586499825799e-17 };
/// Below this in magnitude, x and the first term of an odd function's series are equal in double-double arithmetic.
const TINY: f64 = 1e-17;

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

macro_rules! double {
    ($name:ident $bound:literal $intervals:expr, $reference:expr) => {
        Double {
            name: stringify!($name),
            function: |x| double::$name(Scalar::<f64>::new(), x),
            reference: $reference,
            intervals: $intervals,
            bound: $bound,
        }
    };
}

/// Functions of double precision, whose errors vanish in single precision, are references of it where the standard
/// library has none.
pub const SINGLE: &[Single] = &[
    single!(sin 1.0 f64::sin),
    single!(cos 1.0 f64::cos),
    single!(tan 1.2 f64::tan),
    single!(sinpi 1.0 |x| double::sinpi(Scalar::<f64>::new(), x)),
    single!(cospi 1.0 |x| double::cospi(Scalar::<f64>::new(), x)),
    single!(asin 1.0 f64::asin),
    single!(acos 1.0 f64::acos),
    single!(atan 1.3 f64::atan),
    single!(erf 1.0 |x| double::erf(Scalar::<f64>::new(), x)),
    single!(erfc 2.5 |x| double::erfc(Scalar::<f64>::new(), x)),
    single!(normcdf 2.5 |x| double::normcdf(Scalar::<f64>::new(), x)),
];

pub const SINGLE_PAIRS: &[SinglePair] = &[SinglePair {
    name: "atan2",
    function: |y, x| single::atan2(Scalar::<f32>::new(), y, x),
    reference: f64::atan2,
    arguments: |random| match random.bits() % 3 {
        0 => (random.bits_single(), random.bits_single()),
        1 => (random.between((-1.0, 1.0)) as f32, random.between((-1.0, 1.0)) as f32),
        _ => {
            let special = |random: &mut Random| SPECIAL[random.bits() as usize % SPECIAL.len()] as f32;
            (special(random), special(random))
        }
    },
    bound: 1.3,
}];

const SPECIAL: &[f64] = &[0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-320, 1e-40, 3e38, 1e308];
const NEAR_ZERO: (f64, f64) = (-1.0, 1.0);

pub const DOUBLE: &[Double] = &[
    double!(sin 1.0 ANGLES, |x| angle(x, |x| of_quadrant(x, 0))),
    double!(cos 1.0 ANGLES, |x| angle(x, |x| of_quadrant(x, 1))),
    double!(tan 1.2 ANGLES, |x| angle(x, |x| of_quadrant(x, 0) / of_quadrant(x, 1))),
    double!(sinpi 1.0 TURNS, |x| half_turns(x, 0)),
    double!(cospi 1.0 TURNS, |x| half_turns(x, 1)),
    double!(asin 1.0 &[NEAR_ZERO, (0.45, 0.55), (0.99, 1.0)], |x| {
        inverse(x, f64::asin, |x| arctangent(x, cofactor(x)))
    }),
    double!(acos 1.0 &[NEAR_ZERO, (0.45, 0.55), (-1.0, -0.99), (0.99, 1.0)], |x| {
        if x == 1.0 { Reference::Exact(0.0) } else { inverse(x, f64::acos, |x| arctangent(cofactor(x), x)) }
    }),
    double!(atan 1.4 &[NEAR_ZERO, (-10.0, 10.0)], |x| {
        inverse(x, f64::atan, |x| if x.hi.abs() > 1e300 { PI.scale(-1).copysign(x) } else { arctangent(x, 1.0.into()) })
    }),
    double!(erf 1.2 &[NEAR_ZERO, (0.9, 1.1), (-6.0, 6.0)], |x| {
        if x.is_finite() && x != 0.0 { erf(x.into()).into() } else { Reference::Exact(x.clamp(-1.0, 1.0)) }
    }),
    double!(erfc 3.0 &[NEAR_ZERO, (0.0, 28.0), (26.0, 27.3), (-6.0, 6.0)], |x| {
        if x.is_finite() { erfc(x.into(), x * x, x.mul_add(x, -(x * x))) } else { Reference::Exact(1.0 - x.signum()) }
    }),
    double!(normcdf 2.5 &[NEAR_ZERO, (-39.0, 1.0), (-38.6, -37.0), (-9.0, 9.0)], |x| {
        if !x.is_finite() {
            return Reference::Exact(if x.is_nan() { x } else { (x.signum() + 1.0) / 2.0 });
        }
        let square = x * x;
        match erfc(-DoubleDouble::from(x) * DoubleDouble::from(0.5).sqrt(), square / 2.0, x.mul_add(x, -square) / 2.0) {
            Reference::Near { value, exponent } => Reference::Near { value, exponent: exponent - 1 },
            Reference::Exact(value) => Reference::Exact(value / 2.0),
        }
    }),
];

const ANGLES: &[(f64, f64)] = &[(-10.0, 10.0), (-1e4, 1e4), (1.57, 1.5715), (0.0, 1e12), (1073741800.0, 1073741850.0)];
const TURNS: &[(f64, f64)] = &[NEAR_ZERO, (-100.0, 100.0), (0.49, 0.51), (0.0, 1e16)];

pub const DOUBLE_PAIRS: &[DoublePair] = &[DoublePair {
    name: "atan2",
    function: |y, x| double::atan2(Scalar::<f64>::new(), y, x),
    reference: arctangent_of_pair,
    arguments: |random| match random.bits() % 4 {
        0 => (random.bits_double(), random.bits_double()),
        1 => (random.between(NEAR_ZERO), random.between(NEAR_ZERO)),
        2 => {
            // Ratios of every size, near numbers of any size.
            let y = random.bits_double();
            (y, scale(random.between(NEAR_ZERO), exponent_of(y) + (random.bits() % 200) as i32 - 100))
        }
        _ => {
            let special = |random: &mut Random| SPECIAL[random.bits() as usize % SPECIAL.len()];
            (special(random), special(random))
        }
    },
    bound: 1.5,
}];

impl DoubleDouble {
    fn copysign(self, sign: Self) -> Self {
        if sign.hi.is_sign_negative() { -self.abs() } else { self.abs() }
    }

    /// sin and cos by Taylor's series, for |self| near π/4 at most.
    fn sin_cos(self) -> (Self, Self) {
        let square = self.square();
        let (mut sin, mut cos) = (DoubleDouble::from(1.0), DoubleDouble::from(1.0));
        for k in (1..=15).rev() {
            sin = DoubleDouble::from(1.0) - sin * square / f64::from(2 * k * (2 * k + 1)).into();
            cos = DoubleDouble::from(1.0) - cos * square / f64::from((2 * k - 1) * 2 * k).into();
        }
        (sin * self, cos)
    }
}

/// A function of a finite angle other than zero.
fn angle(x: f64, function: impl Fn((DoubleDouble, u32)) -> DoubleDouble) -> Reference {
    if !x.is_finite() {
        return Reference::Exact(f64::NAN);
    }
    let value = function(half_pi::reduce(x));
    if value.hi == 0.0 { Reference::Exact(value.hi.copysign(x)) } else { value.into() }
}

/// sin(rest + (quadrant + shift) π/2)
fn of_quadrant((rest, quadrant): (DoubleDouble, u32), shift: u32) -> DoubleDouble {
    let (sin, cos) = if rest.hi.abs() < TINY { (rest, 1.0.into()) } else { rest.sin_cos() };
    match (quadrant + shift) % 4 {
        0 => sin,
        1 => cos,
        2 => -sin,
        _ => -cos,
    }
}

/// sin(π x + shift π/2), whose zeros have the sign of x for the shift 0.
fn half_turns(x: f64, shift: u32) -> Reference {
    if !x.is_finite() {
        return Reference::Exact(f64::NAN);
    }
    let rest = x % 2.0;
    let n = (rest * 2.0).round_ties_even();
    let r = rest - n / 2.0;
    let value = of_quadrant((PI * r.into(), n.rem_euclid(4.0) as u32), shift);
    if r == 0.0 && value.hi == 0.0 {
        return Reference::Exact(if shift == 0 { 0f64.copysign(x) } else { 0.0 });
    }
    value.into()
}

/// sin(π x)
pub fn sin_of_turns(x: f64) -> DoubleDouble {
    let rest = x % 2.0;
    let n = (rest * 2.0).round_ties_even();
    of_quadrant((PI * (rest - n / 2.0).into(), n.rem_euclid(4.0) as u32), 0)
}

/// The standard library's value where it is special or that of a tiny argument is the argument.
fn inverse(x: f64, standard: fn(f64) -> f64, function: impl Fn(DoubleDouble) -> DoubleDouble) -> Reference {
    let value = standard(x);
    if !x.is_finite() && value.is_nan() {
        return Reference::Exact(value);
    }
    if x.is_infinite() && value.abs() > 1.5 {
        return PI.scale(-1).copysign(x.into()).into();
    }
    if !x.is_finite() || value.is_nan() || x == 0.0 && value == 0.0 {
        Reference::Exact(value)
    } else {
        function(x.into()).into()
    }
}

/// sqrt(1 - x²)
fn cofactor(x: DoubleDouble) -> DoubleDouble {
    let one = DoubleDouble::from(1.0);
    ((one - x) * (one + x)).sqrt()
}

/// The angle of (y, x), by one step from the standard library's.
fn arctangent(y: DoubleDouble, x: DoubleDouble) -> DoubleDouble {
    if x.hi > 0.0 && (y.hi / x.hi).abs() < TINY {
        return y / x;
    }
    let start = y.hi.atan2(x.hi);
    let reduced = half_pi::reduce(start);
    let (sin, cos) = (of_quadrant(reduced, 0), of_quadrant(reduced, 1));
    let step = (y * cos - x * sin) / (x * cos + y * sin);
    DoubleDouble::from(start) + step
}

fn arctangent_of_pair(y: f64, x: f64) -> Reference {
    let is_special = |value: f64| !value.is_finite() || value == 0.0;
    if is_special(y) || is_special(x) {
        let value = y.atan2(x);
        // Multiples of π/4 are not exact.
        let quarters = value / std::f64::consts::FRAC_PI_4;
        let is_multiple = value != 0.0 && !value.is_nan();
        return if is_multiple { (PI.scale(-2) * quarters.round().into()).into() } else { Reference::Exact(value) };
    }
    let shift = exponent_of(y) - exponent_of(x);
    let (height, width) = (scale(y, -exponent_of(y)), scale(x, -exponent_of(x)));
    if shift < -100 && x > 0.0 {
        return Reference::Near { value: DoubleDouble::from(height) / width.into(), exponent: shift };
    }
    // Beyond these ratios the result is that of the axis.
    let (height, width) = match shift {
        ..-150 => (scale(height, -150), width),
        150.. => (scale(height, 150), width),
        _ => (scale(height, shift), width),
    };
    arctangent(height.into(), width.into()).into()
}

/// The series with positive terms, or 1 less the complement.
fn erf(x: DoubleDouble) -> DoubleDouble {
    if x.hi.abs() > 30.0 {
        return DoubleDouble::from(1.0).copysign(x);
    }
    let square = x.square();
    if x.hi.abs() < 2.0 {
        let factor = x * 2.0.into() / SQRT_PI;
        if square.hi < 1e-34 {
            return factor;
        }
        let mut sum = DoubleDouble::from(1.0);
        for k in (1..=70).rev() {
            sum = sum * square * 2.0.into() / f64::from(2 * k + 1).into() + 1.0.into();
        }
        let (exponential, exponent) = (-square).exp();
        return factor * sum * exponential.scale(exponent);
    }
    let magnitude = x.abs();
    let (exponential, exponent) = (-square).exp();
    (DoubleDouble::from(1.0) - (exponential * fraction(magnitude)).scale(exponent)).copysign(x)
}

/// erfc x, where x² is square + rest.
fn erfc(x: DoubleDouble, square: f64, rest: f64) -> Reference {
    if x.hi < 2.0 {
        return (DoubleDouble::from(1.0) - erf(x)).into();
    }
    if x.hi > 50.0 {
        return Reference::Near { value: 1.0.into(), exponent: -3000 };
    }
    let (exponential, exponent) = DoubleDouble::sum(-square, -rest).exp();
    Reference::Near { value: exponential * fraction(x), exponent }
}

/// e^(x²) erfc x for x >= 2, by Laplace's continued fraction.
fn fraction(x: DoubleDouble) -> DoubleDouble {
    let terms = (1200.0 / (x.hi * x.hi)) as i32 + 12;
    let mut tail = x;
    for k in (1..=terms).rev() {
        tail = x + DoubleDouble::from(0.5 * f64::from(k)) / tail;
    }
    DoubleDouble::from(1.0) / (SQRT_PI * tail)
}
