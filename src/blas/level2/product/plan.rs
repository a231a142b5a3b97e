//! Choosing a kernel family and how the work is cut: plain data from plain data, without a device.

use super::ProductProblem;
use crate::device::{DeviceClass, DeviceInfo};
use crate::scalar::ScalarKind;

/// Kernel family of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductFamily {
    /// A work-item per element of the result: any device, and narrow bands.
    Portable,
    /// Groups of work-items over rows, columns or tiles: GPUs.
    Gpu,
    /// Wide vectors along several columns at a time: CPUs.
    Cpu,
}

/// Direction of the sums in the stored matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along rows.
    Along,
    /// Along columns.
    Across,
    /// Both: a symmetric matrix.
    Both,
}

/// Layout of the partial sums in workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Number of partial sums.
    pub count: usize,
    /// Vectors of partial sums, each as long as the result: fewer than parts if each element has only some of the
    /// parts.
    pub slots: usize,
    /// Element i has the parts `i / tile - reach` to `i / tile + reach`.
    pub tile: usize,
    /// Distance, in tiles, from an element to its outermost parts.
    pub reach: usize,
}

/// Kernel family and division of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductPlan {
    /// The kernels.
    pub family: ProductFamily,
    /// Direction of the sums.
    pub direction: Direction,
    /// Work-groups over the result's elements, and over parts of the sums.
    pub groups: [usize; 2],
    /// Work-items of a group.
    pub threads: usize,
    /// Elements of the result that a group computes; on a GPU's tiles, blocks that a band reaches beyond the diagonal.
    pub chunk: usize,
    /// Rows or columns in a part of the sums; for a GPU's tiles, number of slots.
    pub part_length: usize,
    /// Partial sums, if the sums are split; else a group stores the result itself.
    pub parts: Option<Parts>,
}

/// Work-items of a group of a GPU.
pub(super) const GPU_THREADS: usize = 128;
/// Columns of a group that reduces along them.
pub(super) const GPU_COLUMNS: usize = 4;
/// Maximum local memory of tiles.
const GPU_LOCAL_BYTES: u64 = 32 << 10;
/// Work-groups that occupy a unit of a GPU, about.
const GPU_GROUPS_PER_UNIT: usize = 16;
/// Bands of no more diagonals than these are done element by element.
const GPU_NARROW: usize = 64;
const CPU_NARROW: usize = 32;
/// Symmetric matrices up to this order are not worth a second launch on a CPU.
const CPU_SMALL_ORDER: usize = 64;
/// Bytes of the accumulators of a CPU's work-item: they stay in the L1 cache and still cover long runs of the columns.
const CPU_ACCUMULATOR_BYTES: usize = 16 << 10;
/// Minimum elements per work-item of a CPU, so that it takes longer than its start.
const CPU_ELEMENTS: usize = 16 << 10;

/// Columns that a CPU's kernel does at a time.
pub(super) const fn cpu_step(kind: ScalarKind, direction: Direction) -> usize {
    match (kind.is_complex(), direction) {
        (false, Direction::Along | Direction::Across) => 8,
        (true, Direction::Both) => 2,
        _ => 4,
    }
}

/// Maximum rows of a chunk whose accumulators a CPU's work-item holds.
pub(super) const fn max_accumulators(kind: ScalarKind) -> usize {
    CPU_ACCUMULATOR_BYTES / kind.bytes()
}

/// Columns of a tile that go through local memory at a time.
pub(super) const fn gpu_strip(kind: ScalarKind) -> usize {
    128 / kind.bytes()
}

/// The sizes of tiles, from the largest.
const fn gpu_tiles(kind: ScalarKind) -> &'static [usize] {
    if matches!(kind, ScalarKind::Z) { &[256, 128] } else { &[512, 256, 128] }
}

impl ProductPlan {
    /// The plan for a product on a device, which may use `workspace_bytes` of workspace.
    pub fn choose(problem: &ProductProblem, device: &DeviceInfo, workspace_bytes: u64) -> Self {
        let slots = workspace_bytes / 2 / (problem.y.length() * problem.kind.bytes()).max(1) as u64;
        let slots = slots.clamp(1, 4096) as usize;
        let diagonals = problem.stored.above.saturating_add(problem.stored.below).saturating_add(1);
        let plan = match device.class {
            DeviceClass::Gpu if device.max_work_group_size >= GPU_THREADS && diagonals > GPU_NARROW => {
                Self::gpu(problem, device, slots)
            }
            DeviceClass::Cpu if diagonals > CPU_NARROW => Self::cpu(problem, device, slots),
            _ => None,
        };
        plan.unwrap_or_else(|| Self::portable(problem, device))
    }

    const fn direction(problem: &ProductProblem) -> Direction {
        match (problem.along_row(), problem.along_column()) {
            (true, true) => Direction::Both,
            (true, false) => Direction::Along,
            _ => Direction::Across,
        }
    }

    pub(super) fn portable(problem: &ProductProblem, device: &DeviceInfo) -> Self {
        let (chunk, count, threads) = elements_per_group(problem.y.length(), device);
        let direction = Self::direction(problem);
        let family = ProductFamily::Portable;
        ProductPlan { family, direction, groups: [count, 1], threads, chunk, part_length: 0, parts: None }
    }

    pub(super) fn gpu(problem: &ProductProblem, device: &DeviceInfo, slots: usize) -> Option<Self> {
        let wanted = GPU_GROUPS_PER_UNIT * device.compute_units;
        let direction = Self::direction(problem);
        let (rows, columns) = (problem.stored.rows, problem.stored.columns);
        let (chunk, chunks, length, shortest) = match direction {
            Direction::Along => (GPU_THREADS, rows.div_ceil(GPU_THREADS), columns, 32),
            Direction::Across => (GPU_COLUMNS, columns.div_ceil(GPU_COLUMNS), rows, 1024),
            Direction::Both => return Self::gpu_tiles(problem, device, slots),
        };
        let parts = (wanted / chunks).min(length / shortest).min(slots).max(1);
        Some(Self::split(ProductFamily::Gpu, direction, GPU_THREADS, (chunk, chunks), (length, parts, 8)))
    }

    fn gpu_tiles(problem: &ProductProblem, device: &DeviceInfo, slots: usize) -> Option<Self> {
        if device.local_memory_bytes < GPU_LOCAL_BYTES {
            return None;
        }
        let columns = problem.stored.columns;
        let band = problem.stored.above.max(problem.stored.below);
        let blocks_of = |tile: usize| {
            let blocks = columns.div_ceil(tile);
            (blocks, band.saturating_add(tile - 1).checked_div(tile).unwrap_or(0).min(blocks - 1))
        };
        let enough = GPU_GROUPS_PER_UNIT * device.compute_units;
        let tiles = gpu_tiles(problem.kind);
        let occupying = tiles.iter().copied().find(|&tile| {
            let (blocks, reach) = blocks_of(tile);
            blocks * (reach + 1) - reach * (reach + 1) / 2 >= enough
        });
        let tile = occupying.unwrap_or(GPU_THREADS);
        let (blocks, reach) = blocks_of(tile);
        let needed = blocks.min(2 * reach + 1);
        (needed <= slots).then_some(ProductPlan {
            family: ProductFamily::Gpu,
            direction: Direction::Both,
            groups: [blocks * (reach + 1), 1],
            threads: GPU_THREADS,
            chunk: reach,
            part_length: needed,
            parts: Some(Parts { count: blocks, slots: needed, tile, reach }),
        })
    }

    pub(super) fn cpu(problem: &ProductProblem, device: &DeviceInfo, slots: usize) -> Option<Self> {
        let direction = Self::direction(problem);
        let (rows, columns) = (problem.stored.rows, problem.stored.columns);
        let elements = problem.elements();
        // Long chunks are long runs of the columns. In a triangle they differ, and are paired to equal work.
        let per_unit = match direction {
            Direction::Along if problem.is_full() => 1,
            Direction::Along => 2,
            _ => 4,
        };
        let wanted = (per_unit * device.compute_units).min(elements.div_ceil(CPU_ELEMENTS));
        let step = cpu_step(problem.kind, direction);
        match direction {
            Direction::Along => {
                let max_rows = max_accumulators(problem.kind);
                let chunk = rows.div_ceil(wanted).next_multiple_of(64).min(max_rows);
                let chunks = rows.div_ceil(chunk);
                let parts = (wanted / chunks).min(columns / step).min(slots).max(1);
                Some(Self::split(ProductFamily::Cpu, direction, 1, (chunk, chunks), (columns, parts, step)))
            }
            Direction::Across => {
                let chunk = columns.div_ceil(wanted).next_multiple_of(step);
                let chunks = columns.div_ceil(chunk);
                let parts = (wanted / chunks).min(rows / 1024).min(slots).max(1);
                Some(Self::split(ProductFamily::Cpu, direction, 1, (chunk, chunks), (rows, parts, 64)))
            }
            Direction::Both if columns <= CPU_SMALL_ORDER => None,
            Direction::Both => {
                // Each work-item has two chunks, and a result of its own.
                let wanted = wanted.min(slots).min(2 * device.compute_units);
                let chunk = columns.div_ceil(2 * wanted).next_multiple_of(step);
                let count = columns.div_ceil(chunk).div_ceil(2);
                let parts = Some(Parts { count, slots: count, tile: columns, reach: count });
                let groups = [count, 1];
                let family = ProductFamily::Cpu;
                Some(ProductPlan { family, direction, groups, threads: 1, chunk, part_length: 0, parts })
            }
        }
    }

    /// Splits sums of `length` terms into `parts` parts, whose lengths are multiples of `multiple`.
    fn split(
        family: ProductFamily,
        direction: Direction,
        threads: usize,
        (chunk, chunks): (usize, usize),
        (length, parts, multiple): (usize, usize, usize),
    ) -> Self {
        let part_length = length.div_ceil(parts).next_multiple_of(multiple);
        let count = length.div_ceil(part_length);
        let parts = (count > 1).then_some(Parts { count, slots: count, tile: 1, reach: count });
        ProductPlan { family, direction, groups: [chunks, count], threads, chunk, part_length, parts }
    }
}

/// Division of `n` independent elements: elements per group, groups, and work-items per group.
pub(super) fn elements_per_group(n: usize, device: &DeviceInfo) -> (usize, usize, usize) {
    let (length, threads) = match device.class {
        DeviceClass::Cpu => (n.div_ceil(4 * device.compute_units).max(256), 1),
        _ => {
            let threads = GPU_THREADS.min(device.max_work_group_size);
            (threads, threads)
        }
    };
    (length, n.div_ceil(length), threads)
}
