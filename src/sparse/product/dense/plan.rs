//! Choosing the kernel of a product with a dense matrix: plain data from plain data, without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::scalar::ScalarKind;
use crate::sparse::RowStatistics;
use crate::sparse::product::plan::THREADS;

/// How C := alpha A B + beta C is computed on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sparse::product) enum DensePlan {
    /// A work-item for each row and a few columns of C: rows of similar length.
    Rows {
        /// Columns of a work-item.
        columns: usize,
        /// True if neighbouring work-items have neighbouring rows, and not columns.
        rows_first: bool,
    },
    /// Segments of the matrix, equal numbers of entries and ends of rows, for work-groups: rows of any lengths on a
    /// GPU.
    Merge(MergeShape),
}

/// The shape of a work-group that computes a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sparse::product) struct MergeShape {
    /// Work-items for neighbouring columns, which walk one share of the segment.
    pub(super) lanes: usize,
    /// Columns of a work-item, `lanes` apart.
    pub(super) columns: usize,
    /// Entries whose elements of B are loaded before they are used.
    pub(super) items: usize,
}

/// Entries and ends of rows of the longest segments.
const LONGEST_SEGMENT: usize = 1024;
/// Segments for each compute unit, at least: with fewer some are idle in the end.
const SEGMENTS_PER_UNIT: usize = 16;

/// Entries and ends of rows of a matrix's segments: the same for every number of columns, so that one list of
/// beginnings serves all.
pub(super) const fn segment_length(items: usize, units: usize) -> usize {
    if items >= SEGMENTS_PER_UNIT * units * LONGEST_SEGMENT { LONGEST_SEGMENT } else { LONGEST_SEGMENT / 2 }
}

/// Columns that a work-group computes at most.
const WIDEST: usize = 32;

/// Entries of the smallest matrices whose even rows are merged where C has as many columns.
const WIDE_ENTRIES: usize = 1 << 18;

impl MergeShape {
    /// The shape for so many columns of C.
    pub(super) fn for_columns(columns: usize, kind: ScalarKind) -> Self {
        let lanes = columns.next_power_of_two().clamp(2, WIDEST);
        let columns = if columns > WIDEST { 2 } else { 1 };
        // Registers: 8 elements of 8 bytes for each column.
        let items = if kind == ScalarKind::Z || columns > 1 { 4 } else { 8 };
        MergeShape { lanes, columns, items }
    }

    /// Columns of C that a work-group computes.
    pub(super) const fn width(self) -> usize {
        self.lanes * self.columns
    }

    /// Entries and ends of rows that `lanes` work-items walk of a segment of this length.
    pub(super) const fn share(self, segment: usize) -> usize {
        segment * self.lanes / THREADS
    }

    /// Local memory of a work-group, in bytes.
    const fn local_bytes(self, kind: ScalarKind) -> u64 {
        let staged = LONGEST_SEGMENT * (8 + kind.bytes()) + 4;
        (staged + THREADS * self.columns * kind.bytes() + 4 * THREADS / self.lanes) as u64
    }
}

impl DensePlan {
    /// The plan for a product with so many columns of C. `adjacent` tells whether the elements of a row of B are.
    pub(in crate::sparse::product) fn choose(
        rows: &RowStatistics,
        kind: ScalarKind,
        columns: usize,
        adjacent: bool,
        device: &DeviceInfo,
    ) -> Self {
        let shape = MergeShape::for_columns(columns, kind);
        let fits = device.max_work_group_size >= THREADS && device.local_memory_bytes >= shape.local_bytes(kind);
        // Wide rows of B are worth a second launch for their loads ahead alone.
        let wide = adjacent && columns >= WIDEST && rows.entries >= WIDE_ENTRIES;
        if device.class == DeviceClass::Gpu && fits && (!rows.are_even() || wide) {
            return DensePlan::Merge(shape);
        }
        // Work-items of a GPU read neighbouring elements of B where those of a row are adjacent. On a CPU one work-item
        // does.
        match (device.class == DeviceClass::Cpu, adjacent) {
            (true, _) => DensePlan::Rows { columns: 8, rows_first: true },
            (false, true) => DensePlan::Rows { columns: 1, rows_first: false },
            (false, false) => DensePlan::Rows { columns: 4, rows_first: true },
        }
    }

    /// Every plan that a device can compute with, for tests.
    #[cfg(test)]
    pub(in crate::sparse::product) fn all(kind: ScalarKind, columns: usize, device: &DeviceInfo) -> Vec<Self> {
        let rows =
            [(8, true), (1, false), (4, true)].map(|(columns, rows_first)| DensePlan::Rows { columns, rows_first });
        let shape = MergeShape::for_columns(columns, kind);
        let fits = device.max_work_group_size >= THREADS && device.local_memory_bytes >= shape.local_bytes(kind);
        rows.into_iter().chain(fits.then_some(DensePlan::Merge(shape))).collect()
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn uneven_rows_are_shared_out_by_entries_on_a_gpu_alone() {
        let uneven = RowStatistics { rows: 1_000_000, entries: 4_500_000, longest: 50_000, empty: 0 };
        let even = RowStatistics { rows: 90_000, entries: 450_000, longest: 5, empty: 0 };
        for columns in [2, 4, 8, 32, 64, 1000] {
            let plan = |rows: &RowStatistics, class| {
                DensePlan::choose(rows, ScalarKind::D, columns, true, &crate::device::example(class))
            };
            assert!(matches!(plan(&uneven, DeviceClass::Gpu), DensePlan::Merge(_)));
            let by_rows = matches!(plan(&even, DeviceClass::Gpu), DensePlan::Rows { rows_first: false, .. });
            assert_eq!(by_rows, columns < 32, "{columns} columns");
            assert!(matches!(plan(&uneven, DeviceClass::Cpu), DensePlan::Rows { rows_first: true, .. }));
        }
    }

    #[test]
    fn shares_of_every_shape_are_a_segment_together() {
        for kind in ScalarKind::ALL {
            for columns in 2..200 {
                let shape = MergeShape::for_columns(columns, kind);
                for (items, length) in [(500_000, 512), (5_000_000, 1024)] {
                    assert_eq!(segment_length(items, 132), length);
                    assert_eq!(shape.share(length) * (THREADS / shape.lanes), length);
                }
                assert!(shape.width() >= columns.min(2 * WIDEST) && shape.local_bytes(kind) <= 32 << 10);
            }
        }
    }
}
