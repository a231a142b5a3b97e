//! Every plan on every device against sums in doubles: |C - ref| <= 4 (k + 3) eps (|alpha| |A| |B| + |beta| |C|) for
//! sums of k terms.

use super::*;
use crate::context::Queue;
use crate::options::Layout;
use crate::scalar::Complex64;
use crate::sparse::CsrMatrix;
use crate::sparse::testing::{Rows, Sample, for_each_matrix, rounded};
use crate::testing::{Stored, assert_close, contexts, for_each_type, sum_tolerance};

fn check<T: Scalar, P: RowPointer>(sample: &Sample, columns: usize) {
    let (alpha, beta) = (T::from_parts(-0.75, 0.5), T::from_parts(2.0, 1.0));
    let wide = |value: T| Complex64::new(value.re(), value.im());
    for context in contexts::<T>().into_iter().skip(1) {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        let queue = Queue::new(context.on_device().unwrap()).unwrap();
        let segments = Segments::new(&queue, &matrix.view().unwrap()).unwrap();
        for plan in DensePlan::all(T::KIND, columns, context.device().unwrap().info()) {
            for (b_layout, c_layout) in [(0, 0), (1, 1), (0, 1)].map(|(b, c)| (Layout::ALL[b], Layout::ALL[c])) {
                let b = Stored::<T>::new(b_layout, sample.columns, columns, 2, 1);
                let c = Stored::<T>::new(c_layout, sample.rows, columns, 3, 2);
                let (b_memory, mut c_memory) = (context.upload(&b.data).unwrap(), context.upload(&c.data).unwrap());
                let (b_view, c_view) = (b_memory.view(b.shape).unwrap(), c_memory.view_mut(c.shape).unwrap());
                let view = matrix.view().unwrap();
                let product = CsrDenseProduct::new(view, true, alpha, b_view, beta, c_view).unwrap();
                product_with_plan(&queue, &product, plan, Some(&segments)).unwrap().wait().unwrap();
                let result = c.clone().with(c_memory.download().unwrap());
                assert!(result.canaries_live(), "canaries: {plan:?} on {context:?}");
                for (i, row) in sample.entries.iter().enumerate() {
                    for j in 0..columns {
                        let mut expected = wide(beta) * c.element(i, j);
                        let mut size = expected.norm();
                        for &(k, value) in row {
                            let value = rounded::<T>(value);
                            let value = if T::KIND.is_complex() { value.conj() } else { value };
                            let term = wide(alpha) * value * b.element(k, j);
                            expected += term;
                            size += term.norm();
                        }
                        let tolerance = sum_tolerance::<T>(row.len() + 3, size);
                        assert_close!(result.element(i, j), expected, tolerance, "({i}, {j}): {plan:?} on {context:?}");
                    }
                }
            }
        }
    }
}

mod device {
    use super::*;

    /// Rows over several segments and shares, rows that end where one is cut, and many empty ones.
    #[test]
    fn every_plan_gives_products_of_any_rows() {
        for (rows, lengths, columns) in [
            (600, Rows::OneOf(4000), 3),
            (60, Rows::UpTo(700), 8),
            (40, Rows::Even(511), 2),
            (300, Rows::UpTo(9), 40),
            (2, Rows::Even(2000), 70),
            (3000, Rows::Even(0), 4),
        ] {
            let sample = Sample::new(rows, 50, lengths, 5);
            for_each_type! {
                check::<f64, i32>(&sample, columns);
                check::<f32, i64>(&sample, columns);
                check::<Complex64, i32>(&sample, columns);
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn every_plan_gives_products() {
        for (columns, lengths) in [(2, Rows::UpTo(4)), (5, Rows::OneOf(25))] {
            for_each_matrix!(check(&Sample::new(9, 7, lengths, columns as u64), columns));
        }
    }
}
