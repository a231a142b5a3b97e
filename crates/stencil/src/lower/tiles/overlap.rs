//! Several steps: groups walk along the last axis, each step some planes behind the one before.
//!
//! A work-item keeps planes of its own points in registers. Others' points come through local memory, with one barrier
//! for a plane of all steps: what a step computes is taken in by the next one when the walk goes on.
//!
//! Rims of a tile are computed by neighbouring groups, too. Their values beyond a step's reach are never used.

use std::collections::BTreeMap;

use affinimath_array::lower::operations::{Buffer, V, scalar_type};
use affinimath_kernel::dynamic::{BinaryOp, Query, Variable};

use super::super::generator::{Generator, Point, Slice};
use super::super::nodes::Scope;
use super::super::{Level, element};
use super::rims::{Beyond, Within};
use super::shape::{Field, Neighbours, Shape, is_mirror};
use super::stream::points;
use crate::definition::{Boundary, MAX_AXES, Side, Tap};
use crate::strategy::Tile;

/// Values under exchange, by step and component.
type Held<'k> = BTreeMap<(usize, usize, usize), Vec<Variable<'k>>>;

const SIDES: [Side; 2] = [Side::Lower, Side::Upper];

/// Positions of a work-item's points on an axis, relative to the domain.
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

/// The values of a step's field.
#[derive(Clone)]
struct Planes<T> {
    /// Planes of the work-item's points, from the lowest to the one ahead.
    own: Vec<Vec<T>>,
    /// Planes of others' points, below the one that is shared.
    others: BTreeMap<[i32; 2], Vec<T>>,
}

/// All that a work-item carries from plane to plane.
#[derive(Clone)]
struct State<T> {
    /// By step and field.
    planes: Vec<Vec<Planes<T>>>,
    /// Values that each step but the last has computed, by step and component.
    held: BTreeMap<(usize, usize, usize), Vec<T>>,
    /// What the first step takes in on the next planes, by field: all points of one plane after the other.
    entry: Vec<Vec<T>>,
}

impl<T> State<T> {
    fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> State<U> {
        let mut list = |values: &Vec<T>| values.iter().map(&mut each).collect::<Vec<U>>();
        State {
            held: self.held.iter().map(|(key, values)| (*key, list(values))).collect(),
            entry: self.entry.iter().map(&mut list).collect(),
            planes: self
                .planes
                .iter()
                .map(|fields| {
                    let planes = fields.iter().map(|planes| Planes {
                        own: planes.own.iter().map(&mut list).collect(),
                        others: planes.others.iter().map(|(column, values)| (*column, list(values))).collect(),
                    });
                    planes.collect()
                })
                .collect(),
        }
    }

    /// All values in a fixed order.
    fn values(&self) -> Vec<&T> {
        let fields = self.planes.iter().flatten();
        let planes = fields.flat_map(|planes| planes.own.iter().chain(planes.others.values()));
        planes.chain(self.held.values()).chain(&self.entry).flatten().collect()
    }
}

/// A walk of a work-item.
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
        let from = self.multiply(self.place(Query::GroupId, last), planes);
        let to = self.least(self.add(from, planes), self.extent(last));
        let shared: Vec<Vec<Option<Buffer<'k>>>> = (0..steps).map(|_| self.arrays(&shape)).collect();
        let walk = |has_faces: bool| {
            let planar = [0, 1].map(|axis| self.positions(&shape, axis, steps));
            let item = [0, 1].map(|axis| self.place(Query::LocalId, axis));
            let walk = Walk {
                g: self,
                shape: &shape,
                steps,
                others: self.others(&shape, item),
                planar,
                item,
                planes: [from, to],
                has_faces,
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
        let group = self.place(Query::GroupId, axis);
        let first = self.subtract(self.multiply(group, self.index(stored)), self.index(before as i64));
        let within = self.multiply(self.place(Query::LocalId, axis), self.index(count as i64));
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
                            self.greatest(self.index(0), self.add(item[axis], self.index(i64::from(steps))))
                        }
                        steps => self.least(last, self.add(item[axis], self.index(i64::from(steps)))),
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

    fn run(&self) {
        let g = self.g;
        let Shape { ahead, behind, .. } = *self.shape;
        let steps = self.steps as i64;
        let first = g.subtract(self.planes[0], self.index(steps * i64::from(behind)));
        let lag = (steps - 1) * i64::from(self.shape.delay()) + i64::from(ahead);
        let end = g.add(self.planes[1], self.index(lag));
        let registers = self.start(first).map(|value| g.e.variable("plane", *value));
        let parity = g.e.variable("parity", self.index(0));
        // The last trip may have planes behind the end, which are not stored.
        let unroll = self.shape.tile.unroll;
        g.e.for_each("plane", first, end, self.index(unroll as i64), |plane| {
            let mut state = registers.map(|variable| g.e.get(*variable));
            for trip in 0..unroll {
                let turn = if unroll.is_multiple_of(2) { self.index(0) } else { g.e.get(parity) };
                let flip = if trip % 2 == 0 { turn } else { g.subtract(self.index(1), turn) };
                let plane = g.add(plane, self.index(trip as i64));
                self.iterate(&mut state, plane, flip);
            }
            let changed = state.values();
            registers.values().into_iter().zip(changed).for_each(|(variable, value)| g.e.set(*variable, *value));
            if !unroll.is_multiple_of(2) {
                g.e.set(parity, g.subtract(self.index(1), g.e.get(parity)));
            }
        });
    }

    /// One plane on its way.
    fn iterate(&self, state: &mut State<V<'k>>, plane: V<'k>, flip: V<'k>) {
        let g = self.g;
        self.take_in(state, flip);
        self.fetch(state, g.add(plane, self.index(self.shape.tile.unroll as i64)));
        g.e.barrier(false);
        for step in 0..self.steps {
            let lag = step as i64 * i64::from(self.shape.delay()) + i64::from(self.shape.ahead);
            self.step(state, step, g.subtract(plane, self.index(lag)), flip);
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
            let planes = (0..self.shape.tile.unroll).map(|ahead| g.add(first, self.index(ahead as i64)));
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
        let mut element = g.add(position(self.last(), plane), position(0, self.planar[0].own[i]));
        if self.last() == 2 {
            element = g.add(element, position(1, self.planar[1].own[j]));
        }
        g.load(slice, g.add(element, g.value(slice.origin())), 1)
    }

    /// Loads what the first step takes in, as many planes later as a trip has.
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

    /// One step at all points of the work-item, on a plane.
    fn step(&self, state: &mut State<V<'k>>, step: usize, plane: V<'k>, flip: V<'k>) {
        let g = self.g;
        for (number, field) in self.shape.fields.iter().enumerate() {
            for &column in field.columns.keys() {
                let (slot, other) = self.shape.slot(column);
                let slot = field.slots.iter().position(|own| *own == slot).expect("a slot of the field");
                let buffer = self.shared[step][number].expect("memory of what is shared");
                let value = g.e.load(buffer, self.element(field, flip, slot, other), 1, false).named("near");
                state.planes[step][number].others.get_mut(&column).expect("a column").push(value);
            }
        }
        let planes = &state.planes[step];
        let computed: Vec<_> = self.points().iter().map(|&point| self.value(step, planes, point, plane)).collect();
        if step + 1 == self.steps {
            let is_own = g.both(g.not_above(self.planes[0], plane), g.less(plane, self.planes[1]));
            g.e.when(is_own, || {
                for (point, values) in self.points().into_iter().zip(&computed) {
                    self.store(planes, point, plane, values);
                }
            });
        } else {
            for (number, values) in computed.iter().enumerate() {
                for (&(grid, component), &value) in values {
                    state.held.get_mut(&(step, grid, component)).expect("a component")[number] = value;
                }
            }
        }
        for planes in &mut state.planes[step] {
            for column in planes.others.values_mut() {
                column.remove(0);
            }
        }
    }

    /// Stores the levels after the last step.
    fn store(
        &self,
        planes: &[Planes<V<'k>>],
        [i, j]: [usize; 2],
        plane: V<'k>,
        values: &BTreeMap<(usize, usize), V<'k>>,
    ) {
        let g = self.g;
        g.e.when(g.both(self.planar[0].is_stored[i], self.planar[1].is_stored[j]), || {
            let local = self.local(self.planar[0].own[i], self.planar[1].own[j], plane);
            for field in &self.shape.fields {
                let Field { grid, component, back } = field.field;
                let value = if back == 0 {
                    values[&(grid, component)]
                } else {
                    let before = self.field(grid, component, back - 1);
                    planes[before].own[self.number([i, j])][-self.shape.fields[before].low as usize]
                };
                let slice = Slice { grid, component, level: Level::After(back) };
                g.store(slice, g.element_of(slice, &local, &[0; MAX_AXES]), value, 1);
            }
        });
    }

    fn local(&self, x: V<'k>, y: V<'k>, plane: V<'k>) -> Point<'k> {
        let mut local = [None; MAX_AXES];
        local[0] = Some(x);
        local[1] = Some(y);
        local[self.last()] = Some(plane);
        Point { local, lanes: 1 }
    }

    /// The new values of components at a point, by grid and component.
    fn value(
        &self,
        step: usize,
        planes: &[Planes<V<'k>>],
        point: [usize; 2],
        plane: V<'k>,
    ) -> BTreeMap<(usize, usize), V<'k>> {
        let g = self.g;
        let [i, j] = point;
        let first = self.shape.fields[0].field;
        let local = self.local(
            self.planar[0].domain[i],
            self.planar[1].domain[j],
            g.position_in_domain(first, self.last(), plane),
        );
        let mut scope = Scope { steps: step as i64, ..Scope::default() };
        for tap in &self.shape.taps {
            scope.taps.insert(*tap, self.tap(step, planes, tap, point, plane));
        }
        let statements = &g.stencil().stages()[0].statements;
        let (_, scope) = g.values_of(statements, &local, scope, false);
        let each = scope.assigned.into_iter().map(|((grid, component), value)| {
            let field = self.field(grid, component, 0);
            let value = self.beyond_faces(step, field, &planes[field], point, plane, value);
            ((grid, component), value.named("value"))
        });
        each.collect()
    }

    /// The value of a tap. Beyond a face on the last axis it may be made of values within.
    fn tap(&self, step: usize, planes: &[Planes<V<'k>>], tap: &Tap, point: [usize; 2], plane: V<'k>) -> V<'k> {
        let g = self.g;
        let last = self.last();
        let back = g.bound.facts().grids[tap.grid].newest - 1 - tap.time;
        let number = self.field(tap.grid, tap.component, back as usize);
        let Neighbours { field, kind, low, ref columns, .. } = self.shape.fields[number];
        let column = self.shape.column(tap, point);
        let (slot, other) = self.shape.slot(column);
        let at = |distance: i32| match columns.get(&column) {
            Some(low) if other != [0; 2] => planes[number].others[&column][(distance - low) as usize],
            _ => planes[number].own[self.number(slot)][(distance - low) as usize],
        };
        let distance = tap.offsets[last];
        let mut value = at(distance);
        // The first step's values beyond faces are in memory.
        let side = if distance < 0 { Side::Lower } else { Side::Upper };
        let boundary = g.condition_of(field, last, side);
        if step == 0 || distance == 0 || !is_mirror(boundary) {
            return value;
        }
        let extent = g.extent(last);
        for within in 0..distance.abs() {
            let beyond = distance.abs() - within;
            let (here, outside) = match side {
                Side::Lower => (self.index(i64::from(within)), self.index(-i64::from(beyond))),
                Side::Upper => (
                    g.subtract(extent, self.index(1 + i64::from(within))),
                    g.add(extent, self.index(i64::from(beyond) - 1)),
                ),
            };
            let sign = if side == Side::Lower { 1 } else { -1 };
            let mirrored = g.mirrored(
                boundary,
                kind,
                &|place: Within| at(sign * (place.steps(beyond) - within)),
                &|| g.neumann_factor(kind, self.index(i64::from(beyond))),
                &|derivative| {
                    let at = self.seen(field, point, tap, outside);
                    g.value_beyond(derivative, &at, self.time_of(field, step - 1))
                },
            );
            value = g.e.select(g.equal(plane, here), mirrored, value);
        }
        value
    }

    /// The time of a level that a step has computed, relative to the first step's.
    fn time_of(&self, field: Field, step: usize) -> i64 {
        let newest = self.g.bound.facts().grids[field.grid].newest;
        step as i64 + i64::from(newest) - field.back as i64
    }

    /// A point beyond a face on the last axis, for the expressions of its condition.
    fn seen(&self, field: Field, [i, j]: [usize; 2], tap: &Tap, plane: V<'k>) -> Point<'k> {
        let g = self.g;
        let position = |axis: usize, own: V<'k>| {
            let moved = g.add(own, self.index(i64::from(tap.offsets[axis])));
            if g.is_periodic(field, axis) { g.position_in_domain(field, axis, moved) } else { moved }
        };
        let x = position(0, self.planar[0].own[i]);
        let y = if self.last() == 2 { position(1, self.planar[1].own[j]) } else { self.index(0) };
        self.local(x, y, plane)
    }

    /// A value as it is, or the one that a condition sets beyond faces.
    fn beyond_faces(
        &self,
        step: usize,
        number: usize,
        planes: &Planes<V<'k>>,
        point: [usize; 2],
        plane: V<'k>,
        value: V<'k>,
    ) -> V<'k> {
        let g = self.g;
        let Neighbours { field, low, .. } = self.shape.fields[number];
        let [i, j] = point;
        let mut value = value;
        for axis in 0..self.shape.dimension {
            let is_last = axis == self.last();
            let position = match axis {
                _ if is_last => plane,
                0 => self.planar[0].own[i],
                _ => self.planar[1].own[j],
            };
            if !is_last && !self.has_faces {
                continue;
            }
            for side in SIDES {
                let other = match g.condition_of(field, axis, side) {
                    Boundary::Keep => planes.own[self.number(point)][-low as usize],
                    Boundary::Value(expression) => {
                        let centre =
                            Tap { grid: field.grid, component: field.component, time: 0, offsets: [0; MAX_AXES] };
                        let mut at = self.seen(field, point, &centre, plane);
                        if g.is_periodic(field, self.last()) {
                            at.local[self.last()] = Some(g.position_in_domain(field, self.last(), plane));
                        }
                        g.value_beyond(expression, &at, self.time_of(field, step))
                    }
                    _ => continue,
                };
                value = g.e.select(g.is_beyond(axis, side, position), other, value);
            }
        }
        value
    }

    /// Values beyond faces on x and y that are made of values within: work-items exchange them, x before y.
    fn exchange_faces(&self, state: &mut State<V<'k>>, plane: V<'k>, parity: V<'k>) {
        let g = self.g;
        if !self.has_faces || !self.shape.has_mirrors.contains(&true) {
            return;
        }
        let held = state.held.iter().map(|(key, values)| {
            let variables = values.iter().map(|value| g.e.variable("held", *value));
            (*key, variables.collect())
        });
        let held: Held<'k> = held.collect();
        for axis in [0, 1].into_iter().filter(|&axis| self.shape.has_mirrors[axis]) {
            g.e.when(self.planar[axis].has_beyond, || self.exchange(&held, axis, plane, parity));
        }
        for (key, variables) in &held {
            state.held.insert(*key, variables.iter().map(|variable| g.e.get(*variable)).collect());
        }
    }

    fn exchange(&self, held: &Held<'k>, axis: usize, plane: V<'k>, parity: V<'k>) {
        let g = self.g;
        let fields = || self.shape.fields.iter().enumerate().filter(|(_, field)| field.field.back == 0);
        for step in 0..self.steps - 1 {
            for (number, field) in fields() {
                let Some(buffer) = self.shared[step][number] else { continue };
                let held = &held[&(step, field.field.grid, field.field.component)];
                for (slot, &point) in field.slots.iter().enumerate() {
                    let value = g.e.get(held[self.number(point)]);
                    g.e.store(buffer, self.element(field, parity, slot, [0; 2]), value, false);
                }
            }
        }
        g.e.barrier(false);
        for step in 0..self.steps - 1 {
            let lag = step as i64 * i64::from(self.shape.delay()) + i64::from(self.shape.ahead);
            let plane = g.subtract(plane, self.index(lag));
            for (number, field) in fields() {
                let Some(buffer) = self.shared[step][number] else { continue };
                let held = &held[&(step, field.field.grid, field.field.component)];
                for point in self.points() {
                    self.exchanged(held[self.number(point)], axis, step, field, buffer, point, plane, parity);
                }
            }
        }
        g.e.barrier(false);
    }

    /// Sets a point's value, if the point lies beyond a face whose condition is made of values within.
    #[allow(clippy::too_many_arguments)]
    fn exchanged(
        &self,
        held: Variable<'k>,
        axis: usize,
        step: usize,
        field: &Neighbours,
        buffer: Buffer<'k>,
        point: [usize; 2],
        plane: V<'k>,
        parity: V<'k>,
    ) {
        let g = self.g;
        let Field { grid, component, .. } = field.field;
        let position = self.planar[axis].own[point[axis]];
        for side in SIDES {
            let boundary = g.condition_of(field.field, axis, side);
            if !is_mirror(boundary) {
                continue;
            }
            let mut is_beyond = g.is_beyond(axis, side, position);
            for other in axis + 1..self.shape.dimension {
                let position = if other == self.last() { plane } else { self.planar[other].own[point[other]] };
                if !g.is_periodic(field.field, other) {
                    let is_within = g.both(g.not_above(self.index(0), position), g.less(position, g.extent(other)));
                    is_beyond = g.both(is_beyond, is_within);
                }
            }
            g.e.when(is_beyond, || {
                let distance = g.steps_beyond(&Beyond { axis, side, position });
                let within = |place: Within| {
                    let steps = match place {
                        Within::Edge => self.index(0),
                        Within::Nearer => g.subtract(distance, self.index(1)),
                        Within::Same => distance,
                    };
                    self.within(axis, side, field, buffer, point, steps, parity)
                };
                let derivative = |value| {
                    let centre = Tap { grid, component, time: 0, offsets: [0; MAX_AXES] };
                    let mut at = self.seen(field.field, point, &centre, plane);
                    if g.is_periodic(field.field, self.last()) {
                        at.local[self.last()] = Some(g.position_in_domain(field.field, self.last(), plane));
                    }
                    g.value_beyond(value, &at, self.time_of(field.field, step))
                };
                let factor = || g.neumann_factor(field.kind, distance);
                g.e.set(held, g.mirrored(boundary, field.kind, &within, &factor, &derivative));
            });
        }
    }

    /// The exchanged value some steps within the domain from a face.
    #[allow(clippy::too_many_arguments)]
    fn within(
        &self,
        axis: usize,
        side: Side,
        field: &Neighbours,
        buffer: Buffer<'k>,
        point: [usize; 2],
        steps: V<'k>,
        parity: V<'k>,
    ) -> V<'k> {
        let g = self.g;
        let Tile { items, points, .. } = self.shape.tile;
        let position = match side {
            Side::Lower => steps,
            Side::Upper => g.subtract(g.subtract(g.extent(axis), self.index(1)), steps),
        };
        // Points that no step needs may be mirrored far away.
        let width = (items[axis] * points[axis]) as i64;
        let in_tile = g.subtract(position, self.planar[axis].first);
        let in_tile = g.greatest(self.index(0), g.least(in_tile, self.index(width - 1)));
        let count = self.index(points[axis] as i64);
        let (item, within) = (g.e.binary(BinaryOp::Div, in_tile, count), g.e.binary(BinaryOp::Rem, in_tile, count));
        let place = |own: usize, other: V<'k>| if own == axis { other } else { self.item[own] };
        let number = |own: usize| if own == axis { within } else { self.index(point[own] as i64) };
        let slot = g.add(g.multiply(number(1), self.index(points[0] as i64)), number(0));
        let slots = self.index(field.slots.len() as i64);
        let row = g.add(g.multiply(parity, slots), slot);
        let row = g.add(g.multiply(row, self.index(items[1] as i64)), place(1, item));
        let index = g.add(g.multiply(row, self.index(items[0] as i64)), place(0, item));
        g.e.load(buffer, index, 1, false)
    }
}
