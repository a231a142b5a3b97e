//! One step: work-items walk along the last axis, and keep columns of neighbours in registers.

use std::collections::BTreeMap;

use affinimath_array::lower::operations::V;
use affinimath_kernel::dynamic::{BinaryOp, Query, Variable};

use super::super::generator::{Generator, Point, Slice};
use super::super::nodes::Scope;
use super::super::{KernelArgument, Level};
use crate::analysis::values;
use crate::definition::{MAX_AXES, Stencil, Tap, Target};
use crate::strategy::Tile;

/// Neighbours on a line along the last axis: their grid's slice, and their x and y relative to the work-item's first
/// point. The x of a vector is 0.
pub(super) type Line = (usize, usize, Level, i32, i32);

/// A line's elements, from one plane to another relative to the current one.
pub(super) struct Column<'k> {
    pub(super) low: i32,
    pub(super) high: i32,
    /// Elements before the highest one.
    pub(super) queue: Vec<Variable<'k>>,
}

/// The place of a work-item.
pub(super) struct Walk<'k> {
    /// The first point that it stores: that of its work-item or its group, as it would be without others.
    pub(super) first: [V<'k>; 2],
    /// The first of its points, moved into the domain.
    pub(super) start: [V<'k>; 2],
    /// They may differ.
    pub(super) moves: [bool; 2],
}

impl<'k> Generator<'_, 'k> {
    /// A sweep of a stage.
    pub(in super::super) fn stream(&self, stage: usize, tile: Tile) {
        self.e.fix_group([tile.items[0], tile.items[1], 1]);
        let last = self.stencil().dimension() - 1;
        let planar = |axis: usize| axis < last;
        let zero = self.index(0);
        let first = [0, 1].map(|axis| {
            if planar(axis) {
                self.multiply(self.query_index(Query::GlobalId, axis), self.index(tile.points[axis] as i64))
            } else {
                zero
            }
        });
        let mut is_inside = self.less(first[0], self.value(KernelArgument::Extent(0)));
        if planar(1) {
            is_inside = self.both(is_inside, self.less(first[1], self.value(KernelArgument::Extent(1))));
        }
        self.e.when(is_inside, || {
            // Along x, points are lanes of vectors.
            let moves = [false, planar(1) && tile.points[1] > 1];
            let start = [0, 1].map(|axis| {
                if !moves[axis] {
                    return first[axis];
                }
                let points = self.index(tile.points[axis] as i64);
                self.min(first[axis], self.subtract(self.value(KernelArgument::Extent(axis)), points))
            });
            self.walk(stage, tile, &Walk { first, start, moves });
        });
    }

    fn walk(&self, stage: usize, tile: Tile, walk: &Walk<'k>) {
        let last = self.stencil().dimension() - 1;
        let statements = &self.stencil().stages()[stage].statements;
        let taps = self.stencil().graph().taps(values(statements));
        let taps: Vec<Tap> = taps.into_iter().filter(|tap| is_on_lines(self.stencil(), tap)).collect();
        let planes = self.index(tile.planes as i64);
        let from = self.multiply(self.query_index(Query::GroupId, last), planes);
        let to = self.min(self.add(from, planes), self.value(KernelArgument::Extent(last)));
        let mut columns = self.columns(&taps, tile);
        for (line, column) in &mut columns {
            column.queue = (column.low..column.high)
                .map(|distance| self.e.variable("queue", self.element_on(line, tile, walk, from, distance)))
                .collect();
        }
        let (mut done, unroll) = (from, tile.unroll);
        if unroll > 1 {
            let rest = self.e.binary(BinaryOp::Rem, self.subtract(to, from), self.index(unroll as i64));
            done = self.subtract(to, rest);
            self.e.for_each("plane", from, done, self.index(unroll as i64), |plane| {
                self.trip(stage, tile, walk, (&taps, &columns), plane, unroll);
            });
        }
        self.e.for_each("plane", done, to, self.index(1), |plane| {
            self.trip(stage, tile, walk, (&taps, &columns), plane, 1);
        });
    }

    /// Some planes, whose elements are loaded at once.
    fn trip(
        &self,
        stage: usize,
        tile: Tile,
        walk: &Walk<'k>,
        (taps, columns): (&[Tap], &BTreeMap<Line, Column<'k>>),
        plane: V<'k>,
        count: usize,
    ) {
        let last = self.stencil().dimension() - 1;
        let at = |ahead: usize| self.add(plane, self.index(ahead as i64));
        let lines = columns.iter().map(|(line, column)| {
            let before = column.queue.iter().map(|variable| self.e.get(*variable));
            let loaded =
                (0..count).map(|ahead| self.element_on(line, tile, walk, at(ahead), column.high).named("near"));
            (*line, before.chain(loaded).collect())
        });
        let lines: BTreeMap<Line, Vec<V<'k>>> = lines.collect();
        for ahead in 0..count {
            for j in 0..tile.points[1] {
                let values = (0..tile.points[0]).map(|i| {
                    let mut scope = Scope::default();
                    for tap in taps {
                        let (line, lane) = self.line(tap, [i, j], tile);
                        let index = (tap.offsets[last] - columns[&line].low) as usize + ahead;
                        scope.taps.insert(*tap, self.e.lane(lines[&line][index], lane));
                    }
                    self.values_at(stage, walk, [i, j], at(ahead), scope)
                });
                let values = values.collect::<Vec<_>>();
                self.store_row(walk, j, at(ahead), &values);
            }
        }
        for (line, column) in columns {
            let next = &lines[line][count..];
            column.queue.iter().zip(next).for_each(|(variable, value)| self.e.set(*variable, *value));
        }
    }

    fn point_at(&self, walk: &Walk<'k>, [i, j]: [usize; 2], plane: V<'k>) -> Point<'k> {
        let mut point = Point { local: [None; MAX_AXES], lanes: 1 };
        point.local[0] = Some(self.add(walk.start[0], self.index(i as i64)));
        point.local[1] = Some(self.add(walk.start[1], self.index(j as i64)));
        point.local[self.stencil().dimension() - 1] = Some(plane);
        point
    }

    /// The values that the statements assign at one of a work-item's points.
    pub(super) fn values_at(
        &self,
        stage: usize,
        walk: &Walk<'k>,
        point: [usize; 2],
        plane: V<'k>,
        scope: Scope<'k>,
    ) -> Vec<(Target, V<'k>)> {
        let point = self.point_at(walk, point, plane);
        let statements = &self.stencil().stages()[stage].statements;
        let (targets, scope) = self.values_of(statements, &point, scope, false);
        // Values are computed for all points, stored or not: loads need not wait for conditions.
        let value = |target: Target| scope.assigned[&(target.grid, target.component)].named("value");
        targets.into_iter().map(|target| (target, value(target))).collect()
    }

    /// Stores the values of a work-item's points in a row.
    pub(super) fn store_row(&self, walk: &Walk<'k>, j: usize, plane: V<'k>, values: &[Vec<(Target, V<'k>)>]) {
        let point = self.point_at(walk, [0, j], plane);
        let store = || {
            for (number, &(target, _)) in values[0].iter().enumerate() {
                let slice = Slice::at(target.grid, target.component, target.time);
                let lanes: Vec<V<'k>> = values.iter().map(|each| each[number].1).collect();
                let element = self.element_of(slice, &point, &[0; MAX_AXES]);
                self.store_aligned(slice, element, self.e.gather(&lanes));
            }
        };
        // Points that were moved into the domain are another work-item's.
        let own = [walk.start[0], self.add(walk.start[1], self.index(j as i64))];
        let moved = [0, 1].into_iter().filter(|&axis| walk.moves[axis]);
        match moved.map(|axis| self.not_above(walk.first[axis], own[axis])).reduce(|a, b| self.both(a, b)) {
            Some(is_own) => self.e.when(is_own, store),
            None => store(),
        }
    }

    /// The line of a tap, and the lane of its vectors.
    fn line(&self, tap: &Tap, [i, j]: [usize; 2], tile: Tile) -> (Line, usize) {
        let is_planar = self.stencil().dimension() == 3;
        let level = if self.stencil().grids()[tap.grid].constant { 0 } else { tap.time };
        let y = if is_planar { tap.offsets[1] + j as i32 } else { 0 };
        let x = tap.offsets[0] + i as i32;
        let is_lane = (0..tile.points[0] as i32).contains(&x);
        let line = |x| (tap.grid, tap.component, Level::At(level), x, y);
        if is_lane { (line(0), x as usize) } else { (line(x), 0) }
    }

    fn columns(&self, taps: &[Tap], tile: Tile) -> BTreeMap<Line, Column<'k>> {
        let last = self.stencil().dimension() - 1;
        let mut columns = BTreeMap::new();
        for point in points(tile) {
            for tap in taps {
                let distance = tap.offsets[last];
                let column = columns.entry(self.line(tap, point, tile).0).or_insert_with(|| Column {
                    low: distance,
                    high: distance,
                    queue: Vec::new(),
                });
                column.low = column.low.min(distance);
                column.high = column.high.max(distance);
            }
        }
        columns
    }

    /// The element of a line at a distance from a plane.
    fn element_on(&self, line: &Line, tile: Tile, walk: &Walk<'k>, plane: V<'k>, distance: i32) -> V<'k> {
        let &(grid, component, level, x, y) = line;
        let last = self.stencil().dimension() - 1;
        let slice = Slice { grid, component, level };
        let mut element = self.add(self.scaled(grid, last, plane), self.scaled(grid, 0, walk.start[0]));
        if last == 2 {
            element = self.add(element, self.scaled(grid, 1, walk.start[1]));
        }
        element = self.add(element, self.value(slice.origin()));
        let steps = [(0, x), (1, if last == 2 { y } else { 0 }), (last, distance)];
        for step in steps.into_iter().filter_map(|(axis, steps)| self.distance(grid, axis, i64::from(steps))) {
            element = self.add(element, step);
        }
        let lanes = if x == 0 { tile.points[0] } else { 1 };
        self.load_aligned(slice, element, lanes)
    }
}

/// A tap of a grid with all axes, whose value no statement of the stage computes.
pub(super) fn is_on_lines(stencil: &Stencil, tap: &Tap) -> bool {
    let grid = &stencil.grids()[tap.grid];
    let is_written = stencil.written_level(tap.grid) == Some(tap.time) && !grid.constant;
    let is_centre = tap.offsets.iter().all(|&offset| offset == 0);
    grid.axes.len() == stencil.dimension() && !(is_written && is_centre)
}

/// The points of a work-item, relative to its first one.
pub(super) fn points(tile: Tile) -> impl Iterator<Item = [usize; 2]> {
    (0..tile.points[1]).flat_map(move |j| (0..tile.points[0]).map(move |i| [i, j]))
}
