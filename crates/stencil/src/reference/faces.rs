//! Boundaries: points in memory outside the domain.

use super::Machine;
use super::data::{Value, for_each_point};
use super::evaluate::{Compiled, Point, add, multiply, subtract};
use crate::definition::{AXES, Boundary, MAX_AXES, Side, Stencil};
use crate::error::{Error, Result};

/// A face with a rule, ready to be applied.
pub(super) struct Face {
    axis: usize,
    side: Side,
    /// Points beyond the face that taps reach.
    reach: i64,
    boundary: Boundary,
    value: Option<Compiled>,
}

/// The faces of a component, by axis.
pub(super) type Faces = Vec<Face>;

impl Machine<'_, '_> {
    /// The faces of all components of a grid.
    ///
    /// # Errors
    /// The domain is too small for a condition.
    pub(super) fn faces(&self, grid: usize) -> Result<Vec<Faces>> {
        let facts = &self.facts.grids[grid];
        let definition = &self.stencil.grids()[grid];
        let mut all = Vec::new();
        for component in 0..definition.component_count() {
            let mut faces = Vec::new();
            for &axis in &definition.axes {
                for side in [Side::Lower, Side::Upper] {
                    let boundary = self.stencil.boundary(grid, component, axis, side);
                    let reach = i64::from(facts.radius[axis][if side == Side::Lower { 0 } else { 1 }]);
                    self.fits(grid, axis, boundary, reach)?;
                    let value = match boundary {
                        Boundary::Value(value) | Boundary::Neumann(value) => Some(Compiled::new(self, value)),
                        _ => None,
                    };
                    faces.push(Face { axis, side, reach, boundary, value });
                }
            }
            all.push(faces);
        }
        Ok(all)
    }

    /// A condition finds the points of the domain that it needs.
    fn fits(&self, grid: usize, axis: usize, boundary: Boundary, reach: i64) -> Result<()> {
        let needed = match boundary {
            Boundary::Reflect | Boundary::Antireflect if reach > 0 => reach + 1,
            Boundary::Symmetric | Boundary::Neumann(_) => reach,
            Boundary::Value(value) => inward_reach(self.stencil, grid, axis, value),
            _ => 0,
        };
        let points = self.lengths[axis] as i64;
        if points < needed {
            let name = &self.stencil.grids()[grid].name;
            return Err(Error::new(format!(
                "the domain has {points} points on {}, and the boundary of '{name}' needs {needed}: its taps reach \
                 {reach} beyond the face",
                AXES[axis]
            )));
        }
        Ok(())
    }

    /// Completes a level: first the faces of the first axis, and so on, so that corners follow the last axis on which
    /// they are outside. Before the first step, values that are kept are the caller's.
    pub(super) fn complete(&mut self, grid: usize, time: i32, now: i64, is_initial: bool) -> Result<()> {
        for component in 0..self.stencil.grids()[grid].component_count() {
            for number in 0..self.faces[grid][component].len() {
                self.face(grid, component, number, time, now, is_initial)?;
            }
        }
        Ok(())
    }

    /// The box in which one face decides: memory on axes before its own, the domain on those behind.
    fn face_box(&self, grid: usize, axis: usize) -> (Vec<i64>, Vec<usize>) {
        let layout = &self.grids[grid].data.layout;
        let axes = &self.stencil.grids()[grid].axes;
        let mut lower = layout.lower.clone();
        let mut lengths = layout.lengths.clone();
        for (position, &other) in axes.iter().enumerate() {
            if other > axis {
                (lower[position], lengths[position]) = (self.lower[other], self.lengths[other]);
            }
        }
        (lower, lengths)
    }

    fn face(
        &mut self,
        grid: usize,
        component: usize,
        number: usize,
        time: i32,
        now: i64,
        is_initial: bool,
    ) -> Result<()> {
        let (axis, side) = (self.faces[grid][component][number].axis, self.faces[grid][component][number].side);
        let (mut lower, mut lengths) = self.face_box(grid, axis);
        let axes = self.stencil.grids()[grid].axes.clone();
        let position = axes.iter().position(|&own| own == axis).expect("a face of the grid's axes");
        let (first, last) = (self.lower[axis], self.lower[axis] + self.lengths[axis] as i64 - 1);
        let beyond = match side {
            Side::Lower => first - lower[position],
            Side::Upper => lower[position] + lengths[position] as i64 - 1 - last,
        };
        lengths[position] = 1;
        for distance in 1..=beyond {
            lower[position] = if side == Side::Lower { first - distance } else { last + distance };
            let mut cells: Vec<Vec<i64>> = Vec::new();
            for_each_point(&lower, &lengths, |cell| cells.push(cell.to_vec()));
            for cell in cells {
                let value = self.beyond(grid, component, number, &cell, distance, (time, now, is_initial))?;
                if let Some(value) = value {
                    let state = &mut self.grids[grid];
                    let index = state.data.layout.index(&cell).expect("a point in memory");
                    let slot = state.slot(time);
                    state.data.slices[component][slot].set(index, value);
                }
            }
        }
        Ok(())
    }

    /// The value of a point beyond a face; none leaves it as it is.
    fn beyond(
        &mut self,
        grid: usize,
        component: usize,
        number: usize,
        cell: &[i64],
        distance: i64,
        (time, now, is_initial): (i32, i64, bool),
    ) -> Result<Option<Value>> {
        let face = &self.faces[grid][component][number];
        let (axis, side, boundary) = (face.axis, face.side, face.boundary);
        if boundary == Boundary::Keep || distance > face.reach {
            let state = &self.grids[grid];
            let has_before = !is_initial && state.data.slices[component].len() > 1;
            return Ok(has_before.then(|| self.at(grid, component, cell, time - 1)));
        }
        let axes = self.stencil.grids()[grid].axes.clone();
        let position = axes.iter().position(|&own| own == axis).expect("a face of the grid's axes");
        let (first, count) = (self.lower[axis], self.lengths[axis] as i64);
        // The point k steps from the face into the domain.
        let inside = |k: i64| {
            let mut point = cell.to_vec();
            point[position] = if side == Side::Lower { first + k } else { first + count - 1 - k };
            point
        };
        let read = |k: i64| self.at(grid, component, &inside(k), time);
        Ok(Some(match boundary {
            Boundary::Keep => unreachable!("values that are kept were handled"),
            Boundary::Periodic => {
                let mut point = cell.to_vec();
                point[position] = first + (cell[position] - first).rem_euclid(count);
                self.at(grid, component, &point, time)
            }
            Boundary::Reflect => read(distance),
            Boundary::Symmetric => read(distance - 1),
            Boundary::Clamp => read(0),
            Boundary::Antireflect => {
                let edge = read(0);
                subtract(add(edge, edge), read(distance))
            }
            Boundary::Value(_) => self.face_value((grid, component, number), cell, time, now)?,
            Boundary::Neumann(_) => {
                let mirrored = read(distance - 1);
                let derivative = self.face_value((grid, component, number), cell, time, now)?;
                let factor = Value::constant((2 * distance - 1) as f64, self.stencil.grids()[grid].kind);
                add(mirrored, multiply(factor, derivative))
            }
        }))
    }

    /// The expression of a face at a point beyond it.
    fn face_value(
        &mut self,
        (grid, component, number): (usize, usize, usize),
        cell: &[i64],
        time: i32,
        now: i64,
    ) -> Result<Value> {
        let mut coordinates = [0; MAX_AXES];
        for (position, &axis) in self.stencil.grids()[grid].axes.iter().enumerate() {
            coordinates[axis] = cell[position];
        }
        let point = Point { coordinates, time: now.wrapping_add(i64::from(time)), shift: time };
        let compiled = self.faces[grid][component][number].value.take().expect("the face has an expression");
        let value = self.value(&compiled, &point);
        self.faces[grid][component][number].value = Some(compiled);
        value.ok_or_else(|| {
            let name = &self.stencil.grids()[grid].name;
            Error::new(format!("the boundary of '{name}' at {cell:?} reads outside a range or a memory"))
        })
    }

    fn at(&self, grid: usize, component: usize, cell: &[i64], time: i32) -> Value {
        let state = &self.grids[grid];
        let index = state.data.layout.index(cell).expect("memory holds the domain and what surrounds it");
        state.data.slices[component][state.slot(time)].get(index)
    }
}

/// The greatest offset by which a boundary reads its own grid towards the domain.
fn inward_reach(stencil: &Stencil, grid: usize, axis: usize, value: crate::definition::ExprId) -> i64 {
    let own = stencil.graph().taps([value]).into_iter().filter(|tap| tap.grid == grid);
    own.map(|tap| i64::from(tap.offsets[axis].abs())).max().unwrap_or(0)
}
