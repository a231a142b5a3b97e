//! How LU is cut into panels: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::native::Backend;
use crate::lapack::{THREADS, has_groups, has_warps, works_ahead};
use crate::scalar::ScalarKind;

/// How a matrix is factorised: by halves down to blocks of columns, which go panel by panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LuPlan {
    /// Who does all of it: the rest is the kernels'.
    pub backend: Backend,
    /// Columns of a block.
    pub block: usize,
    /// Columns, at most, beside each other in which the interchanges of each block are made on their own. With more, all of a half's are
    /// made together, so that rows that change places lie closer.
    pub span: usize,
    /// Who factorises panels.
    pub panels: Panels,
    /// Whether columns are updated while the block left of them is factorised; without, one follows the other, recursively.
    pub ahead: Option<Ahead>,
}

/// Compute units that update columns while the block left of them is factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Beside panels in a work-group's registers.
    pub units: usize,
    /// Beside panels that many groups share.
    pub tall_units: usize,
}

/// Who factorises panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// A work-group, with the panel in registers.
    Group {
        /// Work-items: a multiple of 8.
        threads: usize,
        /// Elements that a work-item has in registers: a power of two.
        elements: usize,
        /// Columns of a panel, at most.
        width: usize,
        /// Columns, at most, of a panel that is too high for registers: many groups share its rows.
        columns: usize,
        /// Whether it searches by the instructions of NVIDIA's warps.
        warps: bool,
    },
    /// One work-item of a CPU, for so many columns.
    Serial {
        /// Columns.
        width: usize,
    },
}

/// A panel's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// In registers, while other groups bring what is right of it up to date.
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

/// How the rows of a high panel are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Work-items of a group.
    pub(super) threads: usize,
    pub(super) groups: usize,
    /// Rows of a group, but for the last one's, which may be fewer.
    pub(super) rows: usize,
}

/// Work-items of a group, where a device has groups of so many.
const MANY_THREADS: usize = 512;
/// Bytes that a work-group has in registers.
const REGISTER_BYTES: usize = 128 << 10;
/// Bytes of a row of a panel that is too high for registers: a work-item has a row at a time in them. And columns: a launch for each reads
/// all of them.
const TALL_ROW_BYTES: usize = 128;
const MOST_TALL_COLUMNS: usize = 16;
/// Work-items of its groups, at most, and how many groups there are: alone on a device, and beside other work, which is most of the work
/// where panels are so high.
const TALL_THREADS: usize = 256;
pub(super) const MOST_TALL_GROUPS: usize = 128;
const TALL_THREADS_AHEAD: usize = 512;
const MOST_TALL_GROUPS_AHEAD: usize = 32;
/// Rows and columns of a matrix, at most, that is factorised with look-ahead: beyond, products are so much of the work that they lose more
/// compute units than they gain time.
const AHEAD_TO: usize = 24_576;
const AHEAD_TO_COMPLEX: usize = 12_288;
/// Columns in registers: the bytes of the most, since each is written out in the kernel, and the fewest.
const MOST_COLUMN_BYTES: usize = 64;
const FEWEST_COLUMNS: usize = 2;
/// Columns of a panel of CPUs.
const SERIAL_COLUMNS: usize = 16;
/// Columns of a block.
const GPU_BLOCK: usize = 256;
const CPU_BLOCK: usize = 128;
/// Columns of a span.
const GPU_SPAN: usize = 2048;
/// Work-groups of a step, at most, beside other work.
const MOST_GROUPS_AHEAD: usize = 64;
/// Rows of the blocks of L that are inverted, about, and how many blocks there are.
const SOLVED_ROWS: usize = 256;
const FEWEST_SOLVED: usize = 2;
const MOST_SOLVED: usize = 8;

impl LuPlan {
    /// The plan for a matrix of a size on a device.
    pub fn choose(kind: ScalarKind, size: [usize; 2], device: &DeviceInfo) -> Self {
        let plan = LuPlan { backend: Backend::choose(size, device), ..Self::by_kernels(kind, device) };
        LuPlan { ahead: Self::look_ahead(kind, size, device), ..plan }
    }

    /// The plan for a device's kernels.
    pub fn by_kernels(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let backend = Backend::Device;
        if has_groups(device) {
            let threads = if device.max_work_group_size >= MANY_THREADS { MANY_THREADS } else { THREADS };
            let elements = REGISTER_BYTES / threads / kind.bytes();
            let warps = has_warps(device);
            let columns = (TALL_ROW_BYTES / kind.bytes()).min(MOST_TALL_COLUMNS);
            let panels = Panels::Group { threads, elements, width: MOST_COLUMN_BYTES / kind.bytes(), columns, warps };
            return LuPlan { backend, block: GPU_BLOCK, span: GPU_SPAN, panels, ahead: None };
        }
        let block = if device.class == DeviceClass::Cpu { CPU_BLOCK } else { GPU_BLOCK };
        LuPlan { backend, block, span: block, panels: Panels::Serial { width: SERIAL_COLUMNS }, ahead: None }
    }

    /// See [`LuPlan::ahead`]. Steps of doubles have twice as many work-groups, which need compute units, too.
    fn look_ahead(kind: ScalarKind, size: [usize; 2], device: &DeviceInfo) -> Option<Ahead> {
        let units = if kind.is_double() { device.compute_units / 2 } else { device.compute_units * 3 / 4 };
        let tall_units = device.compute_units.saturating_sub(MOST_TALL_GROUPS_AHEAD);
        let most = if kind.is_complex() { AHEAD_TO_COMPLEX } else { AHEAD_TO };
        works_ahead(size, most, device).then_some(Ahead { units, tall_units })
    }

    /// Compute units that update columns while a block of so many rows is factorised.
    pub fn units_beside(&self, ahead: Ahead, rows: usize) -> usize {
        if matches!(self.panel(rows), Panel::Columns { .. }) { ahead.tall_units } else { ahead.units }
    }

    /// Columns of a block of so many rows that is factorised panel by panel. Where panels are narrow and other work goes on beside them, the
    /// work-groups that bring the columns of a whole block up to date would have to wait for each other.
    pub fn leaf(&self, rows: usize) -> usize {
        let panel = self.panel(rows);
        let is_wide = matches!(panel, Panel::Registers { .. }) && self.block / panel.width() > MOST_GROUPS_AHEAD;
        if self.ahead.is_some() && is_wide { self.block / 2 } else { self.block }
    }

    /// The groups that share a panel of so many rows, and the rows of each but the last: of a size for the group.
    pub(super) fn shares(&self, rows: usize) -> Shares {
        let Panels::Group { threads, .. } = self.panels else { unreachable!("a CPU has no groups") };
        let (most_threads, most) = match self.ahead {
            Some(_) => (TALL_THREADS_AHEAD, MOST_TALL_GROUPS_AHEAD),
            None => (TALL_THREADS, MOST_TALL_GROUPS),
        };
        let threads = threads.min(most_threads);
        let rows_each = rows.div_ceil(most).next_multiple_of(threads);
        Shares { threads, groups: rows.div_ceil(rows_each), rows: rows_each }
    }

    /// The blocks of L's triangle that so many rows of U are solved for with, on a GPU: of 128 rows at least, since with smaller ones the
    /// launches take longer than the products in them.
    pub fn solved_blocks(rows: usize) -> usize {
        (rows / SOLVED_ROWS).clamp(FEWEST_SOLVED, MOST_SOLVED)
    }

    /// The kernel for a panel of so many rows.
    pub fn panel(&self, rows: usize) -> Panel {
        match self.panels {
            Panels::Serial { width } => Panel::Serial { width },
            Panels::Group { threads, elements, width, columns, .. } => {
                let each = rows.div_ceil(threads).next_power_of_two();
                let width = width.min(elements / each);
                if width >= FEWEST_COLUMNS {
                    Panel::Registers { rows: each, width }
                } else {
                    Panel::Columns { width: columns }
                }
            }
        }
    }
}

impl Panel {
    /// Its columns, at most.
    pub const fn width(self) -> usize {
        match self {
            Panel::Registers { width, .. } | Panel::Columns { width } | Panel::Serial { width } => width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::NvidiaFeatures;

    #[test]
    fn registers_hold_the_fewer_columns_the_higher_a_panel_is() {
        let plan = LuPlan::by_kernels(ScalarKind::D, &crate::device::example(DeviceClass::Gpu));
        let Panels::Group { threads, width: widest, .. } = plan.panels else { panic!("{plan:?}") };
        let most = REGISTER_BYTES / ScalarKind::D.bytes() / FEWEST_COLUMNS;
        let panels = [1, threads, threads + 1, most, most + 1].map(|rows| plan.panel(rows));
        let registers = |rows, width| Panel::Registers { rows, width };
        assert_eq!(panels[..3], [registers(1, widest), registers(1, widest), registers(2, widest)]);
        assert_eq!(panels[3], registers(most / threads, FEWEST_COLUMNS));
        assert_eq!(
            panels[4],
            Panel::Columns { width: (TALL_ROW_BYTES / ScalarKind::D.bytes()).min(MOST_TALL_COLUMNS) }
        );
    }

    #[test]
    fn blocks_of_narrow_panels_are_halved_beside_other_work() {
        let nvidia = DeviceInfo {
            nvidia: NvidiaFeatures::of(90),
            compute_units: 132,
            ..crate::device::example(DeviceClass::Gpu)
        };
        let n = 8192;
        for (kind, units, leaf) in [(ScalarKind::S, 99, GPU_BLOCK), (ScalarKind::D, 66, GPU_BLOCK / 2)] {
            let plan = LuPlan::choose(kind, [n, n], &nvidia);
            assert_eq!(plan.ahead, Some(Ahead { units, tall_units: 100 }));
            assert_eq!([plan.leaf(n), plan.leaf(n / 4)], [leaf, GPU_BLOCK]);
            assert_eq!(LuPlan { ahead: None, ..plan }.leaf(n), GPU_BLOCK);
        }
        let small = DeviceInfo { compute_units: 30, ..nvidia.clone() };
        let other = DeviceInfo { nvidia: NvidiaFeatures::NONE, ..nvidia.clone() };
        for (size, device) in [([n, 100], &nvidia), ([n, 4 * n], &nvidia), ([n, n], &small), ([n, n], &other)] {
            assert_eq!(LuPlan::choose(ScalarKind::D, size, device).ahead, None);
        }
    }

    #[test]
    fn groups_share_the_rows_of_a_high_panel() {
        let nvidia = DeviceInfo {
            nvidia: NvidiaFeatures::of(90),
            compute_units: 132,
            ..crate::device::example(DeviceClass::Gpu)
        };
        for (kind, most) in
            [(ScalarKind::S, 16_384), (ScalarKind::D, 8192), (ScalarKind::C, 8192), (ScalarKind::Z, 4096)]
        {
            let plan = LuPlan::by_kernels(kind, &nvidia);
            assert!(matches!(plan.panel(most), Panel::Registers { width: FEWEST_COLUMNS, .. }), "{plan:?}");
            let Panel::Columns { width } = plan.panel(most + 1) else { panic!("{plan:?}") };
            assert!(plan.block.is_multiple_of(width) && width * kind.bytes() <= TALL_ROW_BYTES, "{plan:?}");
        }
        let alone = LuPlan::choose(ScalarKind::D, [200_000, 500], &nvidia);
        let ahead = LuPlan::choose(ScalarKind::D, [16_384; 2], &nvidia);
        for (plan, most) in [(alone, MOST_TALL_GROUPS), (ahead, MOST_TALL_GROUPS_AHEAD)] {
            for rows in [1, 8193, 16_384, 40_000, 1 << 20, i32::MAX as usize] {
                let Shares { threads, groups, rows: each } = plan.shares(rows);
                assert!(each.is_multiple_of(threads) && groups <= most, "{plan:?}");
                // No group is without rows.
                assert!(groups * each >= rows && (groups - 1) * each < rows, "{plan:?}");
            }
        }
        let beside = |plan: LuPlan, rows| plan.units_beside(plan.ahead.unwrap(), rows);
        assert_eq!([beside(ahead, 8193), beside(ahead, 8192)], [100, 66]);
        let ahead = |kind, n| LuPlan::choose(kind, [n; 2], &nvidia).ahead.is_some();
        assert_eq!([AHEAD_TO, AHEAD_TO + 1].map(|n| ahead(ScalarKind::S, n)), [true, false]);
        assert_eq!([AHEAD_TO_COMPLEX, AHEAD_TO_COMPLEX + 1].map(|n| ahead(ScalarKind::Z, n)), [true, false]);
    }

    #[test]
    fn without_work_groups_a_panel_is_one_work_items() {
        let tiny = DeviceInfo { max_work_group_size: 64, ..crate::device::example(DeviceClass::Gpu) };
        for device in [tiny, crate::device::example(DeviceClass::Cpu), crate::device::example(DeviceClass::Accelerator)]
        {
            let plan = LuPlan::by_kernels(ScalarKind::Z, &device);
            assert_eq!(plan.panel(1 << 20), Panel::Serial { width: SERIAL_COLUMNS });
        }
    }
}
