//! Kernels of points: elementwise phases, and phases that run once a row.
//!
//! ```text
//!   GPU   dimension 0: vectors along the last axis     dimension 1: the axis before     dimension 2: the others
//!   CPU   a work-item: neighbouring segments of the last axis, each by its vectors
//! ```

use super::emit::V;
use super::generator::{Generator, Partial, Point};
use super::variant::{Count, Uses};
use affinimath_kernel::dynamic::BinaryOp;

impl<'k> Generator<'_, 'k> {
    /// The kernel of a phase.
    pub(super) fn map(&self, phase: usize, width: usize, step: usize) {
        let axes = self.variant.form.axes(&self.lowered.structure);
        if axes == 0 {
            let point = self.point(width, Vec::new(), 0, None);
            return self.e.when(self.less(self.global_id(0), self.index(1)), || self.map_point(phase, &point));
        }
        if self.is_cpu() { self.map_segments(phase, width, axes) } else { self.map_grid(phase, (width, step), axes) }
    }

    /// A point with lanes along an axis; coordinates that are not given are 0.
    pub(super) fn point(
        &self,
        width: usize,
        mut coordinates: Vec<Option<V<'k>>>,
        lane_axis: usize,
        partial: Option<Partial<'k>>,
    ) -> Point<'k> {
        coordinates.resize(self.lowered.structure.rank, None);
        Point { width, coordinates, lane_axis, lane_step: 1, partial }
    }

    /// Lanes from `first` on that lie before `end`; `None` for one lane.
    pub(super) fn partial(&self, width: usize, first: V<'k>, end: V<'k>) -> Option<Partial<'k>> {
        let left = self.e.binary(BinaryOp::Sub, end, first);
        let vector = self.index(width);
        (width > 1)
            .then(|| Partial { is_full: self.e.binary(BinaryOp::Le, vector, left), count: self.min(left, vector) })
    }

    /// Lanes from `first` on, a step apart, that lie before `end`.
    pub(super) fn partial_steps(&self, width: usize, step: usize, first: V<'k>, end: V<'k>) -> Option<Partial<'k>> {
        let left = self.e.binary(BinaryOp::Sub, end, first);
        let count = self.min(self.divide_up(left, step), self.index(width));
        Some(Partial { is_full: self.e.binary(BinaryOp::Eq, count, self.index(width)), count })
    }

    fn map_point(&self, phase: usize, point: &Point<'k>) {
        let slots = Uses::of([&self.lowered.structure.phases[phase]]).slots;
        let slots = self.stored_slots(slots, point);
        self.run(phase, point, &slots);
    }

    /// One vector of points, in loops over the axes that a grid may not hold.
    fn map_grid(&self, phase: usize, (width, lane_step): (usize, usize), axes: usize) {
        let last = axes - 1;
        let (block, lane) = self.divide(self.global_id(0), self.index(lane_step));
        let first = self.add(self.mul(block, self.index(width * lane_step)), lane);
        let end = self.extent(last);
        let partial = || match lane_step {
            1 => self.partial(width, first, end),
            _ => self.partial_steps(width, lane_step, first, end),
        };
        let at = |outer: Option<V<'k>>, middle: Option<V<'k>>| {
            let mut coordinates = vec![None; axes];
            coordinates[last] = Some(first);
            if let Some(middle) = middle {
                coordinates[last - 1] = Some(middle);
            }
            if let Some(outer) = outer {
                self.coordinates(0..last - 1, outer, &mut coordinates);
            }
            let point = self.point(width, coordinates, last, partial());
            self.map_point(phase, &Point { lane_step, ..point });
        };
        let rows = |outer: Option<V<'k>>| {
            if axes == 1 {
                return at(None, None);
            }
            let step = self.global_size(1);
            self.e.for_each("i1", self.global_id(1), self.extent(last - 1), step, |middle| at(outer, Some(middle)));
        };
        self.e.when(self.less(first, end), || {
            if axes <= 2 {
                return rows(None);
            }
            let outer = (0..last - 1).fold(self.index(1), |all, axis| self.mul(all, self.extent(axis)));
            let step = self.global_size(2);
            self.e.for_each("i2", self.global_id(2), outer, step, |outer| rows(Some(outer)));
        });
    }

    /// Segments of the last axis, one after the other.
    fn map_segments(&self, phase: usize, width: usize, axes: usize) {
        let last = axes - 1;
        let segment = self.count(Count::Segment);
        let vectors = |coordinates: &[Option<V<'k>>], number: V<'k>| {
            let first = self.mul(number, segment);
            let end = self.min(self.add(first, segment), self.extent(last));
            self.e.for_each("i", first, end, self.index(width), |i| {
                let mut coordinates = coordinates.to_vec();
                coordinates.push(Some(i));
                let point = self.point(width, coordinates, last, self.partial(width, i, end));
                self.map_point(phase, &point);
            });
        };
        if axes == 1 {
            return vectors(&[], self.global_id(0));
        }
        self.units(|unit| {
            let (row, number) = self.divide(unit, self.count(Count::Segments));
            let mut coordinates = vec![None; last];
            self.coordinates(0..last, row, &mut coordinates);
            vectors(&coordinates, number);
        });
    }

    /// The units of a CPU's work-item.
    pub(super) fn units(&self, body: impl FnOnce(V<'k>)) {
        let per_item = self.count(Count::UnitsPerItem);
        let first = self.mul(self.global_id(0), per_item);
        let end = self.min(self.add(first, per_item), self.count(Count::Units));
        self.e.for_each("unit", first, end, self.index(1), body);
    }
}
