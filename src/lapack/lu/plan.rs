//! How LU is cut into panels: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceFacts};
use crate::lapack::interchange::SOLVED;
use crate::lapack::{THREADS, has_groups};
use crate::scalar::ScalarKind;

/// How a matrix is factorised: by halves down to blocks of columns, which go panel by panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LuPlan {
    /// Columns of a block.
    pub block: usize,
    /// Who factorises panels.
    pub panels: Panels,
}

/// Who factorises panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// A work-group of so many work-items, each with so many elements in registers.
    Group {
        /// Work-items.
        threads: usize,
        /// Elements of a work-item, a power of two.
        elements: usize,
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
    /// In registers: rows of a work-item, and columns.
    Registers {
        /// Rows.
        rows: usize,
        /// Columns.
        width: usize,
    },
    /// By a group in its memory: columns.
    Memory {
        /// Columns.
        width: usize,
    },
    /// By a work-item: columns.
    Serial {
        /// Columns.
        width: usize,
    },
}

/// Bytes of a panel that a work-item has in registers.
const REGISTER_BYTES: usize = 512;
/// Columns of a panel: the most in registers, the fewest there, and those in memory.
const MOST_COLUMNS: usize = SOLVED;
const FEWEST_COLUMNS: usize = 2;
const MEMORY_COLUMNS: usize = 8;
/// Columns of a panel of CPUs.
const SERIAL_COLUMNS: usize = 16;
/// Columns of a block.
const GPU_BLOCK: usize = 256;
const CPU_BLOCK: usize = 128;

impl LuPlan {
    /// The plan for a device.
    pub fn choose(kind: ScalarKind, device: &DeviceFacts) -> Self {
        if has_groups(device) {
            let elements = REGISTER_BYTES / kind.bytes();
            return LuPlan { block: GPU_BLOCK, panels: Panels::Group { threads: THREADS, elements } };
        }
        let block = if device.class == DeviceClass::Cpu { CPU_BLOCK } else { GPU_BLOCK };
        LuPlan { block, panels: Panels::Serial { width: SERIAL_COLUMNS } }
    }

    /// The kernel for a panel of so many rows.
    pub fn panel(&self, rows: usize) -> Panel {
        match self.panels {
            Panels::Serial { width } => Panel::Serial { width },
            Panels::Group { threads, elements } => {
                let each = rows.div_ceil(threads).next_power_of_two();
                let width = (elements / each).min(MOST_COLUMNS);
                if width >= FEWEST_COLUMNS {
                    Panel::Registers { rows: each, width }
                } else {
                    Panel::Memory { width: MEMORY_COLUMNS }
                }
            }
        }
    }
}

impl Panel {
    /// Its columns, at most.
    pub const fn width(self) -> usize {
        match self {
            Panel::Registers { width, .. } | Panel::Memory { width } | Panel::Serial { width } => width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_is_the_narrower_the_higher_it_is() {
        let plan = LuPlan::choose(ScalarKind::D, &DeviceFacts::example(DeviceClass::Gpu));
        let panels = [1, 256, 512, 513, 4096, 8192, 8193].map(|rows| plan.panel(rows));
        let registers = |rows, width| Panel::Registers { rows, width };
        assert_eq!(panels[..3], [registers(1, 32), registers(1, 32), registers(2, 32)]);
        assert_eq!(panels[3..6], [registers(4, 16), registers(16, 4), registers(32, 2)]);
        assert_eq!(panels[6], Panel::Memory { width: MEMORY_COLUMNS });
    }

    #[test]
    fn without_work_groups_a_panel_is_one_work_items() {
        let tiny = DeviceFacts { max_work_group_size: 64, ..DeviceFacts::example(DeviceClass::Gpu) };
        for device in [tiny, DeviceFacts::example(DeviceClass::Cpu), DeviceFacts::example(DeviceClass::Accelerator)] {
            assert_eq!(LuPlan::choose(ScalarKind::Z, &device).panel(1 << 20), Panel::Serial { width: SERIAL_COLUMNS });
        }
    }
}
