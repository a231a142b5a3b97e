//! The product of two sparse matrices on the host, row by row (Gustavson, 1978).

use affinimath_macros::instances;
use std::ops::Range;

use super::rows::{Rows, assemble};
use super::slice;
use crate::threads;
use affinimath_core::error::Result;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrArrays, CsrRef, RowPointer};

/// Rows that a thread computes at a time, at least.
const ROWS: usize = 512;

/// A B (SpGEMM), in sorted rows without duplicates.
#[instances]
pub fn multiply_sparse<T: Scalar, P: RowPointer>(
    a: &CsrRef<'_, T, P>,
    b: &CsrRef<'_, T, P>,
) -> Result<CsrArrays<T, P>> {
    let available = threads::available();
    let chunk = a.rows.div_ceil(2 * available).max(ROWS);
    let rows = |index: usize| index * chunk..a.rows.min((index + 1) * chunk);
    let chunks = a.rows.div_ceil(chunk);
    let parts: Vec<Rows<T>> = match available {
        1 => (0..chunks).map(|index| multiply_rows(a, b, rows(index))).collect(),
        _ => threads::map(chunks, |index| multiply_rows(a, b, rows(index))),
    };
    assemble(a.rows, parts)
}

fn multiply_rows<T: Scalar, P: RowPointer>(a: &CsrRef<'_, T, P>, b: &CsrRef<'_, T, P>, rows: Range<usize>) -> Rows<T> {
    let (a_pointers, a_indices, a_values) = (slice(&a.row_ptr), slice(&a.col_indices), slice(&a.values));
    let (b_pointers, b_indices, b_values) = (slice(&b.row_ptr), slice(&b.col_indices), slice(&b.values));
    // Dense accumulator, and for each column the last row that used it (Gustavson 1978).
    let mut sums = vec![T::ZERO; b.columns];
    let mut last_row = vec![-1; b.columns];
    let mut result = Rows::with_capacity(rows.len(), 0);
    for row in rows {
        let first = result.col_indices.len();
        for entry in a_pointers[row].count()..a_pointers[row + 1].count() {
            let (middle, factor) = (a_indices[entry] as usize, a_values[entry]);
            for other in b_pointers[middle].count()..b_pointers[middle + 1].count() {
                let (column, product) = (b_indices[other] as usize, factor * b_values[other]);
                if last_row[column] == row as i32 {
                    sums[column] += product;
                } else {
                    last_row[column] = row as i32;
                    sums[column] = product;
                    result.col_indices.push(column as i32);
                }
            }
        }
        result.col_indices[first..].sort_unstable();
        result.values.extend(result.col_indices[first..].iter().map(|&column| sums[column as usize]));
        result.lengths.push(result.col_indices.len() - first);
    }
    result
}
