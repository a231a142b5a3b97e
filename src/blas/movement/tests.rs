//! omatcopy, imatcopy and omatadd on the host and on every device, as every class of device, against the same formula
//! in `f64`.
//!
//! A factor of one and a zero must be exact; else the bound is that of two products and a sum: |C - C_ref| <= 8 eps
//! (|alpha| |A| + |beta| |B|).

use super::*;
use crate::device::{DeviceClass, DeviceInfo};
use crate::host::movement as host;
use crate::memory::Context;
use crate::options::Layout;
use crate::scalar::Complex64;
use crate::testing::{Stored, assert_close, contexts, for_each_type};
use crate::view::{InPlace, View};

/// Sizes around squares, tiles and vectors.
const SIZES: &[[usize; 2]] = &[
    [0, 3],
    [3, 0],
    [1, 1],
    [1, 50],
    [50, 1],
    [7, 9],
    [16, 16],
    [31, 33],
    [33, 31],
    [64, 64],
    [65, 129],
    [130, 70],
    [5000, 3],
    [3, 5000],
];
const SMALL: &[[usize; 2]] = &[[1, 1], [5, 9], [33, 17], [17, 34]];
const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

fn factor<T: Scalar>(which: usize) -> T {
    [T::ZERO, T::ONE, T::from_parts(-0.75, 0.5)][which]
}

/// op(X)'s element.
fn element<T: Scalar>(x: &Stored<T>, op: Op, i: usize, j: usize) -> Complex64 {
    let value = if op.transposes() { x.element(j, i) } else { x.element(i, j) };
    if op.conjugates() { value.conj() } else { value }
}

fn wide<T: Scalar>(value: T) -> Complex64 {
    Complex64::new(value.re(), value.im())
}

/// Sum of the terms; those with factor zero are dropped.
fn expected<T: Scalar>(terms: &[(T, Op, &Stored<T>)], i: usize, j: usize) -> (Complex64, f64) {
    let mut sum = (Complex64::ZERO, 0.0);
    for (factor, op, x) in terms.iter().filter(|(factor, ..)| *factor != T::ZERO) {
        let value = element(x, *op, i, j);
        sum.0 += wide(*factor) * value;
        if *factor != T::ONE || terms.len() > 1 {
            sum.1 += wide(*factor).norm() * value.norm();
        }
    }
    sum
}

fn check<T: Scalar>(what: &str, result: &Stored<T>, terms: &[(T, Op, &Stored<T>)]) {
    for j in 0..result.shape.columns() {
        for i in 0..result.shape.rows() {
            let (value, size) = expected(terms, i, j);
            assert_close!(result.element(i, j), value, 8.0 * T::EPSILON * size, "{what}: ({i}, {j})");
        }
    }
    assert!(result.canaries_live(), "{what}: canaries");
}

fn stored<T: Scalar>(layout: Layout, [rows, columns]: [usize; 2], op: Op, gap: usize, seed: u64) -> Stored<T> {
    let (rows, columns) = if op.transposes() { (columns, rows) } else { (rows, columns) };
    Stored::new(layout, rows, columns, gap, seed)
}

fn copy_case<T: Scalar>(context: &Context, size: [usize; 2], op: Op, layouts: [Layout; 2], which: usize, gap: usize) {
    let what = format!("omatcopy {op:?} of {size:?}, {layouts:?}, factor {which}, on {:?}", context.device());
    let alpha = factor::<T>(which);
    let mut a = stored::<T>(layouts[0], size, op, gap, 1);
    if which == 0 {
        a.poison(); // which must not be read
    }
    let b = stored::<T>(layouts[1], size, Op::NoTrans, gap, 2).poisoned();
    let (a_memory, mut b_memory) = (context.upload(&a.data).unwrap(), context.upload(&b.data).unwrap());
    let (a_view, b_view) = (a_memory.view(a.shape).unwrap(), b_memory.view_mut(b.shape).unwrap());
    match context.queue() {
        Some(queue) => omatcopy_on(&queue, op, alpha, a_view, b_view).unwrap().wait().unwrap(),
        None => host::omatcopy(op, alpha, &a_view, &b_view),
    }
    check(&what, &b.with(b_memory.download().unwrap()), &[(alpha, op, &a)]);
}

fn copies<T: Scalar>(sizes: &[[usize; 2]]) {
    for context in contexts::<T>() {
        for (k, &size) in sizes.iter().enumerate() {
            for (l, &op) in Op::ALL.iter().enumerate() {
                for a in LAYOUTS {
                    for b in LAYOUTS {
                        copy_case::<T>(&context, size, op, [a, b], if l == 3 { k % 3 } else { 2 }, k % 3);
                    }
                }
            }
            (0..3).for_each(|which| copy_case::<T>(&context, size, Op::Trans, [LAYOUTS[0]; 2], which, 0));
        }
    }
}

fn add_case<T: Scalar>(context: &Context, size: [usize; 2], ops: [Op; 2], layouts: [Layout; 3], which: [usize; 2]) {
    let what = format!("omatadd {ops:?} of {size:?}, {layouts:?}, factors {which:?}, on {:?}", context.device());
    let factors = which.map(factor::<T>);
    let mut operands = [0, 1].map(|k| stored::<T>(layouts[k], size, ops[k], k + 1, k as u64));
    for (operand, which) in operands.iter_mut().zip(which) {
        if which == 0 {
            operand.poison();
        }
    }
    let c = stored::<T>(layouts[2], size, Op::NoTrans, 1, 2).poisoned();
    let memories = operands.each_ref().map(|operand| context.upload(&operand.data).unwrap());
    let mut c_memory = context.upload(&c.data).unwrap();
    let (a, b) = (memories[0].view(operands[0].shape).unwrap(), memories[1].view(operands[1].shape).unwrap());
    let c_view = c_memory.view_mut(c.shape).unwrap();
    match context.queue() {
        Some(queue) => {
            omatadd_on(&queue, ops[0], ops[1], factors[0], a, factors[1], b, c_view).unwrap().wait().unwrap();
        }
        None => host::omatadd(ops, factors[0], &a, factors[1], &b, &c_view),
    }
    let terms = [(factors[0], ops[0], &operands[0]), (factors[1], ops[1], &operands[1])];
    check(&what, &c.with(c_memory.download().unwrap()), &terms);
}

fn sums<T: Scalar>(sizes: &[[usize; 2]]) {
    let factors = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [0, 2], [1, 2], [2, 1], [2, 2]];
    for context in contexts::<T>() {
        let mut case = 0;
        for &size in sizes {
            for &op_a in Op::ALL {
                for &op_b in Op::ALL {
                    let layouts = [0, 1, 2].map(|bit| LAYOUTS[case >> bit & 1]);
                    add_case::<T>(&context, size, [op_a, op_b], layouts, factors[(case * 5 + 8) % 9]);
                    case += 1;
                }
            }
        }
    }
}

/// A matrix, its result's leading dimension, and whether the result is laid out by the other direction.
fn in_place_case<T: Scalar>(
    context: &Context,
    size: [usize; 2],
    op: Op,
    layout: Layout,
    gaps: [usize; 2],
    which: usize,
) {
    let what =
        format!("imatcopy {op:?} of {size:?}, {layout:?}, gaps {gaps:?}, factor {which}, on {:?}", context.device());
    let alpha = factor::<T>(which);
    // Both begin at the same element: the offset of one is that of the other.
    let before = stored::<T>(layout, size, op, gaps[0], 3);
    let mut after = stored::<T>(layout, size, Op::NoTrans, gaps[1], 4);
    let shape = after.shape;
    after.shape = MatrixShape::new(layout, size[0], size[1], gaps[0], shape.leading_dimension()).unwrap();
    let canary = T::from_parts(f64::NAN, f64::NAN);
    let mut data = before.data.clone();
    data.resize(before.data.len().max(after.shape.end() + 1), canary);
    if which == 0 {
        data.fill(canary);
    }
    let mut memory = context.upload(&data).unwrap();
    let view: InPlace<'_, T> = memory.in_place(before.shape, after.shape).unwrap();
    match context.queue() {
        Some(queue) => imatcopy_on(&queue, op, alpha, view).unwrap().wait().unwrap(),
        None => host::imatcopy(op, alpha, &view).unwrap(),
    }
    let result = memory.download().unwrap();
    // Elements of the old matrix outside of the new one are unchanged.
    let mut inside = vec![false; data.len()];
    let terms = [(alpha, op, &before)];
    for j in 0..size[1] {
        for i in 0..size[0] {
            let (value, bound) = expected(&terms, i, j);
            inside[after.index(i, j)] = true;
            let found = wide(result[after.index(i, j)]);
            assert_close!(found, value, 8.0 * T::EPSILON * bound, "{what}: ({i}, {j})");
        }
    }
    let same = |k: usize| result[k] == data[k] || result[k].re().is_nan() && data[k].re().is_nan();
    assert!((0..data.len()).all(|k| inside[k] || same(k)), "{what}: elements outside of the result");
}

fn in_place<T: Scalar>(sizes: &[[usize; 2]]) {
    for context in contexts::<T>() {
        for (k, &size) in sizes.iter().enumerate() {
            for &op in Op::ALL {
                for (l, layout) in LAYOUTS.into_iter().enumerate() {
                    for gaps in [[0, 0], [2, 0], [0, 3]] {
                        in_place_case::<T>(&context, size, op, layout, gaps, (k + l) % 3);
                    }
                }
            }
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn matrices_are_copied() {
        for_each_type!(copies(SIZES));
    }

    #[test]
    fn matrices_are_added() {
        for_each_type!(sums(SIZES));
    }

    #[test]
    fn matrices_take_their_own_place() {
        for_each_type!(in_place(SIZES));
        for_each_type!(in_place(&[[40, 40], [41, 41], [129, 129]]));
    }

    #[test]
    fn sizes_that_do_not_agree_are_refused() {
        for context in contexts::<f32>() {
            let Some(queue) = context.queue() else { continue };
            let a = context.zeros::<f32>(12).unwrap();
            let mut b = context.zeros::<f32>(12).unwrap();
            let result = omatcopy_on(&queue, Op::Trans, 1.0, a.matrix(3, 4).unwrap(), b.matrix_mut(3, 4).unwrap());
            assert!(matches!(result, Err(Error::ShapeMismatch(_))));
            let shape = MatrixShape::new(Layout::ColumnMajor, 3, 4, 0, 3).unwrap();
            let result = imatcopy_on(&queue, Op::ConjTrans, 1.0_f32, b.in_place(shape, shape).unwrap());
            assert!(matches!(result, Err(Error::ShapeMismatch(_))));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn matrices_are_copied() {
        for_each_type!(copies(SMALL));
    }

    #[test]
    fn matrices_are_added() {
        for_each_type!(sums(&SMALL[1..3]));
    }

    #[test]
    fn matrices_take_their_own_place() {
        for_each_type!(in_place(&[[1, 1], [5, 9], [33, 33]]));
    }

    /// A factor of one changes no bit: zeros keep their signs, and Inf stays apart from the other part of its number.
    #[test]
    fn one_is_exact() {
        fn check<T: Scalar>() {
            let data =
                [T::from_parts(-0.0, -0.0), T::from_parts(f64::INFINITY, 1.0), T::from_parts(1.0, f64::NEG_INFINITY)];
            for context in contexts::<T>() {
                for op in [Op::NoTrans, Op::Trans] {
                    let a = context.upload(&data).unwrap();
                    let mut b = context.zeros::<T>(3).unwrap();
                    let (rows, columns) = if op.transposes() { (1, 3) } else { (3, 1) };
                    let (from, to) = (a.matrix(3, 1).unwrap(), b.matrix_mut(rows, columns).unwrap());
                    match context.queue() {
                        Some(queue) => omatcopy_on(&queue, op, T::ONE, from, to).unwrap().wait().unwrap(),
                        None => host::omatcopy(op, T::ONE, &from, &to),
                    }
                    let bits = |x: T| (x.re().to_bits(), x.im().to_bits());
                    assert!(b.download().unwrap().into_iter().map(bits).eq(data.into_iter().map(bits)), "{op:?}");
                }
            }
        }
        for_each_type!(check());
    }

    /// The kernels of every class, on every device.
    #[test]
    fn every_family_is_right() {
        fn check_family<T: Scalar>(class: DeviceClass) {
            for context in contexts::<T>() {
                let Some(queue) = context.queue() else { continue };
                let device_info = DeviceInfo { class, ..queue.context().device().info().clone() };
                for (case, op) in Op::ALL.iter().flat_map(|op| SMALL.iter().map(move |size| (size, op))) {
                    let alpha = factor::<T>(2);
                    let (a, b) =
                        (stored::<T>(LAYOUTS[0], *case, *op, 1, 5), stored::<T>(LAYOUTS[0], *case, Op::NoTrans, 1, 6));
                    let (a_memory, mut b_memory) = (context.upload(&a.data).unwrap(), context.upload(&b.data).unwrap());
                    let problem = MovementProblem {
                        kind: T::KIND,
                        rows: case[0],
                        columns: case[1],
                        target: Operand::whole(Op::NoTrans, &b.shape),
                        terms: [Some(Operand::whole(*op, &a.shape)), None],
                    }
                    .canonical();
                    let plan = MovementPlan::choose(&problem, &device_info);
                    let (from, to) = (a_memory.view(a.shape).unwrap(), b_memory.view_mut(b.shape).unwrap());
                    let memory = device_buffer(&queue, from.memory(), "A").unwrap();
                    let term = Term { factor: alpha, memory, operand: Operand::whole(*op, &a.shape) };
                    let target = device_buffer(&queue, to.memory(), "B").unwrap();
                    execute(&queue, &problem, &plan, [Some(term), None], target, false).unwrap().wait().unwrap();
                    let result = b.clone().with(b_memory.download().unwrap());
                    check(&format!("{class} {op:?} {case:?}"), &result, &[(alpha, *op, &a)]);
                }
            }
        }
        for class in [DeviceClass::Cpu, DeviceClass::Gpu] {
            for_each_type!(check_family(class));
        }
    }
}
