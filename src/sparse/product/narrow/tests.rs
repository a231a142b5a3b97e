//! Products have the same bits with narrow columns as without, and columns are narrow exactly where four windows hold
//! each group's.

use proptest::prelude::*;

use super::*;
use crate::context::BufferParts;
use crate::memory::Context;
use crate::scalar::{Complex32, Complex64, Scalar};
use crate::sparse::product::{CsrProduct, PreparedProduct, ProductParameters, ProductPlan, product_on};
use crate::sparse::testing::{Random, Rows, Sample, samples};
use crate::sparse::{CsrMatrix, RowPointer, RowStatistics};
use crate::testing::contexts;

/// A matrix on a device that can stream its rows, with the plan for that.
struct Streamed<T, P> {
    context: Context,
    queue: Queue,
    matrix: CsrMatrix<T, P>,
    plan: ProductPlan,
}

impl<T: Scalar, P: RowPointer> Streamed<T, P> {
    /// One for each device, whatever class it is of.
    fn all(sample: &Sample) -> Vec<Self> {
        let statistics = RowStatistics::of(&sample.arrays::<T, P>().row_ptr);
        let streamed = |context: Context| {
            let queue = Queue::new(context.on_device()?).unwrap();
            let plans = ProductPlan::all(&statistics, context.device()?.info(), &ProductParameters::default());
            let plan = plans.into_iter().find(|plan| matches!(plan, ProductPlan::Stream { .. }))?;
            Some(Streamed { matrix: sample.matrix(&context), context, queue, plan })
        };
        contexts::<T>().into_iter().filter_map(streamed).collect()
    }

    fn prepared(&self, narrowing: Option<Narrowing>) -> PreparedProduct {
        let view = self.matrix.view().unwrap();
        let prepared = PreparedProduct::with_plan(&self.queue, &view, self.plan, narrowing).unwrap();
        self.queue.finish().unwrap();
        prepared
    }

    /// conj(A) x with these increments, as bits.
    fn product(&self, prepared: &PreparedProduct, increments: (isize, isize)) -> Vec<(u64, u64)> {
        let vector = |length: usize, increment: isize| {
            let shape = crate::VectorShape::new(length, 1, increment).unwrap();
            let mut random = Random(9);
            let numbers = (0..shape.end()).map(|_| T::from_parts(random.number(), random.number()));
            (self.context.upload(&numbers.collect::<Vec<T>>()).unwrap(), shape)
        };
        let (x, x_shape) = vector(self.matrix.columns(), increments.0);
        let (mut y, y_shape) = vector(self.matrix.rows(), increments.1);
        let (alpha, beta) = (T::from_parts(0.5, -0.25), T::from_parts(2.0, 1.0));
        let (from, to) = (x.vector_view(x_shape).unwrap(), y.vector_view_mut(y_shape).unwrap());
        let product = CsrProduct::new(self.matrix.view().unwrap(), true, alpha, from, beta, to).unwrap();
        product_on(&self.queue, &product, prepared).unwrap().wait().unwrap();
        y.download().unwrap().iter().map(|value| (value.re().to_bits(), value.im().to_bits())).collect()
    }

    fn is_narrow(&self, prepared: &PreparedProduct) -> bool {
        prepared.narrow_columns(&self.queue, &self.matrix.view().unwrap()).unwrap().is_some()
    }
}

/// True if each group's columns fit, by the same rule on the host.
fn fits(sample: &Sample, span: usize, groups: &[std::ops::Range<usize>]) -> bool {
    groups.iter().all(|rows| {
        let mut columns: Vec<usize> =
            sample.entries[rows.clone()].iter().flatten().map(|&(column, _)| column).collect();
        columns.sort_unstable();
        let (mut windows, mut end) = (0, 0);
        for column in columns {
            if column >= end {
                (windows, end) = (windows + 1, column + span);
            }
        }
        windows <= 4
    })
}

/// The rows of each of the stream's groups.
fn groups(sample: &Sample, plan: ProductPlan) -> Vec<std::ops::Range<usize>> {
    let ProductPlan::Stream { groups, group_weight, .. } = plan else { panic!("{plan:?}") };
    let row_ptr = sample.arrays::<f64, i64>().row_ptr;
    let weight_before = |row: usize| super::super::plan::STREAM_WEIGHT * row_ptr[row] as usize + row;
    let start =
        |group: usize| (0..sample.rows).find(|&row| weight_before(row) >= group * group_weight).unwrap_or(sample.rows);
    (0..groups).map(|group| start(group)..start(group + 1)).collect()
}

/// Narrow products have the bits of the others, and there are narrow ones where there should be.
fn check<T: Scalar, P: RowPointer>(sample: &Sample, span: usize, increments: (isize, isize)) {
    for streamed in Streamed::<T, P>::all(sample) {
        let (wide, narrow) = (streamed.prepared(None), streamed.prepared(Some(Narrowing::at_once(span))));
        let expected =
            sample.entries.iter().any(|row| !row.is_empty()) && fits(sample, span, &groups(sample, streamed.plan));
        let (found, plan) = (streamed.is_narrow(&narrow), streamed.plan);
        assert_eq!(found, expected, "{:?}: windows of {span} columns, {plan:?}", T::KIND);
        let same = streamed.product(&wide, increments) == streamed.product(&narrow, increments);
        assert!(same, "{:?}: windows of {span} columns, {plan:?}", T::KIND);
    }
}

/// Rows of five entries anywhere in `clusters` places of `width` columns each.
fn clustered(rows: usize, clusters: usize, width: usize) -> Sample {
    let mut sample = Sample::new(rows, 100 * clusters + width, Rows::Even(5), 8);
    for (row, entries) in sample.entries.iter_mut().enumerate() {
        for (i, (column, _)) in entries.iter_mut().enumerate() {
            // Each cluster's first and last columns are among the first rows'.
            let offset = if row < clusters { [0, width - 1][i % 2] } else { *column % width };
            *column = 100 * ((row + i / 2) % clusters) + offset;
        }
    }
    sample
}

mod device {
    use super::*;

    #[test]
    fn four_windows_hold_columns_in_as_many_places_and_no_more() {
        for clusters in 1..=6 {
            for (width, span) in [(1, 1), (40, 40), (40, 39), (100, 1 << 14)] {
                check::<f64, i32>(&clustered(2000, clusters, width), span, (1, 1));
            }
            check::<Complex32, i64>(&clustered(700, clusters, 9), 9, (-1, 2));
        }
    }

    #[test]
    fn columns_anywhere_are_not_narrow() {
        let sample = Sample::new(3000, 90_000, Rows::UpTo(9), 4);
        check::<f64, i64>(&sample, 1 << 14, (1, 1));
        for streamed in Streamed::<f32, i32>::all(&sample) {
            assert!(!streamed.is_narrow(&streamed.prepared(Some(Narrowing::at_once(1 << 14)))));
        }
    }

    #[test]
    fn the_ninth_product_with_a_large_matrix_reads_narrow_columns() {
        let narrowing = Narrowing::of_device(&crate::device::example(DeviceClass::Gpu));
        assert!(Narrowing::of_device(&crate::device::example(DeviceClass::Cpu)).is_none());
        assert!(CountedColumns::new(narrowing, (1 << 20) - 1).is_none());
        let mut sample = Sample::new(1 << 17, 1 << 17, Rows::Even(8), 1);
        for (row, entries) in sample.entries.iter_mut().enumerate() {
            entries.iter_mut().for_each(|(column, _)| *column = (row + *column % 20_000) % (1 << 17));
        }
        for streamed in Streamed::<f64, i32>::all(&sample) {
            let prepared = streamed.prepared(narrowing);
            let mut products = (0..10).map(|_| streamed.product(&prepared, (1, 1)));
            let first = products.next().unwrap();
            assert!(products.all(|product| product == first));
            assert!(streamed.is_narrow(&prepared));
            let counted = CountedColumns::new(narrowing, 1 << 20).unwrap();
            let made = (0..9).map(|_| counted.for_product(|_| Err(Error::argument("span", "made"))).is_err());
            assert_eq!(made.collect::<Vec<_>>(), [[false; 8].as_slice(), &[true]].concat());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

        #[test]
        fn products_with_narrow_columns_of_any_span_have_the_same_bits(
            sample in samples(),
            span in 1..40usize,
            increments in prop::sample::select(vec![(1, 1), (1, 1), (-1, 1), (2, -3)]),
        ) {
            check::<f32, i64>(&sample, span, increments);
            check::<Complex64, i32>(&sample, span, increments);
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn products_with_narrow_columns_have_the_same_bits() {
        for (rows, clusters) in [(9, 1), (11, 3), (30, 4), (30, 5)] {
            check::<f32, i32>(&clustered(rows, clusters, 7), 7, (1, 1));
            check::<Complex64, i64>(&clustered(rows, clusters, 7), 8, (2, -1));
        }
    }

    /// The last of all columns that an index can name, and what the windows there add up to.
    #[test]
    fn matrices_with_the_last_columns_are_narrow() {
        let last = i32::MAX as usize;
        for columns in [vec![last], vec![0, last - 20_000, last - 1, last], vec![3, 1 << 20, 1 << 24, last - 5, last]] {
            let mut sample = Sample::new(7, last + 1, Rows::Even(0), 1);
            let entries = columns.iter().map(|&column| (column, Complex64::ONE));
            sample.entries[3] = entries.collect();
            for streamed in Streamed::<f32, i32>::all(&sample) {
                let prepared = streamed.prepared(Some(Narrowing::at_once(1 << 14)));
                let narrow = prepared.narrow_columns(&streamed.queue, &streamed.matrix.view().unwrap()).unwrap();
                let narrow = narrow.expect("at most four windows");
                let ProductPlan::Stream { items, .. } = streamed.plan else { unreachable!("streamed") };
                // Each work-item has one of the entries, and `items` places.
                let (mut stored, mut bases) = (vec![0i32; THREADS * items / 2], [0i32; 4]);
                narrow.columns.read(&streamed.queue, &mut stored).unwrap();
                narrow.bases.read(&streamed.queue, &mut bases).unwrap();
                let stored = stored.iter().flat_map(|pair| [*pair as u16, (*pair >> 16) as u16]);
                let found = stored.map(|stored| (bases[usize::from(stored >> 14)] + i32::from(stored)) as usize);
                assert_eq!(found.step_by(items).take(columns.len()).collect::<Vec<_>>(), columns);
            }
        }
    }
}
