//! Several steps: groups walk along the last axis, each step some planes behind the one before.
//!
//! A work-item keeps planes of its own points in registers. Others' points come through local memory, with one barrier
//! for a plane of all steps: what a step computes is taken in by the next one when the walk goes on.
//!
//! Rims of a tile are computed by neighbouring groups, too. Their values beyond a step's reach are never used.

use std::collections::{BTreeMap, HashMap};

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

/// The registers of a step's field.
struct Registers<'k> {
    /// Planes of the work-item's points, from the lowest to the one ahead.
    queue: Vec<Vec<Variable<'k>>>,
    /// Planes of others' points, below the one that is shared.
    columns: BTreeMap<[i32; 2], Vec<Variable<'k>>>,
    /// Planes in local memory: two, one for each parity.
    shared: Option<Buffer<'k>>,
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
    /// Values that each step but the last has computed, by step and component.
    held: HashMap<(usize, usize, usize), Vec<Variable<'k>>>,
    /// What the first step takes in next, by field.
    entry: Vec<Vec<Variable<'k>>>,
    /// By step and field.
    registers: Vec<Vec<Registers<'k>>>,
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
            let mut walk = Walk {
                g: self,
                shape: &shape,
                steps,
                others: self.others(&shape, item),
                planar,
                item,
                planes: [from, to],
                has_faces,
                held: HashMap::new(),
                entry: Vec::new(),
                registers: Vec::new(),
            };
            walk.run(&shared);
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

    fn run(&mut self, shared: &[Vec<Option<Buffer<'k>>>]) {
        let g = self.g;
        let Shape { ahead, behind, .. } = *self.shape;
        let steps = self.steps as i64;
        let first = g.subtract(self.planes[0], self.index(steps * i64::from(behind)));
        let lag = (steps - 1) * i64::from(self.shape.delay()) + i64::from(ahead);
        let end = g.add(self.planes[1], self.index(lag));
        self.declare(shared, first);
        let parity = g.e.variable("parity", self.index(0));
        g.e.for_each("plane", first, end, self.index(1), |plane| {
            let flip = g.e.get(parity);
            self.take_in(flip);
            self.fetch(g.add(plane, self.index(1)));
            g.e.barrier(false);
            for step in 0..self.steps {
                let lag = step as i64 * i64::from(self.shape.delay()) + i64::from(ahead);
                self.step(step, g.subtract(plane, self.index(lag)), flip);
            }
            let other = g.subtract(self.index(1), flip);
            self.exchange_faces(plane, other);
            g.e.set(parity, other);
        });
    }

    /// Registers, with the first plane on its way.
    fn declare(&mut self, shared: &[Vec<Option<Buffer<'k>>>], first: V<'k>) {
        let (g, points) = (self.g, self.points());
        let zero = |field: &Neighbours| g.constant(0.0, field.kind);
        for arrays in shared {
            let registers = self.shape.fields.iter().zip(arrays).map(|(field, &shared)| {
                let plane = |name: &str| g.e.variable(name, zero(field));
                let queue = points.iter().map(|_| (field.low..=self.shape.ahead).map(|_| plane("own")).collect());
                let behind = |low: i32| (low..field.shared.unwrap_or(low)).map(|_| plane("other")).collect();
                Registers {
                    queue: queue.collect(),
                    columns: field.columns.iter().map(|(&column, &low)| (column, behind(low))).collect(),
                    shared,
                }
            });
            self.registers.push(registers.collect());
        }
        for step in 0..self.steps - 1 {
            for field in self.shape.fields.iter().filter(|field| field.field.back == 0) {
                let held = points.iter().map(|_| g.e.variable("held", zero(field))).collect();
                self.held.insert((step, field.field.grid, field.field.component), held);
            }
        }
        for field in &self.shape.fields {
            let entry = points.iter().map(|&point| g.e.variable("next", self.load(field.field, point, first)));
            self.entry.push(entry.collect());
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

    /// Loads what the first step takes in next.
    fn fetch(&self, plane: V<'k>) {
        for (field, entry) in self.shape.fields.iter().zip(&self.entry) {
            for (point, variable) in self.points().into_iter().zip(entry) {
                self.g.e.set(*variable, self.load(field.field, point, plane));
            }
        }
    }

    /// Each step takes in a plane of the one before, and shares one.
    fn take_in(&self, flip: V<'k>) {
        let g = self.g;
        for step in (0..self.steps).rev() {
            for (number, field) in self.shape.fields.iter().enumerate() {
                let Field { grid, component, back } = field.field;
                let registers = &self.registers[step][number];
                for (point, queue) in registers.queue.iter().enumerate() {
                    let newest = match (step, back) {
                        (0, _) => self.entry[number][point],
                        (_, 0) => self.held[&(step - 1, grid, component)][point],
                        _ => {
                            let before = self.field(grid, component, back - 1);
                            let low = self.shape.fields[before].low;
                            self.registers[step - 1][before].queue[point][-low as usize]
                        }
                    };
                    let shifted = queue.iter().skip(1).chain([&newest]);
                    queue.iter().zip(shifted).for_each(|(own, next)| g.e.set(*own, g.e.get(*next)));
                }
                let (Some(shared), Some(buffer)) = (field.shared, registers.shared) else { continue };
                for (slot, point) in field.slots.iter().enumerate() {
                    let value = g.e.get(registers.queue[self.number(*point)][(shared - field.low) as usize]);
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
    fn step(&self, step: usize, plane: V<'k>, flip: V<'k>) {
        let g = self.g;
        let newest: Vec<BTreeMap<[i32; 2], V<'k>>> = self
            .shape
            .fields
            .iter()
            .zip(&self.registers[step])
            .map(|(field, registers)| {
                let load = |column: [i32; 2]| {
                    let (slot, other) = self.shape.slot(column);
                    let slot = field.slots.iter().position(|own| *own == slot).expect("a slot of the field");
                    let buffer = registers.shared.expect("memory of what is shared");
                    g.e.load(buffer, self.element(field, flip, slot, other), 1, false)
                };
                field.columns.keys().map(|&column| (column, load(column))).collect()
            })
            .collect();
        let is_last = step + 1 == self.steps;
        let computed: Vec<_> = self.points().iter().map(|&point| self.value(step, point, plane, &newest)).collect();
        if is_last {
            let is_own = g.both(g.not_above(self.planes[0], plane), g.less(plane, self.planes[1]));
            g.e.when(is_own, || {
                for (point, values) in self.points().into_iter().zip(&computed) {
                    self.store(point, plane, values);
                }
            });
        } else {
            for (number, values) in computed.iter().enumerate() {
                for (&(grid, component), &value) in values {
                    g.e.set(self.held[&(step, grid, component)][number], value);
                }
            }
        }
        for (registers, newest) in self.registers[step].iter().zip(&newest) {
            for (column, planes) in &registers.columns {
                for (index, own) in planes.iter().enumerate() {
                    let next = planes.get(index + 1).map_or_else(|| newest[column], |next| g.e.get(*next));
                    g.e.set(*own, next);
                }
            }
        }
    }

    /// Stores the levels after the last step.
    fn store(&self, [i, j]: [usize; 2], plane: V<'k>, values: &BTreeMap<(usize, usize), V<'k>>) {
        let g = self.g;
        g.e.when(g.both(self.planar[0].is_stored[i], self.planar[1].is_stored[j]), || {
            let local = self.local(self.planar[0].own[i], self.planar[1].own[j], plane);
            for field in &self.shape.fields {
                let Field { grid, component, back } = field.field;
                let value = if back == 0 {
                    values[&(grid, component)]
                } else {
                    let before = self.field(grid, component, back - 1);
                    let low = self.shape.fields[before].low;
                    let queue = &self.registers[self.steps - 1][before].queue[self.number([i, j])];
                    g.e.get(queue[-low as usize])
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
        point: [usize; 2],
        plane: V<'k>,
        newest: &[BTreeMap<[i32; 2], V<'k>>],
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
            scope.taps.insert(*tap, self.tap(step, tap, point, plane, newest));
        }
        let statements = &g.stencil().stages()[0].statements;
        let (_, scope) = g.values_of(statements, &local, scope, false);
        let each = scope.assigned.into_iter().map(|((grid, component), value)| {
            let field = self.field(grid, component, 0);
            ((grid, component), self.beyond_faces(step, field, point, plane, value))
        });
        each.collect()
    }

    /// The value of a tap. Beyond a face on the last axis it may be made of values within.
    fn tap(
        &self,
        step: usize,
        tap: &Tap,
        point: [usize; 2],
        plane: V<'k>,
        newest: &[BTreeMap<[i32; 2], V<'k>>],
    ) -> V<'k> {
        let g = self.g;
        let last = self.last();
        let back = g.bound.facts().grids[tap.grid].newest - 1 - tap.time;
        let number = self.field(tap.grid, tap.component, back as usize);
        let Neighbours { field, kind, low, shared, ref columns, .. } = self.shape.fields[number];
        let registers = &self.registers[step][number];
        let column = self.shape.column(tap, point);
        let (slot, other) = self.shape.slot(column);
        let at = |distance: i32| match columns.get(&column) {
            Some(low) if other != [0; 2] => {
                let planes = &registers.columns[&column];
                let variable = planes.get((distance - low) as usize);
                debug_assert!(variable.is_some() || Some(distance) == shared);
                variable.map_or_else(|| newest[number][&column], |variable| g.e.get(*variable))
            }
            _ => g.e.get(registers.queue[self.number(slot)][(distance - low) as usize]),
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
    fn beyond_faces(&self, step: usize, number: usize, point: [usize; 2], plane: V<'k>, value: V<'k>) -> V<'k> {
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
                    Boundary::Keep => {
                        g.e.get(self.registers[step][number].queue[self.number(point)][-low as usize])
                    }
                    Boundary::Value(expression) => {
                        let centre = Tap { grid: field.grid, component: field.component, time: 0, offsets: [0; MAX_AXES] };
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
    fn exchange_faces(&self, plane: V<'k>, parity: V<'k>) {
        for axis in [0, 1] {
            if self.has_faces && self.steps > 1 && self.shape.has_mirrors[axis] {
                self.g.e.when(self.planar[axis].has_beyond, || self.exchange(axis, plane, parity));
            }
        }
    }

    fn exchange(&self, axis: usize, plane: V<'k>, parity: V<'k>) {
        let g = self.g;
        let fields = || self.shape.fields.iter().enumerate().filter(|(_, field)| field.field.back == 0);
        for step in 0..self.steps - 1 {
            for (number, field) in fields() {
                let Some(buffer) = self.registers[step][number].shared else { continue };
                let held = &self.held[&(step, field.field.grid, field.field.component)];
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
                let Some(buffer) = self.registers[step][number].shared else { continue };
                for point in self.points() {
                    self.exchanged(axis, step, field, buffer, point, plane, parity);
                }
            }
        }
        g.e.barrier(false);
    }

    /// Sets a point's value, if the point lies beyond a face whose condition is made of values within.
    #[allow(clippy::too_many_arguments)]
    fn exchanged(
        &self,
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
        let held = self.held[&(step, grid, component)][self.number(point)];
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
                    let is_within =
                        g.both(g.not_above(self.index(0), position), g.less(position, g.extent(other)));
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
