//! One step on a plane: neighbours, the statements at the work-item's points, and stores.

use std::collections::BTreeMap;

use affinimath_array::lower::operations::V;

use super::super::super::Level;
use super::super::super::generator::{Point, Slice};
use super::super::super::nodes::Scope;
use super::super::rims::Within;
use super::super::shape::{Field, Neighbours, is_mirror};
use super::Walk;
use super::state::{Planes, State};
use crate::definition::{MAX_AXES, Side, Tap};

impl<'k> Walk<'_, '_, 'k> {
    /// One step at all points of the work-item, on a plane.
    pub(super) fn step(&self, state: &mut State<V<'k>>, step: usize, plane: V<'k>, flip: V<'k>) {
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
    pub(super) fn store(
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

    pub(super) fn local(&self, x: V<'k>, y: V<'k>, plane: V<'k>) -> Point<'k> {
        let mut local = [None; MAX_AXES];
        local[0] = Some(x);
        local[1] = Some(y);
        local[self.last()] = Some(plane);
        Point { local, lanes: 1 }
    }

    /// The new values of components at a point, by grid and component.
    pub(super) fn value(
        &self,
        step: usize,
        planes: &[Planes<V<'k>>],
        point: [usize; 2],
        plane: V<'k>,
    ) -> BTreeMap<(usize, usize), V<'k>> {
        let g = self.g;
        let [i, j] = point;
        let first = self.shape.fields[0].field;
        let last = if self.has_ends { g.position_in_domain(first, self.last(), plane) } else { plane };
        let local = self.local(self.planar[0].domain[i], self.planar[1].domain[j], last);
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
    pub(super) fn tap(
        &self,
        step: usize,
        planes: &[Planes<V<'k>>],
        tap: &Tap,
        point: [usize; 2],
        plane: V<'k>,
    ) -> V<'k> {
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
        if step == 0 || distance == 0 || !self.has_ends || !is_mirror(boundary) {
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
}
