//! The passes of a run, point by point.

use super::Machine;
use crate::analysis::values;
use crate::bound::{Bound, Parameters};
use crate::data::{GridSlices, for_each_point};
use crate::definition::{MAX_AXES, Node, Statement, Tap};
use crate::error::{Error, Result};
use crate::evaluate::{Compiled, Point};
use crate::reduce::reduced;
use crate::run::{Colour, Moment, Passes};
use crate::value::{Value, binary};

impl<'g, 'd> Machine<'g, 'd> {
    pub(super) fn new(bound: &'g Bound, grids: &'g mut [GridSlices<'d>], parameters: &'g Parameters) -> Self {
        let stencil = bound.stencil();
        Machine {
            stencil,
            bound,
            grids,
            parameters,
            registers: vec![None; stencil.graph().len()],
            temporaries: vec![None; stencil.temporaries().len()],
            results: vec![None; stencil.results().len()],
            collected: vec![Vec::new(); stencil.results().len()],
            coupled: vec![false; stencil.grids().len()],
        }
    }

    /// The value at a point; none where it depends on an element outside its range or its memory.
    pub(super) fn value(&mut self, compiled: &Compiled, point: &Point, moment: Moment<'_>) -> Option<Value> {
        let mut registers = std::mem::take(&mut self.registers);
        let leaf = |node: &Node| match node {
            Node::Size(name) => self.bound.sizes().get(name).map(|&size| Value::I64(size)),
            Node::Temporary(temporary) => self.temporaries[*temporary],
            Node::Tap(tap) => self.tap(tap, point, moment),
            _ => None,
        };
        let value = compiled.value(self.stencil.graph(), &mut registers, self.parameters, point, leaf);
        self.registers = registers;
        value
    }

    fn tap(&self, tap: &Tap, point: &Point, moment: Moment<'_>) -> Option<Value> {
        let mut coordinates = [0; MAX_AXES];
        let axes = &self.stencil.grids()[tap.grid].axes;
        for (position, &axis) in axes.iter().enumerate() {
            coordinates[position] = point.coordinates[axis] + i64::from(tap.offsets[axis]);
        }
        let grid = &self.grids[tap.grid];
        let index = grid.layout.index(&coordinates[..axes.len()])?;
        let time = if self.stencil.grids()[tap.grid].constant { 0 } else { tap.time + point.shift };
        // The black half of a red-black sweep reads the red half's new values.
        let centre = tap.offsets.iter().all(|&offset| offset == 0);
        let newest = moment.levels.newest(tap.grid);
        let is_new = self.coupled[tap.grid] && !centre && tap.time == newest - 1;
        let slot = moment.levels.slot(tap.grid, if is_new { newest } else { time });
        Some(grid.slices[tap.component][slot].get(index))
    }

    /// Stores at a point of the domain. Grids that are assigned have all axes.
    fn store(&mut self, (grid, component, slot): (usize, usize, usize), cell: &[i64], value: Value) {
        let data = &mut self.grids[grid];
        let index = data.layout.index(cell).expect("memory holds the domain");
        data.slices[component][slot].set(index, value);
    }

    /// The statements of a stage at a point, which is the domain's `number`-th.
    fn point(
        &mut self,
        stage: usize,
        compiled: &[Compiled],
        cell: &[i64],
        number: usize,
        moment: Moment<'_>,
    ) -> Result<()> {
        let stencil = self.stencil;
        let point = Point { coordinates: padded(cell), time: moment.now, shift: 0 };
        for (statement, compiled) in stencil.stages()[stage].statements.iter().zip(compiled) {
            let value = self.value(compiled, &point, moment);
            match statement {
                Statement::Let { temporary, .. } => self.temporaries[*temporary] = value,
                Statement::Assign { target, .. } => {
                    let value = value.ok_or_else(|| outside(cell))?;
                    let slot = moment.levels.slot(target.grid, target.time);
                    self.store((target.grid, target.component, slot), cell, value);
                }
                Statement::Reduce { result, .. } => {
                    let value = value.ok_or_else(|| outside(cell))?;
                    if moment.reduces {
                        self.collected[*result][number] = value;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Passes for Machine<'_, '_> {
    fn initial(&mut self, rule: usize, time: i32, moment: Moment<'_>) -> Result<()> {
        let initial = &self.stencil.initial()[rule];
        let graph = self.stencil.graph();
        let condition = initial.condition.map(|condition| Compiled::new(graph, condition));
        let value = Compiled::new(graph, initial.value);
        let layout = self.grids[initial.grid].layout.clone();
        let axes = &self.stencil.grids()[initial.grid].axes;
        let slot = moment.levels.slot(initial.grid, time);
        let mut failed = false;
        for_each_point(&layout.lower, &layout.lengths, |cell| {
            let mut coordinates = [0; MAX_AXES];
            axes.iter().zip(cell).for_each(|(&axis, &coordinate)| coordinates[axis] = coordinate);
            let point = Point { coordinates, time: moment.now.wrapping_add(i64::from(time)), shift: 0 };
            let holds = condition.as_ref().map_or(Some(Value::Bool(true)), |each| self.value(each, &point, moment));
            let value = match holds {
                Some(Value::Bool(false)) => return,
                Some(_) => self.value(&value, &point, moment),
                None => None,
            };
            match value {
                Some(value) => self.store((initial.grid, initial.component, slot), cell, value),
                None => failed = true,
            }
        });
        if failed {
            let name = &self.stencil.grids()[initial.grid].name;
            return Err(Error::new(format!("an initial value of '{name}' reads outside the range of a parameter")));
        }
        Ok(())
    }

    fn complete(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> Result<()> {
        self.complete_grid(grid, time, is_initial, moment)
    }

    fn carry_over(&mut self, grid: usize, moment: Moment<'_>) -> Result<()> {
        let newest = moment.levels.newest(grid);
        let (new, old) = (moment.levels.slot(grid, newest), moment.levels.slot(grid, newest - 1));
        let data = &mut self.grids[grid];
        let layout = data.layout.clone();
        for slices in &mut data.slices {
            for_each_point(&layout.lower, &layout.lengths, |cell| {
                let index = layout.index(cell).expect("a point in memory");
                let value = slices[old].get(index);
                slices[new].set(index, value);
            });
        }
        Ok(())
    }

    fn sweep(&mut self, stage: usize, colour: Option<Colour>, moment: Moment<'_>) -> Result<()> {
        let statements = &self.stencil.stages()[stage].statements;
        let compiled: Vec<Compiled> =
            values(statements).map(|value| Compiled::new(self.stencil.graph(), value)).collect();
        for statement in statements {
            if let Statement::Reduce { result, .. } = statement
                && moment.reduces
            {
                self.collected[*result].resize(self.bound.points(), Value::Bool(false));
            }
        }
        for grid in self.stencil.assigned_in(stage) {
            self.coupled[grid] = colour == Some(Colour::Black);
        }
        let (mut number, mut failure) = (0, None);
        for_each_point(self.bound.lower(), self.bound.lengths(), |cell| {
            let parity = cell.iter().sum::<i64>().rem_euclid(2);
            if colour.is_none_or(|colour| parity == colour.parity()) && failure.is_none() {
                failure = self.point(stage, &compiled, cell, number, moment).err();
            }
            number += 1;
        });
        self.coupled.fill(false);
        failure.map_or(Ok(()), Err)
    }

    fn reduce(&mut self, stage: usize, _moment: Moment<'_>) -> Result<()> {
        for statement in &self.stencil.stages()[stage].statements {
            if let Statement::Reduce { result, reduction, .. } = statement {
                let values = std::mem::take(&mut self.collected[*result]);
                let kind = self.stencil.results()[*result].kind;
                self.results[*result] = Some(reduced(*reduction, kind, values, self.bound.lengths()[0]));
            }
        }
        Ok(())
    }

    fn filter(&mut self, filter: usize, point: Option<&[i64]>, moment: Moment<'_>) -> Result<()> {
        let filter = &self.stencil.filter()[filter];
        let compiled = Compiled::new(self.stencil.graph(), filter.value);
        let target = filter.target;
        let slot = moment.levels.slot(target.grid, target.time);
        let bound = self.bound;
        let mut change = |cell: &[i64]| {
            let point = Point { coordinates: padded(cell), time: moment.now, shift: 0 };
            let value = self.value(&compiled, &point, moment)?;
            let data = &self.grids[target.grid];
            let index = data.layout.index(cell)?;
            let old = data.slices[target.component][slot].get(index);
            let new = filter.operator.map_or(Some(value), |operator| binary(operator, old, value))?;
            self.store((target.grid, target.component, slot), cell, new);
            Some(())
        };
        if let Some(point) = point {
            return change(point).ok_or_else(|| outside(point));
        }
        let mut failure = None;
        for_each_point(bound.lower(), bound.lengths(), |cell| {
            if failure.is_none() && change(cell).is_none() {
                failure = Some(outside(cell));
            }
        });
        failure.map_or(Ok(()), Err)
    }

    fn results(&mut self) -> Result<Vec<Option<Value>>> {
        Ok(self.results.clone())
    }
}

fn padded(cell: &[i64]) -> [i64; MAX_AXES] {
    let mut coordinates = [0; MAX_AXES];
    coordinates[..cell.len()].copy_from_slice(cell);
    coordinates
}

fn outside(cell: &[i64]) -> Error {
    Error::new(format!("the point {cell:?} reads outside the range of a parameter"))
}
