//! Transfers in tiny pieces and products in tiny tiles, on every device there is.

use std::collections::HashSet;
use std::sync::Arc;

use super::product::{Product, ProductPlan, StagePlan, TilePlan};
use super::{OnDevice, Staging, VectorOnDevice};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, DeviceMemory, Queue, TransferLimits};
use crate::memory::Context;
use crate::options::{Layout, Op};
use crate::scalar::{Complex32, Complex64, Scalar};
use crate::testing::{Stored, assert_close, devices, for_each_type};
use crate::view::{MatrixMut, MatrixRef, VectorShape};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// Limits under which everything is done as on a discrete device with little memory.
fn tiny(chunk_bytes: usize, operand_bytes: u64) -> TransferLimits {
    TransferLimits {
        zero_copy: false,
        chunk_bytes,
        staged_from: 1,
        operand_bytes,
        matrix_bytes: operand_bytes,
        // Of the smallest blocks, four.
        cached_bytes: 256 << 10,
        overlapped_from: 0,
        parallel: true,
    }
}

/// A context of its own on every device that can compute with the type.
fn limited<T: Scalar>(limits: TransferLimits) -> Vec<Arc<DeviceContext>> {
    let able = devices().iter().filter(|device| device.info().supports(T::KIND));
    able.map(|device| DeviceContext::with_transfers(device, limits).unwrap()).collect()
}

/// A product in parts, as it is planned for the context's limits and in short stages, beside the sums of products.
fn check_parts<T: Scalar>(context: &Arc<DeviceContext>, size: [usize; 3], ops: [Op; 2], layouts: [Layout; 3]) {
    let chosen = ProductPlan::choose(size, size_of::<T>(), context.transfers()).expect("the limits are tiny");
    let early = size[2] / 2;
    let stages = StagePlan { step: 2, early, slab: [3, 4] };
    for plan in [chosen, ProductPlan::Stages(stages), ProductPlan::Stages(StagePlan { early: 0, ..stages })] {
        check_plan::<T>(context, plan, size, ops, layouts);
    }
}

fn check_plan<T: Scalar>(
    context: &Arc<DeviceContext>,
    plan: ProductPlan,
    [m, n, k]: [usize; 3],
    ops: [Op; 2],
    layouts: [Layout; 3],
) {
    let stored = |op: Op, rows, columns| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let ((ra, ca), (rb, cb)) = (stored(ops[0], m, k), stored(ops[1], k, n));
    let a = Stored::<T>::new(layouts[0], ra, ca, 1, 3);
    let b = Stored::<T>::new(layouts[1], rb, cb, 2, 4);
    let alpha = T::from_parts(0.75, 0.5);
    for beta in [T::ZERO, T::from_parts(-0.5, 0.25)] {
        let start = Stored::<T>::new(layouts[2], m, n, 3, 5);
        let [mut expected, mut found] = [start.clone(), start.clone()];
        if beta == T::ZERO {
            (expected, found) = (expected.poisoned(), found.poisoned());
        }
        let (av, bv) =
            (MatrixRef::from_slice(&a.data, a.shape).unwrap(), MatrixRef::from_slice(&b.data, b.shape).unwrap());
        let starts = [a.data.as_ptr().cast_mut(), b.data.as_ptr().cast_mut(), found.data.as_mut_ptr()];
        let c = MatrixMut::from_slice(&mut found.data, found.shape).unwrap();
        // SAFETY: the starts are those of the views.
        unsafe { Product { ops, alpha, a: av, b: bv, beta, c, starts }.run(context, &plan).unwrap() };
        for i in 0..m {
            for j in 0..n {
                let op = |op: Op, matrix: &Stored<T>, i, j| {
                    let value = if op.transposes() { matrix.element(j, i) } else { matrix.element(i, j) };
                    if op.conjugates() { value.conj() } else { value }
                };
                let wide = |value: T| Complex64::new(value.re(), value.im());
                let mut sum = Complex64::ZERO;
                for l in 0..k {
                    sum += op(ops[0], &a, i, l) * op(ops[1], &b, l, j);
                }
                let before = if beta == T::ZERO { Complex64::ZERO } else { start.element(i, j) };
                let value = wide(alpha) * sum + wide(beta) * before;
                // k products of numbers below 2 in modulus, and what is added.
                let bound = 8.0 * (k as f64 + 2.0) * T::EPSILON;
                assert_close!(found.element(i, j), value, bound, "{plan:?}: ({i}, {j})");
                let index = expected.index(i, j);
                expected.data[index] = found.data[index];
            }
        }
        let same = |x: &T, y: &T| (x.re().to_bits(), x.im().to_bits()) == (y.re().to_bits(), y.im().to_bits());
        assert!(expected.data.iter().zip(&found.data).all(|(x, y)| same(x, y)), "canaries around C");
    }
}

mod host {
    use super::*;

    #[test]
    fn a_plan_fits_the_device_and_keeps_what_it_can() {
        let limits = TransferLimits {
            zero_copy: false,
            chunk_bytes: 8 << 20,
            staged_from: 1 << 20,
            operand_bytes: 8 << 30,
            matrix_bytes: 4 << 30,
            cached_bytes: 0,
            overlapped_from: 64 << 20,
            parallel: true,
        };
        assert_eq!(ProductPlan::choose([512, 512, 512], 8, &limits), None, "small products are done in one piece");
        let Some(ProductPlan::Stages(stages)) = ProductPlan::choose([8192, 8192, 8192], 8, &limits) else {
            panic!("it fits");
        };
        assert!(
            (3500..=4700).contains(&stages.early),
            "about half of the work hides what comes, half what goes: {stages:?}"
        );
        assert!(stages.step <= 1024 && stages.slab.iter().all(|slab| (512..=1024).contains(slab)), "{stages:?}");
        for size in
            [[1 << 17, 1 << 17, 1 << 17], [1 << 24, 64, 64], [64, 1 << 24, 64], [64, 64, 1 << 26], [1, 1, 1 << 31]]
        {
            let Some(ProductPlan::Tiles(plan)) = ProductPlan::choose(size, 8, &limits) else {
                panic!("{size:?} does not fit")
            };
            let TilePlan { rows, columns, depth } = plan;
            let bytes = |x: usize, y: usize| 8 * (x as u64) * (y as u64);
            let all = 2 * bytes(rows, depth) + 3 * bytes(depth, columns) + 3 * bytes(rows, columns);
            assert!(all <= 2 * limits.operand_bytes && bytes(rows, depth) <= limits.matrix_bytes, "{size:?}: {plan:?}");
            assert!(rows.max(columns).max(depth) >= 64, "{size:?}: {plan:?}");
        }
        let shared = TransferLimits { zero_copy: true, ..limits };
        assert_eq!(ProductPlan::choose([8192, 8192, 8192], 8, &shared), None);
    }
}

mod device {
    use super::*;

    // Not for Oclgrind: parts are sent and brought back by two threads, and it has no locks.
    #[test]
    fn products_in_tiny_parts_are_right() {
        let [col, row] = LAYOUTS;
        // Room for all, for rows of A, and for pieces of the sums only.
        for operand_bytes in [1 << 16, 6000, 900] {
            for context in limited::<f32>(tiny(100, operand_bytes)) {
                for_each_type! {
                    check_parts::<f32>(&context, [13, 11, 9], [Op::NoTrans, Op::Trans], [col, row, col]);
                    check_parts::<f32>(&context, [1, 17, 5], [Op::Trans, Op::NoTrans], [row, row, row]);
                    check_parts::<Complex32>(&context, [9, 7, 12], [Op::ConjTrans, Op::ConjNoTrans], [col, col, row]);
                }
            }
            for context in limited::<f64>(tiny(100, operand_bytes)) {
                for_each_type! {
                    check_parts::<f64>(&context, [20, 3, 31], [Op::NoTrans, Op::NoTrans], [col, col, col]);
                    check_parts::<Complex64>(&context, [6, 8, 5], [Op::NoTrans, Op::ConjTrans], [row, col, col]);
                }
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn a_matrix_in_pieces_comes_back_as_it_was_and_its_gaps_are_not_touched() {
        for context in limited::<f64>(tiny(48, 1 << 20)) {
            let queue = Queue::new(&context).unwrap();
            for layout in LAYOUTS {
                for (rows, columns, gap) in [(1, 1, 0), (5, 3, 2), (7, 9, 0), (3, 40, 1), (64, 1, 3)] {
                    let matrix = Stored::<f64>::new(layout, rows, columns, gap, 7);
                    let mut target = Stored::<f64>::new(layout, rows, columns, gap, 8).poisoned();
                    let (from, to) = (matrix.data.as_ptr().cast_mut(), target.data.as_mut_ptr());
                    // SAFETY: both matrices outlive the transfers, and nobody else uses them.
                    unsafe {
                        let there = OnDevice::new(&queue, from, &matrix.shape, true).unwrap();
                        let back = OnDevice { host: to, ..there };
                        back.write_back(&queue).unwrap();
                    }
                    let bits = |data: &[f64]| data.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(&target.data), bits(&matrix.data), "{rows}x{columns}, {layout:?}");
                }
            }
        }
    }

    #[test]
    fn pinned_memory_of_a_user_goes_as_it_lies_and_its_gaps_are_not_touched() {
        for context in limited::<f64>(tiny(48, 1 << 20)) {
            let queue = Queue::new(&context).unwrap();
            let owner = Context::from_queue(&queue);
            for layout in LAYOUTS {
                for (rows, columns, gap) in [(1, 1, 0), (5, 3, 2), (7, 9, 0), (64, 1, 3)] {
                    let matrix = Stored::<f64>::new(layout, rows, columns, gap, 7);
                    let poisoned = Stored::<f64>::new(layout, rows, columns, gap, 8).poisoned();
                    let length = matrix.data.len();
                    let (mut from, mut to) =
                        (owner.pinned::<f64>(length).unwrap(), owner.pinned::<f64>(length).unwrap());
                    assert!(context.is_pinned(from.as_ptr().cast(), size_of_val(&*from)));
                    from.copy_from_slice(&matrix.data);
                    to.copy_from_slice(&poisoned.data);
                    let [from_start, to_start] = [from.as_mut_ptr(), to.as_mut_ptr()];
                    // SAFETY: the memory outlives the transfers, and nobody else uses it.
                    unsafe {
                        let staging = Staging::new(&queue);
                        let there = OnDevice::new(&staging, from_start, &matrix.shape, true).unwrap();
                        staging.send().unwrap();
                        let back = OnDevice { host: to_start, ..there };
                        back.write_back(&queue).unwrap();
                    }
                    let bits = |data: &[f64]| data.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(&to), bits(&matrix.data), "{rows}x{columns}, {layout:?}");
                    let start = from.as_ptr().cast::<u8>();
                    drop(from);
                    assert!(!context.is_pinned(start, 1));
                }
            }
        }
    }

    #[test]
    fn memory_for_operands_is_kept_up_to_a_bound() {
        for context in limited::<f32>(tiny(48, 1 << 20)) {
            let queue = Queue::new(&context).unwrap();
            let take = |bytes| DeviceBuffer::for_operand(&queue, bytes, "a test").unwrap();
            let handles =
                |buffers: &[DeviceBuffer]| buffers.iter().map(|buffer| buffer.handle()).collect::<HashSet<_>>();
            let buffers: Vec<_> = (0..6).map(|_| take(1000)).collect();
            let first = handles(&buffers);
            assert_eq!(first.len(), 6, "no two at a time have the same memory");
            drop(buffers);
            queue.finish().unwrap();
            let cached: Vec<_> = (0..4).map(|_| take(1 << 16)).collect();
            assert!(handles(&cached).is_subset(&first), "four blocks are kept");
            let larger = take((256 << 10) + 1);
            assert_eq!(larger.bytes(), (256 << 10) + 1, "what is too large to be kept is there all the same");
        }
    }

    #[test]
    fn memory_of_arrays_is_used_again_at_once() {
        for context in limited::<f32>(tiny(48, 1 << 20)) {
            let queue = Queue::new(&context).unwrap();
            let take = |bytes| DeviceBuffer::for_array(&queue, bytes).unwrap();
            let handles =
                |buffers: &[DeviceBuffer]| buffers.iter().map(|buffer| buffer.handle()).collect::<HashSet<_>>();
            let held: Vec<_> = (0..40).map(|_| take(1 << 18)).collect();
            let first = handles(&held);
            assert_eq!(first.len(), 40, "no two at a time have the same memory");
            // Commands on the queue are in order: no one waits for those of the array before.
            held.iter().for_each(|buffer| buffer.write(&queue, &[1.0_f32]).unwrap());
            drop(held);
            let again: Vec<_> = (0..8).map(|_| take((1 << 18) - 5)).collect();
            assert!(handles(&again).is_subset(&first));
            let smaller = take(1 << 17);
            assert!(!first.contains(&smaller.handle()), "a block is at most a quarter too large");
        }
    }

    #[test]
    fn a_strided_vector_goes_in_pieces() {
        for context in limited::<f32>(tiny(20, 1 << 20)) {
            let queue = Queue::new(&context).unwrap();
            let mut data: Vec<f32> = (0..100).map(|index| index as f32).collect();
            let expected = data.clone();
            let shape = VectorShape::new(30, 4, -3).unwrap();
            // SAFETY: the vector outlives the transfers, and nobody else uses it.
            unsafe {
                let there = VectorOnDevice::new(&queue, data.as_mut_ptr(), &shape, true).unwrap();
                data.iter_mut().skip(4).step_by(3).take(30).for_each(|value| *value = -1.0);
                there.write_back(&queue).unwrap();
            }
            assert_eq!(data, expected);
        }
    }
}
