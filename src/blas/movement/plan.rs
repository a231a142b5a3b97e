//! Kernels and division of matrix copies: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::scalar::ScalarKind;
use affinimath_core::problem::movement::MovementProblem;

/// Kernel and division of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementPlan {
    /// GPUs and unknown devices: a work-group per tile.
    Tiles(Tiles),
    /// CPUs: a work-item per block, which it does by tiles.
    Blocks {
        /// Rows and columns of a block.
        block: [usize; 2],
        /// Rows and columns of a tile.
        tile: [usize; 2],
        /// Rows and columns of the squares that are transposed in registers.
        square: usize,
        /// Reals in a vector.
        vector_width: usize,
    },
}

/// Tiles in local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Rows and columns of a tile.
    pub tile: [usize; 2],
    /// Work-items of a group.
    pub threads: usize,
}

/// Work-items per core that level out their different speeds.
const ITEMS_PER_CORE: usize = 8;
/// Bytes below which a block is not worth a work-item.
const MIN_BLOCK_BYTES: usize = 16 << 10;
/// Bytes of a tile's rows and columns in a transposition: the tile and its transpose fit into an L2 cache.
const TILE_BYTES: usize = 1024;
/// Rows of a tile, one column wide, if nothing is transposed.
const LONG_TILE: usize = 4096;

impl Tiles {
    /// Tiles for a matrix; square ones if it, or one of its terms, is transposed.
    pub(super) fn choose(kind: ScalarKind, columns: usize, transposes: bool, device: &DeviceInfo) -> Self {
        // At most 17 KiB of the 32 KiB of local memory that OpenCL guarantees; rows of a tile are two or more memory
        // segments.
        let side = if kind.bytes() == 4 { 64 } else { 32 };
        // A matrix without gaps is one column, of which a group takes as many elements.
        let tile = if columns == 1 && !transposes { [side * side, 1] } else { [side, side] };
        Tiles { tile, threads: power_of_two_below(device.max_work_group_size.min(256)) }
    }
}

const fn power_of_two_below(size: usize) -> usize {
    if size == 0 { 1 } else { 1 << size.ilog2() }
}

/// Sides of the squares that CPUs transpose in registers, and of the tiles that an in-place transposition swaps.
pub(super) fn square_and_tile(kind: ScalarKind, device: &DeviceInfo) -> (usize, usize) {
    let square = if device.vector_width(kind) >= 8 { 8 } else { 4 };
    (square, if kind.bytes() == 4 { 64 } else { 32 })
}

impl MovementPlan {
    /// The plan for a problem in its canonical form.
    pub fn choose(problem: &MovementProblem, device: &DeviceInfo) -> Self {
        if device.class != DeviceClass::Cpu {
            return MovementPlan::Tiles(Tiles::choose(
                problem.kind,
                problem.columns,
                problem.across().contains(&true),
                device,
            ));
        }
        let (square, _) = square_and_tile(problem.kind, device);
        let side = TILE_BYTES / problem.kind.bytes();
        let across = problem.across().contains(&true);
        let tile = if across { [side, side] } else { [LONG_TILE, 1] };
        let block = block(problem, tile, device.compute_units * ITEMS_PER_CORE);
        MovementPlan::Blocks { block, tile, square, vector_width: device.vector_width(problem.kind) }
    }
}

/// Blocks of whole tiles: full columns, divided along the rows too if there are too few blocks.
fn block(problem: &MovementProblem, tile: [usize; 2], wanted: usize) -> [usize; 2] {
    let smallest = MIN_BLOCK_BYTES / problem.kind.bytes();
    let by_size = (problem.rows * problem.columns).div_ceil(smallest);
    let items = wanted.min(by_size).max(1);
    let columns = problem.columns.div_ceil(items).next_multiple_of(tile[1].min(64));
    let strips = problem.columns.div_ceil(columns);
    let rows = problem.rows.div_ceil((items / strips).max(1)).next_multiple_of(tile[0].min(64));
    [rows, columns]
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::blas::level3::gemm::Operand;

    fn problem(rows: usize, columns: usize, term: [usize; 2], target: [usize; 2]) -> MovementProblem {
        let operand = |[row_stride, column_stride]: [usize; 2]| Operand::general(3, row_stride, column_stride);
        let terms = [Some(operand(term)), None];
        MovementProblem { kind: ScalarKind::D, rows, columns, target: operand(target), terms }
    }

    #[test]
    fn a_target_by_rows_is_taken_transposed() {
        let by_rows = problem(5, 7, [1, 9], [8, 1]).canonical();
        assert_eq!((by_rows.rows, by_rows.columns, by_rows.target.row_stride), (7, 5, 1));
        assert_eq!(by_rows.across(), [true, false]);
    }

    #[test]
    fn what_is_dense_is_one_column() {
        let dense = problem(5, 7, [1, 5], [1, 5]).canonical();
        assert_eq!((dense.rows, dense.columns), (35, 1));
        let apart = problem(5, 7, [1, 6], [1, 5]).canonical();
        assert_eq!((apart.rows, apart.columns), (5, 7));
        let transposed = problem(5, 7, [7, 1], [1, 5]).canonical();
        assert_eq!((transposed.rows, transposed.columns), (5, 7));
    }

    #[test]
    fn blocks_cover_the_matrix_and_none_is_empty() {
        let device = crate::device::example(DeviceClass::Cpu);
        for (rows, columns) in [(1, 1), (1000, 1), (1, 1000), (3000, 2000), (100_000, 7), (7, 100_000), (1 << 20, 1)] {
            for strides in [[1, rows], [columns, 1]] {
                let problem = problem(rows, columns, strides, [1, rows + 1]);
                let MovementPlan::Blocks { block, tile, .. } = MovementPlan::choose(&problem, &device) else {
                    panic!("a CPU works by blocks")
                };
                assert!(
                    block[1].is_multiple_of(tile[1].min(64)) && block[0].is_multiple_of(tile[0].min(64)),
                    "{block:?}"
                );
                let blocks = rows.div_ceil(block[0]) * columns.div_ceil(block[1]);
                assert!(blocks <= 2 * 2 * ITEMS_PER_CORE, "{rows} x {columns}: {blocks}");
            }
        }
    }

    #[test]
    fn tiles_fit_into_the_least_local_memory() {
        let device = DeviceInfo { max_work_group_size: 100, ..crate::device::example(DeviceClass::Gpu) };
        for kind in ScalarKind::ALL {
            let tiles = Tiles::choose(kind, 1, true, &device);
            assert!(tiles.tile[0] == tiles.tile[1] && tiles.tile[0] * (tiles.tile[1] + 1) * kind.bytes() <= 32 << 10);
            assert_eq!(tiles.threads, 64);
            let long = Tiles::choose(kind, 1, false, &device);
            assert_eq!((long.tile[1], long.tile[0]), (1, tiles.tile[0] * tiles.tile[1]));
        }
    }
}
