//! Batched products against sums in `f64`.
//!
//! |C - C_ref| <= 4 (k + 2) eps (|alpha| |A| |B| + |beta| |C|) for each element; 4 for a complex product's four real
//! ones.

use super::super::gemm::{batched_problem, execute_batched, gemm_batched_on};
use super::super::{BatchedPlan, MatrixOffsets};
use super::{CLASSES, LAYOUTS, factor};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::GemmCall;
use crate::device::{DeviceClass, DeviceInfo};
use crate::host::batched as host;
use crate::memory::Context;
use crate::options::{Layout, Op};
use crate::scalar::{Complex64, Scalar};
use crate::testing::{Batch, assert_close, contexts, for_each_type, modulus, sum_tolerance};
use crate::view::View;

/// One call: sizes, count, options, and offsets or strides.
#[derive(Clone, Copy, Debug)]
struct Case {
    size: [usize; 3],
    count: usize,
    ops: [Op; 2],
    layouts: [Layout; 3],
    scalars: [usize; 2],
    offsets: bool,
    shared_a: bool,
}

fn cases(sizes: &[[usize; 3]], count: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for &size in sizes {
        for &op_a in Op::ALL {
            for &op_b in Op::ALL {
                let k = cases.len();
                cases.push(Case {
                    size,
                    count: count + k % 3,
                    ops: [op_a, op_b],
                    layouts: [0, 1, 2].map(|bit| LAYOUTS[((k * 5) >> bit) % 2]),
                    scalars: [[2, 2], [1, 0], [2, 1], [2, 0], [0, 2], [1, 1], [0, 0]][k % 7],
                    offsets: k % 2 == 1,
                    shared_a: k % 4 == 2,
                });
            }
        }
    }
    cases
}

fn stored(op: Op, rows: usize, columns: usize) -> [usize; 2] {
    if op.transposes() { [columns, rows] } else { [rows, columns] }
}

fn element<T: Scalar>(x: &Batch<T>, matrix: usize, op: Op, i: usize, j: usize) -> Complex64 {
    let value = if op.transposes() { x.element(matrix, j, i) } else { x.element(matrix, i, j) };
    if op.conjugates() { value.conj() } else { value }
}

/// Runs the case by what `run` does with the views, and checks each element and each canary.
fn check<T: Scalar>(context: &Context, case: &Case, class: Option<DeviceClass>) {
    let Case { size: [m, n, k], count, ops, layouts, offsets, .. } = *case;
    let what = || format!("{case:?} as {class:?} on {:?}", context.device());
    let (alpha, beta) = (factor::<T>(case.scalars[0]), factor::<T>(case.scalars[1]));
    let a_count = if case.shared_a && !offsets { 1 } else { count };
    let mut a = Batch::<T>::new(layouts[0], stored(ops[0], m, k), a_count, 1, offsets, 1);
    let mut b = Batch::<T>::new(layouts[1], stored(ops[1], k, n), count, 0, offsets, 2);
    let before = Batch::<T>::new(layouts[2], [m, n], count, 2, offsets, 3);
    let mut c = before.clone();
    if case.scalars[0] == 0 {
        a.poison();
        b.poison();
    }
    if case.scalars[1] == 0 {
        c.poison();
    }
    a.count = count; // a stride of 0, where there is one
    let [a_memory, b_memory] = [&a, &b].map(|x| context.upload(&x.data).unwrap());
    let mut c_memory = context.upload(&c.data).unwrap();
    let (a_view, b_view) = (a_memory.batch(a.shape()).unwrap(), b_memory.batch(b.shape()).unwrap());
    let c_view = c_memory.batch_mut(c.shape()).unwrap();
    match (context.queue(), class) {
        (None, _) => host::gemm_batched(ops, alpha, &a_view, &b_view, beta, &c_view),
        (Some(queue), None) => {
            gemm_batched_on(&queue, ops[0], ops[1], alpha, a_view, b_view, beta, c_view).unwrap().wait().unwrap();
        }
        (Some(queue), Some(class)) => {
            let problem = batched_problem::<T>(ops, alpha, [a_view.shape(), b_view.shape()], c_view.shape()).unwrap();
            let device_info = DeviceInfo { class, ..queue.context().device().info().clone() };
            let offsets = MatrixOffsets::of(&queue, count, &[a_view.shape(), b_view.shape(), c_view.shape()]).unwrap();
            let buffer = |memory| device_buffer(&queue, memory, "a test").unwrap();
            let (a, b, c) = (buffer(a_view.memory()), buffer(b_view.memory()), buffer(c_view.memory()));
            let call = GemmCall { queue: &queue, alpha, a, b, beta, c };
            let plan = BatchedPlan::choose(&problem, &device_info);
            execute_batched(&call, &problem, &offsets, &plan).unwrap().wait().unwrap();
        }
    }
    c.data = c_memory.download().unwrap();
    let wide = |value: T| Complex64::new(value.re(), value.im());
    for matrix in 0..count {
        for j in 0..n {
            for i in 0..m {
                let (mut sum, mut size) = (Complex64::ZERO, 0.0);
                for p in (0..k).filter(|_| case.scalars[0] != 0) {
                    let (x, y) = (element(&a, matrix, ops[0], i, p), element(&b, matrix, ops[1], p, j));
                    let term = wide(alpha) * x * y;
                    sum += term;
                    size += modulus(term);
                }
                let old = wide(beta) * before.element(matrix, i, j);
                let (found, tolerance) = (c.element(matrix, i, j), sum_tolerance::<T>(k + 2, size + old.norm()));
                assert_close!(found, sum + old, tolerance, "{}: ({i}, {j}) of {matrix}", what());
            }
        }
    }
    assert!(c.canaries_live(), "{}: canaries", what());
}

fn check_all<T: Scalar>(sizes: &[[usize; 3]], count: usize, classes: &[Option<DeviceClass>]) {
    for context in contexts::<T>() {
        // Of large products, few cases.
        let few = |size: [usize; 3]| if size.iter().product::<usize>() > 20_000 { 5 } else { 1 };
        let cases = cases(sizes, count).into_iter().enumerate();
        for case in cases.filter(|(i, case)| i % few(case.size) == 0).map(|(_, case)| case) {
            for &class in classes.iter().take(if context.device().is_some() { classes.len() } else { 1 }) {
                check::<T>(&context, &case, class);
            }
        }
    }
}

mod device {
    use super::*;

    /// Both sides of every tile, vector and block.
    #[test]
    fn products() {
        let sizes = [[1, 1, 1], [4, 4, 4], [5, 4, 3], [8, 9, 9], [17, 16, 8], [33, 32, 129], [65, 70, 3]];
        for_each_type!(check_all(&sizes, 2, CLASSES));
        for_each_type!(check_all(&[[0, 3, 2], [3, 0, 2], [3, 2, 0]], 0, CLASSES));
        for_each_type!(check_all(&[[97, 96, 97]], 1, &CLASSES[..1]));
    }

    #[test]
    fn many_products() {
        for_each_type!(check_all(&[[2, 3, 4]], 700, CLASSES));
    }

    #[test]
    fn batches_that_do_not_agree_are_refused() {
        for context in contexts::<f32>() {
            let Some(queue) = context.queue() else { continue };
            let batch = |count| Batch::<f32>::new(Layout::ColumnMajor, [2, 2], count, 0, false, 1);
            let (a, b) = (batch(3), batch(2));
            let (a_memory, mut b_memory) = (context.upload(&a.data).unwrap(), context.upload(&b.data).unwrap());
            let a_view = a_memory.batch(a.shape()).unwrap();
            let c_view = b_memory.batch_mut(b.shape()).unwrap();
            let result = gemm_batched_on(&queue, Op::NoTrans, Op::NoTrans, 1.0, a_view, a_view, 0.0, c_view);
            assert!(matches!(result, Err(crate::Error::ShapeMismatch(_))));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn products() {
        for_each_type!(check_all(&[[3, 5, 2], [18, 7, 9]], 3, &CLASSES[1..3]));
    }
}
