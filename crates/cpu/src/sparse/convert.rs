//! Conversions between sparse formats, and simple matrix operations, on the host.

use affinimath_macros::instances;
use rayon::prelude::*;

use super::rows::{Rows, assemble};
use super::slice;
use crate::threads;
use affinimath_core::error::Result;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CooArrays, CsrArrays, CsrRef, Mirror, RowPointer, check_count};
use affinimath_core::view::{MatrixMut, MatrixRef, MatrixShape, Memory, VectorRef, View};

/// Rows that a thread sorts at a time, at least.
const ROWS: usize = 512;

/// CSR matrix of a list of entries: sorted rows without duplicates.
#[instances]
pub fn compress<T: Scalar, P: RowPointer>(
    rows: usize,
    row_indices: &[i32],
    col_indices: &[i32],
    values: &[T],
) -> Result<CsrArrays<T, P>> {
    check_count::<P>(values.len())?;
    let (row, column) = (|entry: usize| row_indices[entry], |entry: usize| col_indices[entry]);
    let ascending = |entry: usize| (row(entry), column(entry)) < (row(entry + 1), column(entry + 1));
    if (0..values.len().saturating_sub(1)).all(ascending) {
        let row_ptr = starts(rows, row_indices).into_iter().map(P::from_count).collect();
        return Ok(CsrArrays { row_ptr, col_indices: col_indices.to_vec(), values: values.to_vec() });
    }
    // Bucket sort by row, in the order of the list; then each row is sorted.
    let starts = starts(rows, row_indices);
    let mut slots = starts.clone();
    let mut entries = vec![(0, T::ZERO); values.len()];
    for (entry, &row) in row_indices.iter().enumerate() {
        let slot = &mut slots[row as usize];
        entries[*slot] = (col_indices[entry], values[entry]);
        *slot += 1;
    }
    let available = threads::available();
    let chunk = rows.div_ceil(8 * available).max(ROWS);
    let mut rest = entries.as_mut_slice();
    let mut chunks = Vec::with_capacity(rows.div_ceil(chunk));
    for first in (0..rows).step_by(chunk) {
        let last = rows.min(first + chunk);
        let (own, after) = rest.split_at_mut(starts[last] - starts[first]);
        chunks.push((&starts[first..=last], own));
        rest = after;
    }
    let sorted = |(starts, entries)| sorted_rows(starts, entries);
    let parts = match available {
        1 => chunks.into_iter().map(sorted).collect(),
        _ => threads::shared(|| chunks.into_par_iter().map(sorted).collect()),
    };
    assemble(rows, parts)
}

/// Sorted rows without duplicates. `starts` are the rows' first entries, relative to the first of them.
fn sorted_rows<T: Scalar>(starts: &[usize], entries: &mut [(i32, T)]) -> Rows<T> {
    let mut sorted = Rows::with_capacity(starts.len() - 1, entries.len());
    for pair in starts.windows(2) {
        let row = &mut entries[pair[0] - starts[0]..pair[1] - starts[0]];
        // Stable: duplicates keep their order.
        row.sort_by_key(|entry| entry.0);
        let first = sorted.col_indices.len();
        for &(column, value) in &*row {
            if sorted.col_indices.len() > first && sorted.col_indices.last() == Some(&column) {
                *sorted.values.last_mut().expect("there is one for each index") += value;
            } else {
                sorted.col_indices.push(column);
                sorted.values.push(value);
            }
        }
        sorted.lengths.push(sorted.col_indices.len() - first);
    }
    sorted
}

/// First position of each of `count` keys in sorted order, and the end of the last one.
fn starts(count: usize, keys: &[i32]) -> Vec<usize> {
    let mut starts = vec![0; count + 1];
    for &key in keys {
        starts[key as usize + 1] += 1;
    }
    for key in 0..count {
        starts[key + 1] += starts[key];
    }
    starts
}

/// The list of a matrix's entries, by rows.
#[instances]
pub fn list<T: Scalar, P: RowPointer>(matrix: &CsrRef<'_, T, P>) -> CooArrays<T> {
    let mut row_indices = Vec::with_capacity(matrix.nnz());
    for (row, pair) in slice(&matrix.row_ptr).windows(2).enumerate() {
        row_indices.resize(pair[1].count(), row as i32);
    }
    let col_indices = slice(&matrix.col_indices).to_vec();
    CooArrays { row_indices, col_indices, values: slice(&matrix.values).to_vec() }
}

/// alpha A + beta B, in sorted rows without duplicates.
#[instances]
pub fn sum<T: Scalar, P: RowPointer>(
    alpha: T,
    a: &CsrRef<'_, T, P>,
    beta: T,
    b: &CsrRef<'_, T, P>,
) -> Result<CsrArrays<T, P>> {
    let (mut all, other) = (list(a), list(b));
    all.values.iter_mut().for_each(|value| *value = alpha * *value);
    all.row_indices.extend(other.row_indices);
    all.col_indices.extend(other.col_indices);
    all.values.extend(other.values.into_iter().map(|value| beta * value));
    compress(a.rows, &all.row_indices, &all.col_indices, &all.values)
}

/// Completes a matrix of which one triangle is stored.
#[instances]
pub fn mirrored<T: Scalar, P: RowPointer>(matrix: &CsrRef<'_, T, P>, mirror: Mirror) -> Result<CsrArrays<T, P>> {
    let mut all = list(matrix);
    for entry in 0..all.values.len() {
        let (row, column, value) = (all.row_indices[entry], all.col_indices[entry], all.values[entry]);
        if row != column {
            all.row_indices.push(column);
            all.col_indices.push(row);
            all.values.push(mirror.across(value));
        }
    }
    compress(matrix.rows, &all.row_indices, &all.col_indices, &all.values)
}

/// Diagonal elements, with duplicates added.
#[instances]
pub fn diagonal<T: Scalar, P: RowPointer>(matrix: &CsrRef<'_, T, P>) -> Vec<T> {
    let count = matrix.rows.min(matrix.columns);
    let mut diagonal = vec![T::ZERO; count];
    each_entry(matrix, |row, column, value| {
        if row == column {
            diagonal[row] += value;
        }
    });
    diagonal
}

/// Hands over every entry, by rows: its row, its column and its value.
fn each_entry<T: Scalar, P: RowPointer>(matrix: &CsrRef<'_, T, P>, mut take: impl FnMut(usize, usize, T)) {
    let (col_indices, values) = (slice(&matrix.col_indices), slice(&matrix.values));
    for (row, pair) in slice(&matrix.row_ptr).windows(2).enumerate() {
        for entry in pair[0].count()..pair[1].count() {
            take(row, col_indices[entry] as usize, values[entry]);
        }
    }
}

/// Offset of a dense matrix's element.
pub(super) const fn offset(shape: &MatrixShape, row: usize, column: usize) -> usize {
    let (row_stride, column_stride) = shape.strides();
    shape.offset() + row * row_stride + column * column_stride
}

/// Writes all elements into a dense matrix of the same size.
#[instances]
pub fn to_dense<T: Scalar, P: RowPointer>(matrix: &CsrRef<'_, T, P>, dense: &MatrixMut<'_, T>) {
    let Memory::Host(start, _) = dense.memory() else { unreachable!("the host works on the host's memory") };
    // SAFETY: the view holds its elements exclusively.
    let element = |row, column| unsafe { &mut *start.add(offset(dense.shape(), row, column)) };
    for column in 0..matrix.columns {
        (0..matrix.rows).for_each(|row| *element(row, column) = T::ZERO);
    }
    each_entry(matrix, |row, column, value| *element(row, column) += value);
}

/// The elements of a dense matrix that are not zero.
#[instances]
pub fn from_dense<T: Scalar, P: RowPointer>(dense: &MatrixRef<'_, T>) -> Result<CsrArrays<T, P>> {
    let Memory::Host(start, _) = dense.memory() else { unreachable!("the host works on the host's memory") };
    let (mut row_ptr, mut col_indices, mut values) = (vec![P::default()], Vec::new(), Vec::new());
    for row in 0..dense.rows() {
        for column in 0..dense.columns() {
            // SAFETY: the view holds its elements, which are not written.
            let value = unsafe { *start.add(offset(dense.shape(), row, column)) };
            if value != T::ZERO {
                col_indices.push(column as i32);
                values.push(value);
            }
        }
        check_count::<P>(values.len())?;
        row_ptr.push(P::from_count(values.len()));
    }
    Ok(CsrArrays { row_ptr, col_indices, values })
}

/// The values, each times the factor of its row or of its column.
#[instances]
pub fn scaled_lines<T: Scalar, P: RowPointer>(
    matrix: &CsrRef<'_, T, P>,
    by_rows: bool,
    factors: &VectorRef<'_, T>,
) -> Vec<T> {
    let Memory::Host(start, _) = factors.memory() else { unreachable!("the host works on the host's memory") };
    let shape = *factors.shape();
    let first = start.wrapping_add(shape.first());
    let mut scaled = Vec::with_capacity(matrix.nnz());
    each_entry(matrix, |row, column, value| {
        let line = if by_rows { row } else { column };
        // SAFETY: the view holds its elements, which are not written.
        scaled.push(unsafe { *first.wrapping_offset(line as isize * shape.increment()) } * value);
    });
    scaled
}
