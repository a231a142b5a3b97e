//! Errors beyond Rust's types, and exactness of simplification.

use approx::assert_abs_diff_eq;

use super::butterfly::{butterfly, stockham_pass};
use affinimath_kernel::{BuildError, Builder, Complex, Expr, Index, Kernel, Launch, Pair, Vector};

fn refusal(construct: impl for<'k> FnOnce(Builder<'k>)) -> BuildError {
    Kernel::build("refused", construct).unwrap_err()
}

#[test]
fn a_value_of_a_block_is_not_known_outside() {
    let error = refusal(|k| {
        let x = k.in_out::<f32>("x");
        let mut leaked = None;
        k.when(k.global_id(0).lt(1), || leaked = Some(k.named("leaked", x.at(0) * 2.0)));
        x.store(1, leaked.unwrap());
    });
    assert_eq!(error, BuildError::Scope("'leaked'".to_owned()));
}

#[test]
fn a_function_knows_its_arguments_only() {
    let error = refusal(|k| {
        let (y, a) = (k.output::<f32>("y"), k.argument::<f32>("a"));
        let f = k.function("f", |(x,): (Expr<f32>,)| x * a);
        y.store(0, f.call((a,)));
    });
    assert_eq!(error, BuildError::Scope("'a'".to_owned()));
    let impure = refusal(|k| {
        let y = k.in_out::<f32>("y");
        let f = k.function("f", |(x,): (Expr<f32>,)| x * y.at(0));
        y.store(0, f.call((y.at(1),)));
    });
    assert_eq!(impure, BuildError::Impure("f".to_owned()));
}

#[test]
fn names_arrays_indices_and_loops_are_checked() {
    assert_eq!(refusal(|k| _ = k.input::<f32>("2x")), BuildError::Name("2x".to_owned()));
    let length = |length| BuildError::Length { name: "a".to_owned(), length };
    assert_eq!(refusal(|k| _ = k.local::<f32>("a", 0)), length(0));
    let outside = BuildError::Index { name: "a".to_owned(), index: 3, length: 4 };
    assert_eq!(refusal(|k| k.local::<f32>("a", 4).store_vector(3, Vector([0.0, 1.0]))), outside);
    assert_eq!(refusal(|k| k.range::<i32>(0, 4).step_by(0).each("i", |_| {})), BuildError::Step(0));
    let n = |k: Builder<'_>| k.range(0, k.argument::<Index>("n")).unroll(true).each("i", |_| {});
    assert_eq!(refusal(n), BuildError::Unroll);
    assert_eq!(refusal(|k| _ = k.global_id(3)), BuildError::Dimension(3));
    assert_eq!(refusal(|k| k.group_size([4, 0, 1])), BuildError::GroupSize([4, 0, 1]));
}

/// The statements of a kernel of two inputs and an output.
fn statements(construct: impl for<'k> FnOnce(Expr<'k, f64>, Expr<'k, f64>) -> Expr<'k, f64>) -> String {
    statements_in(|_, a, b| construct(a, b))
}

/// The statements of a kernel with an expression of two arguments and its own constants.
fn statements_in(construct: impl for<'k> FnOnce(Builder<'k>, Expr<'k, f64>, Expr<'k, f64>) -> Expr<'k, f64>) -> String {
    let kernel = Kernel::build("f", |k| {
        let (a, b, y) = (k.argument::<f64>("a"), k.argument::<f64>("b"), k.output::<f64>("y"));
        y.store(0, construct(k, a, b));
    });
    let text = kernel.unwrap().opencl();
    text.rsplit_once("{\n").unwrap().1.trim_end_matches("}\n").trim().to_owned()
}

#[test]
fn folding_is_exact() {
    assert_eq!(statements(|a, _| a * 1.0 + -0.0), "y[0L] = a;");
    assert_eq!(statements(|a, _| a + 0.0), "y[0L] = a + 0.0;", "of -0 it would make -0, not 0");
    assert_eq!(statements(|a, _| a * 0.0), "y[0L] = a * 0.0;", "NaN stays NaN");
    assert_eq!(statements(|a, b| a - (-b)), "y[0L] = a + b;");
    assert_eq!(statements(|a, b| -b + a), "y[0L] = a - b;");
    assert_eq!(statements(|a, _| -(a * -1.0)), "y[0L] = a;");
    assert_eq!(statements_in(|k, a, _| a * (2.0 * k.value(1.25))), "y[0L] = a * 2.5;");
    assert_eq!(statements(|a, b| (a - b) - (a + b)), "y[0L] = a - b - (a + b);");
    assert_eq!(statements(|a, b| (a * b).sqrt() / (a * b)), "const double v0 = a * b;\n    y[0L] = sqrt(v0) / v0;");
}

#[test]
fn what_is_read_before_a_change_keeps_its_value() {
    let kernel = Kernel::build("keeps", |k| {
        let x = k.in_out::<f32>("x");
        let before = x.at(0);
        x.store(0, 5.0);
        x.store(1, before + x.at(0));
        let count = k.var::<i32>("count", 1);
        let old = count.get();
        k.range::<i32>(0, 3).each("i", |i| count.set(count + i));
        x.store(2, (count - old).to::<f32>());
    })
    .unwrap();
    let mut x = [1.0_f32, 0.0, 0.0];
    Launch::new(&kernel, [1; 3], [1; 3]).run([(&mut x).into()]).unwrap();
    assert_eq!(x, [5.0, 6.0, 3.0]);
    let text = kernel.opencl();
    assert!(text.contains("const float v0 = x[0L];\n    x[0L] = 5.0f;\n    x[1L] = v0 + x[0L];"), "{text}");
}

#[test]
fn nothing_is_left_of_what_nobody_uses() {
    let kernel = Kernel::build("empty", |k| {
        let x = k.in_out::<f64>("x");
        let unused = k.var("unused", x.at(0));
        let array = k.private::<f64>("array", 4);
        k.range::<i32>(0, 4).each("i", |i| {
            array.store(i, unused.get());
            unused.set(unused * 2.0);
        });
    });
    let text = kernel.unwrap().opencl();
    assert!(text.ends_with("void empty(__global double *restrict x) {\n}\n"), "{text}");
}

#[test]
fn a_butterfly_of_every_radix_is_the_discrete_fourier_transform() {
    for radix in 2..=16 {
        let kernel = Kernel::build("dft", |k| {
            let (x, y) = (k.input::<Pair<f64>>("x"), k.output::<Pair<f64>>("y"));
            let inputs: Vec<Complex<f64>> = (0..radix).map(|j| x.complex_at(j)).collect();
            butterfly(&inputs).into_iter().enumerate().for_each(|(j, value)| y.store_complex(j, value));
        })
        .unwrap();
        let x: Vec<f64> = (0..2 * radix).map(|i| ((i * i + 3) % 17) as f64 - 8.0).collect();
        let mut y = vec![0.0; 2 * radix];
        Launch::new(&kernel, [1; 3], [1; 3]).run([(&x).into(), (&mut y).into()]).unwrap();
        assert_close(&y, &dft(&x), radix);
    }
}

#[test]
fn passes_of_stockham_make_a_transform() {
    let radices = [4, 3, 2, 5];
    let n: usize = radices.iter().product();
    let roots: Vec<f64> = (0..n).flat_map(|j| [angle(j, n).cos(), -angle(j, n).sin()]).collect();
    let x: Vec<f64> = (0..2 * n).map(|i| ((i * i + 5) % 23) as f64 - 11.0).collect();
    let (mut from, mut to, mut stride) = (x.clone(), vec![0.0; 2 * n], 1);
    for radix in radices {
        let m = (n / (radix * stride)) as i64;
        let kernel = stockham_pass::<f64>(radix).unwrap();
        let launch = Launch::new(&kernel, [n.div_ceil(16), 1, 1], [16, 1, 1]);
        launch.run([m.into(), (stride as i64).into(), (&from).into(), (&roots).into(), (&mut to).into()]).unwrap();
        std::mem::swap(&mut from, &mut to);
        stride *= radix;
    }
    assert_close(&from, &dft(&x), n);
}

fn angle(j: usize, n: usize) -> f64 {
    std::f64::consts::TAU * j as f64 / n as f64
}

fn dft(x: &[f64]) -> Vec<f64> {
    let n = x.len() / 2;
    let term = |j: usize, k: usize| {
        let (sine, cosine) = angle(j * k % n, n).sin_cos();
        [x[2 * j] * cosine + x[2 * j + 1] * sine, x[2 * j + 1] * cosine - x[2 * j] * sine]
    };
    (0..n).flat_map(|k| (0..n).fold([0.0; 2], |sum, j| [sum[0] + term(j, k)[0], sum[1] + term(j, k)[1]])).collect()
}

/// Each result is a sum of n products of modulus at most the largest input's, computed with at most n + 4 roundings
/// each.
fn assert_close(a: &[f64], b: &[f64], n: usize) {
    let largest = b.iter().fold(0.0_f64, |largest, value| largest.max(value.abs())).max(16.0 * n as f64);
    let bound = 2.0 * (n as f64 + 4.0) * f64::EPSILON * largest;
    assert_abs_diff_eq!(a, b, epsilon = bound);
}
