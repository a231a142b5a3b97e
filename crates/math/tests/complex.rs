//! Complex functions: single against double precision, identities, special values (C99, annex G) and extreme ranges.

#[allow(dead_code)]
mod support;

use affinimath_math::{Scalar, complex};
use support::random::Random;

type Double = (f64, f64);
type Function<R> = fn(Scalar<R>, R, R) -> (R, R);

const ARGUMENTS: usize = 20_000;
const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn double() -> Scalar<f64> {
    Scalar::new()
}

/// The difference of two numbers over the modulus of the second, in units of `epsilon`.
fn error(result: Double, reference: Double, epsilon: f64) -> f64 {
    let scale = reference.0.abs().max(reference.1.abs());
    let parts = (result.0 / scale - reference.0 / scale, result.1 / scale - reference.1 / scale);
    parts.0.hypot(parts.1) / (reference.0 / scale).hypot(reference.1 / scale) / epsilon
}

fn random_number(random: &mut Random, range: f64) -> Double {
    let size = random.between((-range, range)).exp2();
    (size * random.between((-1.0, 1.0)), size * random.between((-1.0, 1.0)))
}

#[test]
fn single_precision_is_within_bounds() {
    type Case = (&'static str, Function<f32>, Function<f64>, f64, f64);
    let cases: [Case; 4] = [
        ("exp", complex::exp, complex::exp, 6.0, 3.0),
        ("ln", complex::ln, complex::ln, 60.0, 2.0),
        ("sqrt", complex::sqrt, complex::sqrt, 60.0, 2.5),
        ("recip", complex::recip, complex::recip, 60.0, 3.0),
    ];
    for (name, function, reference, range, bound) in cases {
        let mut random = Random::new(1);
        for _ in 0..ARGUMENTS {
            let z = random_number(&mut random, range);
            let z = (z.0 as f32, z.1 as f32);
            let result = function(Scalar::new(), z.0, z.1);
            let reference = reference(double(), z.0.into(), z.1.into());
            let error = error((result.0.into(), result.1.into()), reference, f64::from(f32::EPSILON) / 2.0);
            assert!(error < bound, "{name}{z:?} = {result:?}, error {error}");
        }
    }
}

#[test]
fn logarithms_near_the_unit_circle_lose_few_digits() {
    let mut random = Random::new(2);
    for _ in 0..ARGUMENTS {
        let (sin, cos) = random.between((-3.2, 3.2)).sin_cos();
        let z = (cos as f32, sin as f32);
        let (real, _) = complex::ln(Scalar::<f32>::new(), z.0, z.1);
        let (reference, _) = complex::ln(double(), z.0.into(), z.1.into());
        assert!(
            (f64::from(real) - reference).abs() <= 3e-7 * reference.abs() + 2e-15,
            "ln{z:?} = {real}, not {reference}"
        );
    }
}

#[test]
fn functions_in_double_precision_invert_each_other() {
    let mut random = Random::new(3);
    let l = double();
    for _ in 0..ARGUMENTS {
        let (z, w) = (random_number(&mut random, 100.0), random_number(&mut random, 100.0));
        let check = |name: &str, result: Double, expected: Double, bound: f64| {
            let error = error(result, expected, f64::EPSILON / 2.0);
            assert!(error < bound, "{name} of {z:?}, {w:?}: {result:?}, error {error}");
        };
        let root = complex::sqrt(l, z.0, z.1);
        check("sqrt", complex::mul(l, root, root), z, 8.0);
        let inverse = complex::recip(l, z.0, z.1);
        check("recip", complex::mul(l, inverse, z), (1.0, 0.0), 6.0);
        check("div", complex::mul(l, complex::div(l, z, w), w), z, 8.0);
        let logarithm = complex::ln(l, z.0, z.1);
        // The logarithm's own error grows with its size.
        check("exp", complex::exp(l, logarithm.0, logarithm.1), z, 200.0);
        check("polar", complex::polar(l, complex::abs(l, z.0, z.1), complex::arg(l, z.0, z.1)), z, 8.0);
    }
}

#[test]
fn extreme_numbers_neither_overflow_nor_underflow() {
    let l = double();
    let (most, least) = (f64::MAX, f64::from_bits(1));
    let root = complex::sqrt(l, most, most);
    assert!(error(root, (1.4730945569055657e154, 6.101757441282703e153), f64::EPSILON) < 3.0, "{root:?}");
    let root = complex::sqrt(l, least, least);
    assert!(error(root, (2.44210972613083e-162, 1.01155496936663e-162), 1e-12) < 3.0, "{root:?}");
    let (large, small) = (2f64.powi(1022), 2f64.powi(-1022));
    assert_eq!(complex::recip(l, small, 0.0), (large, -0.0));
    assert_eq!(complex::recip(l, 0.0, large).1, -small);
    assert_eq!(complex::div(l, (most, most), (most, most)), (1.0, 0.0));
    assert_eq!(complex::div(l, (least, least), (least, least)), (1.0, 0.0));
    let quotient = complex::div(l, (1e300, 0.0), (1e-5, 1e-5));
    assert!(error(quotient, (5e304, -5e304), f64::EPSILON) < 4.0, "{quotient:?}");
    // The exponential of the real part overflows, the result does not.
    let value = complex::exp(l, 710.0, std::f64::consts::FRAC_PI_2);
    assert!(value.0.is_finite() && value.1.is_infinite(), "{value:?}");
}

fn check(name: &str, function: Function<f64>, cases: &[(Double, Double)]) {
    let is_same = |a: f64, b: f64| a.is_nan() && b.is_nan() || a == b && a.is_sign_negative() == b.is_sign_negative();
    for &(z, expected) in cases {
        let result = function(double(), z.0, z.1);
        let is_right = is_same(result.0, expected.0) && is_same(result.1, expected.1);
        assert!(is_right, "{name}{z:?} = {result:?}, not {expected:?}");
    }
}

#[test]
fn exponentials_have_the_special_values_of_annex_g() {
    check(
        "exp",
        complex::exp,
        &[
            ((0.0, 0.0), (1.0, 0.0)),
            ((-0.0, -0.0), (1.0, -0.0)),
            ((1.0, INF), (NAN, NAN)),
            ((1.0, NAN), (NAN, NAN)),
            ((INF, 0.0), (INF, 0.0)),
            ((-INF, 1.0), (0.0, 0.0)),
            ((-INF, 2.0), (-0.0, 0.0)),
            ((INF, 2.0), (-INF, INF)),
            ((-INF, INF), (0.0, 0.0)),
            ((INF, INF), (INF, NAN)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, 0.0), (NAN, 0.0)),
            ((NAN, 1.0), (NAN, NAN)),
        ],
    );
}

#[test]
fn logarithms_have_the_special_values_of_annex_g() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    check(
        "ln",
        complex::ln,
        &[
            ((-0.0, 0.0), (-INF, PI)),
            ((0.0, 0.0), (-INF, 0.0)),
            ((1.0, INF), (INF, FRAC_PI_2)),
            ((1.0, NAN), (NAN, NAN)),
            ((-INF, 1.0), (INF, PI)),
            ((INF, 1.0), (INF, 0.0)),
            ((-INF, INF), (INF, 3.0 * FRAC_PI_4)),
            ((INF, INF), (INF, FRAC_PI_4)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, INF), (INF, NAN)),
            ((NAN, 1.0), (NAN, NAN)),
            ((-1.0, -0.0), (0.0, -PI)),
        ],
    );
}

#[test]
fn roots_have_the_special_values_of_annex_g() {
    check(
        "sqrt",
        complex::sqrt,
        &[
            ((0.0, 0.0), (0.0, 0.0)),
            ((-0.0, -0.0), (0.0, -0.0)),
            ((-4.0, 0.0), (0.0, 2.0)),
            ((-4.0, -0.0), (0.0, -2.0)),
            ((1.0, INF), (INF, INF)),
            ((NAN, -INF), (INF, -INF)),
            ((1.0, NAN), (NAN, NAN)),
            ((-INF, 1.0), (0.0, INF)),
            ((INF, -1.0), (INF, -0.0)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, 1.0), (NAN, NAN)),
        ],
    );
}

#[test]
fn quotients_have_the_special_values_of_annex_g() {
    let l = double();
    assert_eq!(complex::div(l, (1.0, 1.0), (0.0, 0.0)), (INF, INF));
    assert_eq!(complex::div(l, (1.0, 1.0), (INF, 0.0)), (0.0, 0.0));
    let value = complex::div(l, (INF, 1.0), (2.0, 1.0));
    assert!(value.0.is_infinite() && value.1.is_infinite(), "{value:?}");
    assert!(complex::div(l, (INF, 1.0), (INF, 1.0)).0.is_nan());
    assert_eq!(complex::recip(l, INF, NAN).0, 0.0);
    assert_eq!(complex::recip(l, -0.0, 0.0).0, -INF);
}
