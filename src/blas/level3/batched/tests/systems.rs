//! Batched triangular systems: residuals are within the theoretical bound, like in the tests of trsm.

use super::super::MatrixOffsets;
use super::super::plan::BatchedTrsmPlan;
use super::super::trsm::{batched_system, execute_systems, trsm_batched_on};
use super::{CLASSES, LAYOUTS, factor};
use crate::blas::device_buffer;
use crate::blas::level3::trsm::TrsmCall;
use crate::device::{DeviceClass, DeviceInfo};
use crate::host::batched as host;
use crate::memory::Context;
use crate::options::{Diag, Layout, Op, Side, Triangle};
use crate::scalar::{Complex64, Scalar};
use crate::testing::{Batch, contexts, for_each_type, modulus};
use crate::view::View;

#[derive(Clone, Copy, Debug)]
struct Case {
    /// Rows and columns of each B.
    size: [usize; 2],
    count: usize,
    side: Side,
    options: (Triangle, Op, Diag),
    layouts: [Layout; 2],
    alpha: usize,
    offsets: bool,
}

/// Every option; what else there is varies with them.
fn cases(size: [usize; 2], count: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for &side in Side::ALL {
        for &triangle in Triangle::ALL {
            for &op in Op::ALL {
                for &diagonal in Diag::ALL {
                    let k = cases.len();
                    let layouts = [LAYOUTS[k / 2 % 2], LAYOUTS[k / 3 % 2]];
                    let (alpha, offsets) = ([2, 1, 2, 2, 0][k % 5], k % 3 == 1);
                    cases.push(Case { size, count, side, options: (triangle, op, diagonal), layouts, alpha, offsets });
                }
            }
        }
    }
    cases
}

fn order(case: &Case) -> usize {
    if case.side == Side::Left { case.size[0] } else { case.size[1] }
}

/// Well-conditioned triangles; elements that must not be read are NaN.
fn triangles<T: Scalar>(case: &Case) -> Batch<T> {
    let n = order(case);
    let mut a = Batch::<T>::new(case.layouts[0], [n, n], case.count, 1, case.offsets, 1);
    for matrix in 0..case.count {
        for j in 0..n {
            for i in 0..n {
                let (index, value) = (a.index(matrix, i, j), a.element(matrix, i, j));
                let inside = if case.options.0 == Triangle::Upper { i < j } else { i > j };
                a.data[index] = if inside && case.alpha != 0 {
                    T::from_parts(2.0 * value.re / n as f64, 2.0 * value.im / n as f64)
                } else if i == j && case.options.2 == Diag::NonUnit && case.alpha != 0 {
                    T::from_parts(2.0 + value.re, value.im)
                } else {
                    T::from_parts(f64::NAN, f64::NAN)
                };
            }
        }
    }
    a
}

/// op(A)'s element.
fn element<T: Scalar>(case: &Case, a: &Batch<T>, matrix: usize, i: usize, j: usize) -> Complex64 {
    let (triangle, op, diagonal) = case.options;
    let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
    let inside = if triangle == Triangle::Upper { i < j } else { i > j };
    let value = match (inside, i == j, diagonal) {
        (true, ..) | (_, true, Diag::NonUnit) => a.element(matrix, i, j),
        (_, true, Diag::Unit) => Complex64::ONE,
        _ => Complex64::ZERO,
    };
    if op.conjugates() { value.conj() } else { value }
}

fn check<T: Scalar>(context: &Context, case: &Case, class: Option<DeviceClass>) {
    let what = || format!("{case:?} as {class:?} on {:?}", context.device());
    let a = triangles::<T>(case);
    let before = Batch::<T>::new(case.layouts[1], case.size, case.count, 2, case.offsets, 9);
    let mut x = before.clone();
    if case.alpha == 0 {
        x.poison();
    }
    let alpha = factor::<T>(case.alpha);
    let (a_memory, mut x_memory) = (context.upload(&a.data).unwrap(), context.upload(&x.data).unwrap());
    let (a_view, x_view) = (a_memory.batch(a.shape()).unwrap(), x_memory.batch_mut(x.shape()).unwrap());
    let (side, (triangle, op, diagonal)) = (case.side, case.options);
    match (context.queue(), class) {
        (None, _) => host::trsm_batched(side, case.options, alpha, &a_view, &x_view),
        (Some(queue), None) => {
            trsm_batched_on(&queue, side, triangle, op, diagonal, alpha, a_view, x_view).unwrap().wait().unwrap();
        }
        (Some(queue), Some(class)) => {
            let problem = batched_system::<T>(side, case.options, a_view.shape(), x_view.shape()).unwrap();
            let device_info = DeviceInfo { class, ..queue.context().device().info().clone() };
            let plan = BatchedTrsmPlan::choose(&problem, case.count, alpha == T::ZERO, &device_info);
            let offsets = MatrixOffsets::of(&queue, case.count, &[a_view.shape(), x_view.shape()]).unwrap();
            let buffer = |memory| device_buffer(&queue, memory, "a test").unwrap();
            let call = TrsmCall { queue: &queue, alpha, a: buffer(a_view.memory()), b: buffer(x_view.memory()) };
            execute_systems(&call, &problem, &offsets, &plan, &device_info).unwrap().wait().unwrap();
        }
    }
    x.data = x_memory.download().unwrap();
    (0..case.count).for_each(|matrix| check_residual(case, matrix, [&a, &before, &x], &what));
    assert!(x.canaries_live(), "{}: canaries", what());
}

fn check_residual<T: Scalar>(case: &Case, matrix: usize, [a, b, x]: [&Batch<T>; 3], what: &dyn Fn() -> String) {
    let (alpha, n) = (factor::<T>(case.alpha), order(case));
    let alpha = Complex64::new(alpha.re(), alpha.im());
    for j in 0..case.size[1] {
        for i in 0..case.size[0] {
            if case.alpha == 0 {
                assert!(x.element(matrix, i, j) == Complex64::ZERO, "{}: alpha = 0", what());
                continue;
            }
            let right = alpha * b.element(matrix, i, j);
            let (mut sum, mut size) = (-right, right.norm());
            for p in 0..n {
                let (factor, value) = match case.side {
                    Side::Left => (element(case, a, matrix, i, p), x.element(matrix, p, j)),
                    Side::Right => (element(case, a, matrix, p, j), x.element(matrix, i, p)),
                };
                if factor != Complex64::ZERO {
                    sum += factor * value;
                    size += modulus(factor) * modulus(value);
                }
            }
            let bound = 8.0 * n as f64 * T::EPSILON * size;
            assert!(sum.norm() <= bound, "{}: ({i}, {j}) of {matrix} leaves {}", what(), sum.norm());
        }
    }
}

fn check_all<T: Scalar>(sizes: &[[usize; 2]], count: usize, stride: usize, classes: &[Option<DeviceClass>]) {
    for context in contexts::<T>() {
        for (k, &size) in sizes.iter().enumerate() {
            for case in cases(size, count).iter().skip(k % stride).step_by(stride) {
                for &class in classes.iter().take(if context.device().is_some() { classes.len() } else { 1 }) {
                    check::<T>(&context, case, class);
                }
            }
        }
    }
}

mod device {
    use super::*;

    /// Every option.
    #[test]
    fn systems_together() {
        for_each_type!(check_all(&[[1, 1], [7, 33]], 3, 1, CLASSES));
        for_each_type!(check_all(&[[0, 4], [4, 0]], 2, 9, CLASSES));
        for_each_type!(check_all(&[[4, 4]], 0, 9, CLASSES));
        for_each_type!(check_all(&[[3, 2]], 500, 13, CLASSES));
    }

    /// Both sides of the switch from one block to several, and to systems of their own.
    #[test]
    fn large_systems_together() {
        for_each_type!(check_all(&[[32, 33], [33, 10], [10, 65], [64, 17], [100, 40]], 2, 11, CLASSES));
        for_each_type!(check_all(&[[256, 64], [40, 257]], 1, 31, &CLASSES[..3]));
    }
}

mod device_small {
    use super::*;

    #[test]
    fn systems_together() {
        for_each_type!(check_all(&[[5, 3], [18, 20]], 3, 5, &CLASSES[1..3]));
    }
}
