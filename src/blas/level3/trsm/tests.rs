//! Triangular systems on the host and on every device, as every class of device: residuals are within the theoretical
//! bound.
//!
//! |op(A) X - alpha B| <= 8 n eps (|op(A)| |X| + |alpha B|) for each element, with well-conditioned triangles, whose
//! inverses have entries of order one (Du Croz and Higham 1992, on inverted blocks). The factor 8 covers a complex
//! product's four real ones and the residual's own rounding.

use super::*;
use crate::device::DeviceClass;
use crate::memory::Context;
use crate::options::Layout;
use crate::route;
use crate::scalar::{Complex32, Complex64};
use crate::testing::{Stored, assert_close, contexts, for_each_type, keeps_subnormals, modulus};
use crate::view::View;

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

#[derive(Clone, Copy, Debug)]
struct Case {
    /// Rows and columns of B.
    size: [usize; 2],
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    layouts: [Layout; 2],
    alpha: usize,
}

/// Every option, in every layout.
fn cases(size: [usize; 2]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &side in Side::ALL {
        for &triangle in Triangle::ALL {
            for &op in Op::ALL {
                for &diagonal in Diag::ALL {
                    for a in LAYOUTS {
                        for b in LAYOUTS {
                            let alpha = [2, 1, 2, 2, 0][cases.len() % 5];
                            cases.push(Case { size, side, triangle, op, diagonal, layouts: [a, b], alpha });
                        }
                    }
                }
            }
        }
    }
    cases
}

fn factor<T: Scalar>(which: usize) -> T {
    [T::ZERO, T::ONE, T::from_parts(-0.75, 0.5)][which]
}

fn wide<T: Scalar>(value: T) -> Complex64 {
    Complex64::new(value.re(), value.im())
}

/// A triangle with a diagonal between 1 and 3 and rows whose other elements add up to about 1. Elements that must not
/// be read are NaN.
fn triangular<T: Scalar>(case: &Case, n: usize) -> Stored<T> {
    let mut a = Stored::<T>::new(case.layouts[0], n, n, 1, 7);
    for j in 0..n {
        for i in 0..n {
            let index = a.index(i, j);
            let inside = if case.triangle == Triangle::Upper { i < j } else { i > j };
            let value = wide(a.data[index]);
            a.data[index] = if inside && case.alpha != 0 {
                T::from_parts(2.0 * value.re / n as f64, 2.0 * value.im / n as f64)
            } else if i == j && case.diagonal == Diag::NonUnit && case.alpha != 0 {
                T::from_parts(2.0 + value.re, value.im)
            } else {
                T::from_parts(f64::NAN, f64::NAN)
            };
        }
    }
    a
}

/// op(A) as a dense matrix.
fn dense<T: Scalar>(case: &Case, a: &Stored<T>, n: usize) -> Vec<Complex64> {
    let element = |i: usize, j: usize| {
        let (i, j) = if case.op.transposes() { (j, i) } else { (i, j) };
        let inside = if case.triangle == Triangle::Upper { i < j } else { i > j };
        match (inside, i == j, case.diagonal) {
            (true, ..) | (_, true, Diag::NonUnit) => a.element(i, j),
            (_, true, Diag::Unit) => Complex64::ONE,
            _ => Complex64::ZERO,
        }
    };
    let value = |index: usize| element(index % n, index / n);
    (0..n * n).map(|i| if case.op.conjugates() { value(i).conj() } else { value(i) }).collect()
}

fn check_residual<T: Scalar>(case: &Case, what: &str, a: &Stored<T>, b: &Stored<T>, x: &Stored<T>) {
    let [rows, columns] = case.size;
    let n = if case.side == Side::Left { rows } else { columns };
    let alpha = wide(factor::<T>(case.alpha));
    let a = if case.alpha == 0 { Vec::new() } else { dense(case, a, n) };
    for j in 0..columns {
        for i in 0..rows {
            if case.alpha == 0 {
                assert!(x.element(i, j) == Complex64::ZERO, "{what}: ({i}, {j}) with alpha = 0");
                continue;
            }
            let right = alpha * b.element(i, j);
            let (mut sum, mut size) = (-right, right.norm());
            for p in 0..n {
                let (factor, value) = match case.side {
                    Side::Left => (a[i + p * n], x.element(p, j)),
                    Side::Right => (a[p + j * n], x.element(i, p)),
                };
                if factor != Complex64::ZERO {
                    sum += factor * value;
                    size += modulus(factor) * modulus(value);
                }
            }
            let bound = 8.0 * n as f64 * T::EPSILON * size;
            assert!(sum.norm() <= bound, "{what}: ({i}, {j}) leaves {} of at most {bound}", sum.norm());
        }
    }
    assert!(x.canaries_live(), "{what}: canaries");
}

/// Solves as the routine does, or by the plan of a class of devices, or by a given one.
fn check<T: Scalar>(context: &Context, case: &Case, choice: Option<(DeviceClass, Option<TrsmBlocks>)>) {
    let what = format!("{case:?} as {choice:?} on {:?}", context.device());
    let [rows, columns] = case.size;
    let n = if case.side == Side::Left { rows } else { columns };
    let a = triangular::<T>(case, n);
    let b = Stored::<T>::new(case.layouts[1], rows, columns, 2, 9);
    let start = if case.alpha == 0 { b.clone().poisoned() } else { b.clone() };
    let alpha = factor::<T>(case.alpha);
    let (a_memory, mut b_memory) = (context.upload(&a.data).unwrap(), context.upload(&start.data).unwrap());
    let (a_view, b_view) = (a_memory.view(a.shape).unwrap(), b_memory.view_mut(b.shape).unwrap());
    let Case { side, triangle, op, diagonal, .. } = *case;
    match (context.queue(), choice) {
        (None, _) => route::trsm(side, triangle, op, diagonal, alpha, a_view, b_view).unwrap().wait().unwrap(),
        (Some(queue), None) => {
            trsm_on(&queue, side, triangle, op, diagonal, alpha, a_view, b_view).unwrap().wait().unwrap();
        }
        (Some(queue), Some((class, blocks))) => {
            let problem = TrsmProblem::new(T::KIND, side, (triangle, op, diagonal), &a.shape, &b.shape).unwrap();
            let device_info = DeviceInfo { class, ..queue.context().device().info().clone() };
            let plan = match blocks {
                Some(blocks) if case.alpha != 0 => TrsmPlan::Blocks(blocks),
                _ => TrsmPlan::choose(
                    &problem,
                    case.alpha == 0,
                    &device_info,
                    TrsmMemory::of(&queue, &problem, &device_info),
                ),
            };
            let buffer = |memory| device_buffer(&queue, memory, "a test").unwrap();
            let (a, b) = (buffer(a_view.memory()), buffer(b_view.memory()));
            execute(&TrsmCall { queue: &queue, alpha, a, b }, &problem, &plan, &device_info).unwrap().wait().unwrap();
        }
    }
    check_residual(case, &what, &a, &b, &b.clone().with(b_memory.download().unwrap()));
}

fn check_all<T: Scalar>(sizes: &[[usize; 2]], stride: usize, choices: &[Option<(DeviceClass, Option<TrsmBlocks>)>]) {
    for context in contexts::<T>() {
        for (k, &size) in sizes.iter().enumerate() {
            for case in cases(size).iter().skip(k % stride).step_by(stride) {
                for choice in choices.iter().take(if context.device().is_some() { choices.len() } else { 1 }) {
                    check::<T>(&context, case, *choice);
                }
            }
        }
    }
}

/// A band of small integers times 2^exponent, with a diagonal of complex elements with equal parts; row `zero` is zero.
/// Every step of a substitution with integers is exact.
fn integers<T: Scalar>(case: &Case, n: usize, exponent: i32, zero: Option<usize>) -> Stored<T> {
    let scale = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    let mut a = Stored::<T>::new(case.layouts[0], n, n, 1, 7);
    for (i, j) in (0..n * n).map(|k| (k % n, k / n)) {
        let index = a.index(i, j);
        let inside = if case.triangle == Triangle::Upper { i < j } else { i > j };
        let (re, im) = match i.abs_diff(j) {
            _ if zero
                .is_some_and(|zero| zero == if case.op.transposes() == (case.side == Side::Left) { j } else { i }) =>
            {
                (0, 0)
            }
            0 => (1 << (i % 2), 1 << (i % 2)),
            1 => (1, -1),
            2 => (-1, 0),
            _ => (0, 0),
        };
        let value = T::from_parts(f64::from(re) * scale, f64::from(im) * scale);
        a.data[index] = if i == j || inside { value } else { T::from_parts(f64::NAN, f64::NAN) };
    }
    a
}

/// A system whose solution is known: op(A) X or X op(A) of integers, with a zero where nothing can be divided by.
fn check_ends<T: Scalar>(
    context: &Context,
    case: &Case,
    class: Option<DeviceClass>,
    exponent: i32,
    zero: Option<usize>,
) {
    let what = format!("{case:?} as {class:?}, 2^{exponent}, {zero:?} on {:?}", context.device());
    let [rows, columns] = case.size;
    let n = if case.side == Side::Left { rows } else { columns };
    let a = integers::<T>(case, n, exponent, zero);
    let whole = dense(case, &a, n);
    let x = |i: usize, j: usize| {
        let unknown = if case.side == Side::Left { i } else { j };
        if zero == Some(unknown) { 0.0 } else { f64::from((i * 7 + j * 3) as u32 % 5) - 2.0 }
    };
    let mut b = Stored::<T>::new(case.layouts[1], rows, columns, 2, 9);
    for (i, j) in (0..rows * columns).map(|k| (k % rows, k / rows)) {
        let term = |p: usize| match case.side {
            Side::Left => whole[i + p * n] * x(p, j),
            Side::Right => whole[p + j * n] * x(i, p),
        };
        let value = (0..n).map(term).fold(Complex64::ZERO, |sum, term| sum + term);
        let index = b.index(i, j);
        b.data[index] = T::from_parts(value.re, value.im);
    }
    let (a_memory, mut b_memory) = (context.upload(&a.data).unwrap(), context.upload(&b.data).unwrap());
    let (a_view, b_view) = (a_memory.view(a.shape).unwrap(), b_memory.view_mut(b.shape).unwrap());
    let Case { side, triangle, op, diagonal, .. } = *case;
    if let (Some(queue), Some(class)) = (context.queue(), class) {
        let problem = TrsmProblem::new(T::KIND, side, (triangle, op, diagonal), &a.shape, &b.shape).unwrap();
        let device_info = DeviceInfo { class, ..queue.context().device().info().clone() };
        let plan = TrsmPlan::choose(&problem, false, &device_info, TrsmMemory::of(&queue, &problem, &device_info));
        let buffer = |memory| device_buffer(&queue, memory, "a test").unwrap();
        let (a, b) = (buffer(a_view.memory()), buffer(b_view.memory()));
        execute(&TrsmCall { queue: &queue, alpha: T::ONE, a, b }, &problem, &plan, &device_info)
            .unwrap()
            .wait()
            .unwrap();
    } else {
        route::trsm(side, triangle, op, diagonal, T::ONE, a_view, b_view).unwrap().wait().unwrap();
    }
    let found = b.clone().with(b_memory.download().unwrap());
    for (i, j) in (0..rows * columns).map(|k| (k % rows, k / rows)) {
        // All is exact but divisions of floats on devices, which may be off by 2.5 units in the last place. A step may
        // double errors.
        let tolerance = 4.0 * 2f64.powi(n.min(8) as i32) * T::EPSILON;
        assert_close!(found.element(i, j), x(i, j).into(), tolerance, "{what}: ({i}, {j})");
    }
    assert!(found.canaries_live(), "{what}: canaries");
}

fn check_all_ends<T: Scalar>(sizes: &[[usize; 2]], stride: usize, exponents: &[i32]) {
    for context in contexts::<T>() {
        let min_exponent = if keeps_subnormals::<T>(&context) { i32::MIN } else { -120 };
        let classes: &[_] = match context.device() {
            Some(_) => &[Some(DeviceClass::Cpu), Some(DeviceClass::Gpu)],
            None => &[None],
        };
        for (k, &size) in sizes.iter().enumerate() {
            let stored = cases(size).into_iter().filter(|case| case.diagonal == Diag::NonUnit);
            for case in stored.skip(k % stride).step_by(stride) {
                for &class in classes {
                    for &exponent in exponents.iter().filter(|exponent| **exponent >= min_exponent) {
                        check_ends::<T>(&context, &case, class, exponent, None);
                    }
                    check_ends::<T>(&context, &case, class, 0, Some(2));
                }
            }
        }
    }
}

mod host {
    use super::*;

    /// The host's function itself, on matrices with any strides.
    #[test]
    fn the_host_solves_reversed_matrices() {
        let n = 150;
        let case = Case {
            size: [n, n],
            side: Side::Left,
            triangle: Triangle::Upper,
            op: Op::NoTrans,
            diagonal: Diag::NonUnit,
            layouts: [Layout::ColumnMajor; 2],
            alpha: 1,
        };
        let a = triangular::<f64>(&case, n);
        // The upper triangle with rows and columns reversed is a lower one.
        let whole = faer::Mat::from_fn(n, n, |i, j| a.data[a.index(i, j)]);
        let b = crate::testing::filled::<f64>(n, 5, 3);
        let mut x = b.clone();
        crate::host::trsm(Side::Left, Triangle::Upper, Op::NoTrans, Diag::NonUnit, 1.0, whole.as_ref(), x.as_mut());
        let mut y = faer::Mat::from_fn(n, 5, |i, j| b[(n - 1 - i, j)]);
        let reversed = whole.as_ref().reverse_rows_and_cols();
        crate::host::trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, 1.0, reversed, y.as_mut());
        for j in 0..5 {
            for i in 0..n {
                assert_close!(x[(i, j)], y[(n - 1 - i, j)], 1e2 * n as f64 * f64::EPSILON, "({i}, {j})");
            }
        }
    }
}

mod device {
    use super::*;

    /// Every option.
    #[test]
    fn systems() {
        for_each_type!(check_all(&[[1, 1], [7, 5], [20, 33]], 1, &[None]));
        for_each_type!(check_all(&[[0, 4], [4, 0]], 9, &[None]));
    }

    /// Both sides of every switch: one block and several, few columns and many.
    #[test]
    fn large_systems() {
        let sizes = [[64, 65], [65, 64], [130, 5], [5, 130], [130, 49], [200, 100], [257, 60], [60, 290]];
        for_each_type!(check_all(&sizes, 31, &[None]));
    }

    /// The blocks of a GPU, joined from smaller ones, whole and with every kind of rest, and columns solved in parts.
    #[test]
    fn joined_blocks() {
        let blocks = |block, columns| Some((DeviceClass::Gpu, Some(TrsmBlocks { base: 32, block, columns })));
        let choices = [blocks(64, 1000), blocks(128, 20)];
        for_each_type!(check_all(&[[33, 50], [50, 64], [97, 10], [100, 128], [170, 200]], 25, &choices));
    }

    #[test]
    fn many_diagonals_at_the_ends_of_the_range() {
        check_all_ends::<f32>(&[[70, 40], [40, 70]], 11, &[-140, 118]);
        check_all_ends::<Complex64>(&[[70, 40], [40, 70]], 11, &[-1060, 1014]);
    }

    #[test]
    fn sizes_that_do_not_agree_are_refused() {
        for context in contexts::<f32>() {
            let (a, mut b) = (context.zeros::<f32>(9).unwrap(), context.zeros::<f32>(12).unwrap());
            let (a, b) = (a.matrix(3, 3).unwrap(), b.matrix_mut(3, 4).unwrap());
            let result = route::trsm(Side::Right, Triangle::Lower, Op::NoTrans, Diag::NonUnit, 1.0, a, b);
            assert!(matches!(result, Err(crate::Error::ShapeMismatch(_))));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn systems() {
        let choices = [Some((DeviceClass::Cpu, None)), Some((DeviceClass::Gpu, None))];
        for_each_type!(check_all(&[[5, 3], [34, 36]], 13, &choices));
    }

    /// Diagonals whose reciprocals overflow, or are subnormal, or that have a zero, where the right-hand side has one,
    /// too.
    #[test]
    fn diagonals_at_the_ends_of_the_range() {
        for_each_type! {
            check_all_ends::<f32>(&[[5, 3], [4, 7]], 7, &[-140, 118]);
            check_all_ends::<Complex32>(&[[5, 3], [4, 7]], 7, &[-140, 118]);
            check_all_ends::<f64>(&[[5, 3], [4, 7]], 5, &[-1060, 1014]);
            check_all_ends::<Complex64>(&[[5, 3], [4, 7]], 5, &[-1060, 1014]);
        }
    }
}
