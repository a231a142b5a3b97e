//! Conversions against a table of places: exact where entries go, and within roundings of their sums what they are.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::options::Layout;
use crate::scalar::Complex64;
use crate::sparse::CsrArrays;
use crate::sparse::testing::{Random, Rows, Sample, for_each_matrix, rounded, samples};
use crate::testing::{assert_close, contexts, sum_tolerance};
use crate::view::{MatrixShape, VectorShape};

/// Elements of a matrix by position: the sum of the terms, their sizes and their number.
#[derive(Default)]
struct Table(BTreeMap<(usize, usize), (Complex64, f64, usize)>);

impl Table {
    fn add(&mut self, row: usize, column: usize, term: Complex64) {
        let (sum, size, count) = self.0.entry((row, column)).or_default();
        *sum += term;
        *size += term.norm();
        *count += 1;
    }

    fn of<T: Scalar>(sample: &Sample) -> Self {
        let mut table = Table::default();
        table.add_all::<T>(sample, Complex64::ONE);
        table
    }

    fn add_all<T: Scalar>(&mut self, sample: &Sample, factor: Complex64) {
        for (i, row) in sample.entries.iter().enumerate() {
            row.iter().for_each(|&(j, value)| self.add(i, j, factor * rounded::<T>(value)));
        }
    }

    /// A matrix with an entry in each of these places and no others, in ascending order.
    fn check<T: Scalar, P: RowPointer>(&self, matrix: &CsrMatrix<T, P>, what: &str) {
        let CsrArrays { row_ptr, col_indices, values } = matrix.download().unwrap();
        assert_eq!((row_ptr.len(), row_ptr[0]), (matrix.rows() + 1, P::default()), "{what}");
        let mut positions = Vec::new();
        for (row, pair) in row_ptr.windows(2).enumerate() {
            positions
                .extend(col_indices[pair[0].count()..pair[1].count()].iter().map(|&column| (row, column as usize)));
        }
        assert_eq!(positions, self.0.keys().copied().collect::<Vec<_>>(), "{what}");
        for (value, expected) in values.iter().zip(&self.0) {
            check_value(*value, expected.1, what);
        }
    }

    fn value(&self, row: usize, column: usize) -> (Complex64, f64, usize) {
        self.0.get(&(row, column)).copied().unwrap_or_default()
    }
}

fn check_value<T: Scalar>(found: T, &(sum, size, count): &(Complex64, f64, usize), what: &str) {
    let found = Complex64::new(found.re(), found.im());
    assert_close!(found, sum, sum_tolerance::<T>(count + 3, size), "{what}");
}

/// The entries of a sample in an order that has nothing to do with their places, as (row, column, value).
fn shuffled(sample: &Sample, seed: u64) -> Vec<(usize, usize, Complex64)> {
    let mut random = Random(seed);
    let mut list: Vec<_> = Vec::new();
    for (i, row) in sample.entries.iter().enumerate() {
        row.iter().for_each(|&(j, value)| list.push((random.bits(), (i, j, value))));
    }
    list.sort_by_key(|entry| entry.0);
    list.into_iter().map(|entry| entry.1).collect()
}

fn check_lists<T: Scalar, P: RowPointer>(sample: &Sample) {
    let list = shuffled(sample, 9);
    let rows: Vec<i32> = list.iter().map(|entry| entry.0 as i32).collect();
    let columns: Vec<i32> = list.iter().map(|entry| entry.1 as i32).collect();
    let values: Vec<T> = list.iter().map(|entry| T::from_parts(entry.2.re, entry.2.im)).collect();
    // Added in the order of the list: to the last bit.
    let mut sums = BTreeMap::<_, T>::new();
    for (entry, position) in rows.iter().zip(&columns).enumerate() {
        sums.entry(position).and_modify(|sum| *sum += values[entry]).or_insert(values[entry]);
    }
    for context in contexts::<T>() {
        let coo = CooMatrix::new(&context, sample.rows, sample.columns, &rows, &columns, &values).unwrap();
        let matrix: CsrMatrix<T, P> = coo.to_csr().unwrap();
        Table::of::<T>(sample).check(&matrix, "COO to CSR");
        assert!(matrix.values().download().unwrap().iter().eq(sums.values()), "{context:?}");
        let back = matrix.to_coo().unwrap();
        assert_eq!(back.to_csr::<P>().unwrap().download().unwrap(), matrix.download().unwrap());

        let unsorted: CsrMatrix<T, P> = sample.matrix(&context);
        let list = unsorted.to_coo().unwrap().download().unwrap();
        let by_rows = sample.entries.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |_| i as i32));
        assert!(list.row_indices.into_iter().eq(by_rows), "CSR to COO on {context:?}");
        Table::of::<T>(sample).check(&unsorted.sorted().unwrap(), "sorted");
    }
}

fn check_transposes<T: Scalar, P: RowPointer>(sample: &Sample) {
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        let transpose = matrix.transpose().unwrap();
        assert_eq!((transpose.rows(), transpose.columns()), (sample.columns, sample.rows));
        // To the last bit: nothing is computed.
        assert_eq!(transpose.download().unwrap(), sample.transposed().arrays(), "{context:?}");
    }
}

fn check_statistics<T: Scalar, P: RowPointer>(sample: &Sample) {
    let lengths: Vec<_> = sample.entries.iter().map(Vec::len).collect();
    let expected = RowStatistics {
        rows: sample.rows,
        entries: lengths.iter().sum(),
        longest: lengths.iter().copied().max().unwrap_or(0),
        empty: lengths.iter().filter(|&&length| length == 0).count(),
    };
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        assert_eq!(matrix.row_statistics().unwrap(), expected);
        // Of the copy nothing is known yet.
        assert_eq!(matrix.to_context(&context).unwrap().row_statistics().unwrap(), expected);
    }
}

fn check_dense<T: Scalar, P: RowPointer>(sample: &Sample) {
    let table = Table::of::<T>(sample);
    let nan = T::from_parts(f64::NAN, f64::NAN);
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        for layout in [Layout::RowMajor, Layout::ColumnMajor] {
            let adjacent = if layout == Layout::RowMajor { sample.columns } else { sample.rows };
            let shape = MatrixShape::new(layout, sample.rows, sample.columns, 2, adjacent.max(1) + 3).unwrap();
            let mut dense = context.upload(&vec![nan; shape.end() + 1]).unwrap();
            matrix.write_dense(dense.view_mut(shape).unwrap()).unwrap();
            let again: CsrMatrix<T, P> = CsrMatrix::from_dense(&context, dense.view(shape).unwrap()).unwrap();
            let mut elements = dense.download().unwrap();
            let mut nonzero = Table::default();
            for (i, j) in (0..sample.rows).flat_map(|i| (0..sample.columns).map(move |j| (i, j))) {
                let (row_stride, column_stride) = shape.strides();
                let found = std::mem::replace(&mut elements[2 + i * row_stride + j * column_stride], nan);
                check_value(found, &table.value(i, j), "dense");
                if found != T::ZERO {
                    nonzero.add(i, j, Complex64::new(found.re(), found.im()));
                }
            }
            assert!(elements.iter().all(|value| value.re().is_nan()), "canaries on {context:?}");
            nonzero.check(&again, "from dense");
        }
        let diagonal = matrix.diagonal().unwrap().download().unwrap();
        assert_eq!(diagonal.len(), sample.rows.min(sample.columns));
        diagonal.iter().enumerate().for_each(|(i, found)| check_value(*found, &table.value(i, i), "diagonal"));
    }
}

fn check_sums<T: Scalar, P: RowPointer>(sample: &Sample) {
    let other = Sample::new(sample.rows, sample.columns, Rows::UpTo(4), 33);
    let (alpha, beta) = (Complex64::new(0.5, 0.25), Complex64::new(-2.0, 1.0));
    let mut table = Table::default();
    table.add_all::<T>(sample, rounded::<T>(alpha));
    table.add_all::<T>(&other, rounded::<T>(beta));
    let square =
        Sample { rows: sample.rows.max(sample.columns), columns: sample.rows.max(sample.columns), ..sample.clone() };
    let square = Sample {
        entries: (0..square.rows).map(|i| square.entries.get(i).cloned().unwrap_or_default()).collect(),
        ..square
    };
    for context in contexts::<T>() {
        let (a, b): (CsrMatrix<T, P>, _) = (sample.matrix(&context), other.matrix(&context));
        let [alpha, beta] = [alpha, beta].map(|factor| T::from_parts(factor.re, factor.im));
        table.check(&CsrMatrix::sum(alpha, &a, beta, &b).unwrap(), "sum");

        let mut scaled = a;
        scaled.scale(alpha).unwrap();
        let factor = |i: usize| Complex64::new(1.0 + i as f64, 0.5);
        let factors = |n| (0..n).map(|i| T::from_parts(factor(i).re, factor(i).im)).collect::<Vec<_>>();
        let (rows, columns) =
            (context.upload(&factors(sample.rows)).unwrap(), context.upload(&factors(sample.columns)).unwrap());
        scaled.scale_rows(rows.vector().unwrap()).unwrap();
        let backward = VectorShape::new(sample.columns, 0, -1).unwrap();
        scaled.scale_columns(columns.vector_view(backward).unwrap()).unwrap();
        let mut expected = Table::default();
        for (i, row) in sample.entries.iter().enumerate() {
            for &(j, value) in row {
                let wide_alpha = Complex64::new(alpha.re(), alpha.im());
                let factors = rounded::<T>(factor(i)) * rounded::<T>(factor(sample.columns - 1 - j));
                expected.add(i, j, wide_alpha * factors * rounded::<T>(value));
            }
        }
        expected.check(&scaled.sorted().unwrap(), "scaled");

        for mirror in [Mirror::Symmetric, Mirror::Hermitian, Mirror::SkewSymmetric] {
            let mut expected = Table::of::<T>(&square);
            for (i, row) in square.entries.iter().enumerate() {
                for &(j, value) in row.iter().filter(|entry| entry.0 != i) {
                    let value = rounded::<T>(value);
                    expected.add(
                        j,
                        i,
                        match mirror {
                            Mirror::Symmetric => value,
                            Mirror::Hermitian => value.conj(),
                            Mirror::SkewSymmetric => -value,
                        },
                    );
                }
            }
            let matrix: CsrMatrix<T, P> = square.matrix(&context);
            expected.check(&matrix.mirrored(mirror).unwrap(), "mirrored");
        }
    }
}

fn check_products<T: Scalar, P: RowPointer>(sample: &Sample) {
    let other = Sample::new(sample.columns, 23, Rows::UpTo(4), 34);
    let mut table = Table::default();
    for (i, row) in sample.entries.iter().enumerate() {
        for &(k, a) in row {
            other.entries[k].iter().for_each(|&(j, b)| table.add(i, j, rounded::<T>(a) * rounded::<T>(b)));
        }
    }
    for context in contexts::<T>() {
        let (a, b): (CsrMatrix<T, P>, _) = (sample.matrix(&context), other.matrix(&context));
        table.check(&a.multiply_sparse(&b).unwrap(), "product");
    }
}

/// All that a matrix can be made into, as text that tells every bit of its numbers apart.
fn everything(context: &Context, sample: &Sample) -> Vec<String> {
    let matrix: CsrMatrix<f32> = sample.matrix(context);
    let list = shuffled(sample, 4);
    let indices = |of: fn(&(usize, usize, Complex64)) -> usize| list.iter().map(|e| of(e) as i32).collect::<Vec<_>>();
    let values: Vec<f32> = list.iter().map(|entry| entry.2.re as f32).collect();
    let (rows, columns) = (indices(|entry| entry.0), indices(|entry| entry.1));
    let coo = CooMatrix::new(context, sample.rows, sample.columns, &rows, &columns, &values).unwrap();
    let shape = MatrixShape::new(Layout::RowMajor, sample.rows, sample.columns, 0, sample.columns).unwrap();
    let mut dense = context.zeros(shape.end()).unwrap();
    matrix.write_dense(dense.view_mut(shape).unwrap()).unwrap();
    let (transpose, sorted) = (matrix.transpose().unwrap(), matrix.sorted().unwrap());
    let mut scaled: CsrMatrix<f32> = sample.matrix(context);
    scaled.scale(0.3).unwrap();
    let made = [
        coo.to_csr().unwrap(),
        CsrMatrix::sum(0.3, &matrix, -0.7, &sorted).unwrap(),
        transpose.multiply_sparse(&matrix).unwrap().mirrored(Mirror::Symmetric).unwrap(),
        CsrMatrix::from_dense(context, dense.view(shape).unwrap()).unwrap(),
        transpose,
        sorted,
        scaled,
    ];
    let mut all: Vec<String> = made.iter().map(|matrix| format!("{:?}", matrix.download().unwrap())).collect();
    all.push(format!("{:?}", matrix.to_coo().unwrap().download().unwrap()));
    all.push(format!("{:?}{:?}", matrix.diagonal().unwrap().download().unwrap(), dense.download().unwrap()));
    all
}

mod host {
    use super::*;

    #[test]
    fn lists_with_indices_out_of_range_are_refused() {
        let host = Context::host();
        let refusal = |rows: &[i32], columns: &[i32]| {
            CooMatrix::new(&host, 2, 3, rows, columns, &[1.0, 2.0]).unwrap_err().to_string()
        };
        assert!(refusal(&[0, 2], &[0, 0]).contains("row_indices: entry 1 has the index 2, of 2 rows"));
        assert!(refusal(&[0, 1], &[-1, 0]).contains("column_indices: entry 0"));
        assert!(refusal(&[0, 1], &[0]).contains("column_indices: 1 of them"));
        let square: CsrMatrix<f64> = Sample::new(3, 4, Rows::UpTo(2), 1).matrix(&host);
        assert!(matches!(square.mirrored(Mirror::Symmetric), Err(Error::ShapeMismatch(_))));
        assert!(matches!(square.multiply_sparse(&square), Err(Error::ShapeMismatch(_))));
    }
}

mod device {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]

        #[test]
        fn lists_become_sorted_rows_and_lists_again(sample in samples()) {
            for_each_matrix!(check_lists(&sample));
        }

        #[test]
        fn transposes_have_the_same_entries_in_order(sample in samples()) {
            for_each_matrix!(check_transposes(&sample));
            for_each_matrix!(check_statistics(&sample));
        }

        #[test]
        fn dense_matrices_have_the_same_elements(sample in samples()) {
            for_each_matrix!(check_dense(&sample));
        }

        #[test]
        fn sums_and_multiples_are_right(sample in samples()) {
            for_each_matrix!(check_sums(&sample));
        }

        #[test]
        fn sparse_products_are_right(sample in samples()) {
            for_each_matrix!(check_products(&sample));
        }
    }

    /// Beyond a chunk and a digit of everything that is cut into them.
    #[test]
    fn large_conversions_are_right() {
        for lengths in [Rows::UpTo(6), Rows::OneOf(40_000)] {
            let sample = Sample::new(90_000, 70_000, lengths, 2);
            check_lists::<f64, i32>(&sample);
            check_transposes::<f64, i64>(&sample);
            check_statistics::<f64, i64>(&sample);
        }
    }

    #[test]
    fn conversions_give_the_same_bits_in_ten_runs() {
        let sample = Sample::new(300, 50, Rows::Even(30), 3);
        for context in contexts::<f32>() {
            let first = everything(&context, &sample);
            assert!((0..9).all(|_| everything(&context, &sample) == first), "{context:?}");
        }
    }

    #[test]
    fn matrices_without_rows_are_matrices() {
        for (rows, columns) in [(0, 7), (7, 0), (0, 0)] {
            let sample = Sample::new(rows, columns, Rows::Even(3), 1);
            for_each_matrix!(check_lists(&sample));
            for_each_matrix!(check_transposes(&sample));
            for_each_matrix!(check_statistics(&sample));
            for_each_matrix!(check_dense(&sample));
            for_each_matrix!(check_sums(&sample));
            for_each_matrix!(check_products(&sample));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn conversions_are_right() {
        let sample = Sample::new(7, 6, Rows::UpTo(4), 1);
        for_each_matrix!(check_lists(&sample));
        for_each_matrix!(check_transposes(&sample));
        for_each_matrix!(check_dense(&sample));
        for_each_matrix!(check_sums(&sample));
        for_each_matrix!(check_products(&sample));
    }
}
