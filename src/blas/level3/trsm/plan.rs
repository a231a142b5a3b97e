//! Plans of trsm, the sizes of the inverted diagonal blocks: plain data, chosen without a device.

use super::TrsmProblem;
use crate::device::{DeviceClass, DeviceInfo};
use crate::scalar::ScalarKind;

/// Algorithm of a triangular system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrsmPlan {
    /// B is empty.
    Nothing,
    /// alpha = 0: X is zero.
    Zero,
    /// Diagonal blocks are inverted, and everything is products.
    Blocks(TrsmBlocks),
}

/// The sizes of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrsmBlocks {
    /// Rows of the diagonal blocks that are inverted by a kernel.
    pub base: usize,
    /// Rows of the blocks that products make of them: `base`, doubled some times.
    pub block: usize,
    /// Columns of B that are solved at a time.
    pub columns: usize,
}

/// Maximum memory that a solution may use.
#[derive(Clone, Copy, Debug)]
pub struct TrsmMemory {
    /// Workspace for the blocks; the products use as much again.
    pub workspace_bytes: u64,
    /// Local memory of a work-group.
    pub local_bytes: u64,
}

/// Rows of a block that a work-group of a GPU inverts: minimum, and maximum if local memory allows.
const MIN_GPU_BASE: usize = 32;
const MAX_GPU_BASE: usize = 128;

/// Local memory of a block to invert; its rows are padded by an element against bank conflicts.
const fn inverted_bytes(kind: ScalarKind, rows: usize) -> u64 {
    (rows * (rows + 1) * kind.bytes()) as u64
}

/// True if opt-in local memory would make a problem's blocks larger.
pub(super) fn wants_local_memory(problem: &TrsmProblem, device: &DeviceInfo) -> bool {
    let base = |local_bytes| gpu_base(problem.kind, problem.n, local_bytes);
    device.class != DeviceClass::Cpu && base(u64::MAX) > base(device.local_memory_bytes)
}

/// Rows of the blocks that a work-group inverts, for blocks of `block` rows that are made of them.
pub(super) fn gpu_base(kind: ScalarKind, block: usize, local_bytes: u64) -> usize {
    let mut base = MIN_GPU_BASE;
    while base < MAX_GPU_BASE && base < block && inverted_bytes(kind, 2 * base) <= local_bytes {
        base *= 2;
    }
    base
}
/// The largest blocks of GPUs and of CPUs.
const MAX_GPU_BLOCK: usize = 512;
/// Of complex matrices with many columns: zeros cost them more than short products do.
const MAX_COMPLEX_BLOCK: usize = 128;
const COMPLEX_BLOCK_COLUMNS: usize = 1024;
const MAX_CPU_BLOCK: usize = 128;
/// The smallest of CPUs.
const MIN_CPU_BLOCK: usize = 32;
/// Approximate number of blocks of a matrix: the work on zeros in their inverses stays a small part.
const BLOCKS: usize = 8;

impl TrsmPlan {
    pub fn choose(problem: &TrsmProblem, alpha_is_zero: bool, device: &DeviceInfo, memory: TrsmMemory) -> Self {
        Self::of_blocks(problem, BLOCKS, alpha_is_zero, device, memory)
    }

    /// The plan with about `count` blocks on devices other than CPUs. Fewer blocks need fewer launches and more
    /// multiplications by zeros.
    pub fn of_blocks(
        problem: &TrsmProblem,
        count: usize,
        alpha_is_zero: bool,
        device: &DeviceInfo,
        memory: TrsmMemory,
    ) -> Self {
        if problem.n == 0 || problem.columns == 0 {
            return TrsmPlan::Nothing;
        }
        if alpha_is_zero {
            return TrsmPlan::Zero;
        }
        TrsmPlan::Blocks(TrsmBlocks::choose(problem, count, device, memory))
    }
}

impl TrsmBlocks {
    fn choose(problem: &TrsmProblem, count: usize, device: &DeviceInfo, memory: TrsmMemory) -> Self {
        let TrsmMemory { workspace_bytes, local_bytes } = memory;
        let bytes = problem.kind.bytes() as u64;
        let cpu = device.class == DeviceClass::Cpu;
        let even = problem.n.div_ceil(if cpu { BLOCKS } else { count }).next_power_of_two();
        let mut block = if cpu {
            even.clamp(MIN_CPU_BLOCK, MAX_CPU_BLOCK)
        } else {
            even.clamp(MIN_GPU_BASE, max_gpu_block(problem))
        };
        while block > MIN_GPU_BASE && inverse_elements(problem.n, block) as u64 * bytes > workspace_bytes / 2 {
            block /= 2;
        }
        // A slab of B has all columns that fit into workspace.
        let fitting = (workspace_bytes / 2 / (problem.n as u64 * bytes)).min(problem.columns as u64) as usize;
        let base = if cpu { block } else { gpu_base(problem.kind, block, local_bytes) };
        TrsmBlocks { base, block, columns: fitting.max(1) }
    }
}

const fn max_gpu_block(problem: &TrsmProblem) -> usize {
    if problem.kind.is_complex() && problem.columns >= COMPLEX_BLOCK_COLUMNS {
        MAX_COMPLEX_BLOCK
    } else {
        MAX_GPU_BLOCK
    }
}

/// Elements of the inverses: a square and one more row per block, so that all diagonals have one stride.
pub(super) const fn inverse_elements(n: usize, block: usize) -> usize {
    n.div_ceil(block) * block * (block + 1)
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::options::{Diag, Layout, Op, Side, Triangle};
    use crate::scalar::ScalarKind;
    use crate::view::MatrixShape;

    fn problem(n: usize, columns: usize) -> TrsmProblem {
        let shape =
            |rows: usize, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows.max(1)).unwrap();
        let options = (Triangle::Lower, Op::NoTrans, Diag::NonUnit);
        TrsmProblem::new(ScalarKind::D, Side::Left, options, &shape(n, n), &shape(n, columns)).unwrap()
    }

    fn memory(workspace_bytes: u64) -> TrsmMemory {
        TrsmMemory { workspace_bytes, local_bytes: 48 << 10 }
    }

    fn blocks(n: usize, class: DeviceClass, workspace: u64) -> TrsmBlocks {
        match TrsmPlan::choose(&problem(n, 1000), false, &crate::device::example(class), memory(workspace)) {
            TrsmPlan::Blocks(blocks) => blocks,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blocks_grow_with_the_matrix() {
        for class in [DeviceClass::Cpu, DeviceClass::Gpu] {
            let sizes = [1, 300, 1000, 4096, 100_000].map(|n| blocks(n, class, 1 << 34).block);
            assert!(sizes.is_sorted() && sizes[0] == 32, "{sizes:?}");
            assert_eq!(sizes[4], if class == DeviceClass::Cpu { MAX_CPU_BLOCK } else { MAX_GPU_BLOCK });
        }
    }

    #[test]
    fn blocks_fit_into_workspace() {
        let workspace = 1 << 19;
        let plan = blocks(400, DeviceClass::Gpu, workspace);
        assert!(inverse_elements(400, plan.block) as u64 * 8 <= workspace / 2, "{plan:?}");
        assert!(plan.columns < 1000 && 400 * plan.columns * 8 <= workspace as usize / 2, "{plan:?}");
        assert_eq!(blocks(400, DeviceClass::Gpu, 1 << 30), TrsmBlocks { base: 64, block: 64, columns: 1000 });
    }

    #[test]
    fn a_group_inverts_blocks_that_fit_into_its_local_memory() {
        let base = |kind, kib: u64| gpu_base(kind, 512, kib << 10);
        assert_eq!([16, 48, 100, 227].map(|kib| base(ScalarKind::S, kib)), [32, 64, 128, 128]);
        assert_eq!([16, 48, 100, 227].map(|kib| base(ScalarKind::D, kib)), [32, 64, 64, 128]);
        assert_eq!([16, 48, 100, 227].map(|kib| base(ScalarKind::Z, kib)), [32, 32, 64, 64]);
        assert_eq!([32, 64, 100].map(|block| gpu_base(ScalarKind::S, block, 227 << 10)), [32, 64, 128]);
    }

    #[test]
    fn opt_in_local_memory_is_requested_if_it_helps() {
        let gpu = |kib: u64| DeviceInfo { local_memory_bytes: kib << 10, ..crate::device::example(DeviceClass::Gpu) };
        let wants = |n, kib| wants_local_memory(&problem(n, 10), &gpu(kib));
        assert_eq!([32, 64, 65, 1000].map(|n| wants(n, 48)), [false, false, true, true]);
        assert_eq!([32, 33, 64].map(|n| wants(n, 16)), [false, true, true]);
        assert!(
            !wants(1000, 227) && !wants_local_memory(&problem(1000, 10), &crate::device::example(DeviceClass::Cpu))
        );
    }

    #[test]
    fn nothing_is_solved_without_columns_or_with_alpha_zero() {
        let device = crate::device::example(DeviceClass::Gpu);
        assert_eq!(TrsmPlan::choose(&problem(0, 5), false, &device, memory(1 << 30)), TrsmPlan::Nothing);
        assert_eq!(TrsmPlan::choose(&problem(5, 0), true, &device, memory(1 << 30)), TrsmPlan::Nothing);
        assert_eq!(TrsmPlan::choose(&problem(5, 5), true, &device, memory(1 << 30)), TrsmPlan::Zero);
    }
}
