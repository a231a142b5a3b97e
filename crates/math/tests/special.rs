//! Special values of exponentials, logarithms, powers and hyperbolic functions (C99, annex F), and exact results.

/// True for equal numbers with equal signs, and for two NaN.
fn is_same(a: f64, b: f64) -> bool {
    a == b && a.is_sign_negative() == b.is_sign_negative() || a.is_nan() && b.is_nan()
}

/// The functions on scalars.
macro_rules! wrappers {
    ($functions:ident $real:ident; $($unary:ident)*; $($binary:ident)*) => {
        $(
            pub fn $unary(x: $real) -> $real {
                $functions::$unary(Scalar::<$real>::new(), x)
            }
        )*
        $(
            pub fn $binary(x: $real, y: $real) -> $real {
                $functions::$binary(Scalar::<$real>::new(), x, y)
            }
        )*
    };
}

macro_rules! precision {
    ($module:ident $real:ident $least_exponent:literal $largest_exponent:literal) => {
        mod $module {
            use affinimath_math::Scalar;
            use affinimath_math::$module as functions;

            use super::is_same;

            wrappers!(functions $real; exp exp2 expm1 ln log2 log10 log1p cbrt sinh cosh tanh; pow hypot);

            const INF: f64 = f64::INFINITY;
            const NAN: f64 = f64::NAN;

            fn check(cases: &[(&str, fn($real) -> $real, &[(f64, f64)])]) {
                for (name, function, values) in cases {
                    for (x, expected) in *values {
                        let result = function(*x as $real);
                        assert!(is_same(result.into(), *expected), "{name}({x}) = {result}, not {expected}");
                    }
                }
            }

            #[test]
            fn zeros_infinities_and_nan_give_the_limits() {
                check(&[
                    ("exp", exp, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN)]),
                    ("exp2", exp2, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN)]),
                    ("expm1", expm1, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (NAN, NAN)]),
                    ("ln", ln, &[(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (-INF, NAN)]),
                    ("log2", log2, &[(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (NAN, NAN)]),
                    ("log10", log10, &[(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (NAN, NAN)]),
                    ("log1p", log1p, &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF), (-2.0, NAN), (-INF, NAN)]),
                    ("cbrt", cbrt, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)]),
                    ("sinh", sinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)]),
                    ("cosh", cosh, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN)]),
                    ("tanh", tanh, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)]),
                ]);
            }

            #[test]
            fn largest_numbers_give_limits() {
                let max = f64::from($real::MAX);
                check(&[
                    ("exp", exp, &[(max, INF), (-max, 0.0)]),
                    ("exp2", exp2, &[(max, INF), (-max, 0.0)]),
                    ("expm1", expm1, &[(max, INF), (-max, -1.0)]),
                    ("sinh", sinh, &[(max, INF), (-max, -INF)]),
                    ("cosh", cosh, &[(max, INF), (-max, INF)]),
                    ("tanh", tanh, &[(max, 1.0), (-max, -1.0)]),
                ]);
            }

            #[test]
            fn subnormal_numbers_are_their_own_values() {
                let min = f64::from($real::from_bits(1));
                let values = [(min, min), (-min, -min), (5.0 * min, 5.0 * min)];
                check(&[
                    ("expm1", expm1, &values),
                    ("log1p", log1p, &values),
                    ("sinh", sinh, &values),
                    ("tanh", tanh, &values),
                ]);
            }

            #[test]
            fn powers_of_two_are_exact() {
                let mut power = $real::from_bits(1);
                for exponent in $least_exponent..=$largest_exponent {
                    let exponent = exponent as $real;
                    assert_eq!(exp2(exponent), power);
                    assert_eq!(pow(2.0, exponent), power);
                    assert_eq!(log2(power), exponent);
                    power *= 2.0;
                }
            }

            #[test]
            fn powers_of_ten_and_cubes_are_exact() {
                let mut power = 1.0;
                // 10^k has no more bits than a number up to 10^10 and 10^22.
                for exponent in 0..=if $largest_exponent == 127 { 10 } else { 22 } {
                    assert_eq!(log10(power), exponent as $real);
                    assert_eq!(pow(10.0, exponent as $real), power);
                    power *= 10.0;
                }
                for root in 0..=255 {
                    let root = root as $real;
                    assert_eq!(cbrt(root * root * root), root);
                    assert_eq!(cbrt(-root * root * root), -root);
                    assert_eq!(pow(root, 3.0), root * root * root);
                    assert_eq!(pow(-root, 3.0), -root * root * root);
                }
            }

            #[test]
            fn pow_has_the_special_values_of_c99() {
                let odd = [-5.0, -3.0, -1.0, 1.0, 3.0, 7.0];
                let even = [-4.0, -2.0, 2.0, 1024.0, 1e30, -1e30];
                let fractions = [-2.5, -0.5, 0.5, 1.5];
                let mut cases = Vec::new();
                for y in odd {
                    let at_zero = if y < 0.0 { INF } else { 0.0 };
                    let at_infinity = if y < 0.0 { 0.0 } else { INF };
                    cases.extend([(0.0, y, at_zero), (-0.0, y, -at_zero), (INF, y, at_infinity)]);
                    cases.extend([(-INF, y, -at_infinity), (-1.0, y, -1.0)]);
                }
                for y in even.into_iter().chain(fractions) {
                    let at_zero = if y < 0.0 { INF } else { 0.0 };
                    let at_infinity = if y < 0.0 { 0.0 } else { INF };
                    cases.extend([(0.0, y, at_zero), (-0.0, y, at_zero), (INF, y, at_infinity)]);
                    cases.push((-INF, y, at_infinity));
                }
                cases.extend(even.map(|y| (-1.0, y, 1.0)));
                cases.extend(fractions.map(|y| (-1.0, y, NAN)));
                cases.extend(fractions.map(|y| (-7.25, y, NAN)));
                for x in [0.0, -0.0, 1.0, -1.0, 0.5, -3.0, INF, -INF, NAN] {
                    cases.extend([(x, 0.0, 1.0), (x, -0.0, 1.0), (1.0, x, 1.0)]);
                }
                for x in [0.0, -0.0, 0.5, -0.5, f64::from($real::from_bits(1))] {
                    cases.extend([(x, INF, 0.0), (x, -INF, INF)]);
                }
                for x in [2.0, -2.0, 1.5, f64::from($real::MAX), INF, -INF] {
                    cases.extend([(x, INF, INF), (x, -INF, 0.0)]);
                }
                cases.extend([(-1.0, INF, 1.0), (-1.0, -INF, 1.0), (NAN, 1.0, NAN), (2.0, NAN, NAN), (-1.0, NAN, NAN)]);
                cases.extend([(0.0, NAN, NAN), (INF, NAN, NAN), (NAN, INF, NAN), (NAN, -2.0, NAN)]);
                let max = f64::from($real::MAX);
                cases.extend([(2.0, max, INF), (0.5, max, 0.0), (-2.0, max, INF), (max, 2.0, INF), (max, -2.0, 0.0)]);
                cases.extend([(-max, 3.0, -INF), (-max, -3.0, -0.0)]);
                for (x, y, expected) in cases {
                    let result = pow(x as $real, y as $real);
                    assert!(is_same(result.into(), expected), "pow({x}, {y}) = {result}, not {expected}");
                }
            }

            #[test]
            fn hypot_neither_overflows_nor_underflows() {
                let (max, min) = (f64::from($real::MAX), f64::from($real::from_bits(1)));
                let cases = [
                    (INF, NAN, INF), (NAN, -INF, INF), (-INF, 1.0, INF), (NAN, 1.0, NAN), (0.0, NAN, NAN),
                    (0.0, -0.0, 0.0), (-3.0, 4.0, 5.0), (0.0, -7.0, 7.0), (max, 0.0, max), (max, max, INF),
                    (3.0 * min, 4.0 * min, 5.0 * min), (min, 0.0, min), (max, min, max),
                ];
                for (x, y, expected) in cases {
                    let result = hypot(x as $real, y as $real);
                    assert!(is_same(result.into(), expected), "hypot({x}, {y}) = {result}, not {expected}");
                }
            }
        }
    };
}

precision!(single f32 -149 127);
precision!(double f64 -1074 1023);
