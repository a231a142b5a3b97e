//! Special values of trigonometric, error and gamma functions (C99, annex F), exact results, and ln |gamma x|.

#[allow(dead_code)]
mod support;

use affinimath_math::{Scalar, double, single};
use support::gamma;
use support::random::Random;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn is_same(a: f64, b: f64) -> bool {
    a == b && a.is_sign_negative() == b.is_sign_negative() || a.is_nan() && b.is_nan()
}

macro_rules! check {
    ($($name:ident $values:expr;)*) => {
        $(
            for (x, expected) in $values {
                let wide = double::$name(Scalar::<f64>::new(), x);
                let narrow = single::$name(Scalar::<f32>::new(), x as f32);
                assert!(is_same(wide, expected), "double {}({x}) = {wide}", stringify!($name));
                assert!(is_same(narrow.into(), expected as f32 as f64), "single {}({x}) = {narrow}", stringify!($name));
            }
        )*
    };
}

#[test]
fn zeros_infinities_and_nan_give_the_limits() {
    use std::f64::consts::FRAC_PI_2;
    check! {
        sin [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)];
        cos [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN)];
        tan [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)];
        asin [(0.0, 0.0), (-0.0, -0.0), (1.0, FRAC_PI_2), (-1.0, -FRAC_PI_2), (1.5, NAN), (-INF, NAN), (NAN, NAN)];
        acos [(1.0, 0.0), (0.0, FRAC_PI_2), (1.5, NAN), (-INF, NAN), (NAN, NAN)];
        atan [(0.0, 0.0), (-0.0, -0.0), (INF, FRAC_PI_2), (-INF, -FRAC_PI_2), (NAN, NAN)];
        erf [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)];
        erfc [(0.0, 1.0), (-0.0, 1.0), (INF, 0.0), (-INF, 2.0), (NAN, NAN)];
        normcdf [(0.0, 0.5), (-0.0, 0.5), (INF, 1.0), (-INF, 0.0), (NAN, NAN)];
        gamma [(0.0, INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)];
        lgamma [(0.0, INF), (-0.0, INF), (-1.0, INF), (INF, INF), (-INF, INF), (NAN, NAN)];
    }
}

#[test]
fn half_turns_are_exact() {
    check! {
        sinpi [(0.0, 0.0), (-0.0, -0.0), (0.5, 1.0), (1.0, 0.0), (-1.0, -0.0), (1.5, -1.0), (2.0, 0.0), (1e30, 0.0)];
        sinpi [(-2.5, -1.0), (INF, NAN), (NAN, NAN)];
        cospi [(0.0, 1.0), (0.5, 0.0), (-0.5, 0.0), (1.0, -1.0), (1.5, 0.0), (2.0, 1.0), (1e30, 1.0), (-INF, NAN)];
    }
}

#[test]
fn angles_have_the_special_values_of_annex_f() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let cases = [
        (0.0, -0.0, PI),
        (-0.0, -0.0, -PI),
        (0.0, 0.0, 0.0),
        (-0.0, 0.0, -0.0),
        (0.0, -1.0, PI),
        (-0.0, 1.0, -0.0),
        (-1.0, 0.0, -FRAC_PI_2),
        (1.0, -INF, PI),
        (-1.0, INF, -0.0),
        (INF, 1.0, FRAC_PI_2),
        (INF, -INF, 3.0 * FRAC_PI_4),
        (-INF, INF, -FRAC_PI_4),
        (NAN, INF, NAN),
        (1.0, NAN, NAN),
    ];
    for (y, x, expected) in cases {
        let wide = double::atan2(Scalar::<f64>::new(), y, x);
        let is_near = (wide / expected - 1.0).abs() < f64::EPSILON;
        assert!(is_near || is_same(wide, expected), "atan2({y}, {x}) = {wide}");
        let narrow = single::atan2(Scalar::<f32>::new(), y as f32, x as f32);
        // The error of multiples of π/4 is up to one ulp.
        let is_near = (f64::from(narrow) / expected - 1.0).abs() < f64::from(f32::EPSILON);
        assert!(is_near || is_same(narrow.into(), expected), "atan2({y}, {x}) = {narrow}");
    }
}

#[test]
fn both_functions_of_one_angle_are_the_single_ones() {
    let mut random = Random::new(1);
    for _ in 0..10_000 {
        let x = random.bits_double();
        let l = Scalar::<f64>::new();
        let (sin, cos) = double::sincos(l, x);
        assert!(is_same(sin, double::sin(l, x)) && is_same(cos, double::cos(l, x)), "{x}");
    }
}

/// The absolute error near zeros, and the relative one elsewhere, in units of `epsilon`.
fn logarithmic_error(result: f64, x: f64, epsilon: f64) -> f64 {
    let reference = gamma::lgamma(x);
    ((result - reference.hi) - reference.lo).abs() / reference.hi.abs().max(1.0) / epsilon
}

#[test]
fn logarithms_of_the_gamma_function_are_within_bounds() {
    let mut random = Random::new(2);
    for i in 0..40_000 {
        let x = match i % 5 {
            0 => random.between((0.0, 4.0)),
            1 => random.between((0.0, 200.0)),
            2 => random.between((-10.0, 0.0)),
            3 => random.between((-200.0, 0.0)),
            _ => random.between((-1000.0, 120.0)).exp2(),
        };
        let wide = double::lgamma(Scalar::<f64>::new(), x);
        let error = logarithmic_error(wide, x, f64::EPSILON);
        assert!(error < 6.0, "double lgamma({x}) = {wide}, error {error}");
        let x = x as f32;
        if x == 0.0 || x == x.trunc() && x < 0.0 {
            continue;
        }
        let narrow = single::lgamma(Scalar::<f32>::new(), x);
        let error = logarithmic_error(narrow.into(), x.into(), f32::EPSILON.into());
        assert!(error < 4.0, "single lgamma({x}) = {narrow}, error {error}");
    }
}
