//! NaN, infinities, zeros of both signs, integers out of range and empty arrays: the rows of the table in
//! docs/src/arrays.md.

use affinimath::Context;
use affinimath::array::{self, Array, Element, Expr};
use std::fmt::Debug;

/// The powers of 1, of NaN and infinities too.
pub fn powers_of_one_are_one(context: &Context) {
    let x = array(context, &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -1.0, 2.5]);
    assert_elements(&Expr::scalar(1.0).pow(&x).eval().unwrap(), &[1.0; 6], "1^x");
}

pub fn check(context: &Context) {
    single::check(context);
    if context.device().is_none_or(|device| device.info().fp64) {
        double::check(context);
        doubles_round_to_singles(context);
    }
    integers_wrap(context);
    shifts_count_modulo_the_width(context);
    conversions_saturate_and_wrap(context);
    truth_is_not_zero(context);
    empty_arrays_have_neutral_elements(context);
    empty_arrays_have_no_extrema(context);
    products_of_no_columns_are_zero(context);
}

fn array<T: Element>(context: &Context, elements: &[T]) -> Array<T> {
    Array::from_slice(context, [elements.len()], elements).unwrap()
}

fn assert_elements<T: Element>(found: &Array<T>, expected: &[T], what: &str) {
    assert_eq!(found.to_vec().unwrap(), expected, "{what}");
}

macro_rules! real {
    ($module:ident $real:ident) => {
        mod $module {
            use super::*;

            const NAN: $real = $real::NAN;
            const INF: $real = $real::INFINITY;

            /// Equal bits, or both NaN.
            fn assert_same(found: &Array<$real>, expected: &[$real], what: &str) {
                let found = found.to_vec().unwrap();
                let is_same = |(x, y): (&$real, &$real)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                let all = found.len() == expected.len() && found.iter().zip(expected).all(is_same);
                assert!(all, "{what}: {found:?} instead of {expected:?}");
            }

            pub fn check(context: &Context) {
                operators(context);
                comparisons(context);
                functions(context);
                reductions(context);
                scalars_keep_the_sign_of_zero(context);
            }

            /// A kernel that runs again takes the scalars of this time, of which 0 and -0 compare equal.
            fn scalars_keep_the_sign_of_zero(context: &Context) {
                let x = array(context, &[1.0, -2.0]);
                for zero in [0.0, -0.0, 0.0, 3.0] {
                    let found = (&x * (zero as $real)).eval().unwrap();
                    assert_same(&found, &[zero as $real, -2.0 * zero as $real], "a scalar");
                }
            }

            fn operands(context: &Context) -> (Array<$real>, Array<$real>) {
                let x = [1.0, -1.0, 0.0, NAN, INF, -0.0, 5.5, -5.5];
                (array(context, &x), array(context, &[0.0, 0.0, 0.0, 1.0, INF, 0.0, 2.0, 2.0]))
            }

            fn operators(context: &Context) {
                let (x, y) = operands(context);
                let (quotient, rest, least, greatest, swapped) =
                    array::eval((&x / &y, &x % &y, x.minimum(&y), x.maximum(&y), y.minimum(&x))).unwrap();
                assert_same(&quotient, &[INF, -INF, NAN, NAN, NAN, NAN, 2.75, -2.75], "/");
                assert_same(&rest, &[NAN, NAN, NAN, NAN, NAN, NAN, 1.5, -1.5], "%");
                assert_same(&least, &[0.0, -1.0, 0.0, NAN, INF, 0.0, 2.0, -5.5], "minimum");
                assert_same(&greatest, &[1.0, 0.0, 0.0, NAN, INF, 0.0, 5.5, 2.0], "maximum");
                assert_same(&swapped, &[0.0, -1.0, 0.0, NAN, INF, -0.0, 2.0, -5.5], "minimum, swapped");
            }

            fn comparisons(context: &Context) {
                let (x, y) = operands(context);
                let (lt, le, gt, ge, eq, ne) =
                    array::eval((x.lt(&y), x.le(&y), x.gt(&y), x.ge(&y), x.equal(&y), x.not_equal(&y))).unwrap();
                let (f, t) = (false, true);
                assert_elements(&lt, &[f, t, f, f, f, f, f, t], "<");
                assert_elements(&le, &[f, t, t, f, t, t, f, t], "<=");
                assert_elements(&gt, &[t, f, f, f, f, f, t, f], ">");
                assert_elements(&ge, &[t, f, t, f, t, t, t, f], ">=");
                assert_elements(&eq, &[f, f, t, f, t, t, f, f], "==");
                assert_elements(&ne, &[t, t, f, t, f, f, t, t], "!=");
            }

            fn functions(context: &Context) {
                let x = array(context, &[NAN, INF, -INF, 0.0, -0.0, -1.0, 2.5, -0.25]);
                let (sign, round, floor, root, recip, clamped) =
                    array::eval((x.sign(), x.round(), x.floor(), x.sqrt(), x.recip(), x.clamp(0.0, 1.0))).unwrap();
                assert_same(&sign, &[NAN, 1.0, -1.0, 0.0, -0.0, -1.0, 1.0, -1.0], "sign");
                assert_same(&round, &[NAN, INF, -INF, 0.0, -0.0, -1.0, 2.0, -0.0], "round");
                assert_same(&floor, &[NAN, INF, -INF, 0.0, -0.0, -1.0, 2.0, -1.0], "floor");
                let of_two_and_a_half = (2.5 as $real).sqrt();
                assert_same(&root, &[NAN, INF, NAN, 0.0, -0.0, NAN, of_two_and_a_half, NAN], "sqrt");
                assert_same(&recip, &[NAN, 0.0, -0.0, INF, -INF, -1.0, 1.0 / 2.5, -4.0], "recip");
                assert_same(&clamped, &[NAN, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], "clamp");
                let first = |expr: Expr<$real>| expr.at(array::s![..5]);
                let (exp, ln, zeroth) = array::eval((first(x.exp()), first(x.ln()), x.pow(0.0))).unwrap();
                assert_same(&exp, &[NAN, INF, 0.0, 1.0, 1.0], "exp");
                assert_same(&ln, &[NAN, INF, NAN, -INF, -INF], "ln");
                assert_same(&zeroth, &[1.0; 8], "x^0");
                let (nan, infinite, finite) = array::eval((x.is_nan(), x.is_infinite(), x.is_finite())).unwrap();
                let (f, t) = (false, true);
                assert_elements(&nan, &[t, f, f, f, f, f, f, f], "is_nan");
                assert_elements(&infinite, &[f, t, t, f, f, f, f, f], "is_infinite");
                assert_elements(&finite, &[f, f, f, t, t, t, t, t], "is_finite");
            }

            fn reductions(context: &Context) {
                let x = array(context, &[3.0, NAN, -1.0, NAN, INF]);
                let (sum, product, min, max, argmin, argmax, mean) =
                    array::eval((x.sum(..), x.prod(..), x.min(..), x.max(..), x.argmin(..), x.argmax(..), x.mean(..)))
                        .unwrap();
                for (found, what) in [(sum, "sum"), (product, "prod"), (min, "min"), (max, "max"), (mean, "mean")] {
                    assert_same(&found, &[NAN], what);
                }
                assert_eq!((argmin.value().unwrap(), argmax.value().unwrap()), (1, 1));
                let (sums, variance, norm) = array::eval((x.cumsum(0), x.var(..), x.norm())).unwrap();
                assert_same(&sums, &[3.0, NAN, NAN, NAN, NAN], "cumsum");
                assert_same(&variance, &[NAN], "var");
                assert_same(&norm, &[NAN], "norm");
                // The first of equal elements, also of zeros.
                let x = array(context, &[-0.0, 2.0, 0.0, 2.0]);
                let (argmin, argmax) = array::eval((x.argmin(..), x.argmax(..))).unwrap();
                assert_eq!((argmin.value().unwrap(), argmax.value().unwrap()), (0, 1));
                let x = array(context, &[INF, -INF]);
                let (sum, max) = array::eval((x.sum(..), x.max(..))).unwrap();
                assert_same(&sum, &[NAN], "sum of infinities");
                assert_same(&max, &[INF], "max of infinities");
            }
        }
    };
}

real!(single f32);
real!(double f64);

fn doubles_round_to_singles(context: &Context) {
    let x = array(context, &[1e300, -1e-60, f64::NAN]);
    let found = x.cast::<f32>().to_vec().unwrap();
    assert!(found[0] == f32::INFINITY && found[1].to_bits() == (-0.0_f32).to_bits() && found[2].is_nan(), "{found:?}");
}

fn integers_wrap(context: &Context) {
    macro_rules! signed {
        ($($integer:ident)*) => {$({
            const MIN: $integer = $integer::MIN;
            const MAX: $integer = $integer::MAX;
            let (x, y) = (array(context, &[7, -7, MIN, MIN, 7, MAX]), array(context, &[0, 0, -1, 0, -2, 1]));
            let (quotient, rest, sum, product, magnitude, negated) =
                array::eval((&x / &y, &x % &y, &x + &y, &x * &y, x.abs(), -&x)).unwrap();
            assert_elements(&quotient, &[0, 0, MIN, 0, -3, MAX], "/");
            assert_elements(&rest, &[0, 0, 0, 0, 1, 0], "%");
            assert_elements(&sum, &[7, -7, MAX, MIN, 5, MIN], "+");
            assert_elements(&product, &[0, 0, MIN, 0, -14, MAX], "*");
            assert_elements(&magnitude, &[7, 7, MIN, MIN, 7, MAX], "abs");
            assert_elements(&negated, &[-7, 7, MIN, MIN, -7, -MAX], "-");
        })*};
    }
    macro_rules! unsigned {
        ($($integer:ident)*) => {$({
            const MAX: $integer = $integer::MAX;
            let (x, y) = (array(context, &[7, 3, MAX, MAX]), array(context, &[0, 5, 1, MAX]));
            let (quotient, rest, sum, difference, product) =
                array::eval((&x / &y, &x % &y, &x + &y, &x - &y, &x * &y)).unwrap();
            assert_elements(&quotient, &[0, 0, MAX, 1], "/");
            assert_elements(&rest, &[0, 3, 0, 0], "%");
            assert_elements(&sum, &[7, 8, 0, MAX - 1], "+");
            assert_elements(&difference, &[7, MAX - 1, MAX - 1, 0], "-");
            assert_elements(&product, &[0, 15, MAX, 1], "*");
        })*};
    }
    signed!(i32 i64);
    unsigned!(u8 u32);
}

fn shifts_count_modulo_the_width(context: &Context) {
    fn check<T: array_types::Integer + Debug>(
        context: &Context,
        x: [T; 4],
        count: [T; 4],
        left: [T; 4],
        right: [T; 4],
    ) {
        let (x, count) = (array(context, &x), array(context, &count));
        let (found_left, found_right) = array::eval((&x << &count, &x >> &count)).unwrap();
        assert_elements(&found_left, &left, "<<");
        assert_elements(&found_right, &right, ">>");
    }
    use affinimath_array::types as array_types;
    check(context, [1, 1, -8, -8], [33, 31, 1, -31], [2, i32::MIN, -16, -16], [0, 0, -4, -4]);
    check(context, [1, 1, -8, -8_i64], [65, 63, 1, -63], [2, i64::MIN, -16, -16], [0, 0, -4, -4]);
    check(context, [200, 128, 1, 255_u8], [9, 7, 8, 15], [144, 0, 1, 128], [100, 1, 1, 1]);
    check(context, [1, u32::MAX, 6, 6], [32, 31, 33, 1], [1, 1 << 31, 12, 12], [1, 1, 3, 3]);
}

fn conversions_saturate_and_wrap(context: &Context) {
    let x = array(context, &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 300.0, -1.5, 1e20, 2.9, -0.0]);
    let (byte, int, unsigned, long, bit) =
        array::eval((x.cast::<u8>(), x.cast::<i32>(), x.cast::<u32>(), x.cast::<i64>(), x.cast::<bool>())).unwrap();
    assert_elements(&byte, &[0, 255, 0, 255, 0, 255, 2, 0], "u8");
    assert_elements(&int, &[0, i32::MAX, i32::MIN, 300, -1, i32::MAX, 2, 0], "i32");
    assert_elements(&unsigned, &[0, u32::MAX, 0, 300, 0, u32::MAX, 2, 0], "u32");
    assert_elements(&long, &[0, i64::MAX, i64::MIN, 300, -1, i64::MAX, 2, 0], "i64");
    assert_elements(&bit, &[true, true, true, true, true, true, true, false], "bool");
    let x = array(context, &[-1_i64, 256, 1 << 32, i64::MAX]);
    let (byte, int, unsigned, single) =
        array::eval((x.cast::<u8>(), x.cast::<i32>(), x.cast::<u32>(), x.cast::<f32>())).unwrap();
    assert_elements(&byte, &[255, 0, 0, 255], "i64 as u8");
    assert_elements(&int, &[-1, 256, 0, -1], "i64 as i32");
    assert_elements(&unsigned, &[u32::MAX, 256, 0, u32::MAX], "i64 as u32");
    assert_elements(&single, &[-1.0, 256.0, 4_294_967_296.0, 9_223_372_036_854_775_808.0], "i64 as f32");
}

fn truth_is_not_zero(context: &Context) {
    let x = array(context, &[0_i32, -3, 256]);
    let (bit, back) = array::eval((x.cast::<bool>(), x.cast::<bool>().cast::<f32>())).unwrap();
    assert_elements(&bit, &[false, true, true], "i32 as bool");
    assert_elements(&back, &[0.0, 1.0, 1.0], "bool as f32");
}

fn empty_arrays_have_neutral_elements(context: &Context) {
    let x = Array::<f32>::from_slice(context, [0, 3], &[]).unwrap();
    let (sum, product, mean, variance, norm) =
        array::eval((x.sum(0), x.prod(0), x.mean(0), x.var(0), x.norm_along(0))).unwrap();
    assert_elements(&sum, &[0.0; 3], "sum");
    assert_elements(&product, &[1.0; 3], "prod");
    assert_elements(&norm, &[0.0; 3], "norm");
    for (found, what) in [(mean, "mean"), (variance, "var")] {
        let found = found.to_vec().unwrap();
        assert!(found.len() == 3 && found.iter().all(|x| x.is_nan()), "{what}: {found:?}");
    }
    let mask = x.gt(0.0);
    let (any, all, count) = array::eval((mask.any(..), mask.all(..), mask.count(..))).unwrap();
    assert_eq!((any.value().unwrap(), all.value().unwrap(), count.value().unwrap()), (false, true, 0));
    // The variance of one element with one degree of freedom less is 0/0.
    let one = Array::<f32>::from_slice(context, [1], &[5.0]).unwrap();
    assert!(one.var_with(.., 1).value().unwrap().is_nan());
    let (sums, joined, rows) = array::eval((x.cumsum(0), array::concatenate(0, [&x, &x]), x.sum(1))).unwrap();
    assert_eq!(
        (sums.shape().to_vec(), joined.shape().to_vec(), rows.shape().to_vec()),
        (vec![0, 3], vec![0, 3], vec![0])
    );
    assert!(sums.to_vec().unwrap().is_empty() && joined.to_vec().unwrap().is_empty());
    assert!((&x + 1.0).exp().t().to_vec().unwrap().is_empty());
    let whole = Array::<i32>::from_slice(context, [2, 0], &[]).unwrap();
    let (sum, product) = array::eval((whole.sum(1), whole.prod(1))).unwrap();
    assert_elements(&sum, &[0, 0], "sum of no integers");
    assert_elements(&product, &[1, 1], "product of no integers");
}

fn empty_arrays_have_no_extrema(context: &Context) {
    let x = Array::<f32>::from_slice(context, [0, 3], &[]).unwrap();
    let errors = [x.min(0).eval().unwrap_err(), x.max(..).eval().unwrap_err()];
    let errors = errors.into_iter().chain([x.argmin(0).eval().unwrap_err(), x.argmax(..).eval().unwrap_err()]);
    for error in errors {
        let text = error.to_string();
        assert!(text.contains("special.rs:") && text.contains("[0, 3]"), "{text}");
    }
    // There is no row whose extremum is missing.
    assert!(x.max(1).to_vec().unwrap().is_empty());
    let index = Array::<i64>::from_slice(context, [1], &[0]).unwrap();
    assert!(x.index(&index).eval().is_err());
}

fn products_of_no_columns_are_zero(context: &Context) {
    let (a, b) = (Array::<f32>::zeros(context, [2, 0]).unwrap(), Array::<f32>::zeros(context, [0, 3]).unwrap());
    assert_elements(&a.matmul(&b).eval().unwrap(), &[0.0; 6], "matmul");
}
