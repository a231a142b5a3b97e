//! Blocking of the symmetric eigenvalue problem: plain data, chosen without a device.

use crate::device::DeviceInfo;
use crate::lapack::{has_groups, has_warps};
use crate::scalar::ScalarKind;

/// Blocked reduction to tridiagonal form, and divide and conquer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EigenPlan {
    /// Columns that are reduced before the trailing matrix is updated.
    pub(crate) panel: usize,
    /// Sides of the tiles of a product with the trailing matrix, and the order from which on they are large.
    pub(crate) small_tile: usize,
    pub(crate) large_tile: usize,
    pub(crate) large_min_order: usize,
    /// Maximum order of a part that a work-group solves.
    pub(crate) leaf: usize,
    /// Panels of one launch, where all its groups run at once; else each column has two.
    pub(crate) cooperative: Option<Cooperative>,
}

/// A launch whose groups wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cooperative {
    pub(crate) groups: usize,
    /// Runs of tiles that are dealt to the groups.
    pub(crate) runs: usize,
    /// Work-items of a group.
    pub(crate) threads: usize,
}

/// Columns of a panel at most: the kernel has their products in local memory.
pub(super) const MAX_PANEL: usize = 64;
/// Columns that have a group each in a launch's second dimension.
const MAX_ORDER: usize = 65_535;
/// Rows of a leaf at most: its work-group has a work-item for each.
pub(super) const MAX_LEAF: usize = 64;
/// Work-items of a group with a compute unit of its own.
const COOPERATIVE_THREADS: usize = 512;
/// Minimum order for which a device is faster than a copy to the host and its routine.
pub(crate) const MIN_ORDER: usize = 128;
/// Trailing matrices of this order have work-groups enough with large tiles, of fewer partial results.
const LARGE_MIN_ORDER: usize = 3072;

impl EigenPlan {
    /// The plan for a matrix of order n; `None` where the host is faster, or the device has no groups of work-items.
    pub(crate) fn choose(kind: ScalarKind, n: usize, device: &DeviceInfo) -> Option<Self> {
        let groups = device.compute_units;
        let cooperative = Cooperative { groups, runs: groups, threads: COOPERATIVE_THREADS };
        let cooperative = (has_warps(device) && groups > 1).then_some(cooperative);
        ((MIN_ORDER..=MAX_ORDER).contains(&n) && has_groups(device))
            .then(|| EigenPlan { cooperative, ..Self::for_kernels(kind) })
    }

    /// The plan for any order.
    pub(crate) const fn for_kernels(kind: ScalarKind) -> Self {
        // Large tiles of double complex elements would take too much local memory.
        let large_tile = if matches!(kind, ScalarKind::Z) { 64 } else { 128 };
        EigenPlan {
            panel: MAX_PANEL,
            small_tile: 64,
            large_tile,
            large_min_order: LARGE_MIN_ORDER,
            leaf: MAX_LEAF,
            cooperative: None,
        }
    }

    /// Side of the tiles for a trailing matrix of some order.
    pub(super) const fn tile(&self, order: usize) -> usize {
        if order < self.large_min_order { self.small_tile } else { self.large_tile }
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::{DeviceClass, example};
    use crate::lapack::LOCAL_BYTES;
    use crate::lapack::eigen::columns::{LANES, STEP, THREADS};

    #[test]
    fn work_groups_fit_local_memory() {
        for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
            let plan = EigenPlan::for_kernels(kind);
            for tile in [plan.small_tile, plan.large_tile] {
                let slices = THREADS / LANES;
                let product = tile + slices * STEP * (LANES + 1) + tile * (LANES / STEP) + THREADS;
                let column = 5 * THREADS + 4 * MAX_PANEL;
                assert!(tile.is_multiple_of(LANES) && (tile / slices).is_multiple_of(STEP), "{plan:?}");
                assert!(slices * tile <= slices * STEP * (LANES + 1), "{plan:?}");
                assert!([product, column].iter().all(|n| (n * kind.bytes()) as u64 <= LOCAL_BYTES), "{plan:?}");
                // NVIDIA's devices, which alone have such panels, have more.
                let warps = COOPERATIVE_THREADS / LANES;
                let together = (warps + 1) * tile + warps + 2 * COOPERATIVE_THREADS + 4 * MAX_PANEL;
                assert!(together * kind.bytes() <= 47 << 10 && (tile / warps).is_multiple_of(STEP), "{plan:?}");
            }
        }
    }

    #[test]
    fn small_matrices_and_cpus_have_no_plan() {
        let choose = |class, n| EigenPlan::choose(ScalarKind::D, n, &example(class));
        assert!(choose(DeviceClass::Gpu, MIN_ORDER).is_some());
        assert!(choose(DeviceClass::Gpu, MAX_ORDER + 1).is_none());
        assert!(choose(DeviceClass::Gpu, MIN_ORDER - 1).is_none() && choose(DeviceClass::Cpu, 4096).is_none());
    }
}
