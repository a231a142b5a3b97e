//! One step: planes of a tile in local memory, and a work-item's own columns in registers.
//!
//! ```text
//!   trip of the loop   loads    the next planes of own columns from memory, to registers
//!                      shares   planes whose neighbours in x and y are read, with what lies around the tile
//!                      barrier
//!                      computes neighbours in z from registers, those in x and y from local memory
//! ```
//!
//! A trip shares its planes in one of two parts of local memory, by turns: one barrier is enough. Tiles at the ends of
//! x and y are moved into the domain, so that all tiles are whole. Points that another tile has are not stored again.

use std::collections::{BTreeMap, BTreeSet};

use affinimath_array::lower::operations::{Buffer, V, scalar_type};
use affinimath_kernel::dynamic::{BinaryOp, Query, Variable};

use super::super::generator::{Generator, Slice};
use super::super::nodes::Scope;
use super::super::{Level, element};
use super::stream::{Column, Line, Walk, is_on_lines, points};
use crate::analysis::values;
use crate::definition::{Stencil, Tap, Type};
use crate::strategy::Tile;

/// A field of which work-items read each other's points.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    grid: usize,
    component: usize,
    level: Level,
    kind: Type,
    /// The plane that goes through local memory, relative to the current one: the highest of which a neighbour is read.
    plane: i32,
    /// Points beyond the tile that are read, by axis and side.
    reach: [[usize; 2]; 2],
    /// Some of them are beyond it on both axes.
    has_corners: bool,
}

impl Shared {
    /// Vectors beyond the tile on x.
    fn beyond(&self, tile: Tile) -> [usize; 2] {
        self.reach[0].map(|reach| reach.div_ceil(tile.points[0]))
    }

    /// Vectors of a row.
    fn pitch(&self, tile: Tile) -> usize {
        self.beyond(tile).iter().sum::<usize>() + tile.items[0]
    }

    /// Vectors of a plane.
    fn plane_length(&self, tile: Tile) -> usize {
        (self.reach[1].iter().sum::<usize>() + tile.items[1] * tile.points[1]) * self.pitch(tile)
    }

    /// Vectors of a trip's planes.
    fn part_length(&self, tile: Tile) -> usize {
        tile.unroll * self.plane_length(tile)
    }

    /// Bytes of local memory.
    pub(super) fn bytes(&self, tile: Tile) -> usize {
        2 * self.part_length(tile) * tile.points[0] * self.kind.bytes()
    }

    const fn has(&self, (grid, component, level): (usize, usize, Level)) -> bool {
        self.grid == grid && self.component == component && same(self.level, level)
    }
}

const fn same(a: Level, b: Level) -> bool {
    matches!((a, b), (Level::At(a), Level::At(b)) if a == b)
}

/// The fields of a stage that go through local memory.
pub(super) fn shared_fields(stencil: &Stencil, stage: usize) -> Vec<Shared> {
    let last = stencil.dimension() - 1;
    let mut all: Vec<Shared> = Vec::new();
    for tap in lines_of(stencil, stage) {
        let planar = [0, 1].map(|axis| if axis < last { tap.offsets[axis] } else { 0 });
        if planar == [0; 2] {
            continue;
        }
        let field = field_of(stencil, &tap);
        let known = all.iter().position(|shared| shared.has(field)).unwrap_or_else(|| {
            let (grid, component, level) = field;
            let kind = stencil.grids()[grid].kind;
            let (plane, reach, has_corners) = (tap.offsets[last], [[0; 2]; 2], false);
            all.push(Shared { grid, component, level, kind, plane, reach, has_corners });
            all.len() - 1
        });
        let shared = &mut all[known];
        shared.plane = shared.plane.max(tap.offsets[last]);
        shared.has_corners |= !planar.contains(&0);
        for (reach, offset) in shared.reach.iter_mut().zip(planar) {
            let side = usize::from(offset > 0);
            reach[side] = reach[side].max(offset.unsigned_abs() as usize);
        }
    }
    all
}

/// The taps of a stage whose values lie on lines along the last axis.
fn lines_of(stencil: &Stencil, stage: usize) -> Vec<Tap> {
    let taps = stencil.graph().taps(values(&stencil.stages()[stage].statements));
    taps.into_iter().filter(|tap| is_on_lines(stencil, tap)).collect()
}

fn field_of(stencil: &Stencil, tap: &Tap) -> (usize, usize, Level) {
    let level = if stencil.grids()[tap.grid].constant { 0 } else { tap.time };
    (tap.grid, tap.component, Level::At(level))
}

/// The walk of a work-item.
struct Local<'w, 'g, 'k> {
    g: &'w Generator<'g, 'k>,
    stage: usize,
    tile: Tile,
    walk: Walk<'k>,
    /// The first point of the tile.
    corner: [V<'k>; 2],
    /// The work-item in its group.
    item: [V<'k>; 2],
    taps: Vec<Tap>,
    /// Fields with their local memory, and the element of the work-item's first vector within a plane.
    shared: Vec<(Shared, Buffer<'k>, V<'k>)>,
    /// The part of local memory of the next trip.
    part: Variable<'k>,
}

impl<'k> Generator<'_, 'k> {
    /// A sweep of a stage with neighbours in local memory.
    pub(in super::super) fn stream_local(&self, stage: usize, tile: Tile) {
        self.e.fix_group([tile.items[0], tile.items[1], 1]);
        let last = self.stencil().dimension() - 1;
        let item = [0, 1].map(|axis| self.query_index(Query::LocalId, axis));
        let first = [0, 1].map(|axis| {
            let width = (tile.items[axis] * tile.points[axis]) as i64;
            if axis < last {
                self.multiply(self.query_index(Query::GroupId, axis), self.index(width))
            } else {
                self.index(0)
            }
        });
        let corner = [0, 1].map(|axis| {
            let width = (tile.items[axis] * tile.points[axis]) as i64;
            if axis < last {
                self.min(first[axis], self.subtract(self.extent(axis), self.index(width)))
            } else {
                first[axis]
            }
        });
        let start = [0, 1].map(|axis| {
            let own = self.multiply(item[axis], self.index(tile.points[axis] as i64));
            if axis < last { self.add(corner[axis], own) } else { corner[axis] }
        });
        let shared = shared_fields(self.stencil(), stage).into_iter().map(|shared| {
            let scalar = scalar_type(element(shared.kind));
            let length = 2 * shared.part_length(tile);
            let buffer = self.e.local_vectors("plane", scalar, tile.points[0], length);
            let row = self.multiply(item[1], self.index((tile.points[1] * shared.pitch(tile)) as i64));
            let own = self.add(row, item[0]);
            (shared, buffer, own)
        });
        let local = Local {
            g: self,
            stage,
            tile,
            walk: Walk { first, start, moves: [true, last > 1] },
            corner,
            item,
            taps: lines_of(self.stencil(), stage),
            shared: shared.collect(),
            part: self.e.variable("part", self.index(0)),
        };
        local.run();
    }
}

impl<'k> Local<'_, '_, 'k> {
    fn last(&self) -> usize {
        self.g.stencil().dimension() - 1
    }

    fn index(&self, number: usize) -> V<'k> {
        self.g.index(number as i64)
    }

    /// The vector of a tap, and the lane.
    fn line(&self, tap: &Tap, [i, j]: [usize; 2]) -> (Line, usize) {
        let lanes = self.tile.points[0] as i32;
        let y = if self.last() == 2 { tap.offsets[1] + j as i32 } else { 0 };
        let x = tap.offsets[0] + i as i32;
        let (grid, component, level) = field_of(self.g.stencil(), tap);
        ((grid, component, level, x.div_euclid(lanes), y), x.rem_euclid(lanes) as usize)
    }

    const fn is_own(&self, &(_, _, _, x, y): &Line) -> bool {
        x == 0 && 0 <= y && y < self.tile.points[1] as i32
    }

    /// The number of a line's field among those in local memory.
    fn field(&self, &(grid, component, level, ..): &Line) -> Option<usize> {
        self.shared.iter().position(|(shared, ..)| shared.has((grid, component, level)))
    }

    /// Own columns, and those of neighbours, without values.
    fn columns(&self) -> BTreeMap<Line, Column<'k>> {
        let mut columns: BTreeMap<Line, Column<'k>> = BTreeMap::new();
        let mut add = |line: Line, plane: i32| {
            let column = columns.entry(line).or_insert(Column { low: plane, high: plane, queue: Vec::new() });
            column.low = column.low.min(plane);
            column.high = column.high.max(plane);
        };
        for point in points(self.tile) {
            for tap in &self.taps {
                let line = self.line(tap, point).0;
                add(line, tap.offsets[self.last()]);
                // Fields that others read are shared, with their latest plane.
                if let Some(field) = self.field(&line).filter(|_| !self.is_own(&line)) {
                    add(line, self.shared[field].0.plane);
                }
            }
        }
        for (shared, ..) in &self.shared {
            for j in 0..self.tile.points[1] as i32 {
                add((shared.grid, shared.component, shared.level, 0, j), shared.plane);
            }
        }
        columns
    }

    fn run(&self) {
        let g = self.g;
        let planes = self.index(self.tile.planes);
        let from = g.multiply(g.query_index(Query::GroupId, self.last()), planes);
        let to = g.min(g.add(from, planes), g.extent(self.last()));
        let mut columns = self.columns();
        let mut started: BTreeMap<Line, Vec<V<'k>>> = BTreeMap::new();
        for (line, column) in columns.iter().filter(|(line, _)| self.is_own(line)) {
            let plane = |distance: i32| g.add(from, g.index(i64::from(distance)));
            started.insert(*line, (column.low..column.high).map(|distance| self.own(line, plane(distance))).collect());
        }
        self.start_neighbours(&columns, from, &mut started);
        for (line, column) in &mut columns {
            let values = started.remove(line).unwrap_or_default();
            column.queue = values.into_iter().map(|value| g.e.variable("queue", value)).collect();
        }
        let (mut done, unroll) = (from, self.tile.unroll);
        if unroll > 1 {
            let rest = g.e.binary(BinaryOp::Rem, g.subtract(to, from), self.index(unroll));
            done = g.subtract(to, rest);
            g.e.for_each("plane", from, done, self.index(unroll), |plane| self.trip(&columns, plane, unroll));
        }
        g.e.for_each("plane", done, to, self.index(1), |plane| self.trip(&columns, plane, 1));
    }

    /// The first planes of neighbours' columns, one after the other through local memory.
    fn start_neighbours(
        &self,
        columns: &BTreeMap<Line, Column<'k>>,
        from: V<'k>,
        started: &mut BTreeMap<Line, Vec<V<'k>>>,
    ) {
        let g = self.g;
        for field in 0..self.shared.len() {
            let shared = &self.shared[field].0;
            let of_field = || columns.iter().filter(|(line, _)| self.field(line) == Some(field) && !self.is_own(line));
            let low = of_field().map(|(_, column)| column.low).min().unwrap_or(shared.plane);
            for distance in low..shared.plane {
                let plane = g.add(from, g.index(i64::from(distance)));
                let own = (0..self.tile.points[1] as i32)
                    .map(|j| vec![self.own(&(shared.grid, shared.component, shared.level, 0, j), plane)]);
                let own: Vec<Vec<V<'k>>> = own.collect();
                self.share(field, &[plane], &own, g.index(0));
                g.e.barrier(false);
                for (line, _) in of_field().filter(|(_, column)| column.low <= distance) {
                    let value = self.neighbour(field, line, 0, g.index(0));
                    // Values are loaded before others are stored there.
                    started.entry(*line).or_default().push(value.named("first"));
                }
                g.e.barrier(false);
            }
        }
    }

    /// Some planes, whose elements are loaded at once.
    fn trip(&self, columns: &BTreeMap<Line, Column<'k>>, plane: V<'k>, count: usize) {
        let g = self.g;
        let at = |ahead: usize| g.add(plane, self.index(ahead));
        let part = g.e.get(self.part);
        let mut lines: BTreeMap<Line, Vec<V<'k>>> = BTreeMap::new();
        for (line, column) in columns {
            let mut values: Vec<V<'k>> = column.queue.iter().map(|variable| g.e.get(*variable)).collect();
            if self.is_own(line) {
                let high = g.index(i64::from(column.high));
                values.extend((0..count).map(|ahead| self.own(line, g.add(at(ahead), high)).named("near")));
            }
            lines.insert(*line, values);
        }
        for (field, (shared, ..)) in self.shared.iter().enumerate() {
            let high = g.index(i64::from(shared.plane));
            let planes: Vec<V<'k>> = (0..count).map(|ahead| g.add(at(ahead), high)).collect();
            let own = (0..self.tile.points[1] as i32).map(|j| {
                let line = (shared.grid, shared.component, shared.level, 0, j);
                let first = (shared.plane - columns[&line].low) as usize;
                lines[&line][first..first + count].to_vec()
            });
            let own: Vec<Vec<V<'k>>> = own.collect();
            self.share(field, &planes, &own, part);
        }
        g.e.barrier(false);
        for ahead in 0..count {
            for line in columns.keys().filter(|line| !self.is_own(line)) {
                let field = self.field(line).expect("neighbours are read of shared fields");
                let loaded = self.neighbour(field, line, ahead, part).named("other");
                lines.get_mut(line).expect("all lines").push(loaded);
            }
            for j in 0..self.tile.points[1] {
                let values = (0..self.tile.points[0]).map(|i| {
                    let mut scope = Scope::default();
                    for tap in &self.taps {
                        let (line, lane) = self.line(tap, [i, j]);
                        let index = (tap.offsets[self.last()] - columns[&line].low) as usize + ahead;
                        scope.taps.insert(*tap, g.e.lane(lines[&line][index], lane));
                    }
                    g.values_at(self.stage, &self.walk, [i, j], at(ahead), scope)
                });
                let values = values.collect::<Vec<_>>();
                g.store_row(&self.walk, j, at(ahead), &values);
            }
        }
        for (line, column) in columns {
            let next = &lines[line][count..];
            column.queue.iter().zip(next).for_each(|(variable, value)| g.e.set(*variable, *value));
        }
        g.e.set(self.part, g.subtract(self.index(1), part));
    }

    /// A vector of the work-item's own column.
    fn own(&self, &(grid, component, level, _, y): &Line, plane: V<'k>) -> V<'k> {
        let slice = Slice { grid, component, level };
        let [x, row] = self.walk.start;
        let row = if y == 0 { row } else { self.g.add(row, self.g.index(i64::from(y))) };
        self.g.load_aligned(slice, self.element(slice, [x, row], plane), self.tile.points[0])
    }

    /// The element of a point in a slice.
    fn element(&self, slice: Slice, [x, y]: [V<'k>; 2], plane: V<'k>) -> V<'k> {
        let g = self.g;
        let mut element = g.add(g.scaled(slice.grid, self.last(), plane), g.value(slice.origin()));
        if self.last() == 2 {
            element = g.add(element, g.scaled(slice.grid, 1, y));
        }
        g.add(element, g.scaled(slice.grid, 0, x))
    }

    /// The start of a trip's plane in local memory.
    fn start_of(&self, field: usize, ahead: usize, part: V<'k>) -> V<'k> {
        let (g, shared) = (self.g, &self.shared[field].0);
        let first = g.multiply(part, self.index(shared.part_length(self.tile)));
        g.add(first, self.index(ahead * shared.plane_length(self.tile)))
    }

    /// A neighbour's vector, from local memory.
    fn neighbour(&self, field: usize, &(_, _, _, x, y): &Line, ahead: usize, part: V<'k>) -> V<'k> {
        let (g, (shared, buffer, own)) = (self.g, &self.shared[field]);
        let (x, y) = (shared.beyond(self.tile)[0] as i32 + x, shared.reach[1][0] as i32 + y);
        let steps = g.index(i64::from(y) * shared.pitch(self.tile) as i64 + i64::from(x));
        let index = g.add(self.start_of(field, ahead, part), g.add(*own, steps));
        g.e.load(*buffer, index, self.tile.points[0], false)
    }

    /// Stores planes to local memory: own vectors, by row and plane, and those beyond the tile, which work-items at its
    /// edges load.
    fn share(&self, field: usize, planes: &[V<'k>], own: &[Vec<V<'k>>], part: V<'k>) {
        let (g, (shared, buffer, own_index)) = (self.g, &self.shared[field]);
        let (tile, pitch) = (self.tile, shared.pitch(self.tile));
        let [above, below] = shared.reach[1];
        let before = shared.beyond(tile)[0];
        let rows = tile.items[1] * tile.points[1];
        // Rows above the tile belong to the first work-items along y, those below it to the last ones.
        let last_item = g.subtract(self.index(tile.items[1] - 1), self.item[1]);
        for (count, item, first_row) in [(above, self.item[1], 0), (below, last_item, above + rows)] {
            for turn in 0..count.div_ceil(tile.items[1]) {
                let number = g.add(item, self.index(turn * tile.items[1]));
                g.e.when(g.less(number, self.index(count)), || {
                    let row = g.add(number, self.index(first_row));
                    let y = g.subtract(g.add(self.corner[1], row), self.index(above));
                    let index = g.add(g.multiply(row, self.index(pitch)), g.add(self.item[0], self.index(before)));
                    let slice = Slice { grid: shared.grid, component: shared.component, level: shared.level };
                    let load = |&plane: &V<'k>| {
                        let element = self.element(slice, [self.walk.start[0], y], plane);
                        g.load_aligned(slice, element, tile.points[0]).named("beyond")
                    };
                    let values: Vec<V<'k>> = planes.iter().map(load).collect();
                    for (ahead, value) in values.into_iter().enumerate() {
                        g.e.store(*buffer, g.add(self.start_of(field, ahead, part), index), value, false);
                    }
                    if shared.has_corners {
                        self.share_sides(field, planes, &[(y, row)], part);
                    }
                });
            }
        }
        let own_rows = (0..tile.points[1]).map(|j| {
            let row = g.add(g.multiply(self.item[1], self.index(tile.points[1])), self.index(j));
            (g.add(self.corner[1], row), g.add(row, self.index(above)))
        });
        self.share_sides(field, planes, &own_rows.collect::<Vec<_>>(), part);
        for (j, values) in own.iter().enumerate() {
            let steps = self.index((above + j) * pitch + before);
            for (ahead, value) in values.iter().enumerate() {
                let index = g.add(self.start_of(field, ahead, part), g.add(*own_index, steps));
                g.e.store(*buffer, index, *value, false);
            }
        }
    }

    /// The vectors beyond both ends of some rows, which have a y in the domain and a row in local memory. Points
    /// farther than a neighbour reads repeat the last one.
    fn share_sides(&self, field: usize, planes: &[V<'k>], rows: &[(V<'k>, V<'k>)], part: V<'k>) {
        let (g, (shared, buffer, _)) = (self.g, &self.shared[field]);
        let (tile, lanes) = (self.tile, self.tile.points[0] as i64);
        let [before, behind] = shared.beyond(tile);
        let width = tile.items[0] as i64;
        let [lowest, highest] = [-(shared.reach[0][0] as i64), width * lanes - 1 + shared.reach[0][1] as i64];
        let slice = Slice { grid: shared.grid, component: shared.component, level: shared.level };
        let side = |vectors: std::ops::Range<i64>| {
            let mut stores: Vec<(V<'k>, V<'k>)> = Vec::new();
            for (ahead, &plane) in planes.iter().enumerate() {
                for &(y, row) in rows {
                    let wanted = (vectors.start * lanes..vectors.end * lanes).map(|x| x.clamp(lowest, highest));
                    let wanted: BTreeSet<i64> = wanted.collect();
                    let load = |x: i64| {
                        let element = self.element(slice, [g.add(self.corner[0], g.index(x)), y], plane);
                        (x, g.load_aligned(slice, element, 1).named("beyond"))
                    };
                    let loaded: BTreeMap<i64, V<'k>> = wanted.into_iter().map(load).collect();
                    for vector in vectors.clone() {
                        let all = (0..lanes).map(|lane| loaded[&(vector * lanes + lane).clamp(lowest, highest)]);
                        let value = g.e.gather(&all.collect::<Vec<_>>());
                        let column = g.index(vector + before as i64);
                        let index = g.add(g.multiply(row, self.index(shared.pitch(tile))), column);
                        stores.push((g.add(self.start_of(field, ahead, part), index), value));
                    }
                }
            }
            stores.into_iter().for_each(|(index, value)| g.e.store(*buffer, index, value, false));
        };
        if before > 0 {
            g.e.when(g.equal(self.item[0], g.index(0)), || side(-(before as i64)..0));
        }
        if behind > 0 {
            g.e.when(g.equal(self.item[0], g.index(width - 1)), || side(width..width + behind as i64));
        }
    }
}
