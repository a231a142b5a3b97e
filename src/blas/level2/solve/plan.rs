//! Plans of triangular solves on a device: plain data, from sizes and the device's properties.

use crate::device::{DeviceClass, DeviceInfo};
use crate::program::{ProgramSource, source};
use crate::scalar::ScalarKind;

/// Kernel of a triangular solve, block by block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolvePlan {
    /// CPUs: a work-item per block, with wide vectors.
    Vectors {
        /// Unknowns of a block.
        block: usize,
    },
    /// GPUs and everything else: a work-group per block.
    Group {
        /// Unknowns of a block.
        block: usize,
        /// Work-items of a group.
        threads: usize,
    },
}

/// A launch that solves for `count` blocks from block `first` on. It solves for several only if a block depends on
/// nothing but the previous one, and then with a single group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The first block to be found.
    pub first: usize,
    /// Blocks that are found.
    pub count: usize,
    /// Work-groups.
    pub groups: usize,
}

/// Unknowns that a work-group finds between two barriers.
const STEP: usize = 8;
/// Unknowns per block of a CPU's work-item: its part of x stays in the L1 cache.
const CPU_BLOCK: usize = 512;
/// Maximum work-items of a group, and maximum block: the elements that a work-group loads at once.
const MAX_THREADS: usize = 512;
const MAX_BLOCK: usize = 128;
/// Maximum unknowns of one launch; drivers stop kernels that run for long.
const MAX_UNKNOWNS: usize = 1 << 16;

impl SolvePlan {
    /// The plan for a type on a device.
    pub fn choose(kind: ScalarKind, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu { Self::VECTORS } else { Self::group(kind, device) }
    }

    pub(super) const VECTORS: Self = SolvePlan::Vectors { block: CPU_BLOCK };

    pub(super) fn group(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let threads = (device.max_work_group_size.min(MAX_THREADS) + 1).next_power_of_two() / 2;
        let mut block = MAX_BLOCK.min(MAX_BLOCK * 8 / kind.bytes()).min(threads);
        while block >= STEP && Self::local_bytes(kind, block, threads) > device.local_memory_bytes {
            block /= 2;
        }
        // If groups are too small for a block, one work-item per block is as fast.
        if block < STEP { Self::VECTORS } else { SolvePlan::Group { block, threads } }
    }

    /// Local memory of a work-group.
    fn local_bytes(kind: ScalarKind, block: usize, threads: usize) -> u64 {
        let partial = threads.max(block * (STEP + 1));
        ((2 * block + partial + STEP * block + 2 * STEP) * kind.bytes()) as u64
    }

    /// Unknowns of a block.
    pub const fn block(&self) -> usize {
        match self {
            SolvePlan::Vectors { block } | SolvePlan::Group { block, .. } => *block,
        }
    }

    /// Work-items of a group.
    pub(super) const fn threads(&self) -> usize {
        match self {
            SolvePlan::Vectors { .. } => 1,
            SolvePlan::Group { threads, .. } => *threads,
        }
    }

    /// Launches for `order` unknowns, each of which depends on at most `reach` unknowns before it.
    pub fn steps(&self, order: usize, reach: usize) -> impl Iterator<Item = Step> {
        let (block, blocks) = (self.block(), order.div_ceil(self.block()));
        // Blocks that the one before has to do with.
        let groups = 1 + reach.saturating_sub(1) / block;
        let count = if groups == 1 { MAX_UNKNOWNS / block } else { 1 };
        (0..blocks).step_by(count).map(move |first| Step {
            first,
            count: count.min(blocks - first),
            // The first block has no predecessor to subtract.
            groups: if first == 0 { 1 } else { groups.min(blocks - first) },
        })
    }

    /// The program.
    pub(super) fn source(&self, kind: ScalarKind, transposed: bool, device: &DeviceInfo) -> ProgramSource {
        let mut definitions = vec![("TRANSPOSED", i64::from(transposed)), ("BLOCK", self.block() as i64)];
        let (name, file) = match self {
            SolvePlan::Vectors { .. } => {
                definitions.push(("VECTOR_WIDTH", device.vector_width(kind) as i64));
                ("level 2 solve cpu", "blas/level2/solve_cpu.cl")
            }
            SolvePlan::Group { threads, .. } => {
                definitions.extend([("THREADS", *threads as i64), ("STEP", STEP as i64)]);
                ("level 2 solve", "blas/level2/solve.cl")
            }
        };
        ProgramSource { name, kind, root: source(file), definitions }
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn blocks_suit_the_device() {
        let choose = |kind, class| SolvePlan::choose(kind, &crate::device::example(class));
        assert_eq!(choose(ScalarKind::S, DeviceClass::Cpu), SolvePlan::VECTORS);
        assert_eq!(choose(ScalarKind::D, DeviceClass::Gpu), SolvePlan::Group { block: 128, threads: 512 });
        assert_eq!(choose(ScalarKind::Z, DeviceClass::Gpu), SolvePlan::Group { block: 64, threads: 512 });
    }

    #[test]
    fn blocks_fit_small_devices() {
        let device = |max_threads, local| DeviceInfo {
            max_work_group_size: max_threads,
            local_memory_bytes: local,
            ..crate::device::example(DeviceClass::Accelerator)
        };
        let choose = |max_threads, local| SolvePlan::choose(ScalarKind::D, &device(max_threads, local));
        assert_eq!(choose(64, 32 << 10), SolvePlan::Group { block: 64, threads: 64 });
        assert_eq!(choose(256, 16 << 10), SolvePlan::Group { block: 64, threads: 256 });
        assert_eq!(choose(4, 32 << 10), SolvePlan::VECTORS);
        assert_eq!(choose(64, 0), SolvePlan::VECTORS);
    }

    #[test]
    fn every_block_is_found_once_and_after_the_one_before() {
        for plan in [SolvePlan::VECTORS, SolvePlan::Group { block: 128, threads: 512 }] {
            for order in [0, 1, plan.block(), plan.block() + 1, 1000, 300_000] {
                for reach in [0, 1, 127, 128, 129, 513, order.saturating_sub(1)] {
                    let mut next = 0;
                    for step in plan.steps(order, reach) {
                        assert_eq!(step.first, next);
                        assert!(step.count == 1 || step.groups == 1, "{step:?}");
                        // The groups are those blocks that the one before has to do with.
                        let last = (step.first * plan.block() + reach).saturating_sub(1) / plan.block();
                        let last = last.min(order.div_ceil(plan.block()) - 1);
                        let needed = if next == 0 { 0 } else { last.saturating_sub(step.first) };
                        assert_eq!(step.groups, 1 + needed, "{order} {reach}: {step:?}");
                        next += step.count;
                    }
                    assert_eq!(next, order.div_ceil(plan.block()));
                }
            }
        }
    }
}
