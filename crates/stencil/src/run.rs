//! The order of a run's passes, which every executor has: levels, stages, faces, filters, reductions, criteria.

use std::ops::RangeInclusive;

use crate::bound::{Bound, Parameters};
use crate::definition::{AXES, ExprId, MAX_AXES, Node, Stencil, Sweep, Type};
use crate::error::{Error, Result};
use crate::evaluate::{Compiled, Point};
use crate::value::Value;

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

/// The points of one half of a red-black sweep: those whose coordinates have an even sum, or the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// An even sum.
    Red,
    /// An odd sum. They read the new values of the red ones.
    Black,
}

impl Colour {
    /// The sum of coordinates modulo 2.
    pub fn parity(self) -> i64 {
        match self {
            Colour::Red => 0,
            Colour::Black => 1,
        }
    }
}

/// The slices that hold each grid's levels.
#[derive(Clone, Debug)]
pub struct Levels {
    grids: Vec<GridLevels>,
}

#[derive(Clone, Debug)]
struct GridLevels {
    newest: i32,
    is_written: bool,
    /// Slots from the oldest level to the newest.
    order: Vec<usize>,
}

impl Levels {
    /// The levels before the first step: slices from the oldest to the newest.
    pub fn new(bound: &Bound) -> Self {
        let each = bound.facts().grids.iter().map(|facts| GridLevels {
            newest: facts.newest,
            is_written: facts.is_written,
            order: (0..facts.levels).collect(),
        });
        Levels { grids: each.collect() }
    }

    /// The slice of a level relative to `t`. Of a grid with one level, that one.
    pub fn slot(&self, grid: usize, time: i32) -> usize {
        let grid = &self.grids[grid];
        let from_newest = (grid.newest - time).max(0) as usize;
        grid.order[(grid.order.len() - 1).saturating_sub(from_newest)]
    }

    /// The number of levels of a grid.
    pub fn count(&self, grid: usize) -> usize {
        self.grids[grid].order.len()
    }

    /// The newest level of a grid relative to `t`: the one that a step writes, or 0.
    pub fn newest(&self, grid: usize) -> i32 {
        self.grids[grid].newest
    }

    /// Levels that hold values before a step, relative to `t`.
    pub fn inputs(&self, grid: usize) -> RangeInclusive<i32> {
        let grid = &self.grids[grid];
        let oldest = grid.newest - (grid.order.len() as i32 - 1);
        // A grid with one level that is written has no input.
        oldest..=if grid.is_written && grid.order.len() > 1 { grid.newest - 1 } else { grid.newest }
    }

    /// Slices of the newest levels between steps: those before the slices that the next step writes.
    fn results(&self) -> Vec<usize> {
        let each = self.grids.iter().map(|grid| match (grid.is_written, grid.order.len()) {
            (true, levels) if levels > 1 => grid.order[levels - 2],
            (_, levels) => grid.order[levels - 1],
        });
        each.collect()
    }

    /// The number of a slice in the order of levels, from the oldest on; slices that hold none are behind.
    pub(crate) fn position(&self, grid: usize, slice: usize) -> usize {
        let order = &self.grids[grid].order;
        order.iter().position(|&own| own == slice).unwrap_or(slice)
    }

    /// The slice at a number in the order of levels.
    pub(crate) fn slice_at(&self, grid: usize, position: usize) -> usize {
        self.grids[grid].order[position]
    }

    /// The oldest level's slice is written next.
    pub fn rotate(&mut self) {
        self.grids.iter_mut().filter(|grid| grid.is_written).for_each(|grid| grid.order.rotate_left(1));
    }
}

/// The state of a run at a pass.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'r> {
    /// The time `t`.
    pub now: i64,
    /// The slices of levels.
    pub levels: &'r Levels,
    /// The step's results are wanted: by the stop criterion, or as those of the last step. Otherwise sweeps need not
    /// collect values, and [`Passes::reduce`] is not called.
    pub reduces: bool,
}

/// The passes of an executor. [`run`] calls them in the order that a stencil has.
pub trait Passes {
    /// Sets the values of one rule for initial values on one level, relative to `t`, at all points in memory.
    ///
    /// # Errors
    /// A value reads outside the range of a parameter.
    fn initial(&mut self, rule: usize, time: i32, moment: Moment<'_>) -> Result<()>;

    /// Completes a level of a grid beyond the domain's faces. Before the first step (`is_initial`), values that are
    /// kept are the caller's; later they are those of the level before.
    ///
    /// # Errors
    /// A value reads outside the range of a parameter.
    fn complete(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> Result<()>;

    /// The level that a step writes begins as the level before, at all points in memory.
    ///
    /// # Errors
    /// Those of the executor.
    fn carry_over(&mut self, grid: usize, moment: Moment<'_>) -> Result<()>;

    /// The statements of a stage at all points of the domain, or at those of one colour.
    ///
    /// # Errors
    /// A value reads outside the range of a parameter.
    fn sweep(&mut self, stage: usize, colour: Option<Colour>, moment: Moment<'_>) -> Result<()>;

    /// Ends the reductions of a stage, after its sweeps.
    ///
    /// # Errors
    /// Those of the executor.
    fn reduce(&mut self, stage: usize, moment: Moment<'_>) -> Result<()>;

    /// A filter at all points of the domain, or at one.
    ///
    /// # Errors
    /// A value reads outside the range of a parameter.
    fn filter(&mut self, filter: usize, point: Option<&[i64]>, moment: Moment<'_>) -> Result<()>;

    /// Does some of the next steps at once, whose results are not wanted, and tells how many: none, if it cannot.
    /// Levels rotate as they do after as many steps, and those that a step would read next hold their values.
    ///
    /// # Errors
    /// A value reads outside the range of a parameter.
    fn leap(&mut self, steps: u64, moment: Moment<'_>) -> Result<u64> {
        let _ = (steps, moment);
        Ok(0)
    }

    /// All steps are done: the slices of levels hold them.
    ///
    /// # Errors
    /// Those of the executor.
    fn settle(&mut self, levels: &Levels) -> Result<()> {
        let _ = levels;
        Ok(())
    }

    /// The results of the last step, for the stop criterion; none before the first step.
    ///
    /// # Errors
    /// Those of the executor.
    fn results(&mut self) -> Result<Vec<Option<Value>>>;
}

/// The end of a run's passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Steps that were done.
    pub steps: u64,
    /// The stop criterion ended the run.
    pub has_stopped: bool,
    /// The index of each grid's slice with the newest level.
    pub newest: Vec<usize>,
}

impl Progress {
    /// The outcome with the results of the last step.
    pub fn with(self, results: Vec<Option<Value>>) -> Outcome {
        Outcome { steps: self.steps, has_stopped: self.has_stopped, newest: self.newest, results }
    }
}

/// A run under way.
pub(crate) struct Driver<'r, P: Passes> {
    bound: &'r Bound,
    stencil: &'r Stencil,
    parameters: &'r Parameters,
    passes: &'r mut P,
    pub(crate) levels: Levels,
    pub(crate) reduces: bool,
}

/// Does the passes of a run in their order. Operands were checked before.
///
/// # Errors
/// The number of steps is missing, the domain is too small for a boundary, a filter's point lies outside the domain, or
/// an expression reads outside the range of a parameter. The first two change nothing.
pub fn run<P: Passes>(bound: &Bound, parameters: &Parameters, passes: &mut P, span: Span) -> Result<Progress> {
    let steps = bound.steps(span)?;
    bound.check_boundaries()?;
    let mut driver = Driver::new(bound, parameters, passes);
    driver.begin(span)?;
    let (mut done, mut has_stopped) = (0, false);
    while done < steps && !has_stopped {
        let now = span.first.saturating_add_unsigned(done);
        let leap = driver.leap(now, unwatched(bound.stencil(), done, steps))?;
        done += leap;
        if leap > 0 {
            continue;
        }
        let is_checked = bound.stencil().stop().is_some_and(|stop| (done + 1).is_multiple_of(u64::from(stop.every)));
        driver.reduces = is_checked || done + 1 == steps;
        driver.step(now)?;
        done += 1;
        has_stopped = driver.stops(now, done)?;
        driver.levels.rotate();
    }
    driver.passes.settle(&driver.levels)?;
    Ok(Progress { steps: done, has_stopped, newest: driver.levels.results() })
}

/// The number of next steps whose results nobody wants.
fn unwatched(stencil: &Stencil, done: u64, steps: u64) -> u64 {
    let rest = steps - done;
    if stencil.results().is_empty() {
        return rest;
    }
    let until_check = stencil.stop().map_or(u64::MAX, |stop| {
        let every = u64::from(stop.every);
        every - 1 - done % every
    });
    until_check.min(rest - 1)
}

impl<'r, P: Passes> Driver<'r, P> {
    /// A run before its first pass.
    pub(crate) fn new(bound: &'r Bound, parameters: &'r Parameters, passes: &'r mut P) -> Self {
        let (stencil, levels) = (bound.stencil(), Levels::new(bound));
        Driver { bound, stencil, parameters, passes, levels, reduces: false }
    }

    /// The executor.
    pub(crate) fn passes_mut(&mut self) -> &mut P {
        self.passes
    }
}

impl<P: Passes> Driver<'_, P> {
    /// Steps that are done at once.
    fn leap(&mut self, now: i64, steps: u64) -> Result<u64> {
        if steps < 2 {
            return Ok(0);
        }
        let leap = self.passes.leap(steps, Moment { now, levels: &self.levels, reduces: false })?;
        (0..leap).for_each(|_| self.levels.rotate());
        Ok(leap)
    }

    /// Initial values, and the faces of all levels that hold values.
    pub(crate) fn begin(&mut self, span: Span) -> Result<()> {
        let moment = Moment { now: span.first, levels: &self.levels, reduces: false };
        if span.initial {
            for (rule, initial) in self.stencil.initial().iter().enumerate() {
                let levels = self.levels.inputs(initial.grid);
                for time in levels.filter(|&time| initial.time.is_none_or(|own| own == time)) {
                    self.passes.initial(rule, time, moment)?;
                }
            }
        }
        // Boundaries of the others may read constant grids beyond their faces.
        let grids = self.stencil.grids();
        let (constant, changing): (Vec<usize>, Vec<usize>) = (0..grids.len()).partition(|&grid| grids[grid].constant);
        for grid in constant.into_iter().chain(changing) {
            for time in self.levels.inputs(grid) {
                self.passes.complete(grid, time, true, moment)?;
            }
        }
        Ok(())
    }

    /// One step; levels do not rotate.
    pub(crate) fn step(&mut self, now: i64) -> Result<()> {
        for stage in 0..self.stencil.stages().len() {
            self.stage(stage, now)?;
        }
        self.filters(now)
    }

    fn stage(&mut self, stage: usize, now: i64) -> Result<()> {
        let assigned = self.stencil.assigned_in(stage);
        let moment = Moment { now, levels: &self.levels, reduces: self.reduces };
        let colours: &[Option<Colour>] = match self.stencil.stages()[stage].sweep {
            Sweep::Jacobi => &[None],
            Sweep::RedBlack => &[Some(Colour::Red), Some(Colour::Black)],
        };
        if self.stencil.stages()[stage].sweep == Sweep::RedBlack {
            // A stage before may have written the level already.
            let is_new = |grid: &&usize| !(0..stage).any(|before| self.stencil.assigned_in(before).contains(grid));
            for &grid in assigned.iter().filter(is_new).filter(|&&grid| self.levels.count(grid) > 1) {
                self.passes.carry_over(grid, moment)?;
            }
        }
        for &colour in colours {
            self.passes.sweep(stage, colour, moment)?;
            for &grid in &assigned {
                self.passes.complete(grid, self.levels.newest(grid), false, moment)?;
            }
        }
        if self.reduces { self.passes.reduce(stage, moment) } else { Ok(()) }
    }

    fn filters(&mut self, now: i64) -> Result<()> {
        let mut changed = Vec::new();
        for (number, filter) in self.stencil.filter().iter().enumerate() {
            let point = filter.point.as_ref().map(|point| self.filter_point(point, now)).transpose()?;
            self.passes.filter(number, point.as_deref(), Moment { now, levels: &self.levels, reduces: false })?;
            if !changed.contains(&filter.target.grid) {
                changed.push(filter.target.grid);
            }
        }
        for grid in changed {
            self.passes.complete(
                grid,
                self.levels.newest(grid),
                false,
                Moment { now, levels: &self.levels, reduces: false },
            )?;
        }
        Ok(())
    }

    /// The coordinates of a filter's point, which lies in the domain.
    fn filter_point(&self, point: &[ExprId], now: i64) -> Result<Vec<i64>> {
        let mut found = Vec::new();
        for (axis, &coordinate) in point.iter().enumerate() {
            let value = scalar(self.bound, self.parameters, coordinate, now, &[]);
            let first = self.bound.lower()[axis];
            let last = first + self.bound.lengths()[axis] as i64 - 1;
            match value.map(|value| value.converted(Type::I64)) {
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
        let results = self.passes.results()?;
        match scalar(self.bound, self.parameters, stop.condition, now, &results) {
            Some(value) => Ok(value == Value::Bool(true)),
            None => Err(Error::new("the stop criterion reads outside the range of a parameter")),
        }
    }
}

/// An expression that depends on no point; none where it reads outside the range of a parameter.
fn scalar(bound: &Bound, parameters: &Parameters, root: ExprId, time: i64, results: &[Option<Value>]) -> Option<Value> {
    let graph = bound.stencil().graph();
    let mut registers = vec![None; graph.len()];
    let point = Point { coordinates: [0; MAX_AXES], time, shift: 0 };
    Compiled::new(graph, root).value(graph, &mut registers, parameters, &point, |node| match node {
        Node::Size(name) => bound.sizes().get(name).map(|&size| Value::I64(size)),
        Node::Result(result) => results.get(*result).copied().flatten(),
        _ => None,
    })
}
