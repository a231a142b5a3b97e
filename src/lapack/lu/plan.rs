//! Blocking of LU: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::native::Backend;
use crate::lapack::{THREADS, has_groups, has_look_ahead, has_warps};
use crate::scalar::ScalarKind;

/// Recursive LU down to blocks of columns, which are factorised panel by panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LuPlan {
    /// Backend of the whole factorisation; the other fields are for the device's kernels.
    pub backend: Backend,
    /// Columns of a block.
    pub block: usize,
    /// Maximum width in columns over which a block's interchanges are applied alone. In a wider matrix those of a half
    /// are applied together, which gives better locality.
    pub span: usize,
    /// Kernel family used for the panel factorisation.
    pub panels: Panels,
    /// Look-ahead with a second queue; `None` is the recursive algorithm on one queue.
    pub look_ahead: Option<LookAhead>,
}

/// Compute units that update columns while the block left of them is factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookAhead {
    /// During panels in a work-group's registers.
    pub units: usize,
    /// During tall panels.
    pub tall_units: usize,
}

/// Kernel families of the panel factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// A work-group, with the panel in registers.
    Group {
        /// Work-items: a multiple of 8.
        threads: usize,
        /// Elements that a work-item has in registers: a power of two.
        elements: usize,
        /// Maximum columns of a panel.
        width: usize,
        /// Maximum columns of a tall panel, whose rows are split among work-groups.
        columns: usize,
        /// Pivot search by NVIDIA's warp instructions.
        warps: bool,
    },
    /// One work-item of a CPU.
    Serial {
        /// Columns.
        width: usize,
    },
}

/// A panel's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// In registers, while other work-groups apply the previous panel's update.
    Registers {
        /// Rows of a work-item.
        rows: usize,
        /// Columns.
        width: usize,
    },
    /// By many groups, each with some rows, in a launch for each column.
    Columns {
        /// Columns.
        width: usize,
    },
    /// By a work-item: columns.
    Serial {
        /// Columns.
        width: usize,
    },
}

/// Division of a tall panel's rows among work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowSplit {
    /// Work-items of a group.
    pub(super) threads: usize,
    pub(super) groups: usize,
    /// Rows of a group, but for the last one's, which may be fewer.
    pub(super) rows: usize,
}

/// Preferred work-items of a group, if the device allows as many.
const LARGE_GROUP_THREADS: usize = 512;
/// Bytes that a work-group has in registers.
const REGISTER_BYTES: usize = 128 << 10;
/// Bytes in a row of a tall panel, of which a work-item has one row in registers; and its maximum columns, each of
/// which costs a launch.
const TALL_ROW_BYTES: usize = 128;
const MAX_TALL_COLUMNS: usize = 16;
/// Maximum work-items and work-groups of a tall panel: alone on a device, and concurrent with the trailing update,
/// which dominates there.
const TALL_THREADS: usize = 256;
pub(super) const MAX_TALL_GROUPS: usize = 128;
const TALL_THREADS_LOOK_AHEAD: usize = 512;
const MAX_TALL_GROUPS_LOOK_AHEAD: usize = 32;
/// Maximum side of a matrix factorised with look-ahead. Beyond it the trailing update dominates, and loses more by
/// fewer compute units than the overlap gains.
const LOOK_AHEAD_MAX_SIZE: usize = 24_576;
const LOOK_AHEAD_MAX_SIZE_COMPLEX: usize = 12_288;
/// Maximum bytes of a row in registers (the kernel unrolls all columns), and minimum columns.
const MAX_COLUMN_BYTES: usize = 64;
const MIN_COLUMNS: usize = 2;
/// Columns of a panel of CPUs.
const SERIAL_COLUMNS: usize = 16;
/// Columns of a block.
const GPU_BLOCK: usize = 256;
const CPU_BLOCK: usize = 128;
/// Columns of a span.
const GPU_SPAN: usize = 2048;
/// Maximum work-groups of a step that runs concurrently with the trailing update.
const MAX_GROUPS_LOOK_AHEAD: usize = 64;
/// Rows of the blocks of L that are inverted, about, and how many blocks there are.
const SOLVED_ROWS: usize = 256;
const MIN_SOLVED_BLOCKS: usize = 2;
const MAX_SOLVED_BLOCKS: usize = 8;

impl LuPlan {
    /// The plan for a matrix of a size on a device.
    pub fn choose(kind: ScalarKind, size: [usize; 2], device: &DeviceInfo) -> Self {
        let plan = LuPlan { backend: Backend::choose(size, device), ..Self::for_kernels(kind, device) };
        LuPlan { look_ahead: Self::choose_look_ahead(kind, size, device), ..plan }
    }

    /// The plan for a device's kernels.
    pub fn for_kernels(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let backend = Backend::Device;
        if has_groups(device) {
            let threads = if device.max_work_group_size >= LARGE_GROUP_THREADS { LARGE_GROUP_THREADS } else { THREADS };
            let elements = REGISTER_BYTES / threads / kind.bytes();
            let warps = has_warps(device);
            let columns = (TALL_ROW_BYTES / kind.bytes()).min(MAX_TALL_COLUMNS);
            let panels = Panels::Group { threads, elements, width: MAX_COLUMN_BYTES / kind.bytes(), columns, warps };
            return LuPlan { backend, block: GPU_BLOCK, span: GPU_SPAN, panels, look_ahead: None };
        }
        let block = if device.class == DeviceClass::Cpu { CPU_BLOCK } else { GPU_BLOCK };
        LuPlan { backend, block, span: block, panels: Panels::Serial { width: SERIAL_COLUMNS }, look_ahead: None }
    }

    /// See [`LuPlan::look_ahead`]. Steps of doubles have twice as many work-groups, so that the update gets fewer
    /// compute units.
    fn choose_look_ahead(kind: ScalarKind, size: [usize; 2], device: &DeviceInfo) -> Option<LookAhead> {
        let units = if kind.is_double() { device.compute_units / 2 } else { device.compute_units * 3 / 4 };
        let tall_units = device.compute_units.saturating_sub(MAX_TALL_GROUPS_LOOK_AHEAD);
        let max_width = if kind.is_complex() { LOOK_AHEAD_MAX_SIZE_COMPLEX } else { LOOK_AHEAD_MAX_SIZE };
        has_look_ahead(size, max_width, device).then_some(LookAhead { units, tall_units })
    }

    /// Compute units of the concurrent trailing update, while a block of `rows` rows is factorised.
    pub fn update_units(&self, look_ahead: LookAhead, rows: usize) -> usize {
        if matches!(self.panel(rows), Panel::Columns { .. }) { look_ahead.tall_units } else { look_ahead.units }
    }

    /// Columns of a block that is factorised panel by panel. With narrow panels and look-ahead, the update of a full
    /// block has more work-groups than its share of compute units.
    pub fn block_width(&self, rows: usize) -> usize {
        let panel = self.panel(rows);
        let is_wide = matches!(panel, Panel::Registers { .. }) && self.block / panel.width() > MAX_GROUPS_LOOK_AHEAD;
        if self.look_ahead.is_some() && is_wide { self.block / 2 } else { self.block }
    }

    /// Row split of a tall panel. Every group but the last has a multiple of the group's size.
    pub(super) fn split_rows(&self, rows: usize) -> RowSplit {
        let Panels::Group { threads, .. } = self.panels else { unreachable!("a CPU has no groups") };
        let (max_threads, max_width) = match self.look_ahead {
            Some(_) => (TALL_THREADS_LOOK_AHEAD, MAX_TALL_GROUPS_LOOK_AHEAD),
            None => (TALL_THREADS, MAX_TALL_GROUPS),
        };
        let threads = threads.min(max_threads);
        let rows_per_group = rows.div_ceil(max_width).next_multiple_of(threads);
        RowSplit { threads, groups: rows.div_ceil(rows_per_group), rows: rows_per_group }
    }

    /// Number of diagonal blocks of L11 that are inverted to solve for `rows` rows of U on a GPU. Blocks below 128 rows
    /// cost more in launches than their products take.
    pub fn solved_blocks(rows: usize) -> usize {
        (rows / SOLVED_ROWS).clamp(MIN_SOLVED_BLOCKS, MAX_SOLVED_BLOCKS)
    }

    pub fn panel(&self, rows: usize) -> Panel {
        match self.panels {
            Panels::Serial { width } => Panel::Serial { width },
            Panels::Group { threads, elements, width, columns, .. } => {
                let each = rows.div_ceil(threads).next_power_of_two();
                let width = width.min(elements / each);
                if width >= MIN_COLUMNS {
                    Panel::Registers { rows: each, width }
                } else {
                    Panel::Columns { width: columns }
                }
            }
        }
    }
}

impl Panel {
    /// Maximum columns of the panel.
    pub const fn width(self) -> usize {
        match self {
            Panel::Registers { width, .. } | Panel::Columns { width } | Panel::Serial { width } => width,
        }
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::NvidiaFeatures;

    #[test]
    fn registers_hold_the_fewer_columns_the_higher_a_panel_is() {
        let plan = LuPlan::for_kernels(ScalarKind::D, &crate::device::example(DeviceClass::Gpu));
        let Panels::Group { threads, width: panel_width, .. } = plan.panels else { panic!("{plan:?}") };
        let max_rows = REGISTER_BYTES / ScalarKind::D.bytes() / MIN_COLUMNS;
        let panels = [1, threads, threads + 1, max_rows, max_rows + 1].map(|rows| plan.panel(rows));
        let registers = |rows, width| Panel::Registers { rows, width };
        assert_eq!(panels[..3], [registers(1, panel_width), registers(1, panel_width), registers(2, panel_width)]);
        assert_eq!(panels[3], registers(max_rows / threads, MIN_COLUMNS));
        assert_eq!(panels[4], Panel::Columns { width: (TALL_ROW_BYTES / ScalarKind::D.bytes()).min(MAX_TALL_COLUMNS) });
    }

    #[test]
    fn blocks_of_narrow_panels_are_halved_with_look_ahead() {
        let nvidia = DeviceInfo {
            nvidia: NvidiaFeatures::of(90),
            compute_units: 132,
            ..crate::device::example(DeviceClass::Gpu)
        };
        let n = 8192;
        for (kind, units, block_width) in [(ScalarKind::S, 99, GPU_BLOCK), (ScalarKind::D, 66, GPU_BLOCK / 2)] {
            let plan = LuPlan::choose(kind, [n, n], &nvidia);
            assert_eq!(plan.look_ahead, Some(LookAhead { units, tall_units: 100 }));
            assert_eq!([plan.block_width(n), plan.block_width(n / 4)], [block_width, GPU_BLOCK]);
            assert_eq!(LuPlan { look_ahead: None, ..plan }.block_width(n), GPU_BLOCK);
        }
        let small = DeviceInfo { compute_units: 30, ..nvidia.clone() };
        let other = DeviceInfo { nvidia: NvidiaFeatures::NONE, ..nvidia.clone() };
        for (size, device) in [([n, 100], &nvidia), ([n, 4 * n], &nvidia), ([n, n], &small), ([n, n], &other)] {
            assert_eq!(LuPlan::choose(ScalarKind::D, size, device).look_ahead, None);
        }
    }

    #[test]
    fn groups_share_the_rows_of_a_high_panel() {
        let nvidia = DeviceInfo {
            nvidia: NvidiaFeatures::of(90),
            compute_units: 132,
            ..crate::device::example(DeviceClass::Gpu)
        };
        for (kind, max_width) in
            [(ScalarKind::S, 16_384), (ScalarKind::D, 8192), (ScalarKind::C, 8192), (ScalarKind::Z, 4096)]
        {
            let plan = LuPlan::for_kernels(kind, &nvidia);
            assert!(matches!(plan.panel(max_width), Panel::Registers { width: MIN_COLUMNS, .. }), "{plan:?}");
            let Panel::Columns { width } = plan.panel(max_width + 1) else { panic!("{plan:?}") };
            assert!(plan.block.is_multiple_of(width) && width * kind.bytes() <= TALL_ROW_BYTES, "{plan:?}");
        }
        let alone = LuPlan::choose(ScalarKind::D, [200_000, 500], &nvidia);
        let look_ahead = LuPlan::choose(ScalarKind::D, [16_384; 2], &nvidia);
        for (plan, max_width) in [(alone, MAX_TALL_GROUPS), (look_ahead, MAX_TALL_GROUPS_LOOK_AHEAD)] {
            for rows in [1, 8193, 16_384, 40_000, 1 << 20, i32::MAX as usize] {
                let RowSplit { threads, groups, rows: each } = plan.split_rows(rows);
                assert!(each.is_multiple_of(threads) && groups <= max_width, "{plan:?}");
                // No group is without rows.
                assert!(groups * each >= rows && (groups - 1) * each < rows, "{plan:?}");
            }
        }
        let update_units = |plan: LuPlan, rows| plan.update_units(plan.look_ahead.unwrap(), rows);
        assert_eq!([update_units(look_ahead, 8193), update_units(look_ahead, 8192)], [100, 66]);
        let look_ahead = |kind, n| LuPlan::choose(kind, [n; 2], &nvidia).look_ahead.is_some();
        assert_eq!([LOOK_AHEAD_MAX_SIZE, LOOK_AHEAD_MAX_SIZE + 1].map(|n| look_ahead(ScalarKind::S, n)), [true, false]);
        assert_eq!(
            [LOOK_AHEAD_MAX_SIZE_COMPLEX, LOOK_AHEAD_MAX_SIZE_COMPLEX + 1].map(|n| look_ahead(ScalarKind::Z, n)),
            [true, false]
        );
    }

    #[test]
    fn without_work_groups_a_panel_is_one_work_items() {
        let tiny = DeviceInfo { max_work_group_size: 64, ..crate::device::example(DeviceClass::Gpu) };
        for device in [tiny, crate::device::example(DeviceClass::Cpu), crate::device::example(DeviceClass::Accelerator)]
        {
            let plan = LuPlan::for_kernels(ScalarKind::Z, &device);
            assert_eq!(plan.panel(1 << 20), Panel::Serial { width: SERIAL_COLUMNS });
        }
    }
}
