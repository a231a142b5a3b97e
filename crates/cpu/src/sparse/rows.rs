//! Rows of a result that threads build independently, and the matrix assembled from them.

use affinimath_core::error::Result;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrArrays, RowPointer, check_count};

/// Rows that follow one another: how many entries each has, and the entries.
pub(super) struct Rows<T> {
    pub(super) lengths: Vec<usize>,
    pub(super) indices: Vec<i32>,
    pub(super) values: Vec<T>,
}

impl<T: Scalar> Rows<T> {
    /// Empty, with capacity for rows and entries.
    pub(super) fn with_capacity(rows: usize, entries: usize) -> Self {
        let (indices, values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        Rows { lengths: Vec::with_capacity(rows), indices, values }
    }
}

/// Matrix with the rows of all parts, in order.
pub(super) fn assemble<T: Scalar, P: RowPointer>(rows: usize, parts: Vec<Rows<T>>) -> Result<CsrArrays<T, P>> {
    let entries = parts.iter().map(|part| part.values.len()).sum();
    check_count::<P>(entries)?;
    let (mut indices, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    let mut pointers = Vec::with_capacity(rows + 1);
    pointers.push(P::default());
    let mut end = 0;
    for part in parts {
        for length in part.lengths {
            end += length;
            pointers.push(P::from_count(end));
        }
        indices.extend(part.indices);
        values.extend(part.values);
    }
    Ok(CsrArrays { pointers, indices, values })
}
