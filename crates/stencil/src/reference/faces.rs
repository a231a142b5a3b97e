//! Boundaries: points in memory outside the domain.

use super::Machine;
use crate::data::for_each_point;
use crate::definition::{Boundary, MAX_AXES, Side};
use crate::error::{Error, Result};
use crate::evaluate::{Compiled, Point};
use crate::run::Moment;
use crate::value::{Value, add, multiply, subtract};

/// A face of a component at a level that is completed.
#[derive(Clone, Copy)]
struct Face<'m> {
    grid: usize,
    component: usize,
    axis: usize,
    /// The index of the axis among the grid's.
    position: usize,
    side: Side,
    time: i32,
    is_initial: bool,
    moment: Moment<'m>,
}

impl Machine<'_, '_> {
    /// Completes a level: first the faces of the first axis, and so on, so that corners follow the last axis on which
    /// they are outside. Before the first step, values that are kept are the caller's.
    pub(super) fn complete_grid(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> Result<()> {
        let axes = &self.stencil.grids()[grid].axes;
        for component in 0..self.stencil.grids()[grid].component_count() {
            for (position, &axis) in axes.iter().enumerate() {
                for side in [Side::Lower, Side::Upper] {
                    self.face(Face { grid, component, axis, position, side, time, is_initial, moment })?;
                }
            }
        }
        Ok(())
    }

    /// The box in which one face decides: memory on axes before its own, the domain on those behind.
    fn face_box(&self, grid: usize, axis: usize) -> (Vec<i64>, Vec<usize>) {
        let layout = &self.grids[grid].layout;
        let axes = &self.stencil.grids()[grid].axes;
        let mut lower = layout.lower.clone();
        let mut lengths = layout.lengths.clone();
        for (position, &other) in axes.iter().enumerate() {
            if other > axis {
                (lower[position], lengths[position]) = (self.bound.lower()[other], self.bound.lengths()[other]);
            }
        }
        (lower, lengths)
    }

    fn face(&mut self, face: Face<'_>) -> Result<()> {
        let (mut lower, mut lengths) = self.face_box(face.grid, face.axis);
        let first = self.bound.lower()[face.axis];
        let last = first + self.bound.lengths()[face.axis] as i64 - 1;
        let beyond = match face.side {
            Side::Lower => first - lower[face.position],
            Side::Upper => lower[face.position] + lengths[face.position] as i64 - 1 - last,
        };
        lengths[face.position] = 1;
        let boundary = self.stencil.boundary(face.grid, face.component, face.axis, face.side);
        let value = match boundary {
            Boundary::Value(value) | Boundary::Neumann(value) => Some(Compiled::new(self.stencil.graph(), value)),
            _ => None,
        };
        for distance in 1..=beyond {
            lower[face.position] = if face.side == Side::Lower { first - distance } else { last + distance };
            let mut cells: Vec<Vec<i64>> = Vec::new();
            for_each_point(&lower, &lengths, |cell| cells.push(cell.to_vec()));
            for cell in cells {
                if let Some(value) = self.beyond(face, (boundary, value.as_ref()), &cell, distance)? {
                    let slot = face.moment.levels.slot(face.grid, face.time);
                    let data = &mut self.grids[face.grid];
                    let index = data.layout.index(&cell).expect("a point in memory");
                    data.slices[face.component][slot].set(index, value);
                }
            }
        }
        Ok(())
    }

    /// The value of a point beyond a face; none leaves it as it is.
    fn beyond(
        &mut self,
        face: Face<'_>,
        (boundary, value): (Boundary, Option<&Compiled>),
        cell: &[i64],
        distance: i64,
    ) -> Result<Option<Value>> {
        if boundary == Boundary::Keep || distance > self.bound.reach(face.grid, face.axis, face.side) {
            let has_before = !face.is_initial && face.moment.levels.count(face.grid) > 1;
            return Ok(has_before.then(|| self.at(face, cell, face.time - 1)));
        }
        let (first, count) = (self.bound.lower()[face.axis], self.bound.lengths()[face.axis] as i64);
        // The point k steps from the face into the domain.
        let inside = |k: i64| {
            let mut point = cell.to_vec();
            point[face.position] = if face.side == Side::Lower { first + k } else { first + count - 1 - k };
            point
        };
        let read = |k: i64| self.at(face, &inside(k), face.time);
        Ok(Some(match boundary {
            Boundary::Keep => unreachable!("values that are kept were handled"),
            Boundary::Periodic => {
                let mut point = cell.to_vec();
                point[face.position] = first + (cell[face.position] - first).rem_euclid(count);
                self.at(face, &point, face.time)
            }
            Boundary::Reflect => read(distance),
            Boundary::Symmetric => read(distance - 1),
            Boundary::Clamp => read(0),
            Boundary::Antireflect => {
                let edge = read(0);
                subtract(add(edge, edge), read(distance))
            }
            Boundary::Value(_) => self.face_value(face, value.expect("the face's expression"), cell)?,
            Boundary::Neumann(_) => {
                let mirrored = read(distance - 1);
                let derivative = self.face_value(face, value.expect("the face's expression"), cell)?;
                let factor = Value::constant((2 * distance - 1) as f64, self.stencil.grids()[face.grid].kind);
                add(mirrored, multiply(factor, derivative))
            }
        }))
    }

    /// The expression of a face at a point beyond it.
    fn face_value(&mut self, face: Face<'_>, value: &Compiled, cell: &[i64]) -> Result<Value> {
        let mut coordinates = [0; MAX_AXES];
        for (position, &axis) in self.stencil.grids()[face.grid].axes.iter().enumerate() {
            coordinates[axis] = cell[position];
        }
        let time = face.moment.now.wrapping_add(i64::from(face.time));
        let point = Point { coordinates, time, shift: face.time };
        let value = self.value(value, &point, face.moment);
        value.ok_or_else(|| {
            let name = &self.stencil.grids()[face.grid].name;
            Error::new(format!("the boundary of '{name}' at {cell:?} reads outside a range or a memory"))
        })
    }

    fn at(&self, face: Face<'_>, cell: &[i64], time: i32) -> Value {
        let data = &self.grids[face.grid];
        let index = data.layout.index(cell).expect("memory holds the domain and what surrounds it");
        data.slices[face.component][face.moment.levels.slot(face.grid, time)].get(index)
    }
}
