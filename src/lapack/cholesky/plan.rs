//! How Cholesky's factorisation is cut into blocks: plain data, chosen without a device.

use crate::device::DeviceFacts;
use crate::lapack::native::Means;
use crate::lapack::{THREADS, has_groups};

/// How a matrix is factorised: by halves down to blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CholeskyPlan {
    /// Who does all of it: the rest is the kernels'.
    pub means: Means,
    /// Rows of a block, which a kernel factorises and inverts.
    pub block: usize,
    /// Whether a work-group does so, with a work-item for [`SIDE`] x [`SIDE`] elements; otherwise a single work-item does.
    pub by_group: bool,
}

/// Rows of a block of GPUs: a multiple of the rows that a work-item has.
const GPU_BLOCK: usize = 64;
pub(super) const SIDE: usize = 4;
/// Rows that a work-group multiplies with the inverse of the block above them.
pub(super) const TILE: usize = 64;
const _: () = assert!(GPU_BLOCK.is_multiple_of(SIDE) && (GPU_BLOCK / SIDE).pow(2) <= THREADS);
/// Rows of a block of one work-item.
const SERIAL_BLOCK: usize = 32;

impl CholeskyPlan {
    /// The plan for a matrix of an order on a device.
    pub fn choose(order: usize, device: &DeviceFacts) -> Self {
        CholeskyPlan { means: Means::choose([order; 2], device), ..Self::by_kernels(device) }
    }

    /// The plan for a device's kernels.
    pub fn by_kernels(device: &DeviceFacts) -> Self {
        let by_group = has_groups(device);
        CholeskyPlan { means: Means::Kernels, block: if by_group { GPU_BLOCK } else { SERIAL_BLOCK }, by_group }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn a_block_is_a_groups_where_groups_are_fast() {
        let plan = |class| CholeskyPlan::by_kernels(&DeviceFacts::example(class));
        let means = Means::Kernels;
        assert_eq!(plan(DeviceClass::Gpu), CholeskyPlan { means, block: GPU_BLOCK, by_group: true });
        assert_eq!(plan(DeviceClass::Cpu), CholeskyPlan { means, block: SERIAL_BLOCK, by_group: false });
    }
}
