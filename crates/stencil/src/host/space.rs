//! The points of a pass: a box, cut into rows along one axis, and rows into strips.

use crate::definition::MAX_AXES;

/// Points of a row that are computed together: arrays of so many numbers stay in the first cache.
pub(super) const CAPACITY: usize = 512;

/// Whole vectors that strips are made of.
const GRAIN: usize = 64;

/// The points of a pass. On axes that it has not, the box is one point wide.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) lower: [i64; MAX_AXES],
    pub(super) lengths: [usize; MAX_AXES],
    /// The axis of rows.
    pub(super) axis: usize,
    /// Only points whose coordinates have a sum of this parity.
    pub(super) parity: Option<i64>,
}

/// A part of a row: the positions from `first` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    /// The coordinates of the first point.
    pub(super) cell: [i64; MAX_AXES],
    /// Points.
    pub(super) n: usize,
}

impl Space {
    /// A box on some axes. Rows lie along the first one, or the longest where that one is short.
    pub(super) fn new(axes: &[usize], lower: &[i64], lengths: &[usize]) -> Self {
        let mut space = Space { lower: [0; MAX_AXES], lengths: [1; MAX_AXES], axis: axes[0], parity: None };
        for (position, &axis) in axes.iter().enumerate() {
            (space.lower[axis], space.lengths[axis]) = (lower[position], lengths[position]);
        }
        if space.lengths[space.axis] < 8 {
            let longest = axes.iter().copied().max_by_key(|&axis| (space.lengths[axis], MAX_AXES - axis));
            space.axis = longest.unwrap_or(space.axis);
        }
        space
    }

    /// Points, without regard to parity.
    pub(super) fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Points of a row.
    pub(super) fn row(&self) -> usize {
        self.lengths[self.axis]
    }

    pub(super) fn rows(&self) -> usize {
        if self.row() == 0 { 0 } else { self.points() / self.row() }
    }

    /// From a point of a row to the next.
    pub(super) fn step(&self) -> usize {
        if self.parity.is_some() { 2 } else { 1 }
    }

    /// The first point of a row, the first of the other axes fastest.
    pub(super) fn cell(&self, mut row: usize) -> [i64; MAX_AXES] {
        let mut cell = self.lower;
        // Divisions take longer than the rest.
        for axis in (0..MAX_AXES).filter(|&axis| axis != self.axis && self.lengths[axis] > 1) {
            cell[axis] += (row % self.lengths[axis]) as i64;
            row /= self.lengths[axis];
        }
        cell
    }

    /// The first point; none where no point has the parity.
    pub(super) fn first_point(&self) -> Option<[i64; MAX_AXES]> {
        let has_parity =
            |cell: &[i64; MAX_AXES]| self.parity.is_none_or(|parity| cell.iter().sum::<i64>().rem_euclid(2) == parity);
        // Of two neighbours one has it.
        (0..self.points().min(2) as u64).map(|number| self.point(number)).find(has_parity)
    }

    /// The number of a point, the first axis fastest.
    pub(super) fn number(&self, cell: &[i64; MAX_AXES]) -> u64 {
        let each = (0..MAX_AXES).rev();
        each.fold(0, |number, axis| number * self.lengths[axis] as u64 + (cell[axis] - self.lower[axis]) as u64)
    }

    /// The point of a number.
    pub(super) fn point(&self, mut number: u64) -> [i64; MAX_AXES] {
        let mut cell = self.lower;
        for (coordinate, &length) in cell.iter_mut().zip(&self.lengths) {
            *coordinate += (number % length as u64) as i64;
            number /= length as u64;
        }
        cell
    }

    /// Points of a strip; of the last one of a row there may be fewer. Reductions have strips of a fixed length.
    pub(super) fn strip(&self, has_reductions: bool) -> usize {
        if has_reductions {
            return CAPACITY;
        }
        let points = self.row().div_ceil(self.step());
        points.div_ceil(points.div_ceil(CAPACITY).max(1)).next_multiple_of(GRAIN).min(CAPACITY)
    }

    /// Calls back for the strips of a part of a row: positions from `first` to `end`. `cell` is the row's first point.
    pub(super) fn for_each_strip(
        &self,
        mut cell: [i64; MAX_AXES],
        (first, end): (usize, usize),
        strip: usize,
        mut visit: impl FnMut(Strip),
    ) {
        let end = self.lower[self.axis] + end.min(self.row()) as i64;
        let step = self.step() as i64;
        cell[self.axis] += first as i64;
        self.move_to_parity(&mut cell);
        while cell[self.axis] < end {
            let n = ((end - cell[self.axis] + step - 1) / step).min(strip as i64);
            visit(Strip { cell, n: n as usize });
            cell[self.axis] += n * step;
        }
    }

    /// The first point of a row from a point on that has the parity, which may lie beyond the row.
    pub(super) fn move_to_parity(&self, cell: &mut [i64; MAX_AXES]) {
        if let Some(parity) = self.parity
            && cell.iter().sum::<i64>().rem_euclid(2) != parity
        {
            cell[self.axis] += 1;
        }
    }
}
