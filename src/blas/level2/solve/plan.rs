//! How a device solves with a triangle: plain data, from sizes and facts about the device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::program::ProgramSource;
use crate::scalar::ScalarKind;

const GROUP: &[&str] = &[
    include_str!("../../../../cl/common/stored.cl"),
    include_str!("../../../../cl/common/divide.cl"),
    include_str!("../../../../cl/blas/level2/solve.cl"),
];
const VECTORS: &[&str] = &[
    include_str!("../../../../cl/common/vectors.cl"),
    include_str!("../../../../cl/common/stored.cl"),
    include_str!("../../../../cl/common/divide.cl"),
    include_str!("../../../../cl/blas/level2/solve_cpu.cl"),
];

/// How a triangle is solved with, block by block.
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

/// A launch: `count` blocks from block `first` on are found. More than one are found where a block has to do with the
/// one before only, and then by a single group.
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
/// Unknowns of a work-item's block on a CPU: its part of x stays in the first-level cache.
const CPU_BLOCK: usize = 512;
/// The most work-items of a group, and the largest block: what a work-group loads at a time.
const MOST_THREADS: usize = 512;
const LARGEST_BLOCK: usize = 128;
/// The most unknowns that one launch finds: drivers do not like kernels that run for long.
const MOST_UNKNOWNS: usize = 1 << 16;

impl SolvePlan {
    /// The plan for a type on a device.
    pub fn choose(kind: ScalarKind, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu { Self::VECTORS } else { Self::group(kind, device) }
    }

    pub(super) const VECTORS: Self = SolvePlan::Vectors { block: CPU_BLOCK };

    pub(super) fn group(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let threads = (device.max_work_group_size.min(MOST_THREADS) + 1).next_power_of_two() / 2;
        let mut block = LARGEST_BLOCK.min(LARGEST_BLOCK * 8 / kind.bytes()).min(threads);
        while block >= STEP && Self::local_bytes(kind, block, threads) > device.local_memory_bytes {
            block /= 2;
        }
        // Where groups are too small for a block, a work-item for each is no worse.
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

    /// The launches for so many unknowns, each of which has to do with at most `reach` others before it.
    pub fn steps(&self, order: usize, reach: usize) -> impl Iterator<Item = Step> {
        let (block, blocks) = (self.block(), order.div_ceil(self.block()));
        // Blocks that the one before has to do with.
        let groups = 1 + reach.saturating_sub(1) / block;
        let count = if groups == 1 { MOST_UNKNOWNS / block } else { 1 };
        (0..blocks).step_by(count).map(move |first| Step {
            first,
            count: count.min(blocks - first),
            // Before the first block there is none that could have to do with others.
            groups: if first == 0 { 1 } else { groups.min(blocks - first) },
        })
    }

    /// The program.
    pub(super) fn source(&self, kind: ScalarKind, transposed: bool, device: &DeviceInfo) -> ProgramSource {
        let mut definitions = vec![("TRANSPOSED", i64::from(transposed)), ("BLOCK", self.block() as i64)];
        let (name, files) = match self {
            SolvePlan::Vectors { .. } => {
                definitions.push(("VECTOR_WIDTH", device.vector_width(kind) as i64));
                ("level 2 solve cpu", VECTORS)
            }
            SolvePlan::Group { threads, .. } => {
                definitions.extend([("THREADS", *threads as i64), ("STEP", STEP as i64)]);
                ("level 2 solve", GROUP)
            }
        };
        ProgramSource { name, kind, files, definitions }
    }
}

#[cfg(test)]
mod tests {
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
        let device = |most, local| DeviceInfo {
            max_work_group_size: most,
            local_memory_bytes: local,
            ..crate::device::example(DeviceClass::Accelerator)
        };
        let choose = |most, local| SolvePlan::choose(ScalarKind::D, &device(most, local));
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
