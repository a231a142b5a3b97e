//! Choosing the kernels of a product: plain data from plain data, without a device.

use crate::device::{DeviceClass, DeviceInfo};
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
        /// Positions of rows for each group: see `product_stream.cl`.
        group_weight: usize,
        /// Entries of a work-item.
        items: usize,
    },
    /// A segment of the matrix per work-group, whole rows but for long ones: uneven rows on a GPU.
    Merge {
        /// The number of segments.
        segments: usize,
        /// Entries and ends of rows of a work-item: an odd number.
        items: usize,
        /// True if the last work-group with a part of a row adds the parts up, and not a second launch.
        one_launch: bool,
    },
}

/// Work-items of a group of a GPU.
pub(super) const THREADS: usize = 128;
/// Weight of an entry in `product_stream`; a row weighs 1.
pub(super) const STREAM_WEIGHT: usize = 8;
/// Entries of the longest rows that `product_merge` does not split.
pub(super) const MERGE_WHOLE: usize = 128;
/// Rows longer than these, on average, keep a few work-items busy each.
const STREAM_MEAN: f64 = 128.0;
/// The same in single precision.
const SINGLE_STREAM_MEAN: f64 = 192.0;
/// The most work-items of `product_vector` for a row.
const WIDEST: usize = 64;

/// The sizes that plans are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProductParameters {
    /// Segments for each of a CPU's units: some are done sooner than others.
    pub(super) segments_per_unit: usize,
    /// Items of a segment that cost about what starting it does.
    pub(super) shortest_segment: usize,
    /// Entries of a work-item of `product_stream`.
    pub(super) stream_items: usize,
    /// Entries and ends of rows of a work-item of `product_merge`.
    pub(super) merge_items: usize,
    /// Entries of a row for each work-item of `product_vector`, on average.
    pub(super) vector_entries: usize,
}

impl Default for ProductParameters {
    fn default() -> Self {
        ProductParameters {
            segments_per_unit: 16,
            shortest_segment: 4096,
            stream_items: 8,
            merge_items: 5,
            vector_entries: 2,
        }
    }
}

impl ProductParameters {
    /// The longest rows of `product_stream`: what is lost at the end of a group's entries.
    const fn stream_longest(&self) -> usize {
        THREADS * self.stream_items / 4
    }

    /// Local memory of the groups.
    pub(super) const fn local_bytes(&self, kind: ScalarKind) -> u64 {
        let items = if self.stream_items > self.merge_items + 1 { self.stream_items } else { self.merge_items + 1 };
        (THREADS * (items + 1) * kind.bytes() + 4 * THREADS * (self.merge_items + 2)) as u64
    }
}

impl ProductPlan {
    /// The plan for a matrix with such rows.
    pub(crate) fn choose(
        rows: &RowStatistics,
        kind: ScalarKind,
        device: &DeviceInfo,
        parameters: &ProductParameters,
    ) -> Self {
        if device.class != DeviceClass::Gpu
            || device.max_work_group_size < THREADS
            || device.local_memory_bytes < parameters.local_bytes(kind)
        {
            return Self::segments(rows, device, parameters);
        }
        let stream_mean = if kind == ScalarKind::S { SINGLE_STREAM_MEAN } else { STREAM_MEAN };
        if rows.longest <= parameters.stream_longest() && rows.mean() <= stream_mean {
            Self::stream(rows, parameters)
        } else if rows.are_even() {
            Self::vector(rows, parameters)
        } else {
            // Elsewhere no fence of OpenCL 1.2 is known to reach beyond a work-group.
            Self::merge(rows, device.nvidia.inline_ptx, parameters)
        }
    }

    fn segments(rows: &RowStatistics, device: &DeviceInfo, parameters: &ProductParameters) -> Self {
        let all = rows.rows + rows.entries;
        let even = all.div_ceil(parameters.segments_per_unit * device.compute_units);
        let items = even.max(parameters.shortest_segment);
        ProductPlan::Segments { count: all.div_ceil(items).max(1), items }
    }

    fn vector(rows: &RowStatistics, parameters: &ProductParameters) -> Self {
        let width = (rows.mean() / parameters.vector_entries as f64).ceil() as usize;
        ProductPlan::Vector { width: width.next_power_of_two().clamp(2, WIDEST) }
    }

    /// Only for rows of up to [`ProductParameters::stream_longest`] entries.
    fn stream(rows: &RowStatistics, parameters: &ProductParameters) -> Self {
        debug_assert!(rows.longest <= parameters.stream_longest());
        let items = parameters.stream_items;
        let group_weight = STREAM_WEIGHT * (THREADS * items - rows.longest);
        let groups = (STREAM_WEIGHT * rows.entries + rows.rows).div_ceil(group_weight).max(1);
        ProductPlan::Stream { groups, group_weight, items }
    }

    fn merge(rows: &RowStatistics, one_launch: bool, parameters: &ProductParameters) -> Self {
        let items = parameters.merge_items;
        let segment = THREADS * items - MERGE_WHOLE;
        ProductPlan::Merge { segments: (rows.rows + rows.entries).div_ceil(segment).max(1), items, one_launch }
    }

    /// Every plan that a device can compute with, for tests and measurements.
    #[cfg(test)]
    pub(crate) fn all(rows: &RowStatistics, device: &DeviceInfo, parameters: &ProductParameters) -> Vec<Self> {
        let mut plans = vec![Self::segments(rows, device, parameters)];
        let local_bytes = parameters.local_bytes(ScalarKind::Z);
        if device.max_work_group_size >= THREADS && device.local_memory_bytes >= local_bytes {
            plans.push(Self::vector(rows, parameters));
            plans.extend([false, true].map(|one_launch| Self::merge(rows, one_launch, parameters)));
            let stream = rows.longest <= parameters.stream_longest();
            plans.extend(stream.then(|| Self::stream(rows, parameters)));
        }
        plans
    }
}

#[cfg(test)]
mod host {
    use super::*;

    fn plan(class: DeviceClass, rows: usize, entries: usize, longest: usize) -> ProductPlan {
        let rows = RowStatistics { rows, entries, longest, empty: 0 };
        ProductPlan::choose(&rows, ScalarKind::D, &crate::device::example(class), &ProductParameters::default())
    }

    #[test]
    fn rows_decide_what_a_gpu_does() {
        let gpu = |rows, entries, longest| plan(DeviceClass::Gpu, rows, entries, longest);
        assert!(matches!(gpu(1 << 21, 7 << 21, 7), ProductPlan::Stream { .. }));
        assert!(matches!(gpu(1 << 20, 120 << 20, 125), ProductPlan::Stream { .. }));
        assert_eq!(gpu(1 << 20, 150 << 20, 160), ProductPlan::Vector { width: 64 });
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
