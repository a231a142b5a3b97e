//! How the entries of a matrix are shared out evenly, however they are spread over its rows.

use std::ops::Range;

use crate::threads;
use affinimath_core::sparse::RowPointer;

/// Entries and ends of rows of a segment. The same for any number of threads, so that sums are too; it takes long enough to
/// be worth waking a thread for.
const ITEMS: usize = 32 << 10;

/// A piece of a matrix, cut out of the list of all its items: the entries of row 0, its end, the entries of row 1, its end, and so on.
///
/// Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The rows that end in it.
    pub(super) rows: Range<usize>,
    /// Its entries. The first ones may belong to a row that began before it, and the last ones to the row after `rows`.
    pub(super) entries: Range<usize>,
}

/// The number of segments of a matrix.
pub(super) fn count<P: RowPointer>(row_ptr: &[P]) -> usize {
    items(row_ptr).div_ceil(ITEMS)
}

/// A segment of them.
pub(super) fn segment<P: RowPointer>(row_ptr: &[P], index: usize) -> Segment {
    let (first_row, first) = place(row_ptr, index * ITEMS);
    let (last_row, last) = place(row_ptr, items(row_ptr).min((index + 1) * ITEMS));
    Segment { rows: first_row..last_row, entries: first..last }
}

/// What all segments come to, in their order.
pub(super) fn each<P: RowPointer, R: Send>(row_ptr: &[P], work: impl Fn(Segment) -> R + Sync) -> Vec<R> {
    let count = count(row_ptr);
    if count <= 1 || threads::available() == 1 {
        return (0..count).map(|index| work(segment(row_ptr, index))).collect();
    }
    threads::map(count, |index| work(segment(row_ptr, index)))
}

fn items<P: RowPointer>(row_ptr: &[P]) -> usize {
    row_ptr.len() - 1 + row_ptr[row_ptr.len() - 1].count()
}

/// The row and the entry after so many items.
fn place<P: RowPointer>(row_ptr: &[P], items: usize) -> (usize, usize) {
    let (mut low, mut high) = (0, row_ptr.len() - 1);
    // The last row that begins at or before the place.
    while low < high {
        let middle = (low + high).div_ceil(2);
        if middle + row_ptr[middle].count() <= items { low = middle } else { high = middle - 1 }
    }
    (low, items - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_all_of_a_matrix_in_its_order() {
        let empty = 3 * ITEMS;
        let mut row_ptr = vec![0_i64; empty + 1];
        for length in [1, 2 * ITEMS + 7, 0, 5, ITEMS] {
            row_ptr.push(row_ptr[row_ptr.len() - 1] + length as i64);
        }
        let (mut rows, mut entries) = (0, 0);
        for index in 0..count(&row_ptr) {
            let segment = segment(&row_ptr, index);
            assert_eq!((segment.rows.start, segment.entries.start), (rows, entries));
            assert!(segment.rows.len() + segment.entries.len() <= ITEMS);
            (rows, entries) = (segment.rows.end, segment.entries.end);
            assert!(
                entries <= *row_ptr.get(rows + 1).unwrap_or(&i64::MAX) as usize && entries >= row_ptr[rows] as usize
            );
        }
        assert_eq!((rows, entries), (row_ptr.len() - 1, row_ptr[row_ptr.len() - 1] as usize));
        assert_eq!(count(&[0_i32]), 0);
    }
}
