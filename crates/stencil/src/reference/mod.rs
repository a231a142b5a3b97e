//! A naive evaluator on slices: the meaning of a stencil.
//!
//! Each point's expressions are evaluated in the order of the text and in the types of the definition, so that results
//! are those of every strategy, to the bit. It is written to be read, not to be fast.

mod data;
mod evaluate;
mod faces;
mod reduce;

use std::collections::BTreeMap;

pub use data::{Argument, Field, GridSlices, Layout, Slice, Value};
pub use reduce::STRIP;

use crate::analysis::{Analysis, needed_memory};
use crate::definition::{AXES, MAX_AXES, Parameter, Range, Statement, Stencil, Sweep, Type};
use crate::error::{Error, Result};
use data::for_each_point;
use evaluate::{Compiled, Point, binary};
use faces::Faces;

/// A stencil with values for its sizes.
#[derive(Clone, Debug)]
pub struct Reference<'s> {
    stencil: &'s Stencil,
    facts: Analysis,
    sizes: BTreeMap<String, i64>,
    lower: Vec<i64>,
    lengths: Vec<usize>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Steps that were done.
    pub steps: u64,
    /// The stop criterion ended the run.
    pub has_stopped: bool,
    /// The index of each grid's slice with the newest level.
    pub newest: Vec<usize>,
    /// Results of the last step; none before the first one.
    pub results: Vec<Option<Value>>,
}

/// The length of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The time `t` of the first step.
    pub first: i64,
    /// Steps; without them the stencil's own number.
    pub steps: Option<u64>,
    /// Initial values are set before.
    pub initial: bool,
}

/// A parameter's values, with the first index and the length of each of its ranges.
struct Elements {
    ranges: Vec<(i64, usize)>,
    values: Vec<Value>,
}

/// A grid during a run.
struct State<'g, 'd> {
    data: &'g mut GridSlices<'d>,
    constant: bool,
    newest: i32,
    /// Slots of the levels, from the oldest to the newest.
    order: Vec<usize>,
    /// A red-black sweep's second half runs, and assigns the grid.
    is_coupled: bool,
}

impl State<'_, '_> {
    /// The slot of a level relative to `t`.
    fn slot(&self, time: i32) -> usize {
        let from_newest = (self.newest - time).max(0) as usize;
        self.order[(self.order.len() - 1).saturating_sub(from_newest)]
    }
}

struct Machine<'g, 'd> {
    stencil: &'g Stencil,
    facts: &'g Analysis,
    sizes: &'g BTreeMap<String, i64>,
    lower: Vec<i64>,
    lengths: Vec<usize>,
    grids: Vec<State<'g, 'd>>,
    faces: Vec<Vec<Faces>>,
    parameters: Vec<Elements>,
    registers: Vec<Option<Value>>,
    temporaries: Vec<Option<Value>>,
    results: Vec<Option<Value>>,
}

/// The greatest coordinate and the greatest number of points.
const MAX_COORDINATE: i64 = 1 << 48;

/// A range's first value and length.
fn bound(range: &Range, sizes: &BTreeMap<String, i64>) -> std::result::Result<(i64, usize), String> {
    let (lower, upper) = (range.lower.value(sizes)?, range.upper.value(sizes)?);
    if lower.unsigned_abs().max(upper.unsigned_abs()) > MAX_COORDINATE as u64 {
        return Err(format!("{lower} .. {upper} is beyond 2^48"));
    }
    match usize::try_from(upper - lower + 1).ok().filter(|&length| length > 0) {
        Some(length) => Ok((lower, length)),
        None => Err(format!("{lower} .. {upper} is empty")),
    }
}

impl<'s> Reference<'s> {
    /// Binds sizes to their values.
    ///
    /// # Errors
    /// A size is missing, the domain is empty on an axis, or a declared memory box does not hold what taps reach.
    pub fn new(stencil: &'s Stencil, sizes: &[(&str, i64)]) -> Result<Self> {
        let given: BTreeMap<String, i64> = sizes.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let symbols = stencil.symbols();
        if let Some(unknown) = given.keys().find(|name| !symbols.contains(&name.as_str())) {
            return Err(Error::new(format!("there is no size '{unknown}': there are {}", symbols.join(", "))));
        }
        let (mut lower, mut lengths) = (Vec::new(), Vec::new());
        for (axis, range) in stencil.domain().iter().enumerate() {
            let (first, length) =
                bound(range, &given).map_err(|reason| Error::new(format!("the domain on {}: {reason}", AXES[axis])))?;
            lower.push(first);
            lengths.push(length);
        }
        let points = lengths.iter().try_fold(1usize, |so_far, &length| so_far.checked_mul(length));
        if points.is_none_or(|points| points > MAX_COORDINATE as usize) {
            return Err(Error::new("the domain has more than 2^48 points"));
        }
        let reference = Reference { stencil, facts: Analysis::new(stencil), sizes: given, lower, lengths };
        for grid in 0..stencil.grids().len() {
            reference.layout(grid)?;
        }
        Ok(reference)
    }

    /// The values of sizes.
    pub fn sizes(&self) -> &BTreeMap<String, i64> {
        &self.sizes
    }

    /// The number of points of the domain.
    pub fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    /// The number of levels that a run needs of a grid.
    pub fn levels(&self, grid: usize) -> usize {
        self.facts.grids[grid].levels
    }

    /// The memory of a grid without gaps.
    ///
    /// # Errors
    /// The memory is empty, or does not hold the domain and what taps reach.
    pub fn layout(&self, grid: usize) -> Result<Layout> {
        let (mut lower, mut lengths) = (Vec::new(), Vec::new());
        for range in &self.facts.grids[grid].memory {
            let (first, length) = self.bound(grid, range)?;
            lower.push(first);
            lengths.push(length);
        }
        let layout = Layout::contiguous(lower, lengths);
        self.holds(grid, &layout)?;
        Ok(layout)
    }

    /// A field of zeros with the levels and components that a run needs.
    ///
    /// # Errors
    /// Those of [`Reference::layout`].
    pub fn field(&self, grid: usize) -> Result<Field> {
        let definition = &self.stencil.grids()[grid];
        Field::zeros(definition.kind, self.layout(grid)?, definition.component_count(), self.levels(grid))
    }

    fn bound(&self, grid: usize, range: &Range) -> Result<(i64, usize)> {
        let name = &self.stencil.grids()[grid].name;
        bound(range, &self.sizes).map_err(|reason| Error::new(format!("the memory of '{name}': {reason}")))
    }

    /// A layout holds the domain and what taps reach.
    fn holds(&self, grid: usize, layout: &Layout) -> Result<()> {
        let definition = &self.stencil.grids()[grid];
        let name = &definition.name;
        let axes = definition.axes.len();
        if [layout.lower.len(), layout.lengths.len(), layout.strides.len()] != [axes; 3] {
            return Err(Error::new(format!("the layout of '{name}' has not {axes} axes")));
        }
        for (position, range) in needed_memory(self.stencil, grid, &self.facts.grids[grid].radius).iter().enumerate() {
            let (first, length) = self.bound(grid, range)?;
            let (own, own_length) = (layout.lower[position], layout.lengths[position]);
            let last = first.saturating_add(length as i64 - 1);
            let own_last = own.saturating_add(i64::try_from(own_length).unwrap_or(i64::MAX) - 1);
            if first < own || last > own_last {
                let axis = AXES[definition.axes[position]];
                return Err(Error::new(format!(
                    "the memory of '{name}' is {own} .. {own_last} on {axis}, and its taps reach {first} .. {last}"
                )));
            }
        }
        Ok(())
    }

    /// Checks the memory of a grid.
    fn check(&self, grid: usize, data: &GridSlices<'_>) -> Result<()> {
        let definition = &self.stencil.grids()[grid];
        let name = &definition.name;
        self.holds(grid, &data.layout)?;
        let (components, levels) = (definition.component_count(), self.levels(grid));
        if data.slices.len() != components {
            let given = data.slices.len();
            return Err(Error::new(format!("'{name}' has {components} components, and memory for {given} is given")));
        }
        if !data.layout.is_injective() {
            return Err(Error::new(format!("points of '{name}' overlap in memory: its strides are too small")));
        }
        let extent = data.layout.extent().unwrap_or(usize::MAX);
        for slices in &data.slices {
            if slices.len() != levels {
                let given = slices.len();
                return Err(Error::new(format!("'{name}' has {levels} levels, and {given} slices are given")));
            }
            for slice in slices {
                if slice.kind() != definition.kind {
                    let (wanted, given) = (definition.kind, slice.kind());
                    return Err(Error::new(format!("'{name}' is a grid of {wanted}, and a slice of {given} is given")));
                }
                if slice.len() < extent {
                    let given = slice.len();
                    return Err(Error::new(format!("'{name}' needs {extent} elements, and a slice has {given}")));
                }
            }
        }
        Ok(())
    }

    /// The values of a parameter, from an argument or from its table.
    fn elements(&self, parameter: &Parameter, argument: Option<&Argument>) -> Result<Elements> {
        let name = &parameter.name;
        let ranges =
            parameter.ranges.iter().map(|range| bound(range, &self.sizes)).collect::<std::result::Result<_, _>>();
        let ranges: Vec<(i64, usize)> =
            ranges.map_err(|reason| Error::new(format!("the ranges of '{name}': {reason}")))?;
        let wanted = ranges.iter().try_fold(1usize, |so_far, range| so_far.checked_mul(range.1));
        let kind = parameter.kind;
        let values: Vec<Value> = match (&parameter.values, argument) {
            (Some(values), _) => values.iter().map(|value| Value::constant(value.0, kind)).collect(),
            (None, Some(Argument::Integers(values))) => {
                values.iter().map(|&value| Value::I64(value).converted(kind)).collect()
            }
            (None, Some(Argument::Reals(values))) if kind.is_real() => {
                values.iter().map(|&value| Value::constant(value, kind)).collect()
            }
            (None, Some(Argument::Reals(_))) => {
                return Err(Error::new(format!("the parameter '{name}' is of {kind}, and real numbers are given")));
            }
            (None, None) => return Err(Error::new(format!("the parameter '{name}' is missing"))),
        };
        if wanted != Some(values.len()) {
            let (wanted, given) = (wanted.unwrap_or(usize::MAX), values.len());
            return Err(Error::new(format!("the parameter '{name}' has {wanted} elements, and {given} are given")));
        }
        Ok(Elements { ranges, values })
    }

    /// All parameters; arguments are for those that are no tables, in their order.
    fn parameters(&self, arguments: &[Argument]) -> Result<Vec<Elements>> {
        let all = self.stencil.parameters();
        let wanted = all.iter().filter(|parameter| parameter.values.is_none()).count();
        if arguments.len() > wanted {
            return Err(Error::new(format!("{wanted} parameters are wanted, and {} are given", arguments.len())));
        }
        let mut arguments = arguments.iter();
        all.iter()
            .map(|parameter| {
                let argument = if parameter.values.is_none() { arguments.next() } else { None };
                self.elements(parameter, argument)
            })
            .collect()
    }

    /// Runs steps on memory. Grids and arguments are in the order of declaration; tables have no argument.
    ///
    /// # Errors
    /// Memory or arguments do not fit, the domain is too small for a boundary, or an expression reads outside the range
    /// of a parameter. Memory is unchanged except by errors of the last kind.
    pub fn run<'d>(&self, grids: &mut [GridSlices<'d>], arguments: &[Argument], span: Span) -> Result<Outcome> {
        if grids.len() != self.stencil.grids().len() {
            let wanted = self.stencil.grids().len();
            return Err(Error::new(format!("{wanted} grids are wanted, and {} are given", grids.len())));
        }
        for (index, grid) in grids.iter().enumerate() {
            self.check(index, grid)?;
        }
        let steps = match (span.steps, self.stencil.steps()) {
            (Some(steps), _) => steps,
            (None, Some(size)) => {
                let steps = size.value(&self.sizes).map_err(Error::new)?;
                u64::try_from(steps).map_err(|_| Error::new(format!("the number of steps is {steps}")))?
            }
            (None, None) => return Err(Error::new("the number of steps is missing")),
        };
        let parameters = self.parameters(arguments)?;
        let mut machine = Machine::new(self, grids, parameters);
        machine.faces = (0..machine.grids.len()).map(|grid| machine.faces(grid)).collect::<Result<_>>()?;
        machine.run(span, steps)
    }
}

impl<'g, 'd> Machine<'g, 'd> {
    fn new(reference: &'g Reference<'g>, grids: &'g mut [GridSlices<'d>], parameters: Vec<Elements>) -> Self {
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

    fn run(mut self, span: Span, steps: u64) -> Result<Outcome> {
        if span.initial {
            self.initial(span.first)?;
        }
        for grid in 0..self.grids.len() {
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
    fn filter_point(&mut self, point: &[crate::definition::ExprId], now: i64) -> Result<Vec<i64>> {
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
        let Some(stop) = self.stencil.stop().filter(|stop| done % u64::from(stop.every) == 0) else { return Ok(false) };
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
