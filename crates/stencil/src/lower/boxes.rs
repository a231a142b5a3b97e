//! Boxes of points over work-items.

use affinimath_array::lower::operations::V;
use affinimath_kernel::dynamic::{BinaryOp, Query};

use super::generator::{Generator, Point};
use super::{Form, KernelArgument};
use crate::definition::MAX_AXES;
use crate::run::Colour;

/// Work-items of a group, in the form of points.
const GROUP: [usize; 3] = [64, 4, 1];
/// Work-items of a group where there is one axis.
const LINE: [usize; 3] = [256, 1, 1];
/// Points of a chunk of a row.
pub(crate) const CHUNK: usize = 4096;
/// The most groups in the third dimension: others are done by a loop.
const MAX_DEEP_GROUPS: usize = 65_535;

/// Groups and work-items of a launch on a box, whose lengths have the fastest axis first. A colour has half the points
/// of a row.
pub(crate) fn launch_size(form: Form, lengths: &[usize], has_colour: bool) -> ([usize; 3], [usize; 3]) {
    let row = lengths.first().copied().unwrap_or(1);
    let second = lengths.get(1).copied().unwrap_or(1);
    let rest: usize = lengths.iter().skip(2).product();
    match form {
        Form::Points => {
            let row = if has_colour { row.div_ceil(2) } else { row };
            if lengths.len() < 2 {
                return ([row.div_ceil(LINE[0]), 1, 1], LINE);
            }
            ([row.div_ceil(GROUP[0]), second.div_ceil(GROUP[1]), rest.min(MAX_DEEP_GROUPS)], GROUP)
        }
        Form::Rows => ([row.div_ceil(CHUNK), second, rest], [1; 3]),
    }
}

impl<'k> Generator<'_, 'k> {
    fn id(&self, query: Query, dimension: usize) -> V<'k> {
        self.e.convert(self.e.query(query, dimension), self.index_type())
    }

    /// Emits `body` for all points of the box of the axes, given fastest first. Vectors along x have `lanes`, where x
    /// is the first axis.
    pub(super) fn for_each_point(
        &self,
        axes: &[usize],
        lanes: usize,
        colour: Option<Colour>,
        body: &dyn Fn(&Point<'k>),
    ) {
        let point = Point { local: [None; MAX_AXES], lanes: 1 };
        match (self.device.form, axes.len()) {
            (Form::Points, 0..=1) => self.row(axes, lanes, colour, point, body),
            (Form::Points, 2) => {
                let second = self.id(Query::GlobalId, 1);
                let is_inside = self.less(second, self.value(KernelArgument::Length(axes[1])));
                self.e.when(is_inside, || self.row(axes, lanes, colour, self.at(point, axes[1], second), body));
            }
            (Form::Points, _) => {
                let second = self.id(Query::GlobalId, 1);
                let is_inside = self.less(second, self.value(KernelArgument::Length(axes[1])));
                self.e.when(is_inside, || {
                    let point = self.at(point, axes[1], second);
                    let count = self.deep_count(axes);
                    let (first, step) = (self.id(Query::GlobalId, 2), self.id(Query::GlobalSize, 2));
                    self.e.for_each("deep", first, count, step, |deep| {
                        self.row(axes, lanes, colour, self.deep(axes, point, deep), body);
                    });
                });
            }
            (Form::Rows, 0..=1) => self.row(axes, lanes, colour, point, body),
            (Form::Rows, _) => {
                let point = self.at(point, axes[1], self.id(Query::GlobalId, 1));
                let point = if axes.len() > 2 { self.deep(axes, point, self.id(Query::GlobalId, 2)) } else { point };
                self.row(axes, lanes, colour, point, body);
            }
        }
    }

    /// The point at a distance from the box's start.
    fn at(&self, mut point: Point<'k>, axis: usize, distance: V<'k>) -> Point<'k> {
        point.local[axis] = Some(self.add(self.value(KernelArgument::Start(axis)), distance));
        point
    }

    /// Points on the third axis and those behind it.
    fn deep_count(&self, axes: &[usize]) -> V<'k> {
        let lengths = axes[2..].iter().map(|&axis| self.value(KernelArgument::Length(axis)));
        lengths.reduce(|a, b| self.multiply(a, b)).unwrap_or_else(|| self.index(1))
    }

    /// The third axis and those behind it, from one number.
    fn deep(&self, axes: &[usize], mut point: Point<'k>, mut number: V<'k>) -> Point<'k> {
        for (number_of_axis, &axis) in axes[2..].iter().enumerate() {
            if number_of_axis + 3 == axes.len() {
                return self.at(point, axis, number);
            }
            let length = self.value(KernelArgument::Length(axis));
            let rest = self.e.binary(BinaryOp::Rem, number, length);
            number = self.e.binary(BinaryOp::Div, number, length);
            point = self.at(point, axis, rest);
        }
        point
    }

    /// The points of a row, or of a work-item's part of one.
    fn row(&self, axes: &[usize], lanes: usize, colour: Option<Colour>, point: Point<'k>, body: &dyn Fn(&Point<'k>)) {
        let Some(&axis) = axes.first() else {
            let is_first = self.e.binary(BinaryOp::Eq, self.id(Query::GlobalId, 0), self.index(0));
            self.e.when(is_first, || body(&point));
            return;
        };
        let length = self.value(KernelArgument::Length(axis));
        let skipped = colour.map(|colour| self.skipped(axes, &point, colour));
        if self.device.form == Form::Points {
            let mut distance = self.id(Query::GlobalId, 0);
            if let Some(skipped) = skipped {
                distance = self.add(self.multiply(distance, self.index(2)), skipped);
            }
            self.e.when(self.less(distance, length), || body(&self.at(point, axis, distance)));
            return;
        }
        let chunk = self.value(KernelArgument::Chunk);
        let first = self.multiply(self.id(Query::GlobalId, 0), chunk);
        let room = self.subtract(length, first);
        let count = self.e.select(self.less(room, chunk), room, chunk);
        if let Some(skipped) = skipped {
            // Chunks have an even number of points.
            self.e.for_each("i", skipped, count, self.index(2), |i| {
                body(&self.at(point, axis, self.add(first, i)));
            });
            return;
        }
        let lanes = if axis == 0 { lanes } else { 1 };
        let mut done = self.index(0);
        if lanes > 1 {
            let rest = self.e.binary(BinaryOp::Rem, count, self.index(lanes as i64));
            done = self.subtract(count, rest);
            self.e.for_each("i", self.index(0), done, self.index(lanes as i64), |i| {
                body(&Point { lanes, ..self.at(point, axis, self.add(first, i)) });
            });
        }
        self.e.for_each("i", done, count, self.index(1), |i| body(&self.at(point, axis, self.add(first, i))));
    }

    /// 1 where the first point of a row has the other colour, else 0. The box is the domain.
    fn skipped(&self, axes: &[usize], point: &Point<'k>, colour: Colour) -> V<'k> {
        let wide = affinimath_kernel::ScalarType::I64;
        let mut sum = self.add(
            self.value(KernelArgument::Lower(axes[0])),
            self.e.convert(self.value(KernelArgument::Start(axes[0])), wide),
        );
        for &axis in &axes[1..] {
            sum = self.add(sum, self.coordinate(point, axis));
        }
        let parity = self.e.binary(BinaryOp::And, sum, self.e.whole(wide, 1, 1));
        let is_other = self.e.binary(BinaryOp::Ne, parity, self.e.whole(wide, colour.parity(), 1));
        self.e.select(is_other, self.index(1), self.index(0))
    }
}
