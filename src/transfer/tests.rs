//! Transfers in tiny pieces and products in tiny tiles, on every device there is.

use std::sync::Arc;

use super::tiles::{TilePlan, Tiles};
use super::{OnDevice, VectorOnDevice};
use crate::context::{DeviceContext, Queue, TransferLimits};
use crate::device::Device;
use crate::options::{Layout, Op};
use crate::scalar::{Complex32, Complex64, Scalar};
use crate::testing::Stored;
use crate::view::{MatrixMut, MatrixRef, VectorShape};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// Limits under which everything is done as on a discrete device with little memory.
fn tiny(piece_bytes: usize, operand_bytes: u64) -> TransferLimits {
    TransferLimits {
        zero_copy: false,
        piece_bytes,
        staged_from: 1,
        operand_bytes,
        matrix_bytes: operand_bytes,
        overlapped_from: 0,
    }
}

/// A context of its own on every device that can compute with the type.
fn limited<T: Scalar>(limits: TransferLimits) -> Vec<Arc<DeviceContext>> {
    let devices = Device::all().unwrap_or_default();
    let able = devices.iter().filter(|device| device.facts().supports(T::KIND));
    able.map(|device| DeviceContext::with_transfers(device, limits).unwrap()).collect()
}

#[test]
fn small_a_matrix_in_pieces_comes_back_as_it_was_and_its_gaps_are_not_touched() {
    for context in limited::<f64>(tiny(48, 1 << 20)) {
        let queue = Queue::of(&context).unwrap();
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
fn small_a_strided_vector_goes_in_pieces() {
    for context in limited::<f32>(tiny(20, 1 << 20)) {
        let queue = Queue::of(&context).unwrap();
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

/// A product in tiles beside the host's own.
fn check_tiles<T: Scalar>(context: &Arc<DeviceContext>, [m, n, k]: [usize; 3], ops: [Op; 2], layouts: [Layout; 3]) {
    let stored = |op: Op, rows, columns| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let ((ra, ca), (rb, cb)) = (stored(ops[0], m, k), stored(ops[1], k, n));
    let a = Stored::<T>::new(layouts[0], ra, ca, 1, 3);
    let b = Stored::<T>::new(layouts[1], rb, cb, 2, 4);
    let (alpha, plan) = (T::from_parts(0.75, 0.5), TilePlan::choose([m, n, k], size_of::<T>(), context.transfers()));
    let plan = plan.expect("the limits are tiny");
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
        unsafe { Tiles { ops, alpha, a: av, b: bv, beta, c, starts, plan }.run(context).unwrap() };
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
                let error = (value - found.element(i, j)).norm();
                assert!(error <= bound, "{plan:?}: ({i}, {j}) is off by {error:e}");
                let index = expected.index(i, j);
                expected.data[index] = found.data[index];
            }
        }
        let same = |x: &T, y: &T| (x.re().to_bits(), x.im().to_bits()) == (y.re().to_bits(), y.im().to_bits());
        assert!(expected.data.iter().zip(&found.data).all(|(x, y)| same(x, y)), "canaries around C");
    }
}

// Not for Oclgrind: tiles are sent and brought back by two threads, and it has no locks.
#[test]
fn products_in_tiny_tiles_are_right() {
    let [col, row] = LAYOUTS;
    // Room for all, for rows of A, and for pieces of the sums only.
    for operand_bytes in [1 << 16, 6000, 900] {
        for context in limited::<f32>(tiny(100, operand_bytes)) {
            check_tiles::<f32>(&context, [13, 11, 9], [Op::Keep, Op::Transpose], [col, row, col]);
            check_tiles::<f32>(&context, [1, 17, 5], [Op::Transpose, Op::Keep], [row, row, row]);
            check_tiles::<Complex32>(&context, [9, 7, 12], [Op::Adjoint, Op::Conjugate], [col, col, row]);
        }
        for context in limited::<f64>(tiny(100, operand_bytes)) {
            check_tiles::<f64>(&context, [20, 3, 31], [Op::Keep, Op::Keep], [col, col, col]);
            check_tiles::<Complex64>(&context, [6, 8, 5], [Op::Keep, Op::Adjoint], [row, col, col]);
        }
    }
}

#[test]
fn a_plan_fits_the_device_and_keeps_what_it_can() {
    let limits = TransferLimits {
        zero_copy: false,
        piece_bytes: 8 << 20,
        staged_from: 1 << 20,
        operand_bytes: 8 << 30,
        matrix_bytes: 4 << 30,
        overlapped_from: 64 << 20,
    };
    assert_eq!(TilePlan::choose([512, 512, 512], 8, &limits), None, "small products are done in one piece");
    let overlapped = TilePlan::choose([8192, 8192, 8192], 8, &limits).unwrap();
    assert_eq!((overlapped.rows, overlapped.depth), (8192, 8192), "A is brought once");
    assert!((512..=1024).contains(&overlapped.columns), "{overlapped:?}");
    for size in [[1 << 17, 1 << 17, 1 << 17], [1 << 24, 64, 64], [64, 1 << 24, 64], [64, 64, 1 << 26], [1, 1, 1 << 31]]
    {
        let plan = TilePlan::choose(size, 8, &limits).unwrap();
        let TilePlan { rows, columns, depth } = plan;
        let bytes = |x: usize, y: usize| 8 * (x as u64) * (y as u64);
        let all = 2 * bytes(rows, depth) + 3 * bytes(depth, columns) + 3 * bytes(rows, columns);
        assert!(all <= 2 * limits.operand_bytes && bytes(rows, depth) <= limits.matrix_bytes, "{size:?}: {plan:?}");
        assert!(rows.max(columns).max(depth) >= 64, "{size:?}: {plan:?}");
    }
    let shared = TransferLimits { zero_copy: true, ..limits };
    assert_eq!(TilePlan::choose([8192, 8192, 8192], 8, &shared), None);
}
