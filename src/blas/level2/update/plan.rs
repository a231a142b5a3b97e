//! Plans of updates on a device: plain data, from sizes and the device's properties.

use crate::blas::level2::Stored;
use crate::context::Event;
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::ScalarKind;

/// Kernel and division of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdatePlan {
    /// CPUs: runs of columns, one work-item each, with wide vectors.
    Columns {
        /// Work-items along the columns: each has a run from the first columns and one from the last.
        groups: usize,
        /// Number of blocks of rows.
        parts: usize,
    },
    /// Tiles in the registers of work-groups: GPUs and everything else.
    Tiles {
        /// Work-items of a group along the rows, and along the columns.
        threads: [usize; 2],
        /// Columns of a tile.
        run: usize,
    },
}

/// Rows of a tile for each work-item of a GPU along them.
const ROWS_PER_ITEM: usize = 4;
/// Columns in flight per work-item of a GPU.
const COLUMNS_IN_FLIGHT: usize = 2;
/// Maximum columns of a tile.
const MAX_TILE_COLUMNS: usize = 64;
/// Rows from which a GPU's tile has as many rows as its group has work-items.
const TALL_TILE_ROWS: usize = 4096;
/// Groups on a GPU that leave none of its units idle for long at the end.
const GROUPS_PER_UNIT: usize = 64;
/// On a CPU, work-items per core, and minimum elements of a work-item.
const CPU_GROUPS_PER_UNIT: usize = 8;
const CPU_ELEMENTS: usize = 1 << 15;
/// Minimum rows of a part, and bytes of x in a tile.
const CPU_PART_ROWS: usize = 1024;
const CPU_TILE_BYTES: usize = 32 << 10;

impl UpdatePlan {
    /// The plan for a matrix that is not empty.
    pub fn choose(kind: ScalarKind, stored: &Stored, device: &DeviceInfo) -> Self {
        debug_assert!(kind.bytes() <= CPU_TILE_BYTES);
        if device.class == DeviceClass::Cpu {
            return Self::columns(stored, CPU_GROUPS_PER_UNIT * device.compute_units);
        }
        Self::tiles(stored, device)
    }

    pub(super) fn columns(stored: &Stored, max_groups: usize) -> Self {
        let (rows, columns) = (stored.rows.max(1), stored.columns.max(1));
        let wanted = rows.saturating_mul(columns).div_ceil(CPU_ELEMENTS).clamp(1, max_groups);
        let groups = wanted.min(columns.div_ceil(2));
        let parts = (wanted / groups).min(rows.div_ceil(CPU_PART_ROWS)).max(1);
        UpdatePlan::Columns { groups, parts }
    }

    pub(super) fn tiles(stored: &Stored, device: &DeviceInfo) -> Self {
        // Powers of two, so that runs divide the square tiles of a triangle.
        let largest = (device.max_work_group_size.min(256) + 1).next_power_of_two() / 2;
        let along_rows = if stored.rows >= TALL_TILE_ROWS { largest } else { largest.min(32) };
        let threads = [along_rows, largest / along_rows];
        let tiles = stored.rows.div_ceil(ROWS_PER_ITEM * along_rows).max(1);
        let shortest = COLUMNS_IN_FLIGHT * threads[1];
        let wanted = stored.columns.saturating_mul(tiles) / (GROUPS_PER_UNIT * device.compute_units);
        let run = wanted.clamp(1, MAX_TILE_COLUMNS).next_power_of_two().max(shortest).min(ROWS_PER_ITEM * along_rows);
        UpdatePlan::Tiles { threads, run }
    }

    /// The program for updates of rank one or two.
    pub(super) fn source(&self, kind: ScalarKind, rank_two: bool, device: &DeviceInfo) -> ProgramSource {
        let rank = ("RANK", if rank_two { 2 } else { 1 });
        match self {
            UpdatePlan::Columns { .. } => {
                let tile = CPU_TILE_BYTES / kind.bytes();
                let definitions = vec![rank, ("VECTOR_WIDTH", device.vector_width(kind) as i64), ("TILE", tile as i64)];
                ProgramSource {
                    name: "level 2 update cpu",
                    kind,
                    root: source("blas/level2/update_cpu.cl"),
                    definitions,
                }
            }
            UpdatePlan::Tiles { .. } => {
                let definitions =
                    vec![rank, ("ROWS_PER_ITEM", ROWS_PER_ITEM as i64), ("COLUMNS_AT_ONCE", COLUMNS_IN_FLIGHT as i64)];
                ProgramSource { name: "level 2 update", kind, root: source("blas/level2/update.cl"), definitions }
            }
        }
    }

    /// The last arguments, and the launch.
    pub(super) fn finish(&self, launch: Launch<'_>, stored: &Stored) -> Result<Event> {
        match *self {
            UpdatePlan::Columns { groups, parts } => {
                let (run, part_rows) = (stored.columns.div_ceil(2 * groups), stored.rows.div_ceil(parts));
                launch.index(run).index(part_rows).enqueue([groups, parts, 1], [1, 1, 1])
            }
            UpdatePlan::Tiles { threads, run } => {
                let groups = self.groups(stored);
                launch.flag(is_triangle(stored)).index(run).enqueue([groups, 1, 1], [threads[0], threads[1], 1])
            }
        }
    }

    /// Work-groups.
    pub(super) fn groups(&self, stored: &Stored) -> usize {
        match *self {
            UpdatePlan::Columns { groups, parts } => groups * parts,
            UpdatePlan::Tiles { threads, run } => {
                let tile_rows = ROWS_PER_ITEM * threads[0];
                let tiles = stored.rows.div_ceil(tile_rows);
                if is_triangle(stored) {
                    tiles * (tiles + 1) / 2 * (tile_rows / run)
                } else {
                    tiles * stored.columns.div_ceil(run)
                }
            }
        }
    }
}

/// True if only one side of the diagonal is stored.
const fn is_triangle(stored: &Stored) -> bool {
    stored.above == 0 || stored.below == 0
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::options::{Layout, Triangle};
    use crate::view::{MatrixShape, PackedShape};

    fn full(rows: usize, columns: usize) -> Stored {
        Stored::full(&MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap()).0
    }

    fn packed(order: usize) -> Stored {
        Stored::packed(&PackedShape::new(Layout::ColumnMajor, Triangle::Lower, order, 0).unwrap()).0
    }

    fn choose(stored: &Stored, class: DeviceClass) -> UpdatePlan {
        UpdatePlan::choose(ScalarKind::S, stored, &crate::device::example(class))
    }

    #[test]
    fn a_cpu_gets_a_few_work_items_for_each_core() {
        assert_eq!(choose(&full(10, 10), DeviceClass::Cpu), UpdatePlan::Columns { groups: 1, parts: 1 });
        assert_eq!(choose(&full(2000, 2000), DeviceClass::Cpu), UpdatePlan::Columns { groups: 16, parts: 1 });
        assert_eq!(choose(&full(1 << 20, 2), DeviceClass::Cpu), UpdatePlan::Columns { groups: 1, parts: 16 });
        assert_eq!(choose(&full(2, 1 << 20), DeviceClass::Cpu), UpdatePlan::Columns { groups: 16, parts: 1 });
    }

    #[test]
    fn tiles_are_made_for_the_rows() {
        let tiles = |stored| match choose(&stored, DeviceClass::Gpu) {
            UpdatePlan::Tiles { threads, run } => (threads, run),
            other => panic!("{other:?}"),
        };
        assert_eq!(tiles(full(TALL_TILE_ROWS - 1, 100)).0, [32, 8]);
        assert_eq!(tiles(full(TALL_TILE_ROWS, 100)).0, [256, 1]);
        assert_eq!(tiles(full(16384, 16384)), ([256, 1], 32));
        for order in [1, 100, 1000, 5000, 20_000] {
            let ([along_rows, _], run) = tiles(packed(order));
            assert!((ROWS_PER_ITEM * along_rows).is_multiple_of(run), "{order}: {run}");
        }
    }

    #[test]
    fn a_triangle_has_no_tiles_on_its_other_side() {
        let (whole, triangle) = (full(16384, 16384), packed(16384));
        let groups = |stored| choose(stored, DeviceClass::Gpu).groups(stored);
        assert!(groups(&triangle) * 2 < groups(&whole) * 17 / 16 + 2);
    }

    #[test]
    fn tiles_fit_small_work_groups() {
        for max_groups in [1, 2, 7, 64] {
            let device =
                DeviceInfo { max_work_group_size: max_groups, ..crate::device::example(DeviceClass::Accelerator) };
            let UpdatePlan::Tiles { threads, run } = UpdatePlan::choose(ScalarKind::Z, &full(5000, 10), &device) else {
                panic!("tiles")
            };
            assert!(threads[0] * threads[1] <= max_groups && (ROWS_PER_ITEM * threads[0]).is_multiple_of(run));
        }
    }
}
