//! Even division of a matrix's entries, independent of their distribution over its rows (merge path).

use std::ops::Range;

use crate::threads;
use affinimath_core::sparse::RowPointer;

/// Entries and row ends per segment: the same for any number of threads, so that results are too, and enough work to
/// wake a thread.
pub const ITEMS: usize = 32 << 10;

/// A segment of a matrix in merge-path order: the entries of row 0, its end, the entries of row 1, its end, and so on.
///
/// Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The rows that end in it.
    pub rows: Range<usize>,
    /// Its entries. The first ones may belong to a row that began before it, and the last ones to the row after `rows`.
    pub entries: Range<usize>,
}

pub fn count<P: RowPointer>(row_ptr: &[P]) -> usize {
    items(row_ptr).div_ceil(ITEMS)
}

/// A segment of them.
pub fn segment<P: RowPointer>(row_ptr: &[P], index: usize) -> Segment {
    let (first_row, first) = merge_path_point(row_ptr, index * ITEMS);
    let (last_row, last) = merge_path_point(row_ptr, items(row_ptr).min((index + 1) * ITEMS));
    Segment { rows: first_row..last_row, entries: first..last }
}

/// Results of all segments, in order.
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

/// Row and entry after `items` items (merge-path search).
fn merge_path_point<P: RowPointer>(row_ptr: &[P], items: usize) -> (usize, usize) {
    let (mut low, mut high) = (0, row_ptr.len() - 1);
    // Last row that begins at or before that position.
    while low < high {
        let middle = (low + high).div_ceil(2);
        if middle + row_ptr[middle].count() <= items { low = middle } else { high = middle - 1 }
    }
    (low, items - low)
}
