//! Values beyond the domain's faces, while several steps are under way.

use std::collections::BTreeMap;

use affinimath_array::lower::operations::{Buffer, V};
use affinimath_kernel::dynamic::{BinaryOp, Variable};

use super::super::super::generator::Point;
use super::super::rims::{Beyond, Within};
use super::super::shape::{Field, Neighbours, is_mirror};
use super::Walk;
use super::state::{Planes, State};
use crate::definition::{Boundary, MAX_AXES, Side, Tap};
use crate::strategy::Tile;

/// Values under exchange, by step and component.
type Held<'k> = BTreeMap<(usize, usize, usize), Vec<Variable<'k>>>;

const SIDES: [Side; 2] = [Side::Lower, Side::Upper];

impl<'k> Walk<'_, '_, 'k> {
    /// The time of a level that a step has computed, relative to the first step's.
    pub(super) fn time_of(&self, field: Field, step: usize) -> i64 {
        let newest = self.g.bound.facts().grids[field.grid].newest;
        step as i64 + i64::from(newest) - field.back as i64
    }

    /// A point beyond a face on the last axis, for the expressions of its condition.
    pub(super) fn seen(&self, field: Field, [i, j]: [usize; 2], tap: &Tap, plane: V<'k>) -> Point<'k> {
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
    pub(super) fn beyond_faces(
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
            if !(if is_last { self.has_ends } else { self.has_faces }) {
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
    pub(super) fn exchange_faces(&self, state: &mut State<V<'k>>, plane: V<'k>, parity: V<'k>) {
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
            let plane = g.subtract(plane, self.index(self.lag(step)));
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
            // The last axis on which a point lies beyond a face has its value.
            let is_beyond = g.is_beyond(axis, side, position);
            let is_beyond = (axis + 1..self.shape.dimension).fold(is_beyond, |so_far, other| {
                if g.is_periodic(field.field, other) {
                    return so_far;
                }
                let position = if other == self.last() { plane } else { self.planar[other].own[point[other]] };
                let is_within = g.both(g.not_above(self.index(0), position), g.less(position, g.extent(other)));
                g.both(so_far, is_within)
            });
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
        let in_tile = g.max(self.index(0), g.min(in_tile, self.index(width - 1)));
        let count = self.index(points[axis] as i64);
        let (item, within) = (g.e.binary(BinaryOp::Div, in_tile, count), g.e.binary(BinaryOp::Rem, in_tile, count));
        let location = |own: usize, other: V<'k>| if own == axis { other } else { self.item[own] };
        let number = |own: usize| if own == axis { within } else { self.index(point[own] as i64) };
        let slot = g.add(g.multiply(number(1), self.index(points[0] as i64)), number(0));
        let slots = self.index(field.slots.len() as i64);
        let row = g.add(g.multiply(parity, slots), slot);
        let row = g.add(g.multiply(row, self.index(items[1] as i64)), location(1, item));
        let index = g.add(g.multiply(row, self.index(items[0] as i64)), location(0, item));
        g.e.load(buffer, index, 1, false)
    }
}
