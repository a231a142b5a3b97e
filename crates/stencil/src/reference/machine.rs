//! A run: levels, stages, filters and the stop criterion, point by point.

use super::data::{GridSlices, Value, for_each_point};
use super::evaluate::{Compiled, Point, binary};
use super::{Elements, Machine, Outcome, Reference, Span, State, reduce};
use crate::definition::{AXES, ExprId, MAX_AXES, Statement, Sweep, Type};
use crate::error::{Error, Result};

impl<'g, 'd> Machine<'g, 'd> {
    pub(super) fn new(
        reference: &'g Reference<'g>,
        grids: &'g mut [GridSlices<'d>],
        parameters: Vec<Elements>,
    ) -> Self {
        let stencil = reference.stencil;
        let states = grids.iter_mut().enumerate().map(|(grid, data)| State {
            data,
            constant: stencil.grids()[grid].constant,
            newest: reference.facts.grids[grid].newest,
            order: (0..reference.levels(grid)).collect(),
            is_coupled: false,
        });
        Machine {
            stencil,
            facts: &reference.facts,
            sizes: &reference.sizes,
            lower: reference.lower.clone(),
            lengths: reference.lengths.clone(),
            grids: states.collect(),
            faces: Vec::new(),
            parameters,
            registers: vec![None; stencil.graph().len()],
            temporaries: vec![None; stencil.temporaries().len()],
            results: vec![None; stencil.results().len()],
        }
    }

    pub(super) fn run(mut self, span: Span, steps: u64) -> Result<Outcome> {
        if span.initial {
            self.initial(span.first)?;
        }
        // Boundaries of the others may read constant grids beyond their faces.
        let (constant, changing): (Vec<usize>, Vec<usize>) =
            (0..self.grids.len()).partition(|&grid| self.grids[grid].constant);
        for grid in constant.into_iter().chain(changing) {
            for time in self.input_levels(grid) {
                self.complete(grid, time, span.first, true)?;
            }
        }
        let mut done = 0;
        let mut has_stopped = false;
        while done < steps && !has_stopped {
            let now = span.first.saturating_add_unsigned(done);
            self.step(now)?;
            done += 1;
            has_stopped = self.stops(now, done)?;
            for grid in 0..self.grids.len() {
                if self.facts.grids[grid].is_written {
                    self.grids[grid].order.rotate_left(1);
                }
            }
        }
        let newest = (0..self.grids.len()).map(|grid| self.newest_slot(grid)).collect();
        Ok(Outcome { steps: done, has_stopped, newest, results: self.results })
    }

    /// The slot of the newest level between steps: the one before the slot that the next step writes.
    fn newest_slot(&self, grid: usize) -> usize {
        let order = &self.grids[grid].order;
        match (self.facts.grids[grid].is_written, order.len()) {
            (true, levels) if levels > 1 => order[levels - 2],
            (_, levels) => order[levels - 1],
        }
    }

    /// Levels that hold values before a step, relative to `t`.
    fn input_levels(&self, grid: usize) -> std::ops::RangeInclusive<i32> {
        let facts = &self.facts.grids[grid];
        let oldest = facts.newest - (facts.levels as i32 - 1);
        // A grid with one level that is written has no input.
        oldest..=if facts.is_written && facts.levels > 1 { facts.newest - 1 } else { facts.newest }
    }

    fn initial(&mut self, first: i64) -> Result<()> {
        for initial in self.stencil.initial() {
            let condition = initial.condition.map(|condition| Compiled::new(self, condition));
            let value = Compiled::new(self, initial.value);
            let levels = self.input_levels(initial.grid).filter(|&time| initial.time.is_none_or(|own| own == time));
            for time in levels.collect::<Vec<_>>() {
                let layout = self.grids[initial.grid].data.layout.clone();
                let axes = &self.stencil.grids()[initial.grid].axes;
                let mut failed = false;
                for_each_point(&layout.lower, &layout.lengths, |cell| {
                    let mut coordinates = [0; MAX_AXES];
                    axes.iter().zip(cell).for_each(|(&axis, &coordinate)| coordinates[axis] = coordinate);
                    let point = Point { coordinates, time: first.wrapping_add(i64::from(time)), shift: 0 };
                    let holds = condition.as_ref().map_or(Some(Value::Bool(true)), |each| self.value(each, &point));
                    let value = match holds {
                        Some(Value::Bool(false)) => return,
                        Some(_) => self.value(&value, &point),
                        None => None,
                    };
                    let state = &mut self.grids[initial.grid];
                    match (value, layout.index(cell)) {
                        (Some(value), Some(index)) => {
                            let slot = state.slot(time);
                            state.data.slices[initial.component][slot].set(index, value);
                        }
                        _ => failed = true,
                    }
                });
                if failed {
                    let name = &self.stencil.grids()[initial.grid].name;
                    return Err(Error::new(format!(
                        "an initial value of '{name}' reads outside the range of a parameter"
                    )));
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, now: i64) -> Result<()> {
        for stage in 0..self.stencil.stages().len() {
            self.stage(stage, now)?;
        }
        self.filters(now)
    }

    fn stage(&mut self, number: usize, now: i64) -> Result<()> {
        let stencil = self.stencil;
        let stage = &stencil.stages()[number];
        let assigned = stencil.assigned_in(number);
        let compiled: Vec<Compiled> =
            crate::analysis::values(&stage.statements).map(|value| Compiled::new(self, value)).collect();
        let points: usize = self.lengths.iter().product();
        let reductions = stage.statements.iter().filter(|statement| matches!(statement, Statement::Reduce { .. }));
        let mut collected = vec![vec![Value::Bool(false); points]; reductions.count()];
        match stage.sweep {
            Sweep::Jacobi => {
                self.sweep(number, &compiled, now, None, &mut collected)?;
                self.complete_all(&assigned, now)?;
            }
            Sweep::RedBlack => {
                self.carry_over(number, &assigned);
                for colour in [0, 1] {
                    assigned.iter().for_each(|&grid| self.grids[grid].is_coupled = colour == 1);
                    self.sweep(number, &compiled, now, Some(colour), &mut collected)?;
                    self.complete_all(&assigned, now)?;
                }
                assigned.iter().for_each(|&grid| self.grids[grid].is_coupled = false);
            }
        }
        let mut collected = collected.into_iter();
        for statement in &stage.statements {
            if let Statement::Reduce { result, reduction, .. } = statement {
                let values = collected.next().expect("one for each reduction");
                let kind = stencil.results()[*result].kind;
                self.results[*result] = Some(reduce::reduced(*reduction, kind, values, self.lengths[0]));
            }
        }
        Ok(())
    }

    fn complete_all(&mut self, grids: &[usize], now: i64) -> Result<()> {
        grids.iter().try_for_each(|&grid| self.complete(grid, self.grids[grid].newest, now, false))
    }

    /// The new level of a red-black sweep begins as the level before, unless a stage before has written it.
    fn carry_over(&mut self, stage: usize, assigned: &[usize]) {
        for &grid in assigned {
            let is_written = (0..stage).any(|before| self.stencil.assigned_in(before).contains(&grid));
            let state = &mut self.grids[grid];
            if is_written || state.order.len() < 2 {
                continue;
            }
            let (new, old) = (state.slot(state.newest), state.slot(state.newest - 1));
            let layout = state.data.layout.clone();
            for slices in &mut state.data.slices {
                for_each_point(&layout.lower, &layout.lengths, |cell| {
                    let index = layout.index(cell).expect("a point in memory");
                    let value = slices[old].get(index);
                    slices[new].set(index, value);
                });
            }
        }
    }

    /// All points of the domain, or those of one colour.
    fn sweep(
        &mut self,
        stage: usize,
        compiled: &[Compiled],
        now: i64,
        colour: Option<i64>,
        collected: &mut [Vec<Value>],
    ) -> Result<()> {
        let (lower, lengths) = (self.lower.clone(), self.lengths.clone());
        let mut number = 0;
        let mut failure = None;
        for_each_point(&lower, &lengths, |cell| {
            let is_turn = colour.is_none_or(|colour| cell.iter().sum::<i64>().rem_euclid(2) == colour);
            if is_turn && failure.is_none() {
                failure = self.point(stage, compiled, cell, now, number, collected).err();
            }
            number += 1;
        });
        failure.map_or(Ok(()), Err)
    }

    fn point(
        &mut self,
        stage: usize,
        compiled: &[Compiled],
        cell: &[i64],
        now: i64,
        number: usize,
        collected: &mut [Vec<Value>],
    ) -> Result<()> {
        let stencil = self.stencil;
        let mut coordinates = [0; MAX_AXES];
        coordinates[..cell.len()].copy_from_slice(cell);
        let point = Point { coordinates, time: now, shift: 0 };
        let mut reductions = 0;
        for (statement, compiled) in stencil.stages()[stage].statements.iter().zip(compiled) {
            let value = self.value(compiled, &point);
            match statement {
                Statement::Let { temporary, .. } => self.temporaries[*temporary] = value,
                Statement::Assign { target, .. } => {
                    let value = value.ok_or_else(|| outside(cell))?;
                    self.store(target.grid, target.component, target.time, cell, value);
                }
                Statement::Reduce { .. } => {
                    collected[reductions][number] = value.ok_or_else(|| outside(cell))?;
                    reductions += 1;
                }
            }
        }
        Ok(())
    }

    /// Stores at a point of the domain. Grids that are assigned have all axes.
    fn store(&mut self, grid: usize, component: usize, time: i32, cell: &[i64], value: Value) {
        let state = &mut self.grids[grid];
        let index = state.data.layout.index(cell).expect("memory holds the domain");
        let slot = state.slot(time);
        state.data.slices[component][slot].set(index, value);
    }

    fn filters(&mut self, now: i64) -> Result<()> {
        let stencil = self.stencil;
        let mut changed = Vec::new();
        for filter in stencil.filter() {
            let value = Compiled::new(self, filter.value);
            let (lower, lengths) = match &filter.point {
                None => (self.lower.clone(), self.lengths.clone()),
                Some(point) => (self.filter_point(point, now)?, vec![1; self.lower.len()]),
            };
            let mut cells = Vec::new();
            for_each_point(&lower, &lengths, |cell| cells.push(cell.to_vec()));
            let target = filter.target;
            for cell in cells {
                let mut coordinates = [0; MAX_AXES];
                coordinates[..cell.len()].copy_from_slice(&cell);
                let point = Point { coordinates, time: now, shift: 0 };
                let value = self.value(&value, &point).ok_or_else(|| outside(&cell))?;
                let state = &self.grids[target.grid];
                let index = state.data.layout.index(&cell).expect("memory holds the domain");
                let old = state.data.slices[target.component][state.slot(target.time)].get(index);
                let new = match filter.operator {
                    None => value,
                    Some(operator) => binary(operator, old, value).ok_or_else(|| outside(&cell))?,
                };
                self.store(target.grid, target.component, target.time, &cell, new);
            }
            if !changed.contains(&target.grid) {
                changed.push(target.grid);
            }
        }
        self.complete_all(&changed, now)
    }

    /// The coordinates of a filter's point, which lies in the domain.
    fn filter_point(&mut self, point: &[ExprId], now: i64) -> Result<Vec<i64>> {
        let mut found = Vec::new();
        for (axis, &coordinate) in point.iter().enumerate() {
            let compiled = Compiled::new(self, coordinate);
            let here = Point { coordinates: [0; MAX_AXES], time: now, shift: 0 };
            let value = self.value(&compiled, &here).map(|value| value.converted(Type::I64));
            let (first, last) = (self.lower[axis], self.lower[axis] + self.lengths[axis] as i64 - 1);
            match value {
                Some(Value::I64(value)) if (first..=last).contains(&value) => found.push(value),
                Some(value) => {
                    let axis = AXES[axis];
                    return Err(Error::new(format!(
                        "the point of a filter has {} on {axis}, and the domain {first} .. {last}",
                        value.as_f64()
                    )));
                }
                None => return Err(Error::new("the point of a filter reads outside the range of a parameter")),
            }
        }
        Ok(found)
    }

    fn stops(&mut self, now: i64, done: u64) -> Result<bool> {
        let Some(stop) = self.stencil.stop().filter(|stop| done.is_multiple_of(u64::from(stop.every))) else {
            return Ok(false);
        };
        let compiled = Compiled::new(self, stop.condition);
        match self.value(&compiled, &Point { coordinates: [0; MAX_AXES], time: now, shift: 0 }) {
            Some(value) => Ok(value == Value::Bool(true)),
            None => Err(Error::new("the stop criterion reads outside the range of a parameter")),
        }
    }
}

fn outside(cell: &[i64]) -> Error {
    Error::new(format!("the point {cell:?} reads outside the range of a parameter"))
}
