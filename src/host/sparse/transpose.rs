//! The transpose on the host.

use super::slice;
use crate::scalar::Scalar;
use crate::sparse::{CsrArrays, CsrRef, RowPointer};

/// Aᵀ. Its rows, which are A's columns, have their entries in the order of A's rows, and in A's order within one.
pub(crate) fn transpose<T: Scalar, P: RowPointer>(matrix: &CsrRef<'_, T, P>) -> CsrArrays<T, P> {
    let (pointers, indices, values) = (slice(&matrix.pointers), slice(&matrix.indices), slice(&matrix.values));
    let mut places = vec![0; matrix.columns + 1];
    for &column in indices {
        places[column as usize + 1] += 1;
    }
    for column in 0..matrix.columns {
        places[column + 1] += places[column];
    }
    let transposed_pointers = places.iter().map(|&place| P::from_count(place)).collect();
    let mut transposed = CsrArrays {
        pointers: transposed_pointers,
        indices: vec![0; indices.len()],
        values: vec![T::ZERO; values.len()],
    };
    for (row, pair) in pointers.windows(2).enumerate() {
        for entry in pair[0].count()..pair[1].count() {
            let place = &mut places[indices[entry] as usize];
            transposed.indices[*place] = row as i32;
            transposed.values[*place] = values[entry];
            *place += 1;
        }
    }
    transposed
}
