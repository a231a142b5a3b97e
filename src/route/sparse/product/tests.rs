//! Products against sums in doubles: |y - y_ref| <= 4 (k + 3) eps (|alpha| |A| |x| + |beta| |y|) for sums of k terms.

use proptest::prelude::*;

use super::super::{bench::poisson, cg};
use super::*;
use crate::context::QueueParts;
use crate::error::Error;
use crate::memory::Context;
use crate::options::Layout;
use crate::scalar::Complex64;
use crate::sparse::product::{Narrowing, ProductParameters, ProductPlan};
use crate::sparse::testing::{Random, Rows, Sample, for_each_matrix, rounded, samples};
use crate::sparse::{Reason, SolveOptions};
use crate::testing::{Stored, assert_close, contexts, sum_tolerance};
use crate::view::{MatrixShape, VectorShape};

/// Which of 0, 1 and a general number alpha and beta are, and how the vectors lie.
#[derive(Clone, Copy, Debug)]
struct Call {
    op: Op,
    factors: (usize, usize),
    increments: (isize, isize),
}

fn factor<T: Scalar>(which: usize) -> T {
    [T::ZERO, T::ONE, T::from_parts(-0.75, 0.5)][which]
}

/// A vector of these elements among canaries.
fn strided<T: Scalar>(elements: &[Complex64], increment: isize) -> (Vec<T>, VectorShape) {
    let shape = VectorShape::new(elements.len(), 2, increment).unwrap();
    let mut data = vec![T::from_parts(f64::NAN, f64::NAN); shape.end() + 2];
    for (i, value) in elements.iter().enumerate() {
        data[element_index(&shape, i)] = T::from_parts(value.re, value.im);
    }
    (data, shape)
}

fn element_index(shape: &VectorShape, i: usize) -> usize {
    (shape.first() as isize + i as isize * shape.increment()) as usize
}

/// The plan to stream the rows, where a device can and the rows allow it.
fn stream_plan<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Option<ProductPlan> {
    let device_info = matrix.context().device()?.info();
    let plans = ProductPlan::all(&matrix.row_statistics().unwrap(), device_info, &ProductParameters::default());
    plans.into_iter().find(|plan| matches!(plan, ProductPlan::Stream { .. }))
}

/// Makes products with op(A) read columns in 16 bits from the first one on, where there is such a plan.
fn reads_narrow_columns<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>, op: Op) -> bool {
    let operand = matrix.operand(op).unwrap();
    let (Some(device), Some(plan)) = (matrix.context().on_device(), stream_plan(operand)) else { return false };
    let (queue, narrowing) = (Queue::new(device).unwrap(), Some(Narrowing::at_once(1 << 14)));
    operand.cached_product(|| PreparedProduct::with_plan(&queue, &operand.view()?, plan, narrowing)).unwrap();
    queue.finish().unwrap();
    true
}

/// Every product that a call makes, on every device, has the right elements, and only those are written.
fn check<T: Scalar, P: RowPointer>(sample: &Sample, call: Call) {
    let op_sample = if call.op.transposes() { sample.transposed() } else { sample.clone() };
    let mut random = Random(77);
    let x: Vec<_> = (0..op_sample.columns).map(|_| rounded::<T>(random.complex())).collect();
    let y: Vec<_> = (0..op_sample.rows).map(|_| rounded::<T>(random.complex())).collect();
    let (alpha, beta) = (factor::<T>(call.factors.0), factor::<T>(call.factors.1));
    let [wide_alpha, wide_beta] = [alpha, beta].map(|value| Complex64::new(value.re(), value.im()));
    let nan = Complex64::new(f64::NAN, f64::NAN);
    // Unread memory is NaN.
    let (x_data, x_shape) =
        strided::<T>(&if alpha == T::ZERO { vec![nan; x.len()] } else { x.clone() }, call.increments.0);
    let (y_data, y_shape) =
        strided::<T>(&if beta == T::ZERO { vec![nan; y.len()] } else { y.clone() }, call.increments.1);
    for (context, narrow) in contexts::<T>().into_iter().flat_map(|context| [(context.clone(), false), (context, true)])
    {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        if narrow && !reads_narrow_columns(&matrix, call.op) {
            continue;
        }
        let x_memory = context.upload(&x_data).unwrap();
        let mut y_memory = context.upload(&y_data).unwrap();
        let (x_view, y_view) = (x_memory.vector_view(x_shape).unwrap(), y_memory.vector_view_mut(y_shape).unwrap());
        matrix.multiply(call.op, alpha, x_view, beta, y_view).unwrap().wait().unwrap();
        let mut result = y_memory.download().unwrap();
        for (i, row) in op_sample.entries.iter().enumerate() {
            let (mut expected, mut size) = (Complex64::ZERO, 0.0);
            for &(j, value) in row.iter().filter(|_| alpha != T::ZERO) {
                let value = rounded::<T>(value);
                let value = if call.op.conjugates() { value.conj() } else { value };
                expected += wide_alpha * value * x[j];
                size += wide_alpha.norm() * value.norm() * x[j].norm();
            }
            expected += wide_beta * y[i];
            size += wide_beta.norm() * y[i].norm();
            let found = std::mem::replace(&mut result[element_index(&y_shape, i)], T::from_parts(f64::NAN, 0.0));
            let (found, tolerance) = (Complex64::new(found.re(), found.im()), sum_tolerance::<T>(row.len() + 3, size));
            let what = || format!("{:?} row {i}: {call:?} on {context:?}", T::KIND);
            assert_close!(found, expected, tolerance, "{}, narrow columns: {narrow}", what());
        }
        assert!(result.iter().all(|value| value.re().is_nan()), "canaries: {call:?} on {context:?}");
    }
}

/// The same for products with dense matrices of so many columns, in either layout.
fn check_dense<T: Scalar, P: RowPointer>(sample: &Sample, op: Op, factors: (usize, usize), columns: usize) {
    let op_sample = if op.transposes() { sample.transposed() } else { sample.clone() };
    let (alpha, beta) = (factor::<T>(factors.0), factor::<T>(factors.1));
    let wide = |value: T| Complex64::new(value.re(), value.im());
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        for (b_layout, c_layout) in [(0, 0), (1, 1), (0, 1)].map(|(b, c)| (Layout::ALL[b], Layout::ALL[c])) {
            let mut b = Stored::<T>::new(b_layout, op_sample.columns, columns, 2, 1);
            let c = Stored::<T>::new(c_layout, op_sample.rows, columns, 3, 2);
            let mut target = c.clone();
            if beta == T::ZERO {
                target.poison();
            }
            let b_elements = b.clone();
            if alpha == T::ZERO {
                b.poison();
            }
            let (b_memory, mut c_memory) = (context.upload(&b.data).unwrap(), context.upload(&target.data).unwrap());
            let (b_view, c_view) = (b_memory.view(b.shape).unwrap(), c_memory.view_mut(c.shape).unwrap());
            matrix.multiply_dense(op, alpha, b_view, beta, c_view).unwrap().wait().unwrap();
            let result = c.clone().with(c_memory.download().unwrap());
            assert!(result.canaries_live(), "canaries on {context:?}");
            for (i, row) in op_sample.entries.iter().enumerate() {
                for j in 0..columns {
                    let mut expected = wide(beta) * c.element(i, j);
                    let mut size = expected.norm();
                    for &(k, value) in row {
                        let value = rounded::<T>(value);
                        let value = if op.conjugates() { value.conj() } else { value };
                        let term = wide(alpha) * value * b_elements.element(k, j);
                        expected += term;
                        size += term.norm();
                    }
                    let tolerance = sum_tolerance::<T>(row.len() + 3, size);
                    assert_close!(result.element(i, j), expected, tolerance, "({i}, {j}): {op:?} on {context:?}");
                }
            }
        }
    }
}

fn calls() -> impl Strategy<Value = Call> {
    let increments = prop::sample::select(vec![(1, 1), (1, 1), (-1, 1), (2, -3), (1, 2), (-2, -1)]);
    (prop::sample::select(Op::ALL), (0..3usize, 0..3usize), increments).prop_map(|(op, factors, increments)| Call {
        op,
        factors,
        increments,
    })
}

const PLAIN: Call = Call { op: Op::NoTrans, factors: (2, 2), increments: (1, 1) };

mod device {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

        #[test]
        fn products_with_dense_matrices_are_right(sample in samples(), call in calls(), columns in 0..20usize) {
            for_each_matrix!(check_dense(&sample, call.op, call.factors, columns));
        }

        #[test]
        fn products_are_right_in_every_element(sample in samples(), call in calls()) {
            for_each_matrix!(check(&sample, call));
        }
    }

    /// Rows that reach over several of whatever the work is cut into, and rows that end where it is cut.
    #[test]
    fn long_and_uneven_rows_are_right() {
        for (rows, lengths) in [
            (3000, Rows::OneOf(150_000)),
            (1, Rows::Even(100_000)),
            (100_000, Rows::UpTo(3)),
            (700, Rows::Even(512)),
            (9000, Rows::Even(16)),
            (40, Rows::UpTo(9000)),
        ] {
            let sample = Sample::new(rows, 5000, lengths, 5);
            check::<f64, i32>(&sample, PLAIN);
            check::<crate::Complex32, i64>(&sample, Call { op: Op::ConjTrans, factors: (1, 0), ..PLAIN });
        }
        for (rows, lengths) in [(3000, Rows::OneOf(150_000)), (1, Rows::Even(100_000)), (40, Rows::UpTo(9000))] {
            check_dense::<f64, i32>(&Sample::new(rows, 5000, lengths, 5), Op::NoTrans, (2, 2), 3);
        }
    }

    #[test]
    fn ten_runs_give_the_same_bits() {
        let (n, columns) = (8000, 5);
        let sample = Sample::new(n, n, Rows::OneOf(90_000), 3);
        let x: Vec<Complex64> = (0..n * columns).map(|i| Complex64::new((i as f64).sin(), (i as f64).cos())).collect();
        let shape = MatrixShape::new(Layout::RowMajor, n, columns, 0, columns).unwrap();
        for context in contexts::<Complex64>() {
            for &op in Op::ALL {
                let run = || {
                    let matrix: CsrMatrix<Complex64> = sample.matrix(&context);
                    let (one, many) = (context.upload(&x[..n]).unwrap(), context.upload(&x).unwrap());
                    let (mut y, mut c) = (context.zeros(n).unwrap(), context.zeros(n * columns).unwrap());
                    let factor = Complex64::new(0.3, -0.7);
                    let (one, many) = (one.vector().unwrap(), many.view(shape).unwrap());
                    matrix.multiply(op, factor, one, Complex64::ZERO, y.vector_mut().unwrap()).unwrap().wait().unwrap();
                    let target = c.view_mut(shape).unwrap();
                    matrix.multiply_dense(op, factor, many, Complex64::ZERO, target).unwrap().wait().unwrap();
                    let all = [y.download().unwrap(), c.download().unwrap()].concat();
                    all.into_iter().map(|value| (value.re.to_bits(), value.im.to_bits())).collect::<Vec<_>>()
                };
                let first = run();
                assert!((1..10).all(|_| run() == first), "{op:?} on {context:?}");
            }
        }
    }

    #[test]
    fn products_with_matrices_without_rows_or_columns_leave_beta_y() {
        for (rows, columns) in [(0, 7), (7, 0), (0, 0)] {
            let sample = Sample::new(rows, columns, Rows::Even(3), 1);
            for &op in Op::ALL {
                for_each_matrix!(check(&sample, Call { op, ..PLAIN }));
                for_each_matrix!(check_dense(&sample, op, (2, 2), 3));
            }
        }
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let host = Context::host();
        let matrix: CsrMatrix<f64> = Sample::new(3, 4, Rows::UpTo(2), 1).matrix(&host);
        let (three, four) = (host.upload(&[1.0; 3]).unwrap(), host.upload(&[1.0; 4]).unwrap());
        let mut y = host.upload(&[1.0; 3]).unwrap();
        let wrong = matrix.multiply(Op::NoTrans, 1.0, three.vector().unwrap(), 0.0, y.vector_mut().unwrap());
        assert!(matches!(wrong, Err(Error::ShapeMismatch(_))));
        let wrong = matrix.multiply(Op::Trans, 1.0, four.vector().unwrap(), 0.0, y.vector_mut().unwrap());
        assert!(matches!(wrong, Err(Error::ShapeMismatch(_))));
        for context in contexts::<f64>().into_iter().skip(1) {
            let elsewhere = context.upload(&[1.0; 4]).unwrap();
            let wrong = matrix.multiply(Op::NoTrans, 1.0, elsewhere.vector().unwrap(), 0.0, y.vector_mut().unwrap());
            assert!(matches!(wrong, Err(Error::MixedMemory(_))));
        }
    }

    #[test]
    fn new_values_are_those_of_products_with_narrow_columns() {
        let sample = Sample::new(900, 900, Rows::UpTo(9), 13);
        let x: Vec<f64> = (0..900).map(|i| (i % 7) as f64 - 3.0).collect();
        for context in contexts::<f64>() {
            for &op in Op::ALL {
                let mut matrix: CsrMatrix<f64, i32> = sample.matrix(&context);
                let multiplied = |matrix: &CsrMatrix<f64, i32>| {
                    reads_narrow_columns(matrix, op);
                    let (x, mut y) = (context.upload(&x).unwrap(), context.zeros(900).unwrap());
                    let event = matrix.multiply(op, 1.0, x.vector().unwrap(), 0.0, y.vector_mut().unwrap()).unwrap();
                    event.wait().unwrap();
                    y.download().unwrap()
                };
                let before = multiplied(&matrix);
                let doubled: Vec<f64> = matrix.values().download().unwrap().iter().map(|value| 2.0 * value).collect();
                matrix.set_values(&doubled).unwrap();
                let twice: Vec<f64> = before.iter().map(|value| 2.0 * value).collect();
                assert_eq!(multiplied(&matrix), twice, "{op:?} on {context:?}");
            }
        }
    }

    #[test]
    fn iterations_have_the_same_bits_with_narrow_columns() {
        for context in contexts::<f64>() {
            let narrow: CsrMatrix<f64, i32> = poisson(&context, 12, 3);
            if !reads_narrow_columns(&narrow, Op::NoTrans) {
                continue;
            }
            let b = context.upload(&(0..narrow.rows()).map(|i| (i as f64).sin()).collect::<Vec<_>>()).unwrap();
            let solved = |matrix: &CsrMatrix<f64, i32>| {
                let mut x = context.zeros(matrix.rows()).unwrap();
                let (b, target) = (b.vector().unwrap(), x.vector_mut().unwrap());
                assert_eq!(cg(matrix, b, target, &SolveOptions::new()).unwrap().reason, Reason::Converged);
                x.download().unwrap()
            };
            let wide: CsrMatrix<f64, i32> = poisson(&context, 12, 3);
            let (queue, view) = (Queue::new(context.on_device().unwrap()).unwrap(), wide.view().unwrap());
            let plan = stream_plan(&wide).unwrap();
            wide.cached_product(|| PreparedProduct::with_plan(&queue, &view, plan, None)).unwrap();
            assert_eq!(solved(&narrow), solved(&wide), "{context:?}");
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn products_are_right() {
        for (seed, lengths) in [Rows::UpTo(5), Rows::OneOf(30), Rows::Even(3)].into_iter().enumerate() {
            let sample = Sample::new(11, 9, lengths, seed as u64);
            for_each_matrix!(check(&sample, PLAIN));
            for_each_matrix!(check_dense(&sample, Op::Trans, (2, 2), 5));
            for_each_matrix!(check(&sample, Call { op: Op::ConjTrans, factors: (2, 0), increments: (2, -1) }));
        }
    }

    #[test]
    fn products_on_another_queue_are_those_of_the_librarys_own() {
        let sample = Sample::new(23, 17, Rows::UpTo(5), 41);
        let x: Vec<f32> = (0..23).map(|i| (i % 7) as f32 - 3.0).collect();
        for context in contexts::<f32>() {
            let Some(device) = context.on_device() else { continue };
            let (own, other) = (Queue::new(device).unwrap(), Queue::second(device).unwrap());
            let matrix: CsrMatrix<f32, i32> = sample.matrix(&context);
            for op in [Op::NoTrans, Op::Trans] {
                let (rows, columns) = if op.transposes() { (17, 23) } else { (23, 17) };
                let x = context.upload(&x[..columns]).unwrap();
                let mut results = [context.zeros::<f32>(rows).unwrap(), context.zeros::<f32>(rows).unwrap()];
                // The first product, for which the matrix is looked at, is the other queue's.
                let y = results[0].vector_mut().unwrap();
                let _ = matrix.multiply_on(&other, op, 2.0, x.vector().unwrap(), 0.0, y).unwrap();
                let y = results[1].vector_mut().unwrap();
                let _ = matrix.multiply(op, 2.0, x.vector().unwrap(), 0.0, y).unwrap();
                own.wait_for_queue(&other).unwrap();
                assert_eq!(results[0].download().unwrap(), results[1].download().unwrap(), "{op:?}");
            }
        }
    }
}
