//! Kernels of points with transposed operands on CPUs, which pass through squares in private memory.
//!
//! ```text
//!   a unit      BLOCK x BLOCK squares of the last axis and of the other one: few pages of memory
//!   a square    a vector's lanes along both axes
//!   load        vectors along the other axis: whole cache lines, each of which is read once
//!   compute     vectors along the last axis, with lanes from the square
//! ```

use super::emit::{Buffer, V};
use super::generator::{Generator, Point, Slots, stored};
use affinimath_kernel::dynamic::BinaryOp;

/// Squares of a unit along each axis.
pub(super) const BLOCK: usize = 4;

/// The first point of a square: coordinates of all axes.
struct Square<'k> {
    coordinates: Vec<Option<V<'k>>>,
    axis: usize,
    last: usize,
    row: V<'k>,
    column: V<'k>,
}

impl<'k> Square<'k> {
    fn at(&self, row: V<'k>, column: V<'k>) -> Vec<Option<V<'k>>> {
        let mut coordinates = self.coordinates.clone();
        coordinates[self.axis] = Some(row);
        coordinates[self.last] = Some(column);
        coordinates
    }
}

impl<'k> Generator<'_, 'k> {
    /// The kernel of an elementwise phase with operands that are contiguous along another axis.
    pub(super) fn blocks(&self, axis: usize, transposed: u32) {
        let width = self.lowered.width(0);
        let arrays: Vec<(usize, Vec<Buffer<'k>>)> = (0..32)
            .filter(|access| transposed >> access & 1 == 1)
            .map(|access| {
                let element = self.lowered.structure.accesses[access].element;
                let parts = if element.is_complex() { 2 } else { 1 };
                let array = |_| self.e.array("square", stored(element), width * width, false);
                (access, (0..parts).map(array).collect())
            })
            .collect();
        let last = self.lowered.structure.rank - 1;
        let size = BLOCK * width;
        self.units(|unit| {
            let coordinates = self.tile_at(axis, unit, size);
            let (Some(top), Some(left)) = (coordinates[axis], coordinates[last]) else { return };
            let end = |axis: usize, first: V<'k>| self.min(self.add(first, self.index(size)), self.extent(axis));
            let step = self.index(width);
            self.e.for_each("column", left, end(last, left), step, |column| {
                self.e.for_each("row", top, end(axis, top), step, |row| {
                    let square = Square { coordinates: coordinates.clone(), axis, last, row, column };
                    let fits = |axis: usize, first: V<'k>| {
                        self.e.binary(BinaryOp::Le, self.add(first, step), self.extent(axis))
                    };
                    let is_whole = self.e.binary(BinaryOp::And, fits(axis, row), fits(last, column));
                    self.e.if_else(is_whole, || self.whole(&square, &arrays), || self.edge(&square));
                });
            });
        });
    }

    /// A square of points.
    fn whole(&self, square: &Square<'k>, arrays: &[(usize, Vec<Buffer<'k>>)]) {
        let (width, zero, one) = (self.lowered.width(0), self.index(0), self.index(1));
        let (end, &Square { axis, last, row, column, .. }) = (self.index(width), square);
        for (access, arrays) in arrays {
            self.e.for_each("j", zero, end, one, |j| {
                let coordinates = square.at(row, self.add(column, j));
                let point = Point { width: 1, coordinates, lane_axis: axis, lane_step: 1, partial: None };
                for (array, value) in arrays.iter().zip(self.raw_parts(*access, &point, width)) {
                    self.e.store(*array, self.mul(j, end), value, false);
                }
            });
        }
        let accesses: Vec<usize> = arrays.iter().map(|(access, _)| *access).collect();
        self.e.for_each("i", zero, end, one, |i| {
            let point = self.point(width, square.at(self.add(row, i), column), last, None);
            let mut loads = self.loads(0, &point, &accesses);
            for (access, arrays) in arrays {
                let element = self.lowered.structure.accesses[*access].element;
                let values = arrays.iter().map(|array| {
                    let lane = |j: usize| self.e.load(*array, self.add(self.index(j * width), i), 1, false);
                    self.loaded(element, self.e.gather(&(0..width).map(lane).collect::<Vec<_>>()))
                });
                loads.insert(*access, values.collect());
            }
            self.compute(0, &point, &loads, &Slots::new());
        });
    }

    /// Points of a square that reaches beyond an extent, row by row.
    fn edge(&self, square: &Square<'k>) {
        let width = self.lowered.width(0);
        let end = self.min(self.add(square.row, self.index(width)), self.extent(square.axis));
        self.e.for_each("i", square.row, end, self.index(1), |i| {
            let partial = self.partial(width, square.column, self.extent(square.last));
            let point = self.point(width, square.at(i, square.column), square.last, partial);
            self.run(0, &point, &Slots::new());
        });
    }
}
