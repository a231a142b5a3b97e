//! Array expressions through the public API, on any context.

pub mod cases;
pub mod failures;
#[cfg(unix)]
pub mod faults;
pub mod interop;
pub mod lifetimes;
pub mod numpy;
pub mod random;
pub mod reference;
pub mod routines;
pub mod special;
pub mod systems;
pub mod text;

use affinimath::Context;
use affinimath::array::{self, Array, Element, Expr, s};
use affinimath_testing::assert_close;

/// A check in the host's memory.
pub fn on_host(check: impl FnOnce(&Context)) {
    check(&Context::host());
}

/// Everything that is checked on a context.
pub fn check(context: &Context) {
    elementwise_expressions_equal_loops(context);
    slices_read_what_was_there_before_an_assignment(context);
    reductions_run_along_axes(context);
    softmax_rows_sum_to_one(context);
    several_outputs_are_one_evaluation(context);
    results_take_over_memory_that_nothing_else_holds(context);
    memory_that_is_held_is_kept(context);
    products_take_transposes_and_strides(context);
    scans_join_in_order(context);
    indices_gather(context);
    random_numbers_are_the_same_everywhere(context);
    complex_expressions_equal_loops(context);
    empty_arrays_are_legal(context);
    errors_name_the_shapes(context);
}

/// `n` values in [-2, 2).
fn values(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 22) as f32 - 2.0
    };
    (0..n).map(|_| next()).collect()
}

fn array<T: Element>(context: &Context, shape: &[usize], elements: &[T]) -> Array<T> {
    Array::from_slice(context, shape, elements).unwrap()
}

fn elementwise_expressions_equal_loops(context: &Context) {
    for n in [1, 7, 64, 1000, 4097, 70_001] {
        let (a, b) = (values(n, 1), values(n, 2));
        let (x, y) = (array(context, &[n], &a), array(context, &[n], &b));
        let z = (2.5 * &x + y.abs().sqrt()).to_vec().unwrap();
        let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| 2.5_f32.mul_add(*a, b.abs().sqrt())).collect();
        assert!(z == expected, "n = {n}");
        let w = x.gt(0.0).select(&x, 0.0).to_vec().unwrap();
        assert!(w == a.iter().map(|a| if *a > 0.0 { *a } else { 0.0 }).collect::<Vec<_>>());
    }
}

fn slices_read_what_was_there_before_an_assignment(context: &Context) {
    let n = 33;
    let start = values(n * n, 3);
    let mut u = array(context, &[n, n], &start);
    let mut expected = start;
    for _ in 0..5 {
        let (before, at) = (expected.clone(), |i: usize, j: usize| i * n + j);
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let sum = before[at(i - 1, j)] + before[at(i + 1, j)] + before[at(i, j - 1)] + before[at(i, j + 1)];
                expected[at(i, j)] = 0.25 * sum;
            }
        }
        let sum = u.at(s![..-2, 1..-1]) + u.at(s![2.., 1..-1]) + u.at(s![1..-1, ..-2]) + u.at(s![1..-1, 2..]);
        let next = 0.25 * sum;
        u.at_mut(s![1..-1, 1..-1]).assign(next).unwrap();
    }
    assert!(u.to_vec().unwrap() == expected);
    let every_other = u.at(s![..;-2, 3]).to_vec().unwrap();
    assert_eq!(every_other, (0..n).rev().step_by(2).map(|i| expected[i * n + 3]).collect::<Vec<_>>());
}

fn reductions_run_along_axes(context: &Context) {
    for (rows, columns) in [(1, 1), (3, 1000), (257, 65), (5000, 3)] {
        let a = values(rows * columns, 4);
        let x = array(context, &[rows, columns], &a);
        let of_rows = x.square().sum(1).to_vec().unwrap();
        let of_columns = x.sum(0).to_vec().unwrap();
        let bound = |n: usize| 2.0 * n as f32 * f32::EPSILON * 4.0;
        for (row, sum) in a.chunks(columns).zip(of_rows) {
            let expected: f32 = row.iter().map(|x| x * x).sum();
            assert!((sum - expected).abs() <= bound(columns) * columns as f32);
        }
        for (column, sum) in of_columns.into_iter().enumerate() {
            let expected: f32 = (0..rows).map(|row| a[row * columns + column]).sum();
            assert!((sum - expected).abs() <= bound(rows) * rows as f32);
        }
        let largest = x.max(..).value().unwrap();
        assert_eq!(largest, a.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let first = x.argmax(..).value().unwrap() as usize;
        assert_eq!(first, a.iter().position(|x| *x == largest).unwrap());
        assert_eq!(x.gt(0.0).count(..).value().unwrap(), a.iter().filter(|x| **x > 0.0).count() as i64);
    }
}

fn softmax_rows_sum_to_one(context: &Context) {
    let (rows, columns) = (37, 300);
    let a = values(rows * columns, 5);
    let x = array(context, &[rows, columns], &a);
    let powers = (&x - x.max(array::keep(1))).exp();
    let softmax = (&powers / powers.sum(array::keep(1))).eval().unwrap();
    for sum in softmax.sum(1).to_vec().unwrap() {
        assert!((sum - 1.0).abs() <= columns as f32 * f32::EPSILON);
    }
    let row = &a[..columns];
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = row.iter().map(|x| (x - largest).exp()).sum();
    for (value, x) in softmax.to_vec().unwrap().iter().zip(row) {
        let expected = (x - largest).exp() / total;
        assert!((value - expected).abs() <= 4.0 * columns as f32 * f32::EPSILON * expected);
    }
}

fn several_outputs_are_one_evaluation(context: &Context) {
    let a = values(1000, 6);
    let x = array(context, &[1000], &a);
    let shared = x.square() + 1.0;
    let (root, quotient, sum) = array::eval((shared.sqrt(), 1.0 / &shared, shared.sum(..))).unwrap();
    assert!(root.to_vec().unwrap() == a.iter().map(|x| (x * x + 1.0).sqrt()).collect::<Vec<_>>());
    assert!(quotient.to_vec().unwrap() == a.iter().map(|x| 1.0 / (x * x + 1.0)).collect::<Vec<_>>());
    let expected: f32 = a.iter().map(|x| x * x + 1.0).sum();
    assert!((sum.value().unwrap() - expected).abs() <= 1000.0 * f32::EPSILON * expected);
}

fn results_take_over_memory_that_nothing_else_holds(context: &Context) {
    for n in [7, 1000, 70_001] {
        let (a, b) = (values(n, 5), values(n, 6));
        let (x, y) = (array(context, &[n], &a), array(context, &[n], &b));
        let memory = x.leaf().id();
        let z = (2.0 * x + &y).into_array().unwrap();
        assert_eq!(z.leaf().id(), memory, "n = {n}");
        let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| 2.0_f32.mul_add(*a, *b)).collect();
        assert!(z.to_vec().unwrap() == expected, "n = {n}");
        // A second evaluation of the plan, which is cached, takes over the memory of its own operand.
        let other = array(context, &[n], &a);
        let memory = other.leaf().id();
        let other = (2.0 * other + &y).into_array().unwrap();
        assert_eq!(other.leaf().id(), memory);
        assert!(other.to_vec().unwrap() == expected && y.to_vec().unwrap() == b);
    }
    // A softmax: all phases of its kernel read the operand, the last one writes the result.
    let (rows, columns) = (40, 60);
    let softmax = |x: &Array<f32>| {
        let powers = (x - x.max(array::keep(1))).exp();
        &powers / powers.sum(array::keep(1))
    };
    let x = array(context, &[rows, columns], &values(rows * columns, 7));
    let expected = softmax(&x).to_vec().unwrap();
    let (memory, expr) = (x.leaf().id(), softmax(&x));
    drop(x);
    let result = expr.into_array().unwrap();
    assert_eq!(result.leaf().id(), memory);
    assert!(result.to_vec().unwrap() == expected);
}

fn memory_that_is_held_is_kept(context: &Context) {
    let n = 30;
    let a = values(n * n, 8);
    let x = array(context, &[n, n], &a);
    // An array, a pending expression and a part of the expression hold it.
    let (other, memory) = (x.clone(), x.leaf().id());
    let z = (x + 1.0_f32).into_array().unwrap();
    assert!(z.leaf().id() != memory && other.to_vec().unwrap() == a);
    let pending = &other * 3.0_f32;
    let z = (other + 1.0_f32).into_array().unwrap();
    assert!(z.leaf().id() != memory);
    assert!(pending.to_vec().unwrap() == a.iter().map(|a| 3.0 * a).collect::<Vec<_>>());
    let part = pending.abs();
    let z = (pending + &part).into_array().unwrap();
    assert!(z.leaf().id() != memory);
    assert!(part.to_vec().unwrap() == a.iter().map(|a| 3.0 * a.abs()).collect::<Vec<_>>());
    // Elements that are read at other points than they are written to.
    let x = array(context, &[n, n], &a);
    let sum = {
        let sum = &x + x.t();
        drop(x);
        sum.into_array().unwrap().to_vec().unwrap()
    };
    let expected: Vec<_> = (0..n * n).map(|i| a[i] + a[i % n * n + i / n]).collect();
    assert!(sum == expected);
    // A view of memory is an array of its own, and a product's operands are read until its end.
    let x = array(context, &[n, n], &a);
    let other = x.to(context).unwrap();
    let (square, expected) = (other.matmul(&other), x.matmul(&x).to_vec().unwrap());
    drop(other);
    assert!(square.into_array().unwrap().to_vec().unwrap() == expected);
    let column = x.at(s![.., 1]);
    drop(x);
    assert!(column.into_array().unwrap().to_vec().unwrap() == (0..n).map(|i| a[i * n + 1]).collect::<Vec<_>>());
}

fn products_take_transposes_and_strides(context: &Context) {
    let (m, n, k) = (19, 23, 31);
    let (a, b, c) = (values(2 * k * m, 7), values(k * n, 8), values(m * n, 9));
    // Every other row of a k x m matrix, transposed.
    let left = array(context, &[2 * k, m], &a);
    let left = left.at(s![..;2, ..]);
    let (right, third) = (array(context, &[k, n], &b), array(context, &[m, n], &c));
    let product = (2.0 * left.t().matmul(&right) - 0.5 * &third).to_vec().unwrap();
    let mut expected = vec![0.0_f32; m * n];
    for i in 0..m {
        for j in 0..n {
            let sum: f32 = (0..k).map(|p| a[2 * p * m + i] * b[p * n + j]).sum();
            expected[i * n + j] = 2.0 * sum - 0.5 * c[i * n + j];
        }
    }
    for (value, expected) in product.iter().zip(&expected) {
        assert!((value - expected).abs() <= 16.0 * k as f32 * f32::EPSILON);
    }
}

fn scans_join_in_order(context: &Context) {
    for (rows, columns) in [(1, 5), (3, 64), (2, 10_000), (100, 65)] {
        let a: Vec<i32> = (0..rows * columns).map(|k| (k as i32).wrapping_mul(0x0193_4217)).collect();
        let x = array(context, &[rows, columns], &a);
        let (along, down) = (x.cumsum(1).to_vec().unwrap(), x.cumsum(0).to_vec().unwrap());
        for (row, sums) in a.chunks(columns).zip(along.chunks(columns)) {
            let mut sum = 0_i32;
            assert!(row.iter().zip(sums).all(|(x, s)| {
                sum = sum.wrapping_add(*x);
                sum == *s
            }));
        }
        for column in 0..columns {
            let mut sum = 0_i32;
            for row in 0..rows {
                sum = sum.wrapping_add(a[row * columns + column]);
                assert_eq!(sum, down[row * columns + column]);
            }
        }
    }
    let x = array(context, &[300], &vec![1.0_f32 + f32::EPSILON; 300]);
    let products = x.cumprod(0).to_vec().unwrap();
    assert_close!(products[299], (1.0 + f32::EPSILON).powi(300), 300.0 * f64::from(f32::EPSILON));
}

fn indices_gather(context: &Context) {
    let x = array(context, &[4], &[10.0_f32, 11.0, 12.0, 13.0]);
    let index = array(context, &[3], &[3_i64, -4, 1]);
    assert_eq!(x.index(&index).to_vec().unwrap(), [13.0, 10.0, 11.0]);
    let wrong = array(context, &[2], &[0_i64, 4]);
    let error = x.index(&wrong).to_vec().unwrap_err().to_string();
    assert!(error.contains("index 4") && error.contains('4'), "{error}");
}

fn random_numbers_are_the_same_everywhere(context: &Context) {
    let uniform: Expr<f32> = array::uniform(42, [1000]);
    let here = uniform.eval_on(context).unwrap().to_vec().unwrap();
    assert!(here == uniform.eval_on(&Context::host()).unwrap().to_vec().unwrap());
    assert!(here.iter().all(|x| (0.0..1.0).contains(x)));
    let normal: Expr<f32> = array::normal(7, [20_000]);
    let normal = normal.eval_on(context).unwrap();
    let (mean, variance) = (normal.mean(..).value().unwrap(), normal.var(..).value().unwrap());
    assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
}

fn complex_expressions_equal_loops(context: &Context) {
    use affinimath::Complex32;
    let parts = values(200, 10);
    let a: Vec<_> = parts.chunks(2).map(|z| Complex32::new(z[0], z[1])).collect();
    let x = array(context, &[100], &a);
    let z = (&x * &x + Complex32::new(0.25, -0.5)).to_vec().unwrap();
    for (z, x) in z.iter().zip(&a) {
        assert!((z - (x * x + Complex32::new(0.25, -0.5))).norm() <= 8.0 * f32::EPSILON * (1.0 + x.norm_sqr()));
    }
    let moduli = x.abs().to_vec().unwrap();
    for (modulus, x) in moduli.iter().zip(&a) {
        assert!((modulus - x.norm()).abs() <= 2.0 * f32::EPSILON * x.norm());
    }
}

fn empty_arrays_are_legal(context: &Context) {
    let x = array::<f32>(context, &[0, 3], &[]);
    assert!((&x + 1.0).to_vec().unwrap().is_empty());
    assert_eq!(x.sum(0).to_vec().unwrap(), [0.0; 3]);
    assert!(x.max(0).eval().is_err());
}

fn errors_name_the_shapes(context: &Context) {
    let (x, y) = (array(context, &[2, 3], &[0.0_f32; 6]), array(context, &[4], &[0.0_f32; 4]));
    let error = (&x + &y).eval().unwrap_err().to_string();
    assert!(error.contains("[2, 3] and [4]") && error.contains("tests/library/array/mod.rs"), "{error}");
}
