//! Choosing the kernels of a product: plain data from plain data, without a device.

use crate::device::{DeviceClass, DeviceFacts};
use crate::scalar::ScalarKind;
use crate::sparse::RowStatistics;

/// How a product is computed on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProductPlan {
    /// A segment of the matrix per work-item: CPUs, and devices with small work-groups.
    Segments {
        /// The number of segments.
        count: usize,
        /// Entries and ends of rows of a segment.
        items: usize,
    },
    /// A few work-items per row: rows of similar length on a GPU.
    Vector {
        /// How many.
        width: usize,
    },
    /// A run of whole rows per work-group: short rows on a GPU.
    Stream {
        /// Work-groups.
        groups: usize,
        /// What the places of a group's rows differ by, at most: see `product_stream.cl`.
        window: usize,
    },
    /// A segment of the matrix per work-group: uneven rows on a GPU.
    Merge {
        /// The number of segments.
        segments: usize,
    },
}

/// Work-items of a group of a GPU.
pub(super) const THREADS: usize = 128;
/// Entries of a work-item of `product_stream`.
pub(super) const STREAM_ITEMS: usize = 8;
/// What an entry counts there, where a row counts 1.
pub(super) const STREAM_WEIGHT: usize = 8;
/// The longest rows that it takes: what is lost at the end of a group's entries.
const STREAM_LONGEST: usize = THREADS * STREAM_ITEMS / 8;
/// Rows longer than these, on average, keep a few work-items busy each.
const STREAM_MEAN: f64 = 24.0;
/// Entries and ends of rows of a work-item of `product_merge`.
pub(super) const MERGE_ITEMS: usize = 7;
/// The most work-items of `product_vector` for a row.
const WIDEST: usize = 64;
/// Segments for each of a CPU's units: some are done sooner than others.
const SEGMENTS_PER_UNIT: usize = 16;
/// Items of a segment that cost about what starting it does.
const SHORTEST_SEGMENT: usize = 4096;

impl ProductPlan {
    /// The plan for a matrix with such rows.
    pub(crate) fn choose(rows: &RowStatistics, kind: ScalarKind, device: &DeviceFacts) -> Self {
        let local_bytes = (THREADS * (STREAM_ITEMS + 1) * kind.bytes() + 4 * THREADS * (MERGE_ITEMS + 2)) as u64;
        if device.class != DeviceClass::Gpu
            || device.max_work_group_size < THREADS
            || device.local_memory_bytes < local_bytes
        {
            return Self::segments(rows, device);
        }
        let even = rows.longest as f64 <= 4.0 * rows.mean() + 32.0;
        if rows.longest <= STREAM_LONGEST && rows.mean() <= STREAM_MEAN {
            Self::stream(rows)
        } else if even {
            Self::vector(rows)
        } else {
            Self::merge(rows)
        }
    }

    pub(super) fn segments(rows: &RowStatistics, device: &DeviceFacts) -> Self {
        let all = rows.rows + rows.entries;
        let items = all.div_ceil(SEGMENTS_PER_UNIT * device.compute_units).max(SHORTEST_SEGMENT);
        ProductPlan::Segments { count: all.div_ceil(items).max(1), items }
    }

    pub(super) fn vector(rows: &RowStatistics) -> Self {
        let width = (rows.mean() / 2.0).ceil() as usize;
        ProductPlan::Vector { width: width.next_power_of_two().clamp(2, WIDEST) }
    }

    /// Only for rows of up to [`STREAM_LONGEST`] entries.
    pub(super) fn stream(rows: &RowStatistics) -> Self {
        debug_assert!(rows.longest <= STREAM_LONGEST);
        let window = STREAM_WEIGHT * (THREADS * STREAM_ITEMS - rows.longest);
        ProductPlan::Stream { groups: (STREAM_WEIGHT * rows.entries + rows.rows).div_ceil(window).max(1), window }
    }

    pub(super) fn merge(rows: &RowStatistics) -> Self {
        ProductPlan::Merge { segments: (rows.rows + rows.entries).div_ceil(THREADS * MERGE_ITEMS).max(1) }
    }

    /// Every plan that a device can compute with, for tests and measurements.
    #[cfg(test)]
    pub(crate) fn all(rows: &RowStatistics, device: &DeviceFacts) -> Vec<Self> {
        let mut plans = vec![Self::segments(rows, device)];
        if device.max_work_group_size >= THREADS && device.local_memory_bytes >= 32 << 10 {
            plans.extend([Self::vector(rows), Self::merge(rows)]);
            plans.extend((rows.longest <= STREAM_LONGEST).then(|| Self::stream(rows)));
        }
        plans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(class: DeviceClass, rows: usize, entries: usize, longest: usize) -> ProductPlan {
        let rows = RowStatistics { rows, entries, longest, empty: 0 };
        ProductPlan::choose(&rows, ScalarKind::D, &DeviceFacts::example(class))
    }

    #[test]
    fn rows_decide_what_a_gpu_does() {
        let gpu = |rows, entries, longest| plan(DeviceClass::Gpu, rows, entries, longest);
        assert!(matches!(gpu(1 << 21, 7 << 21, 7), ProductPlan::Stream { .. }));
        assert_eq!(gpu(1 << 20, 50 << 20, 60), ProductPlan::Vector { width: 32 });
        assert!(matches!(gpu(1 << 20, 18 << 20, 50_000), ProductPlan::Merge { .. }));
        assert!(matches!(gpu(10, 0, 0), ProductPlan::Stream { groups: 1, .. }));
    }

    #[test]
    fn a_cpu_gets_segments_that_are_worth_their_start() {
        let cpu = |rows, entries| plan(DeviceClass::Cpu, rows, entries, 7);
        assert_eq!(cpu(10, 20), ProductPlan::Segments { count: 1, items: 4096 });
        let ProductPlan::Segments { count, items } = cpu(1 << 20, 5 << 20) else { panic!() };
        assert!(count <= 32 && count * items >= 6 << 20);
        assert!(matches!(plan(DeviceClass::Accelerator, 100, 700, 7), ProductPlan::Segments { .. }));
    }
}
