//! Elementary functions of the languages' libraries.

use affinimath_kernel::dynamic::{BinaryOp, Query, UnaryOp};
use affinimath_kernel::{Access, Kernel, Launch, ScalarType, ValueType, Vector};
use approx::assert_relative_eq;

use super::compiled::builds;
use super::targets::{Buffer, check_opencl, interpret, run};

type Reference = (UnaryOp, fn(f64) -> f64);

const UNARY: [Reference; 29] = [
    (UnaryOp::Abs, f64::abs),
    (UnaryOp::Sqrt, f64::sqrt),
    (UnaryOp::Cbrt, f64::cbrt),
    (UnaryOp::Sin, f64::sin),
    (UnaryOp::Cos, f64::cos),
    (UnaryOp::Tan, f64::tan),
    (UnaryOp::Asin, f64::asin),
    (UnaryOp::Acos, f64::acos),
    (UnaryOp::Atan, f64::atan),
    (UnaryOp::Sinh, f64::sinh),
    (UnaryOp::Cosh, f64::cosh),
    (UnaryOp::Tanh, f64::tanh),
    (UnaryOp::Asinh, f64::asinh),
    (UnaryOp::Acosh, |x| (x + 1.0).acosh()),
    (UnaryOp::Atanh, f64::atanh),
    (UnaryOp::Exp, f64::exp),
    (UnaryOp::Exp2, f64::exp2),
    (UnaryOp::Expm1, f64::exp_m1),
    (UnaryOp::Log, f64::ln),
    (UnaryOp::Log2, f64::log2),
    (UnaryOp::Log10, f64::log10),
    (UnaryOp::Log1p, f64::ln_1p),
    (UnaryOp::Erf, |x| 2.0 * x / std::f64::consts::PI.sqrt() * series(x)),
    (UnaryOp::Erfc, |x| 1.0 - 2.0 * x / std::f64::consts::PI.sqrt() * series(x)),
    (UnaryOp::Tgamma, |x| gamma(x)),
    (UnaryOp::Lgamma, |x| gamma(x).ln()),
    (UnaryOp::Floor, f64::floor),
    (UnaryOp::Ceil, f64::ceil),
    (UnaryOp::Rint, f64::round_ties_even),
];

/// erf(x) sqrt(pi) / (2 x), the sum of (-x^2)^n / (n! (2 n + 1)) (Abramowitz and Stegun 7.1.5).
fn series(x: f64) -> f64 {
    let term = |n: i32| (-x * x).powi(n) / (1..=n).map(f64::from).product::<f64>() / f64::from(2 * n + 1);
    (0..30).map(term).sum()
}

/// Stirling's series at x + 20 (Abramowitz and Stegun 6.1.37), reduced to x.
fn gamma(x: f64) -> f64 {
    let z = x + 20.0;
    let rest = 1.0 + 1.0 / (12.0 * z) + 1.0 / (288.0 * z * z) - 139.0 / (51840.0 * z.powi(3));
    let rest = rest - 571.0 / (2_488_320.0 * z.powi(4)) + 163_879.0 / (209_018_880.0 * z.powi(5));
    let high = (std::f64::consts::TAU / z).sqrt() * (z / std::f64::consts::E).powf(z) * rest;
    high / (0..20).map(|n| x + f64::from(n)).product::<f64>()
}

/// Operation j of element i at j n + i.
fn functions(scalar: ScalarType, n: usize) -> Kernel {
    Kernel::build_dynamic("functions", |k| {
        let x = k.buffer("x", ValueType::scalar(scalar), Access::Read)?;
        let y = k.buffer("y", ValueType::scalar(scalar), Access::Write)?;
        let i = k.query(Query::GlobalId, 0)?;
        for (j, (op, _)) in UNARY.into_iter().enumerate() {
            // The inverse hyperbolic cosine is of 1 and more.
            let shift = if op == UnaryOp::Acosh { 1.0 } else { 0.0 };
            let value = x.load(i)?.binary(BinaryOp::Add, k.number(scalar, shift)?)?;
            y.store(i.binary(BinaryOp::Add, k.index((j * n) as i64))?, value.unary(op)?)?;
        }
        Ok(())
    })
    .unwrap()
}

#[test]
fn functions_are_those_of_mathematics() {
    let x: Vec<f64> = (1..20).map(|i| f64::from(i) / 20.0).collect();
    let kernel = functions(ScalarType::F64, x.len());
    check_opencl(&kernel);
    let results = interpret(&kernel, x.len(), &[x.clone().into(), vec![0.0; 29 * x.len()].into()]).unwrap();
    let Buffer::F64(results) = &results[1] else { panic!("the output is f64") };
    for (j, (op, function)) in UNARY.into_iter().enumerate() {
        for (i, x) in x.iter().enumerate() {
            let (result, expected) = (results[j * 19 + i], function(*x));
            // The reference itself loses digits where results cancel, and in Stirling's series.
            assert!((result - expected).abs() < 1e-11 * expected.abs().max(1.0), "{op:?} of {x}: {result}, {expected}");
        }
    }
}

#[test]
fn single_precision_has_the_same_functions() {
    let x: Vec<f32> = (1..20).map(|i| f32::from(i as u8) / 20.0).collect();
    let kernel = functions(ScalarType::F32, x.len());
    check_opencl(&kernel);
    let results = interpret(&kernel, x.len(), &[x.clone().into(), vec![0.0_f32; 29 * x.len()].into()]).unwrap();
    let Buffer::F32(results) = &results[1] else { panic!("the output is f32") };
    for (j, (op, function)) in UNARY.into_iter().enumerate() {
        let shift = if op == UnaryOp::Acosh { 1.0 } else { 0.0 };
        for (i, x) in x.iter().enumerate() {
            // The argument of acosh is rounded before.
            let x = f64::from(*x + shift as f32) - shift;
            assert_relative_eq!(f64::from(results[j * 19 + i]), function(x), max_relative = 1e-6, epsilon = 1e-6);
        }
    }
    for kernel in [functions(ScalarType::F32, 1), functions(ScalarType::F64, 1)] {
        let (cuda, c99) = (kernel.cuda(), kernel.c99().unwrap());
        let names = ["cbrt", "asinh", "exp2", "expm1", "log10", "log1p", "erfc", "tgamma", "lgamma", "rint"];
        let suffix = if kernel.needs_doubles() { "" } else { "f" };
        for name in names {
            let call = format!("{name}{suffix}(");
            assert!(cuda.contains(&call) && c99.contains(&call), "{call}");
        }
    }
}

#[test]
fn exact_functions_of_two_arguments() {
    let kernel = Kernel::build("exact", |k| {
        let (x, y) = (k.input::<f64>("x"), k.in_out::<f64>("y"));
        let bits = k.in_out::<u8>("bits");
        let i = k.global_id(0);
        let (a, b) = (x.at(i * 2), x.at(i * 2 + 1));
        y.store(i * 4, a.copysign(b));
        y.store(i * 4 + 1, a % b);
        y.store(i * 4 + 2, a.ldexp(-3));
        y.store(i * 4 + 3, x.vector_at::<2>(i * 2).ldexp(Vector([5, 6])).lane(1));
        bits.store(i * 2, a.sign_bit().to::<u8>());
        bits.store(i * 2 + 1, b.is_nan().to::<u8>());
    })
    .unwrap();
    let pairs = [(1.5, -2.0), (-7.25, 2.5), (-0.0, 3.0), (1e-310, f64::NAN), (f64::INFINITY, 1.0)];
    let x: Vec<f64> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let results = run(&kernel, pairs.len(), &[x.into(), vec![0.0_f64; 20].into(), vec![0_u8; 10].into()]);
    let expected = pairs.iter().flat_map(|(a, b)| [a.copysign(*b), a % b, a / 8.0, b * 64.0]).collect();
    assert_eq!(results[1], Buffer::F64(expected));
    assert_eq!(results[2], Buffer::U8(vec![0, 0, 1, 0, 1, 0, 0, 1, 0, 0]));
}

#[test]
fn angles_and_lengths() {
    let kernel = Kernel::build("polar", |k| {
        let (x, y) = (k.input::<f32>("x"), k.in_out::<f32>("y"));
        let (a, b) = (x.at(0), x.at(1));
        y.store(0, a.atan2(b));
        y.store(1, a.hypot(b));
        y.store_vector(2, x.vector_at::<2>(0).hypot(x.vector_at::<2>(1)));
    })
    .unwrap();
    check_opencl(&kernel);
    let results = interpret(&kernel, 1, &[vec![3.0_f32, -4.0, 3e38].into(), vec![0.0_f32; 4].into()]).unwrap();
    let Buffer::F32(results) = &results[1] else { panic!("the output is f32") };
    assert_eq!(results[0], 3.0_f64.atan2(-4.0) as f32);
    assert_eq!(results[1..], [5.0, 5.0, 3e38]);
}

#[test]
fn functions_of_hosts_are_the_interpreters_but_for_rounding() {
    let kernel = Kernel::build("host_functions", |k| {
        let (x, y) = (k.input::<f64>("x"), k.output::<f64>("y"));
        let (a, b) = (x.at(k.global_id(0)), x.at(k.global_id(0) + 1));
        let first = k.global_id(0) * 5;
        y.store(first, a.pow(b));
        y.store(first + 1, (a - 0.5).atan2(b - 0.7));
        y.store_vector(first + 2, x.vector_at::<2>(k.global_id(0)).hypot(b.splat()));
        y.store(first + 4, a.mul_add(b, -1.0));
    })
    .unwrap();
    let (doubles, singles) = (functions(ScalarType::F64, 19), functions(ScalarType::F32, 19));
    let x: Vec<f64> = (1..=20).map(|i| f64::from(i) / 21.0).collect();
    let short: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let mut expected = (vec![0.0_f64; 95], vec![0.0_f64; 29 * 19], vec![0.0_f32; 29 * 19]);
    let launch = |kernel| Launch::new(kernel, [1; 3], [19, 1, 1]);
    launch(&kernel).run([(&x).into(), (&mut expected.0).into()]).unwrap();
    launch(&doubles).run([(&x).into(), (&mut expected.1).into()]).unwrap();
    launch(&singles).run([(&short).into(), (&mut expected.2).into()]).unwrap();
    for (kernel, expected) in [(&kernel, &expected.0), (&doubles, &expected.1)] {
        for compiled in builds(kernel) {
            let mut own = vec![0.0_f64; expected.len()];
            // SAFETY: the interpreter has found no fault in this launch.
            unsafe { compiled.run([1; 3], [19, 1, 1], [(&x).into(), (&mut own).into()]) }.unwrap();
            for (own, expected) in own.iter().zip(expected) {
                assert_relative_eq!(own, expected, max_relative = 1e-13, epsilon = 1e-14);
            }
        }
    }
    for compiled in builds(&singles) {
        let mut own = vec![0.0_f32; expected.2.len()];
        // SAFETY: as above.
        unsafe { compiled.run([1; 3], [19, 1, 1], [(&short).into(), (&mut own).into()]) }.unwrap();
        for (own, expected) in own.iter().zip(&expected.2) {
            assert_relative_eq!(own, expected, max_relative = 2e-6, epsilon = 1e-6);
        }
    }
}
