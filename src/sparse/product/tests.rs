//! Every plan on every device against the host's sums: what the plan's choice does not reach is tested here.

use super::*;
use crate::context::Queue;
use crate::device::DeviceInfo;
use crate::host;
use crate::memory::Context;
use crate::scalar::Scalar;
use crate::sparse::testing::{Random, Rows, Sample, for_each_matrix};
use crate::sparse::{CsrMatrix, RowPointer, RowStatistics};
use crate::testing::{assert_close, contexts, hands_over};

fn runs_on(plan: &ProductPlan, device_info: &DeviceInfo) -> bool {
    !matches!(plan, ProductPlan::Merge { one_launch: true, .. }) || hands_over(device_info)
}

fn vector<T: Scalar>(length: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    (0..length).map(|_| T::from_parts(random.number(), random.number())).collect()
}

fn check<T: Scalar, P: RowPointer>(sample: &Sample, parameters: &[ProductParameters]) {
    let (alpha, beta) = (T::from_parts(0.5, -0.25), T::from_parts(2.0, 1.0));
    let (x, y) = (vector::<T>(sample.columns, 1), vector::<T>(sample.rows, 2));
    let on_host: CsrMatrix<T, P> = sample.matrix(&Context::host());
    let mut expected = Context::host().upload(&y).unwrap();
    let host_x = Context::host().upload(&x).unwrap();
    let (view, host_x) = (on_host.view().unwrap(), host_x.vector().unwrap());
    let product = CsrProduct::new(view, true, alpha, host_x, beta, expected.vector_mut().unwrap()).unwrap();
    host::sparse::product(&product);
    let expected = expected.download().unwrap();
    let statistics = RowStatistics::of(on_host.row_ptr().on_host().unwrap());

    for context in contexts::<T>().into_iter().skip(1) {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        let queue = Queue::new(context.on_device().unwrap()).unwrap();
        let device_info = context.device().unwrap().info();
        let plans = parameters.iter().flat_map(|parameters| ProductPlan::all(&statistics, device_info, parameters));
        for plan in plans.filter(|plan| runs_on(plan, device_info)) {
            let (x, mut result) = (context.upload(&x).unwrap(), context.upload(&y).unwrap());
            let (view, x) = (matrix.view().unwrap(), x.vector().unwrap());
            let prepared = PreparedProduct::with_plan(&queue, &view, plan, None).unwrap();
            let product = CsrProduct::new(view, true, alpha, x, beta, result.vector_mut().unwrap()).unwrap();
            product_on(&queue, &product, &prepared).unwrap().wait().unwrap();
            for (row, (found, expected)) in result.download().unwrap().iter().zip(&expected).enumerate() {
                // Both are sums of products of numbers below 2 in modulus, with |alpha| < 1 and |beta| < 3.
                let terms = sample.entries[row].len() as f64;
                let bound = 8.0 * (terms + 3.0) * T::EPSILON * (2.0 * terms + 5.0);
                assert_close!(*found, *expected, bound, "{:?} row {row}: {plan:?}", T::KIND);
            }
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn every_plan_gives_products_of_any_rows() {
        for (rows, lengths) in [
            (2500, Rows::UpTo(9)),
            (3000, Rows::Even(7)),
            (50, Rows::Even(128)),
            (1000, Rows::Even(1)),
            (9000, Rows::Even(0)),
            (143, Rows::Even(7)), // The last row begins in the last but one of the stream's groups.
            (60, Rows::UpTo(1200)),
            (2000, Rows::OneOf(20_000)),
            (1, Rows::Even(5000)),
            // At the longest rows that a segment keeps whole, and with rows that end where segments are cut.
            (40, Rows::Even(128)),
            (40, Rows::Even(129)),
            (7, Rows::Even(511)),
            (7, Rows::Even(1023)),
        ] {
            for_each_matrix!(check(&Sample::new(rows, 1000, lengths, 5), &[ProductParameters::default()]));
        }
    }

    /// Of the work-groups that have parts of a row, whichever is the last adds them up in the same order, and leaves
    /// nothing for the next product but zeros.
    #[test]
    fn merged_products_have_the_same_bits_every_time() {
        let sample = Sample::new(2000, 1000, Rows::OneOf(20_000), 5);
        for context in contexts::<f64>().into_iter().skip(1) {
            let matrix: CsrMatrix<f64, i32> = sample.matrix(&context);
            let queue = Queue::new(context.on_device().unwrap()).unwrap();
            let statistics = RowStatistics::of(&matrix.row_ptr().download().unwrap());
            let device_info = context.device().unwrap().info();
            let plans = ProductPlan::all(&statistics, device_info, &ProductParameters::default());
            let view = matrix.view().unwrap();
            let merges = |plan: &ProductPlan| matches!(plan, ProductPlan::Merge { .. }) && runs_on(plan, device_info);
            for plan in plans.into_iter().filter(merges) {
                let prepared = PreparedProduct::with_plan(&queue, &view, plan, None).unwrap();
                let x = context.upload(&vector::<f64>(1000, 1)).unwrap();
                let multiplied = || {
                    let mut y = context.upload(&[f64::NAN; 2000]).unwrap();
                    let (x, target) = (x.vector().unwrap(), y.vector_mut().unwrap());
                    let product = CsrProduct::new(view, false, 1.0, x, 0.0, target).unwrap();
                    // The second one follows the first in the queue.
                    let first = product_on(&queue, &product, &prepared).unwrap();
                    product_on(&queue, &product, &prepared).unwrap().wait().unwrap();
                    first.wait().unwrap();
                    y.download().unwrap()
                };
                let first = multiplied();
                assert!(first.iter().all(|value| value.is_finite()));
                (0..5).for_each(|_| assert_eq!(multiplied(), first, "{plan:?} on {context:?}"));
            }
        }
    }

    /// The ends of the space.
    #[test]
    fn tuned_plans_give_products_of_any_rows() {
        let smallest = ProductParameters {
            segments_per_unit: 1,
            shortest_segment: 512,
            stream_items: 4,
            merge_items: 3,
            vector_entries: 1,
        };
        let largest = ProductParameters {
            segments_per_unit: 64,
            shortest_segment: 65536,
            stream_items: 16,
            merge_items: 11,
            vector_entries: 8,
        };
        for (rows, lengths) in [(2500, Rows::UpTo(9)), (60, Rows::UpTo(1200)), (2000, Rows::OneOf(20_000))] {
            check::<f32, i32>(&Sample::new(rows, 1000, lengths, 5), &[smallest, largest]);
            check::<crate::Complex64, i64>(&Sample::new(rows, 1000, lengths, 5), &[smallest, largest]);
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn every_plan_gives_products() {
        for (seed, lengths) in [Rows::UpTo(4), Rows::OneOf(25)].into_iter().enumerate() {
            for_each_matrix!(check(&Sample::new(9, 7, lengths, seed as u64), &[ProductParameters::default()]));
        }
    }
}
