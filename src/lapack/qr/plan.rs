//! How QR is cut into panels and blocks: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceFacts};
use crate::lapack::{THREADS, has_groups};

/// How a matrix is factorised: by blocks of columns, each of them by halves down to panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QrPlan {
    /// Columns of a block: reflections that are applied together to what is right of them.
    pub block: usize,
    /// Columns of a panel.
    pub panel: usize,
    /// Columns that reflections are applied to at a time, at most.
    pub slab: usize,
    /// Whether a work-group factorises a panel, or one work-item.
    pub by_group: bool,
}

/// Columns of a block, and of a panel.
const GPU_BLOCK: usize = 128;
const CPU_BLOCK: usize = 64;
const PANEL: usize = 16;
/// Work-items of a group that have a column together.
pub(super) const LANES: usize = 32;
/// Work-items of a group that add the sums of all.
pub(super) const SUMMERS: usize = 16;
const _: () = assert!(THREADS.is_multiple_of(LANES) && THREADS.is_multiple_of(SUMMERS));

impl QrPlan {
    /// The plan for a device.
    pub fn choose(device: &DeviceFacts) -> Self {
        let by_group = has_groups(device);
        let block = if device.class == DeviceClass::Cpu { CPU_BLOCK } else { GPU_BLOCK };
        QrPlan { block, panel: PANEL, slab: usize::MAX, by_group }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lapack::LOCAL_BYTES;
    use crate::scalar::ScalarKind;

    /// Bytes of local memory that a panel's group takes.
    fn local_bytes(plan: &QrPlan, kind: ScalarKind) -> usize {
        let shared = plan.panel.div_ceil(THREADS / LANES);
        let real = kind.bytes() / if kind.is_complex() { 2 } else { 1 };
        3 * real * (THREADS + SUMMERS) + kind.bytes() * (shared * THREADS + plan.panel)
    }

    #[test]
    fn a_panel_s_group_has_the_local_memory_that_it_needs() {
        for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
            let plan = QrPlan::choose(&DeviceFacts::example(DeviceClass::Gpu));
            assert!(plan.by_group && plan.block.is_multiple_of(plan.panel), "{plan:?}");
            assert!(local_bytes(&plan, kind) as u64 <= LOCAL_BYTES, "{plan:?}, {kind:?}");
        }
    }

    #[test]
    fn without_work_groups_a_panel_is_one_work_items() {
        let tiny = DeviceFacts { local_memory_bytes: 16 << 10, ..DeviceFacts::example(DeviceClass::Gpu) };
        for device in [tiny, DeviceFacts::example(DeviceClass::Cpu), DeviceFacts::example(DeviceClass::Accelerator)] {
            assert!(!QrPlan::choose(&device).by_group);
        }
    }
}
