//! Matrices for tests, and what operations on them should give.

use proptest::prelude::*;

use super::{CsrArrays, CsrMatrix, RowPointer};
use crate::memory::Context;
use crate::scalar::{Complex64, Scalar};

/// A matrix as its entries are listed: by rows, in each row in any order, and some more than once.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// For each row its entries' columns and values.
    pub(crate) entries: Vec<Vec<(usize, Complex64)>>,
}

/// Numbers that look random, the same in every run (SplitMix64: Steele, Lea and Flood, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// Less than `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() >> 11) as usize % end
    }

    /// In (-1, 1), exact in `f32`.
    pub(crate) fn number(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    }

    pub(crate) fn complex(&mut self) -> Complex64 {
        Complex64::new(self.number(), self.number())
    }
}

/// How long the rows of a sample are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rows {
    /// Up to so many entries, and some none.
    UpTo(usize),
    /// All as many.
    Even(usize),
    /// One of so many entries, the others few or empty.
    OneOf(usize),
}

impl Sample {
    pub(crate) fn new(rows: usize, columns: usize, lengths: Rows, seed: u64) -> Self {
        let mut random = Random(seed);
        let dense = random.below(rows.max(1));
        let row = |index: usize| {
            let length = match lengths {
                _ if columns == 0 => 0,
                Rows::UpTo(most) => random.below(most + 1) * usize::from(random.below(4) > 0),
                Rows::Even(length) => length,
                Rows::OneOf(length) if index == dense => length,
                Rows::OneOf(_) => random.below(3),
            };
            (0..length).map(|_| (random.below(columns), random.complex())).collect()
        };
        Sample { rows, columns, entries: (0..rows).map(row).collect() }
    }

    pub(crate) fn transposed(&self) -> Self {
        let mut entries = vec![Vec::new(); self.columns];
        for (i, row) in self.entries.iter().enumerate() {
            row.iter().for_each(|&(j, value)| entries[j].push((i, value)));
        }
        Sample { rows: self.columns, columns: self.rows, entries }
    }

    pub(crate) fn arrays<T: Scalar, P: RowPointer>(&self) -> CsrArrays<T, P> {
        let mut row_ptr = vec![P::default()];
        let (mut col_indices, mut values) = (Vec::new(), Vec::new());
        for row in &self.entries {
            for (column, value) in row {
                col_indices.push(*column as i32);
                values.push(T::from_parts(value.re, value.im));
            }
            row_ptr.push(P::from_count(col_indices.len()));
        }
        CsrArrays { row_ptr, col_indices, values }
    }

    pub(crate) fn matrix<T: Scalar, P: RowPointer>(&self, context: &Context) -> CsrMatrix<T, P> {
        let CsrArrays { row_ptr, col_indices, values } = self.arrays::<T, P>();
        CsrMatrix::new(context, self.rows, self.columns, &row_ptr, &col_indices, &values).unwrap()
    }
}

/// The number in the type's own precision and kind.
pub(crate) fn rounded<T: Scalar>(value: Complex64) -> Complex64 {
    let value = T::from_parts(value.re, value.im);
    Complex64::new(value.re(), value.im())
}

/// Samples of all kinds: no rows, no columns, empty rows, long rows, duplicates, columns in any order.
pub(crate) fn samples() -> impl Strategy<Value = Sample> {
    let lengths = prop_oneof![
        (0..9usize).prop_map(Rows::UpTo),
        (0..40usize).prop_map(Rows::Even),
        (0..500usize).prop_map(Rows::OneOf)
    ];
    (0..60usize, 0..60usize, lengths, any::<u64>())
        .prop_map(|(rows, columns, lengths, seed)| Sample::new(rows, columns, lengths, seed))
}

/// Calls a generic function for each element type that tests cover, with 32-bit row pointers for the real types and
/// 64-bit ones for the complex types.
macro_rules! for_each_matrix {
    ($check:ident($($argument:expr),*)) => {
        affinimath_testing::for_each_type! {
            $check::<f32, i32>($($argument),*);
            $check::<f64, i32>($($argument),*);
            $check::<$crate::Complex32, i64>($($argument),*);
            $check::<$crate::Complex64, i64>($($argument),*);
        }
    };
}
pub(crate) use for_each_matrix;
