//! How Cholesky's factorisation is cut into blocks: plain data, chosen without a device.

use crate::device::DeviceFacts;
use crate::lapack::has_groups;
use crate::scalar::ScalarKind;

/// How a matrix is factorised: by halves down to blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CholeskyPlan {
    /// Rows of a block, which a kernel factorises and inverts.
    pub block: usize,
    /// Whether a work-group does so, a work-item per row; otherwise a single work-item does.
    pub by_group: bool,
}

/// Rows of a block of GPUs, and bytes of a row, which a work-item has in registers.
const GPU_BLOCK: usize = 64;
const ROW_BYTES: usize = 512;
/// Rows of a block of one work-item.
const SERIAL_BLOCK: usize = 32;

impl CholeskyPlan {
    /// The plan for a device.
    pub fn choose(kind: ScalarKind, device: &DeviceFacts) -> Self {
        if has_groups(device) {
            CholeskyPlan { block: GPU_BLOCK.min(ROW_BYTES / kind.bytes()), by_group: true }
        } else {
            CholeskyPlan { block: SERIAL_BLOCK, by_group: false }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn a_row_of_a_block_fits_into_registers() {
        let block = |class, kind| CholeskyPlan::choose(kind, &DeviceFacts::example(class)).block;
        assert_eq!(block(DeviceClass::Gpu, ScalarKind::S), 64);
        assert_eq!(block(DeviceClass::Gpu, ScalarKind::Z), 32);
        assert_eq!(block(DeviceClass::Cpu, ScalarKind::D), 32);
    }
}
