//! Rows of a result that threads build independently, and the matrix assembled from them.

use affinimath_core::error::Result;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrArrays, RowPointer, check_count};

/// Rows that follow one another: how many entries each has, and the entries.
pub(super) struct Rows<T> {
    pub(super) lengths: Vec<usize>,
    pub(super) col_indices: Vec<i32>,
    pub(super) values: Vec<T>,
}

impl<T: Scalar> Rows<T> {
    /// Empty, with capacity for rows and entries.
    pub(super) fn with_capacity(rows: usize, entries: usize) -> Self {
        let (col_indices, values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        Rows { lengths: Vec::with_capacity(rows), col_indices, values }
    }
}

/// Matrix with the rows of all parts, in order.
pub(super) fn assemble<T: Scalar, P: RowPointer>(rows: usize, parts: Vec<Rows<T>>) -> Result<CsrArrays<T, P>> {
    let entries = parts.iter().map(|part| part.values.len()).sum();
    check_count::<P>(entries)?;
    let (mut col_indices, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    let mut row_ptr = Vec::with_capacity(rows + 1);
    row_ptr.push(P::default());
    let mut end = 0;
    for part in parts {
        for length in part.lengths {
            end += length;
            row_ptr.push(P::from_count(end));
        }
        col_indices.extend(part.col_indices);
        values.extend(part.values);
    }
    Ok(CsrArrays { row_ptr, col_indices, values })
}
