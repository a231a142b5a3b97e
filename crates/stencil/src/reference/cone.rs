//! Values at single points after some steps, from those in their reach before the first one.

use std::collections::HashMap;

use crate::analysis::values;
use crate::bound::{Bound, Parameters};
use crate::data::Argument;
use crate::definition::{Boundary, MAX_AXES, Node, Side, Statement, Sweep, Tap};
use crate::error::Result;
use crate::evaluate::{Compiled, Point};
use crate::value::Value;

/// A grid, a component, and a coordinate on each of the stencil's axes.
type Cell = (usize, usize, [i64; MAX_AXES]);

/// The value of all levels of a grid's component at a point before the first step. Coordinates are those of the
/// grid's axes, on the stencil's axes; others are 0.
pub type FirstValue<'a> = dyn Fn(usize, usize, &[i64; MAX_AXES]) -> Value + 'a;

/// Values of a stencil at points, each computed from its dependence cone alone. Known ones are not computed again.
pub struct Cone<'a> {
    bound: &'a Bound,
    parameters: Parameters,
    first: &'a FirstValue<'a>,
    /// By level, relative to the first step's `t`.
    known: HashMap<(i64, Cell), Option<Value>>,
    /// Expressions of each stage's statements, and what they read.
    compiled: Vec<Vec<(Compiled, Vec<Tap>)>>,
    taps: u64,
}

impl<'a> Cone<'a> {
    /// The cones of a stencil; none where a value is more than what one stage assigns from its neighbours: sweeps in
    /// colours, filters, grids of two stages, and conditions at faces that are expressions.
    ///
    /// # Errors
    /// The arguments do not fit.
    pub fn new(bound: &'a Bound, arguments: &[Argument], first: &'a FirstValue<'a>) -> Result<Option<Self>> {
        let stencil = bound.stencil();
        let is_local = stencil.filter().is_empty()
            && stencil.stop().is_none()
            && stencil.stages().iter().all(|stage| stage.sweep == Sweep::Jacobi)
            && (0..stencil.grids().len()).all(|grid| stages_of(bound, grid).count() < 2)
            && stencil.boundaries().iter().all(|rule| moved(rule.boundary, Side::Lower, [0, 1], -1).is_some());
        let parameters = bound.parameters(arguments)?;
        let graph = stencil.graph();
        let compiled = |value| (Compiled::new(graph, value), graph.taps([value]));
        let compiled = stencil.stages().iter().map(|stage| values(&stage.statements).map(compiled).collect()).collect();
        Ok(is_local.then(|| Cone { bound, parameters, first, known: HashMap::new(), compiled, taps: 0 }))
    }

    /// The newest value of a grid's component at a point after some steps, the first of which is at `t` = 0. None where
    /// it depends on an element outside its range.
    pub fn value(&mut self, grid: usize, component: usize, point: &[i64], steps: u64) -> Option<Value> {
        let mut coordinates = [0; MAX_AXES];
        self.bound.stencil().grids()[grid].axes.iter().zip(point).for_each(|(&axis, &own)| coordinates[axis] = own);
        let newest = i64::from(self.bound.facts().grids[grid].newest);
        self.at(newest - 1 + steps as i64, (grid, component, coordinates))
    }

    /// Values that expressions have read so far.
    pub const fn taps(&self) -> u64 {
        self.taps
    }

    /// The value of a level, relative to the first step's `t`.
    fn at(&mut self, level: i64, cell: Cell) -> Option<Value> {
        let (grid, component, coordinates) = cell;
        let stencil = self.bound.stencil();
        let step = level - i64::from(self.bound.facts().grids[grid].newest);
        if let Some((axis, side)) = self.beyond(grid, &coordinates) {
            let range = [self.bound.lower()[axis], self.bound.lengths()[axis] as i64];
            let boundary = stencil.boundary(grid, component, axis, side);
            let to = moved(boundary, side, range, coordinates[axis]).flatten();
            return match to {
                Some(to) => {
                    let mut inside = coordinates;
                    inside[axis] = to;
                    self.at(level, (grid, component, inside))
                }
                None => Some((self.first)(grid, component, &coordinates)),
            };
        }
        let (Some(stage), true) = (stages_of(self.bound, grid).next(), step >= 0) else {
            return Some((self.first)(grid, component, &coordinates));
        };
        if let Some(value) = self.known.get(&(level, cell)) {
            return *value;
        }
        self.compute(stage, step, &coordinates);
        self.known.get(&(level, cell)).copied().flatten()
    }

    /// The last axis on which a point is outside of the domain.
    fn beyond(&self, grid: usize, coordinates: &[i64; MAX_AXES]) -> Option<(usize, Side)> {
        let definition = &self.bound.stencil().grids()[grid];
        let side = |&axis: &usize| {
            let distance = coordinates[axis] - self.bound.lower()[axis];
            match distance {
                ..0 => Some((axis, Side::Lower)),
                _ if distance >= self.bound.lengths()[axis] as i64 => Some((axis, Side::Upper)),
                _ => None,
            }
        };
        if definition.constant { None } else { definition.axes.iter().rev().find_map(side) }
    }

    /// The values that a stage assigns at a point.
    fn compute(&mut self, stage: usize, step: i64, coordinates: &[i64; MAX_AXES]) {
        let stencil = self.bound.stencil();
        let graph = stencil.graph();
        let mut temporaries = vec![None; stencil.temporaries().len()];
        let mut registers = vec![None; graph.len()];
        for (number, statement) in stencil.stages()[stage].statements.iter().enumerate() {
            let mut taps = Vec::new();
            for index in 0..self.compiled[stage][number].1.len() {
                let tap = self.compiled[stage][number].1[index];
                taps.push((tap, self.tap(&tap, step, coordinates)));
            }
            self.taps += taps.len() as u64;
            let point = Point { coordinates: *coordinates, time: step, shift: 0 };
            let leaf = |node: &Node| match node {
                Node::Size(name) => self.bound.sizes().get(name).map(|&size| Value::I64(size)),
                Node::Temporary(temporary) => temporaries[*temporary],
                Node::Tap(tap) => taps.iter().find(|(known, _)| known == tap)?.1,
                _ => None,
            };
            let compiled = &self.compiled[stage][number].0;
            let value = compiled.value(graph, &mut registers, &self.parameters, &point, leaf);
            match statement {
                Statement::Let { temporary, .. } => temporaries[*temporary] = value,
                Statement::Assign { target, .. } => {
                    let cell = (target.grid, target.component, *coordinates);
                    self.known.insert((step + i64::from(target.time), cell), value);
                }
                Statement::Reduce { .. } => {}
            }
        }
    }

    fn tap(&mut self, tap: &Tap, step: i64, coordinates: &[i64; MAX_AXES]) -> Option<Value> {
        let definition = &self.bound.stencil().grids()[tap.grid];
        let mut read = [0; MAX_AXES];
        definition.axes.iter().for_each(|&axis| read[axis] = coordinates[axis] + i64::from(tap.offsets[axis]));
        let level = if definition.constant { 0 } else { step + i64::from(tap.time) };
        self.at(level, (tap.grid, tap.component, read))
    }
}

/// The stages that assign a grid.
fn stages_of(bound: &Bound, grid: usize) -> impl Iterator<Item = usize> + '_ {
    let stencil = bound.stencil();
    (0..stencil.stages().len()).filter(move |&stage| stencil.assigned_in(stage).contains(&grid))
}

/// The coordinate whose value a point beyond a face has: none inside where values are kept. No answer for conditions
/// that are more than copies. The range is the first coordinate and the number of them.
fn moved(boundary: Boundary, side: Side, [first, count]: [i64; 2], coordinate: i64) -> Option<Option<i64>> {
    let last = first + count - 1;
    let distance = if side == Side::Lower { first - coordinate } else { coordinate - last };
    let inside = |k: i64| if side == Side::Lower { first + k } else { last - k };
    match boundary {
        Boundary::Keep => Some(None),
        Boundary::Periodic => Some(Some(first + (coordinate - first).rem_euclid(count))),
        Boundary::Reflect => Some(Some(inside(distance))),
        Boundary::Symmetric => Some(Some(inside(distance - 1))),
        Boundary::Clamp => Some(Some(inside(0))),
        Boundary::Value(_) | Boundary::Neumann(_) | Boundary::Antireflect => None,
    }
}
