//! Several steps: groups walk along the last axis, each step some planes behind the one before.
//!
//! A work-item keeps planes of its own points in registers. Others' points come through local memory, with one barrier
//! for a plane of all steps: what a step computes is taken in by the next one when the walk goes on.
//!
//! Rims of a tile are computed by neighbouring groups, too. Their values beyond a step's reach are never used.

mod faces;
mod state;
mod step;

use std::collections::BTreeMap;

use affinimath_array::lower::operations::{Buffer, V, scalar_type};
use affinimath_kernel::dynamic::{BinaryOp, Query, Variable};

use super::super::generator::{Generator, Slice};
use super::super::{Level, element};
use super::shape::{Field, Neighbours, Shape};
use super::stream::points;
use crate::strategy::Tile;
use state::{Planes, State};

/// Positions of a work-item's points on an axis, relative to the domain.
#[derive(Clone)]
struct Positions<'k> {
    /// As they lie in the tile.
    own: Vec<V<'k>>,
    /// Those that statements see: within the domain.
    domain: Vec<V<'k>>,
    /// They are stored: within the domain, and in no rim.
    is_stored: Vec<V<'k>>,
    /// The tile's first position.
    first: V<'k>,
    /// The tile has points beyond a face.
    has_beyond: V<'k>,
}

/// Variables that loops over planes carry on.
struct Loop<'k> {
    registers: State<Variable<'k>>,
    /// The half of local memory, where a trip has an odd number of planes.
    parity: Option<Variable<'k>>,
}

/// A walk of a work-item.
#[derive(Clone)]
struct Walk<'w, 'g, 'k> {
    g: &'w Generator<'g, 'k>,
    shape: &'w Shape,
    steps: usize,
    planar: [Positions<'k>; 2],
    /// The work-item in its group.
    item: [V<'k>; 2],
    /// The first plane that the group stores, and the one behind the last.
    planes: [V<'k>; 2],
    /// Local memory's elements of neighbours.
    others: BTreeMap<[i32; 2], V<'k>>,
    /// Tiles may have points beyond faces on x and y.
    has_faces: bool,
    /// Planes may lie beyond faces on the last axis, or beyond the grid's memory.
    has_ends: bool,
    /// Local memory of two planes by step and field.
    shared: &'w [Vec<Option<Buffer<'k>>>],
}

impl<'k> Generator<'_, 'k> {
    /// Several steps.
    pub(in super::super) fn overlap(&self, steps: usize, tile: Tile) {
        let shape = Shape::new(self.bound, tile).expect("a stencil that fits tiles");
        self.e.fix_group([tile.items[0], tile.items[1], 1]);
        let last = self.stencil().dimension() - 1;
        let planes = self.index(tile.planes as i64);
        let from = self.multiply(self.query_index(Query::GroupId, last), planes);
        let to = self.min(self.add(from, planes), self.extent(last));
        let shared: Vec<Vec<Option<Buffer<'k>>>> = (0..steps).map(|_| self.arrays(&shape)).collect();
        let walk = |has_faces: bool| {
            let planar = [0, 1].map(|axis| self.positions(&shape, axis, steps));
            let item = [0, 1].map(|axis| self.query_index(Query::LocalId, axis));
            let walk = Walk {
                g: self,
                shape: &shape,
                steps,
                others: self.others(&shape, item),
                planar,
                item,
                planes: [from, to],
                has_faces,
                has_ends: true,
                shared: &shared,
            };
            walk.run();
        };
        let field = shape.fields[0].field;
        if (0..last).all(|axis| self.is_periodic(field, axis)) {
            return walk(false);
        }
        let planar = [0, 1].map(|axis| self.positions(&shape, axis, steps));
        let has_beyond = self.either(planar[0].has_beyond, planar[1].has_beyond);
        self.e.if_else(has_beyond, || walk(true), || walk(false));
    }

    /// The arrays in local memory of a step.
    fn arrays(&self, shape: &Shape) -> Vec<Option<Buffer<'k>>> {
        let array = |field: &Neighbours| {
            let length = shape.array_length(field);
            (length > 0).then(|| self.e.array("shared", scalar_type(element(field.kind)), length, true))
        };
        shape.fields.iter().map(array).collect()
    }

    fn positions(&self, shape: &Shape, axis: usize, steps: usize) -> Positions<'k> {
        let (zero, never) = (self.index(0), self.e.truth(false, 1));
        if axis + 1 >= shape.dimension {
            let always = self.e.truth(true, 1);
            return Positions {
                own: vec![zero],
                domain: vec![zero],
                is_stored: vec![always],
                first: zero,
                has_beyond: never,
            };
        }
        let (items, count) = (shape.tile.items[axis], shape.tile.points[axis]);
        let [before, behind] = shape.rims(steps)[axis];
        let width = items * count;
        let stored = (width - before - behind) as i64;
        let group = self.query_index(Query::GroupId, axis);
        let first = self.subtract(self.multiply(group, self.index(stored)), self.index(before as i64));
        let within = self.multiply(self.query_index(Query::LocalId, axis), self.index(count as i64));
        let within: Vec<V<'k>> = (0..count).map(|point| self.add(within, self.index(point as i64))).collect();
        let own: Vec<V<'k>> = within.iter().map(|&each| self.add(first, each)).collect();
        let field = shape.fields[0].field;
        let extent = self.extent(axis);
        let is_stored = within.iter().zip(&own).map(|(&within, &own)| {
            let is_inner = self.both(
                self.not_above(self.index(before as i64), within),
                self.less(within, self.index((width - behind) as i64)),
            );
            self.both(is_inner, self.less(own, extent))
        });
        let end = self.add(first, self.index(width as i64));
        let has_beyond = self.either(self.less(first, zero), self.less(extent, end));
        Positions {
            is_stored: is_stored.collect(),
            domain: own.iter().map(|&own| self.position_in_domain(field, axis, own)).collect(),
            own,
            first,
            has_beyond: if self.is_periodic(field, axis) { never } else { has_beyond },
        }
    }

    /// Elements of neighbouring work-items in local memory. Beyond the group there is none: the nearest stands for it.
    fn others(&self, shape: &Shape, item: [V<'k>; 2]) -> BTreeMap<[i32; 2], V<'k>> {
        let columns = shape.fields.iter().flat_map(|field| field.columns.keys());
        let mut others: BTreeMap<[i32; 2], V<'k>> = BTreeMap::new();
        for distance in columns.map(|&column| shape.slot(column).1).chain([[0; 2]]) {
            others.entry(distance).or_insert_with(|| {
                let [x, y] = [0, 1].map(|axis| {
                    let last = self.index(shape.tile.items[axis] as i64 - 1);
                    match distance[axis] {
                        0 => item[axis],
                        steps if steps < 0 => {
                            self.max(self.index(0), self.add(item[axis], self.index(i64::from(steps))))
                        }
                        steps => self.min(last, self.add(item[axis], self.index(i64::from(steps)))),
                    }
                });
                self.add(self.multiply(y, self.index(shape.tile.items[0] as i64)), x)
            });
        }
        others
    }
}

impl<'k> Walk<'_, '_, 'k> {
    fn last(&self) -> usize {
        self.shape.dimension - 1
    }

    fn index(&self, number: i64) -> V<'k> {
        self.g.index(number)
    }

    fn points(&self) -> Vec<[usize; 2]> {
        points(self.shape.tile).collect()
    }

    /// A field's number of a component, some levels before the newest.
    fn field(&self, grid: usize, component: usize, back: usize) -> usize {
        let wanted = Field { grid, component, back };
        self.shape.fields.iter().position(|each| each.field == wanted).expect("a field of the stencil")
    }

    /// Planes near the ends of the last axis, and all of tiles at faces, go by trips of one or two, with conditions.
    /// Those between go by whole trips.
    fn run(&self) {
        let g = self.g;
        let unroll = self.shape.tile.unroll as i64;
        let first = g.subtract(self.planes[0], self.index(self.steps as i64 * i64::from(self.shape.behind)));
        let end = g.add(self.planes[1], self.index(self.lag(self.steps - 1)));
        let registers = self.start(first).map(|value| g.e.variable("plane", *value));
        let parity = (unroll % 2 != 0).then(|| g.e.variable("parity", self.index(0)));
        let loop_state = Loop { registers, parity };
        let near = if unroll % 2 == 0 { 2 } else { 1 };
        if self.has_faces || unroll == 1 {
            return self.planes(&loop_state, [first, end], near);
        }
        let [from, to] = self.inner_planes(first, end);
        let inner = Walk { has_ends: false, ..self.clone() };
        g.e.for_each("side", self.index(0), self.index(2), self.index(1), |side| {
            let is_lower = g.equal(side, self.index(0));
            let either = |lower: V<'k>, upper: V<'k>| g.e.select(is_lower, lower, upper);
            self.planes(&loop_state, [either(first, to), either(from, end)], near);
            inner.planes(&loop_state, [either(from, to), to], unroll);
        });
    }

    /// Planes from a step's plane to the one that is taken in.
    fn lag(&self, step: usize) -> i64 {
        step as i64 * i64::from(self.shape.delay()) + i64::from(self.shape.ahead)
    }

    /// The planes of whole trips in which no step sees a face on the last axis, and all loads are within the domain.
    /// The last trip may have planes behind the end, which are not stored.
    fn inner_planes(&self, first: V<'k>, end: V<'k>) -> [V<'k>; 2] {
        let g = self.g;
        let Shape { ahead, behind, tile, .. } = *self.shape;
        let reach = i64::from(ahead.max(behind));
        let unroll = tile.unroll as i64;
        let divide = |a: V<'k>, b: i64| g.e.binary(BinaryOp::Div, a, self.index(b));
        let lowest = g.max(first, self.index(self.lag(self.steps - 1) + reach));
        let near = if unroll % 2 == 0 { 2 } else { 1 };
        let trips = divide(g.add(g.subtract(g.min(lowest, end), first), self.index(near - 1)), near);
        let from = g.add(first, g.multiply(trips, self.index(near)));
        let margin = (tile.prefetch as i64).max(reach - i64::from(ahead)) + unroll - 1;
        let highest = g.min(end, g.subtract(g.extent(self.last()), self.index(margin)));
        let count = g.max(self.index(0), g.subtract(highest, from));
        let trips = divide(g.add(count, self.index(unroll - 1)), unroll);
        [from, g.add(from, g.multiply(trips, self.index(unroll)))]
    }

    /// A loop over planes, some in each trip.
    fn planes(&self, carried: &Loop<'k>, [from, to]: [V<'k>; 2], unroll: i64) {
        let g = self.g;
        g.e.for_each("plane", from, to, self.index(unroll), |plane| {
            let mut state = carried.registers.map(|variable| g.e.get(*variable));
            let turn = carried.parity.map_or(self.index(0), |parity| g.e.get(parity));
            for trip in 0..unroll {
                let flip = if trip % 2 == 0 { turn } else { g.subtract(self.index(1), turn) };
                let plane = g.add(plane, self.index(trip));
                self.iterate(&mut state, plane, flip);
            }
            let changed = state.values();
            let registers = carried.registers.values();
            registers.into_iter().zip(changed).for_each(|(variable, value)| g.e.set(*variable, *value));
            if let (Some(parity), 1) = (carried.parity, unroll % 2) {
                g.e.set(parity, g.subtract(self.index(1), turn));
            }
        });
    }

    /// One plane on its way.
    fn iterate(&self, state: &mut State<V<'k>>, plane: V<'k>, flip: V<'k>) {
        let g = self.g;
        self.take_in(state, flip);
        self.fetch(state, g.add(plane, self.index(self.shape.tile.prefetch as i64)));
        g.e.barrier(false);
        for step in 0..self.steps {
            self.step(state, step, g.subtract(plane, self.index(self.lag(step))), flip);
        }
        self.exchange_faces(state, plane, g.subtract(self.index(1), flip));
    }

    /// Zeros, and the first planes on their way.
    fn start(&self, first: V<'k>) -> State<V<'k>> {
        let (g, points) = (self.g, self.points());
        let count_of_points = points.len();
        let zeros = |field: &Neighbours, count: usize| vec![g.constant(0.0, field.kind); count];
        let planes = self.shape.fields.iter().map(|field| {
            let count = (self.shape.ahead - field.low) as usize + 1;
            let behind = |low: i32| zeros(field, (field.shared.unwrap_or(low) - low) as usize);
            Planes {
                own: vec![zeros(field, count); count_of_points],
                others: field.columns.iter().map(|(&column, &low)| (column, behind(low))).collect(),
            }
        });
        let planes: Vec<Planes<V<'k>>> = planes.collect();
        let newest = self.shape.fields.iter().filter(|field| field.field.back == 0);
        let held = newest.flat_map(|field| {
            let key = |step| (step, field.field.grid, field.field.component);
            (0..self.steps - 1).map(move |step| (key(step), zeros(field, count_of_points)))
        });
        let entry = |field: &Neighbours| {
            let planes = (0..self.shape.tile.prefetch).map(|ahead| g.add(first, self.index(ahead as i64)));
            let load = |plane: V<'k>| points.iter().map(move |&point| self.load(field.field, point, plane));
            planes.flat_map(load).collect()
        };
        State {
            held: held.collect(),
            entry: self.shape.fields.iter().map(entry).collect(),
            planes: vec![planes; self.steps],
        }
    }

    /// A point's value before the first step, on a plane of the tile.
    fn load(&self, field: Field, [i, j]: [usize; 2], plane: V<'k>) -> V<'k> {
        let g = self.g;
        let newest = g.bound.facts().grids[field.grid].newest;
        let level = Level::At(newest - 1 - field.back as i32);
        let slice = Slice { grid: field.grid, component: field.component, level };
        let position = |axis: usize, own: V<'k>| g.scaled(field.grid, axis, g.position_in_memory(field, axis, own));
        let last = if self.has_ends { position(self.last(), plane) } else { g.scaled(field.grid, self.last(), plane) };
        let mut element = g.add(last, position(0, self.planar[0].own[i]));
        if self.last() == 2 {
            element = g.add(element, position(1, self.planar[1].own[j]));
        }
        g.load(slice, g.add(element, g.value(slice.origin())), 1)
    }

    /// Loads what the first step takes in some planes later.
    fn fetch(&self, state: &mut State<V<'k>>, plane: V<'k>) {
        for (field, entry) in self.shape.fields.iter().zip(&mut state.entry) {
            entry.drain(..self.points().len());
            entry.extend(self.points().into_iter().map(|point| self.load(field.field, point, plane).named("next")));
        }
    }

    /// Each step takes in a plane of the one before, and shares one.
    fn take_in(&self, state: &mut State<V<'k>>, flip: V<'k>) {
        let g = self.g;
        for step in (0..self.steps).rev() {
            let before = if step == 0 { Vec::new() } else { state.planes[step - 1].clone() };
            for (number, field) in self.shape.fields.iter().enumerate() {
                let Field { grid, component, back } = field.field;
                for point in 0..self.points().len() {
                    let newest = match (step, back) {
                        (0, _) => state.entry[number][point],
                        (_, 0) => state.held[&(step - 1, grid, component)][point],
                        _ => {
                            let newer = self.field(grid, component, back - 1);
                            before[newer].own[point][-self.shape.fields[newer].low as usize]
                        }
                    };
                    let own = &mut state.planes[step][number].own[point];
                    own.remove(0);
                    own.push(newest);
                }
                let (Some(shared), Some(buffer)) = (field.shared, self.shared[step][number]) else { continue };
                for (slot, point) in field.slots.iter().enumerate() {
                    let own = &state.planes[step][number].own[self.number(*point)];
                    let value = own[(shared - field.low) as usize];
                    g.e.store(buffer, self.element(field, flip, slot, [0; 2]), value, false);
                }
            }
        }
    }

    /// A point's number in its work-item.
    fn number(&self, [i, j]: [usize; 2]) -> usize {
        j * self.shape.tile.points[0] + i
    }

    /// The element of a work-item's slot in local memory.
    fn element(&self, field: &Neighbours, parity: V<'k>, slot: usize, other: [i32; 2]) -> V<'k> {
        let g = self.g;
        let items = (self.shape.tile.items[0] * self.shape.tile.items[1]) as i64;
        let plane = g.multiply(parity, self.index(field.slots.len() as i64 * items));
        g.add(g.add(plane, self.others[&other]), self.index(slot as i64 * items))
    }
}
