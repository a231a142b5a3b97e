//! Plans of batched products: plain data, chosen without a device.

use super::BatchedProblem;
use crate::blas::level3::gemm::TiledParameters;
use crate::blas::level3::trsm::TrsmProblem;
use crate::device::{DeviceClass, DeviceInfo};

/// Kernel of a batch of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchedPlan {
    /// The batch is empty, or every C is unchanged.
    Nothing,
    /// A loop over the products, each of which fills the device.
    Each,
    /// All in one launch, by tiles in local memory.
    Tiles(BatchedTiles),
    /// All in one launch, a work-item per few matrices, in wide vectors.
    Items(BatchedItems),
}

/// Tiles in local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedTiles {
    /// Rows and columns of a tile.
    pub tile: usize,
    /// Rows and columns of it per work-item.
    pub work: usize,
    /// k extent of a slice.
    pub tile_k: usize,
    /// Matrices that share a work-group.
    pub matrices: usize,
}

impl BatchedTiles {
    /// Tiles of about C's size.
    pub(super) fn choose(problem: &BatchedProblem) -> Self {
        let gemm = &problem.gemm;
        let side = gemm.m.max(gemm.n);
        let short = gemm.k <= 4;
        match side {
            0..=4 => BatchedTiles { tile: 4, work: 1, tile_k: 4, matrices: 4 },
            5..=8 => BatchedTiles { tile: 8, work: 1, tile_k: if short { 4 } else { 8 }, matrices: 1 },
            9..=16 => BatchedTiles { tile: 16, work: 2, tile_k: 8, matrices: 1 },
            17..=32 => BatchedTiles { tile: 32, work: 4, tile_k: 8, matrices: 1 },
            // Two slices of 65 elements at 8 positions of k: 17 KiB of the largest type.
            _ => BatchedTiles { tile: 64, work: 4, tile_k: 8, matrices: 1 },
        }
    }

    /// Work-items of a group.
    pub(super) const fn threads(&self) -> usize {
        let side = self.tile / self.work;
        side * side * self.matrices
    }
}

/// Wide vectors, and the matrices of a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedItems {
    /// Reals in a vector.
    pub vector_width: usize,
    /// Vectors in a column of the register tile.
    pub tile_vectors: usize,
    /// Columns of the register tile.
    pub tile_columns: usize,
    /// Matrices per work-item.
    pub per_item: usize,
}

/// Columns of A in private memory.
pub(super) const K_BLOCK: usize = 128;
/// Multiply-adds from which a CPU computes each product alone.
const LARGE_PRODUCT: usize = 96 * 96 * 96;
/// Work-items per core that level out their different speeds.
const ITEMS_PER_CORE: usize = 8;
/// Multiply-adds that are worth a work-item.
const WORK_PER_ITEM: usize = 1 << 14;

impl BatchedItems {
    pub(super) fn choose(problem: &BatchedProblem, device: &DeviceInfo) -> Self {
        let gemm = &problem.gemm;
        let parts = if gemm.kind.is_complex() { 2 } else { 1 };
        // Vectors no wider than a column of C, two or one of them.
        let wide = device.vector_width(gemm.kind);
        let vector_width = (gemm.m * parts).next_power_of_two().clamp(4, wide);
        let tile_vectors = if gemm.m * parts > vector_width { 2 } else { 1 };
        let work = (gemm.m * gemm.n * gemm.k).max(1);
        let even = problem.count.div_ceil(ITEMS_PER_CORE * device.compute_units);
        let per_item = even.max((WORK_PER_ITEM / work).min(problem.count)).max(1);
        BatchedItems { vector_width, tile_vectors, tile_columns: 4, per_item }
    }
}

impl BatchedPlan {
    /// The plan for a batch on a device.
    pub fn choose(problem: &BatchedProblem, device: &DeviceInfo) -> Self {
        let gemm = &problem.gemm;
        if problem.count == 0 || gemm.m == 0 || gemm.n == 0 {
            return BatchedPlan::Nothing;
        }
        if device.class == DeviceClass::Cpu {
            let large = gemm.m.saturating_mul(gemm.n).saturating_mul(gemm.k) > LARGE_PRODUCT;
            return if large { BatchedPlan::Each } else { BatchedPlan::Items(BatchedItems::choose(problem, device)) };
        }
        let tiles = BatchedTiles::choose(problem);
        let [rows, columns] = TiledParameters::large(gemm.kind).tile;
        let fills = gemm.m.div_ceil(rows) * gemm.n.div_ceil(columns) >= device.compute_units / 2;
        if fills || problem.count == 1 && gemm.m.min(gemm.n) > 64 || tiles.threads() > device.max_work_group_size {
            return BatchedPlan::Each;
        }
        BatchedPlan::Tiles(tiles)
    }
}

/// Algorithm of a batch of triangular systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchedTrsmPlan {
    /// There is no batch, or every B is empty.
    Nothing,
    /// A loop over the systems.
    Each,
    /// All systems together: diagonal blocks by substitution, updates by batched products.
    Blocks {
        /// Rows of a block.
        base: usize,
    },
}

/// Rows of the blocks that are solved by substitution.
const GPU_BASE: usize = 32;
const CPU_BASE: usize = 64;
/// Rows from which a system is a large one.
const LARGE_ORDER: usize = 256;

impl BatchedTrsmPlan {
    /// The plan for `count` systems on a device.
    pub fn choose(problem: &TrsmProblem, count: usize, alpha_is_zero: bool, device: &DeviceInfo) -> Self {
        let (n, columns) = (problem.n, problem.columns);
        if count == 0 || n == 0 || columns == 0 {
            return BatchedTrsmPlan::Nothing;
        }
        let cpu = device.class == DeviceClass::Cpu;
        // A GPU is filled by the columns of one system's right-hand sides, a CPU by any large one.
        let fills = if cpu { columns >= LARGE_ORDER / 4 } else { columns * 64 >= LARGE_ORDER * device.compute_units };
        let too_small = !cpu && device.max_work_group_size < GPU_BASE;
        if alpha_is_zero || too_small || n >= LARGE_ORDER && (fills || count == 1) {
            return BatchedTrsmPlan::Each;
        }
        BatchedTrsmPlan::Blocks { base: if cpu { CPU_BASE } else { GPU_BASE } }
    }

    /// Matrices per work-item of a CPU, for `rows` rows solved by substitution.
    pub(super) fn matrices_per_item(rows: usize, columns: usize, count: usize, device: &DeviceInfo) -> usize {
        let work = (rows * rows * columns / 2).max(1);
        count.div_ceil(ITEMS_PER_CORE * device.compute_units).max((WORK_PER_ITEM / work).min(count)).max(1)
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::blas::level3::gemm::GemmProblem;
    use crate::options::{Diag, Layout, Op, Side, Triangle};
    use crate::scalar::ScalarKind;
    use crate::view::MatrixShape;

    fn problem(kind: ScalarKind, [m, n, k]: [usize; 3], count: usize) -> BatchedProblem {
        let shape =
            |rows: usize, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows.max(1)).unwrap();
        let gemm = GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape(m, k), &shape(k, n), &shape(m, n)).unwrap();
        BatchedProblem { gemm, count }
    }

    #[test]
    fn small_products_are_one_launch_and_large_ones_their_own() {
        for (class, large) in [(DeviceClass::Cpu, 97), (DeviceClass::Gpu, 2000)] {
            let device = crate::device::example(class);
            let plan = |n| BatchedPlan::choose(&problem(ScalarKind::D, [n, n, n], 100), &device);
            assert!(matches!(plan(16), BatchedPlan::Tiles(_) | BatchedPlan::Items(_)));
            assert_eq!(plan(large), BatchedPlan::Each);
            assert_eq!(plan(0), BatchedPlan::Nothing);
            assert_eq!(BatchedPlan::choose(&problem(ScalarKind::S, [4, 4, 4], 0), &device), BatchedPlan::Nothing);
        }
    }

    #[test]
    fn tiles_cover_small_matrices_and_fit_into_the_least_local_memory() {
        for kind in ScalarKind::ALL {
            for n in [1, 4, 5, 8, 9, 16, 17, 32, 33, 100] {
                let tiles = BatchedTiles::choose(&problem(kind, [n, n, n], 10));
                assert!(tiles.tile >= n.min(64) && tiles.threads() <= 256, "{tiles:?}");
                let bytes = 2 * tiles.matrices * tiles.tile_k * (tiles.tile + 1) * kind.bytes();
                assert!(bytes <= 32 << 10, "{tiles:?}");
                assert_eq!(tiles.tile % tiles.work, 0);
            }
        }
    }

    #[test]
    fn work_items_share_out_the_batch() {
        let device = crate::device::example(DeviceClass::Cpu);
        let per_item = |n, count| BatchedItems::choose(&problem(ScalarKind::D, [n, n, n], count), &device).per_item;
        assert_eq!(per_item(32, 10), 1);
        assert_eq!(per_item(32, 1600), 100);
        assert_eq!(per_item(4, 10), 10);
        assert_eq!(per_item(4, 1_600_000), 100_000);
    }

    #[test]
    fn systems_are_solved_together_unless_one_fills_the_device() {
        let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap();
        let plan = |class, n, columns, count, alpha_is_zero| {
            let options = (Triangle::Lower, Op::NoTrans, Diag::Unit);
            let problem =
                TrsmProblem::new(ScalarKind::C, Side::Left, options, &shape(n, n), &shape(n, columns)).unwrap();
            BatchedTrsmPlan::choose(&problem, count, alpha_is_zero, &crate::device::example(class))
        };
        for (class, base) in [(DeviceClass::Cpu, CPU_BASE), (DeviceClass::Gpu, GPU_BASE)] {
            assert_eq!(plan(class, 10, 5, 0, false), BatchedTrsmPlan::Nothing);
            assert_eq!(plan(class, 10, 5, 3, true), BatchedTrsmPlan::Each);
            assert_eq!(plan(class, 10, 5, 3, false), BatchedTrsmPlan::Blocks { base });
            assert_eq!(plan(class, 300, 5, 3, false), BatchedTrsmPlan::Blocks { base });
            assert_eq!(plan(class, 300, 5, 1, false), BatchedTrsmPlan::Each);
            assert_eq!(plan(class, 300, 1000, 3, false), BatchedTrsmPlan::Each);
        }
    }
}
