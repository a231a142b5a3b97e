//! Kernels of points with transposed operands, which pass through tiles in local memory.
//!
//! ```text
//!   a group     TILE x TILE points of the last axis and of the other one, in TILE / TILE_ROWS vectors of lanes
//!   load        work-item (x, y) reads along the other axis, where neighbours are neighbours in memory
//!   compute     work-item (x, y) takes its points along the last axis from the tile
//! ```

use super::emit::{Buffer, V};
use super::generator::{Generator, Point, Slots, stored};
use super::variant::{TILE, TILE_ROWS};
use affinimath_kernel::dynamic::BinaryOp;

/// Lanes of a work-item: its points along the other axis.
const LANES: usize = TILE / TILE_ROWS;

/// A tile's position.
struct Tile<'k> {
    /// Coordinates of all axes: along the last and the other axis those of the tile's first point.
    coordinates: Vec<Option<V<'k>>>,
    axis: usize,
    last: usize,
    x: V<'k>,
    y: V<'k>,
}

impl<'k> Generator<'_, 'k> {
    /// The kernel of an elementwise phase with operands that are contiguous along another axis.
    pub(super) fn tiles(&self, axis: usize, transposed: u32) {
        let tile = self.tile(axis);
        let accesses: Vec<usize> = (0..32).filter(|access| transposed >> access & 1 == 1).collect();
        let moved: Vec<_> = accesses.iter().map(|access| (*access, self.move_in(&tile, *access))).collect();
        self.e.barrier(false);
        let (x, y) = (tile.x, tile.y);
        let mut coordinates = tile.coordinates.clone();
        let along = |axis: usize, offset: V<'k>| tile.coordinates[axis].map(|first| self.add(first, offset));
        coordinates[tile.last] = along(tile.last, x);
        coordinates[axis] = along(axis, y);
        let (Some(column), Some(row)) = (coordinates[tile.last], coordinates[axis]) else { return };
        let is_inside = |row, column| {
            let rows = self.less(row, self.extent(axis));
            self.e.binary(BinaryOp::And, rows, self.less(column, self.extent(tile.last)))
        };
        self.e.when(is_inside(row, column), || {
            let partial = self.partial_steps(LANES, TILE_ROWS, row, self.extent(axis));
            let point = Point { width: LANES, coordinates, lane_axis: axis, lane_step: TILE_ROWS, partial };
            let mut loads = self.loads(0, &point, &accesses);
            for (access, parts) in &moved {
                let values = parts.iter().map(|array| {
                    let lanes = (0..LANES).map(|lane| {
                        let row = self.add(y, self.index(lane * TILE_ROWS));
                        let at = self.add(self.mul(row, self.index(TILE + 1)), x);
                        self.e.load(*array, at, 1, false)
                    });
                    self.e.gather(&lanes.collect::<Vec<_>>())
                });
                let values =
                    values.map(|value| self.loaded(self.lowered.structure.accesses[*access].element, value)).collect();
                loads.insert(*access, values);
            }
            self.compute(0, &point, &loads, &Slots::new());
        });
    }

    /// The tile of a group.
    fn tile(&self, axis: usize) -> Tile<'k> {
        let coordinates = self.tile_at(axis, self.group_id(0), TILE);
        Tile { coordinates, axis, last: self.lowered.structure.rank - 1, x: self.local_id(0), y: self.local_id(1) }
    }

    /// The first point of a tile of a size, by its number.
    pub(super) fn tile_at(&self, axis: usize, number: V<'k>, size: usize) -> Vec<Option<V<'k>>> {
        let rank = self.lowered.structure.rank;
        let last = rank - 1;
        let (rest, across) = self.divide(number, self.divide_up(self.extent(last), size));
        let (outer, down) = self.divide(rest, self.divide_up(self.extent(axis), size));
        let mut coordinates = vec![None; rank];
        let mut rest = outer;
        for other in (0..last).rev().filter(|other| *other != axis) {
            let (quotient, remainder) = self.divide(rest, self.extent(other));
            coordinates[other] = Some(remainder);
            rest = quotient;
        }
        coordinates[last] = Some(self.mul(across, self.index(size)));
        coordinates[axis] = Some(self.mul(down, self.index(size)));
        coordinates
    }

    /// Moves an operand's tile to local memory, an array for each part of its elements. Rows of the tile are padded by
    /// one element, so that its columns lie in different banks.
    fn move_in(&self, tile: &Tile<'k>, access: usize) -> Vec<Buffer<'k>> {
        let element = self.lowered.structure.accesses[access].element;
        let parts = if element.is_complex() { 2 } else { 1 };
        let scalar = stored(element);
        let arrays: Vec<_> = (0..parts).map(|_| self.e.array("tile", scalar, TILE * (TILE + 1), true)).collect();
        self.e.for_each("row", tile.y, self.index(TILE), self.index(TILE_ROWS), |row| {
            // Positions beyond the extents hold the last elements, which nobody uses.
            let inside = |axis: usize, offset: V<'k>| {
                let last = self.e.binary(BinaryOp::Sub, self.extent(axis), self.index(1));
                tile.coordinates[axis].map(|first| self.min(self.add(first, offset), last))
            };
            let mut coordinates = tile.coordinates.clone();
            coordinates[tile.axis] = inside(tile.axis, tile.x);
            coordinates[tile.last] = inside(tile.last, row);
            let point = Point { width: 1, coordinates, lane_axis: tile.axis, lane_step: 1, partial: None };
            let at = self.add(self.mul(tile.x, self.index(TILE + 1)), row);
            for (array, value) in arrays.iter().zip(self.raw_parts(access, &point, 1)) {
                self.e.store(*array, at, value, false);
            }
        });
        arrays
    }
}
