//! Tiles of accesses whose neighbours in memory lie along another axis than the last: transposed matrices.
//!
//! A run of such an access touches a cache line for each element. So a few neighbouring runs are copied at once to the
//! workspace, where each is adjacent, and evaluated in turn.

use affinimath_array::fused::Arguments;

use super::code::Code;
use super::loops;
use super::program::Program;
use super::worker::{Block, Launch, Worker};

/// Runs of a tile: a cache line of doubles has 8.
pub(super) const ROWS: usize = 16;
/// Fewer runs share no cache lines.
const MIN_ROWS: usize = 4;
/// Bytes of the tiles of a row that is reduced, at most: a part of the second cache.
const MAX_BYTES: usize = 1024 * 1024;
/// Bytes of a cache line. Rows of tiles lie one more apart, so that they do not meet in the first cache.
const LINE: usize = 64;

/// The accesses of a launch that are read by tiles.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    /// A bit for each access.
    accesses: u64,
    /// Points of the last axis in a tile.
    columns: usize,
}

/// A tile in the workspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    memory: *mut u8,
    /// The present run.
    row: usize,
    /// The first point along the last axis.
    column: usize,
}

impl Tiles {
    /// Those of a launch whose last axis has long runs, and in which they are the elements of rows if it reduces.
    pub(super) fn new(program: &Program, arguments: &Arguments, block: usize) -> Self {
        let structure = &program.structure;
        let rank = structure.rank;
        let is_elementwise = structure.parallel == rank;
        if rank < 2 || structure.parallel + 1 < rank || arguments.extents[rank - 2] < MIN_ROWS {
            return Tiles::default();
        }
        let columns = if is_elementwise { block } else { arguments.extents[rank - 1] };
        let mut accesses = 0;
        for (index, (memory, view)) in program.accesses.iter().zip(&arguments.views).enumerate().take(64) {
            let bytes = memory.bytes;
            let [.., row, column] = view.strides[..] else { continue };
            let is_across = view.strides.len() == rank
                && row != 0
                && (row.unsigned_abs() as usize).saturating_mul(bytes) < LINE
                && (column.unsigned_abs() as usize).saturating_mul(bytes) >= LINE;
            let access = structure.accesses[index];
            let fits = is_elementwise || columns * bytes * ROWS <= MAX_BYTES;
            if is_across && fits && program.is_loaded_at_points(index) && !access.is_written {
                accesses |= 1 << index;
            }
        }
        Tiles { accesses, columns }
    }

    /// True if an access is read by tiles.
    pub(super) const fn are_used(&self) -> bool {
        self.accesses != 0
    }

    fn has(&self, access: usize) -> bool {
        access < 64 && self.accesses >> access & 1 == 1
    }

    /// Bytes between the rows of a tile.
    fn pitch(&self, bytes: usize) -> usize {
        (self.columns * bytes).next_multiple_of(LINE) + LINE
    }

    /// The offset of an access's tile.
    fn offset(&self, launch: &Launch<'_>, access: usize) -> usize {
        let bytes_of = |access: usize| ROWS * self.pitch(launch.program.accesses[access].bytes);
        (0..access).filter(|&access| self.has(access)).map(bytes_of).sum()
    }

    /// Tiles of an elementwise launch.
    pub(super) fn count(&self, launch: &Launch<'_>) -> usize {
        let (last, rows) = launch.points.last_two();
        launch.points.points() / (last * rows) * rows.div_ceil(ROWS) * last.div_ceil(self.columns)
    }
}

impl Worker<'_> {
    /// Copies a tile of each access that is read by tiles: `rows` runs, and `columns` points of each.
    pub(super) fn load_tile(&mut self, point: usize, rows: usize, columns: usize) {
        let launch = self.launch;
        let (tiles, index) = (&launch.tiles, launch.points.index(point));
        let accesses = launch.program.accesses.len();
        let memory = self.workspace.tiles(tiles.offset(launch, accesses.min(64)));
        for access in (0..accesses).filter(|&access| tiles.has(access)) {
            let (view, bytes) = (self.view(access), launch.program.accesses[access].bytes);
            let distance = view.strides.iter().zip(&index).map(|(&stride, &i)| stride as isize * i as isize);
            let from = self.element(access, view.offset as isize + distance.sum::<isize>());
            let strides = [view.strides[view.strides.len() - 2], view.strides[view.strides.len() - 1]];
            let to = memory.wrapping_add(tiles.offset(launch, access));
            // SAFETY: the points of the tile are the launch's, whose elements are in the access's memory; the tile has
            // memory for them.
            unsafe {
                let from = (from.cast_const(), strides.map(|stride| stride as isize));
                loops::copy_transposed(bytes, from, (to, tiles.pitch(bytes)), rows, columns);
            }
        }
        self.tile = Some(Tile { memory, row: 0, column: index[launch.points.rank() - 1] });
    }

    /// Goes on to a run of the tile.
    pub(super) fn set_tile_row(&mut self, row: usize) {
        if let Some(tile) = &mut self.tile {
            tile.row = row;
        }
    }

    /// Makes a run's elements those of the tile.
    pub(super) fn place_tile(&mut self) {
        let (Some(tile), tiles) = (self.tile, &self.launch.tiles) else { return };
        for access in 0..self.workspace.positions.len() {
            if tiles.has(access) {
                let bytes = self.launch.program.accesses[access].bytes;
                let row = tiles.offset(self.launch, access) + tile.row * tiles.pitch(bytes);
                self.workspace.positions[access] = tile.memory.wrapping_add(row).wrapping_sub(tile.column * bytes);
                self.workspace.strides[access] = 1;
            }
        }
    }

    /// Evaluates an elementwise phase at the points of the tile with a number.
    pub(super) fn tile(&mut self, code: &Code, tile: usize) {
        let launch = self.launch;
        let space = &launch.points;
        let (last, extent) = space.last_two();
        let (blocks, groups) = (last.div_ceil(launch.tiles.columns), extent.div_ceil(ROWS));
        let (row, column) = (tile / blocks % groups * ROWS, tile % blocks * launch.tiles.columns);
        let first = (tile / blocks / groups * extent + row) * last + column;
        let (rows, columns) = (ROWS.min(extent - row), launch.tiles.columns.min(last - column));
        self.load_tile(first, rows, columns);
        for row in 0..rows {
            let point = first + row * last;
            let index = space.index(point);
            self.set_tile_row(row);
            self.begin_run(code, &index, point);
            let block = Block { n: columns, is_in_run: true, ..Block::of_loop(space, index, point) };
            self.block(code, &block);
        }
        self.tile = None;
    }
}
