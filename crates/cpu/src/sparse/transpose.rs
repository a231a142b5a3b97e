//! The transpose on the host: a stable counting sort by columns.

use affinimath_macros::instances;
use std::ops::Range;

use rayon::prelude::*;

use super::{Shared, slice};
use crate::threads;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrArrays, CsrRef, RowPointer};

/// Entries that are worth a thread.
const ENTRIES: usize = 64 << 10;
/// Maximum parts with their own counters, which take as much memory as the result's row pointers each.
const PARTS: usize = 8;

/// Aᵀ. Its rows, which are A's columns, have their entries in the order of A's rows, and in A's order within one.
#[instances]
pub fn transpose<T: Scalar, P: RowPointer>(matrix: &CsrRef<'_, T, P>) -> CsrArrays<T, P> {
    let (row_ptr, col_indices, values) = (slice(&matrix.row_ptr), slice(&matrix.col_indices), slice(&matrix.values));
    let entries = col_indices.len();
    let parts = threads::available().min(PARTS).min(entries / ENTRIES).max(1);
    let row_of = |part: usize| row_ptr.partition_point(|pointer| pointer.count() * parts < part * entries);
    let rows =
        |part: usize| row_of(part).min(matrix.rows)..if part + 1 == parts { matrix.rows } else { row_of(part + 1) };
    let all = |rows: &Range<usize>| row_ptr[rows.start].count()..row_ptr[rows.end].count();

    // Entries per column and part, then the position of the part's next entry in each column.
    let mut slots: Vec<Vec<P>> = each(parts, |part| {
        let mut counts = vec![0; matrix.columns];
        col_indices[all(&rows(part))].iter().for_each(|&column| counts[column as usize] += 1);
        counts.into_iter().map(P::from_count).collect()
    });
    let mut transposed = CsrArrays {
        row_ptr: Vec::with_capacity(matrix.columns + 1),
        col_indices: vec![0; entries],
        values: vec![T::ZERO; entries],
    };
    let mut end = 0;
    for column in 0..matrix.columns {
        transposed.row_ptr.push(P::from_count(end));
        for part in &mut slots {
            let count = part[column].count();
            part[column] = P::from_count(end);
            end += count;
        }
    }
    transposed.row_ptr.push(P::from_count(end));

    let to_indices = Shared(transposed.col_indices.as_mut_ptr());
    let to_values = Shared(transposed.values.as_mut_ptr());
    let scatter = |(part, mut slots): (usize, Vec<P>)| {
        let (to_indices, to_values) = (to_indices, to_values);
        for row in rows(part) {
            let own = row_ptr[row].count()..row_ptr[row + 1].count();
            for (&column, &value) in col_indices[own.clone()].iter().zip(&values[own]) {
                let slot = slots[column as usize].count();
                // SAFETY: the positions of all entries of all parts are distinct and below the number of entries.
                unsafe {
                    *to_indices.0.add(slot) = row as i32;
                    *to_values.0.add(slot) = value;
                }
                slots[column as usize] = P::from_count(slot + 1);
            }
        }
    };
    match parts {
        1 => slots.into_iter().enumerate().for_each(scatter),
        _ => threads::shared(|| slots.into_par_iter().enumerate().for_each(scatter)),
    }
    transposed
}

/// Results of all parts, in order.
fn each<R: Send>(parts: usize, work: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if parts == 1 { vec![work(0)] } else { threads::map(parts, work) }
}
