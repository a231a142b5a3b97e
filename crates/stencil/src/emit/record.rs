//! The passes of a run as lists of launches, which an emitted program repeats.

use std::sync::Arc;

use crate::bound::{Bound, Parameters};
use crate::data::Layout;
use crate::design::Design;
use crate::error::{Error, Result};
use crate::executor::{Executor, Kernels, LaunchArgument, Launcher};
use crate::lower::{KernelArgument, Lowered};
use crate::run::{Colour, Driver, Levels, Moment, Passes, Span};
use crate::strategy::Strategy;
use crate::value::Value;

/// An argument of a launch, with numbers of slices in the order of levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operand {
    Slice {
        grid: usize,
        component: usize,
        position: usize,
    },
    Elements(usize),
    Values(usize),
    Partials(usize),
    Flag,
    /// The time of the step, plus a distance.
    Time(i64),
    /// A coordinate of a filter's point, relative to the domain.
    Point {
        axis: usize,
        is_wide: bool,
    },
    Number(Value),
}

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) kernel: Arc<Lowered>,
    pub(super) groups: [usize; 3],
    pub(super) items: [usize; 3],
    pub(super) operands: Vec<Operand>,
}

impl PartialEq for Launch {
    fn eq(&self, other: &Self) -> bool {
        let name = |launch: &Launch| launch.kernel.kernel.name().to_owned();
        let sizes = |launch: &Launch| (launch.groups, launch.items);
        (name(self), sizes(self), &self.operands) == (name(other), sizes(other), &other.operands)
    }
}

/// A pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Initial { rule: usize, time: i32 },
    Complete { grid: usize, time: i32, is_initial: bool },
    CarryOver { grid: usize },
    Sweep { stage: usize, colour: Option<Colour> },
    Reduce { stage: usize },
    Filter { filter: usize },
}

/// A pass with its launches.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) event: Event,
    pub(super) launches: Vec<Launch>,
}

/// The launches of a pass in a step, by what the step has to do.
#[derive(Clone, Debug)]
pub(super) struct StepPass {
    pub(super) event: Event,
    /// In steps that copy what is kept beyond faces to a slice that has it not yet, and in others: without results,
    /// and with them.
    pub(super) launches: [[Vec<Launch>; 2]; 2],
}

/// Several steps in one launch.
#[derive(Clone, Debug)]
pub(super) struct Leap {
    pub(super) steps: usize,
    pub(super) launches: Vec<Launch>,
    /// By grid, the slice that each position has afterwards.
    pub(super) order: Vec<Vec<usize>>,
}

/// All passes of a run.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) layouts: Vec<Layout>,
    /// Slices by grid, those that hold no level between launches among them.
    pub(super) slices: Vec<usize>,
    pub(super) initial: Vec<Recorded>,
    pub(super) begin: Vec<Recorded>,
    pub(super) step: Vec<StepPass>,
    pub(super) leap: Option<Leap>,
}

/// Collects launches.
struct Recorder<'r> {
    bound: &'r Bound,
    spares: Vec<usize>,
    levels: Levels,
    now: i64,
    filter: Option<usize>,
    launches: Vec<Launch>,
}

impl Launcher for Recorder<'_> {
    fn offset(&self, _: usize, _: usize, _: usize) -> usize {
        0
    }

    fn largest_offset(&self) -> usize {
        0
    }

    fn add_slices(&mut self, grid: usize, count: usize, _: usize) -> bool {
        self.spares[grid] = count;
        true
    }

    fn launch(
        &mut self,
        kernel: &Arc<Lowered>,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: &[LaunchArgument],
    ) -> Result<()> {
        let operands = kernel.arguments.iter().zip(arguments).map(|(kind, argument)| match (kind, *argument) {
            (KernelArgument::Time, LaunchArgument::Number(Value::I64(time))) => {
                Operand::Time(time.wrapping_sub(self.now))
            }
            (KernelArgument::Start(axis), LaunchArgument::Number(number)) => match self.filter {
                Some(_) => Operand::Point { axis: *axis, is_wide: matches!(number, Value::I64(_)) },
                None => Operand::Number(number),
            },
            (_, LaunchArgument::Slice { grid, component, slot }) => {
                Operand::Slice { grid, component, position: self.levels.position(grid, slot) }
            }
            (_, LaunchArgument::Elements(parameter)) => Operand::Elements(parameter),
            (_, LaunchArgument::Values(result)) => Operand::Values(result),
            (_, LaunchArgument::Partials(result)) => Operand::Partials(result),
            (_, LaunchArgument::Flag) => Operand::Flag,
            (_, LaunchArgument::Number(number)) => Operand::Number(number),
        });
        self.launches.push(Launch { kernel: kernel.clone(), groups, items, operands: operands.collect() });
        Ok(())
    }

    fn partial(&mut self, _: usize) -> Result<Value> {
        Err(Error::new("a recorded run has no results"))
    }

    fn flag(&mut self) -> Result<i32> {
        Ok(0)
    }
}

/// An executor whose launches are recorded with their passes.
struct Trace<'r> {
    executor: Executor<'r, Recorder<'r>>,
    recorded: Vec<Recorded>,
}

impl<'r> Trace<'r> {
    fn new(
        bound: &'r Bound,
        kernels: &'r Kernels,
        parameters: &'r Parameters,
        layouts: &'r [Layout],
        strategy: Strategy,
    ) -> Self {
        let recorder = Recorder {
            bound,
            spares: vec![0; layouts.len()],
            levels: Levels::new(bound),
            now: 0,
            filter: None,
            launches: Vec::new(),
        };
        let executor = Executor::new(bound, kernels, parameters, layouts, recorder, strategy);
        Trace { executor, recorded: Vec::new() }
    }

    fn record(
        &mut self,
        event: Event,
        moment: Moment<'_>,
        pass: impl FnOnce(&mut Executor<'r, Recorder<'r>>) -> Result<()>,
    ) -> Result<()> {
        let launcher = &mut self.executor.launcher;
        (launcher.levels, launcher.now) = (moment.levels.clone(), moment.now);
        launcher.filter = match event {
            Event::Filter { filter } => launcher.bound.stencil().filter()[filter].point.as_ref().map(|_| filter),
            _ => None,
        };
        pass(&mut self.executor)?;
        let launches = std::mem::take(&mut self.executor.launcher.launches);
        self.recorded.push(Recorded { event, launches });
        Ok(())
    }
}

impl Passes for Trace<'_> {
    fn initial(&mut self, rule: usize, time: i32, moment: Moment<'_>) -> Result<()> {
        self.record(Event::Initial { rule, time }, moment, |own| own.initial(rule, time, moment))
    }

    fn complete(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> Result<()> {
        let event = Event::Complete { grid, time, is_initial };
        self.record(event, moment, |own| own.complete(grid, time, is_initial, moment))
    }

    fn carry_over(&mut self, grid: usize, moment: Moment<'_>) -> Result<()> {
        self.record(Event::CarryOver { grid }, moment, |own| own.carry_over(grid, moment))
    }

    fn sweep(&mut self, stage: usize, colour: Option<Colour>, moment: Moment<'_>) -> Result<()> {
        self.record(Event::Sweep { stage, colour }, moment, |own| own.sweep(stage, colour, moment))
    }

    fn reduce(&mut self, stage: usize, moment: Moment<'_>) -> Result<()> {
        self.record(Event::Reduce { stage }, moment, |own| own.reduce(stage, moment))
    }

    fn filter(&mut self, filter: usize, point: Option<&[i64]>, moment: Moment<'_>) -> Result<()> {
        self.record(Event::Filter { filter }, moment, |own| own.filter(filter, point, moment))
    }

    fn results(&mut self) -> Result<Vec<Option<Value>>> {
        Ok(vec![None; self.executor.launcher.bound.stencil().results().len()])
    }
}

impl Record {
    /// The passes of a design's runs from the time `first` on, in memory with these layouts.
    ///
    /// # Errors
    /// A kernel cannot be made, or a filter's point lies outside the domain.
    pub(super) fn new(design: &Design, parameters: &Parameters, layouts: Vec<Layout>, first: i64) -> Result<Self> {
        let (bound, strategy) = (&design.bound, design.strategy());
        let kernels = Kernels::new(design.facts().abilities());
        let trace = || Trace::new(bound, &kernels, parameters, &layouts, strategy.clone());
        let mut own = trace();
        let mut driver = Driver::new(bound, parameters, &mut own);
        driver.begin(Span { first, steps: Some(0), initial: true })?;
        let (initial, begin) = own.recorded.into_iter().partition(|pass| matches!(pass.event, Event::Initial { .. }));

        // A list of passes by copies and results.
        let steps = |copies: bool, reduces: bool| -> Result<Vec<Recorded>> {
            let mut own = trace();
            let rounds = (0..layouts.len()).map(|grid| bound.levels(grid)).max().unwrap_or(1);
            let mut driver = Driver::new(bound, parameters, &mut own);
            for _ in 0..if copies { 0 } else { rounds } {
                driver.step(first)?;
                driver.levels.rotate();
            }
            driver.reduces = reduces;
            driver.passes_mut().recorded.clear();
            driver.step(first)?;
            Ok(own.recorded)
        };
        let mut lists = Vec::new();
        for (copies, reduces) in [(false, false), (false, true), (true, false), (true, true)] {
            lists.push(steps(copies, reduces)?.into_iter());
        }
        let mut step = Vec::new();
        let [rest, rest_results, copies, copies_results] = &mut lists[..] else { unreachable!("four lists") };
        while let (Some(first), Some(second)) = (rest_results.next(), copies_results.next()) {
            let event = first.event;
            let is_reduction = matches!(event, Event::Reduce { .. });
            let without = |list: &mut std::vec::IntoIter<Recorded>| {
                if is_reduction { Vec::new() } else { list.next().map_or_else(Vec::new, |pass| pass.launches) }
            };
            let launches = [[without(rest), first.launches], [without(copies), second.launches]];
            step.push(StepPass { event, launches });
        }
        let (leap, spares) = leap(bound, trace(), first)?;
        let slices = spares.iter().enumerate().map(|(grid, spares)| bound.levels(grid) + spares).collect();
        Ok(Record { layouts: layouts.clone(), slices, initial, begin, step, leap })
    }

    /// Calls back for all launches.
    pub(super) fn for_each_launch(&self, mut visit: impl FnMut(&Launch)) {
        let plain = self.initial.iter().chain(&self.begin).flat_map(|pass| &pass.launches);
        let step = self.step.iter().flat_map(|pass| pass.launches.iter().flatten().flatten());
        plain.chain(step).chain(self.leap.iter().flat_map(|leap| &leap.launches)).for_each(&mut visit);
    }
}

/// Several steps in one launch, and slices beside those of levels.
fn leap(bound: &Bound, mut trace: Trace<'_>, first: i64) -> Result<(Option<Leap>, Vec<usize>)> {
    let Strategy::Overlap { steps: most, .. } = *trace.executor.strategy() else { return Ok((None, trace.spares())) };
    let mut levels = Levels::new(bound);
    let moment = Moment { now: first, levels: &levels, reduces: false };
    trace.executor.launcher.now = first;
    // Twice as many steps are left, so that the launch has all of its own.
    let steps = trace.executor.leap(2 * most as u64, moment)? as usize;
    if steps < 2 {
        return Ok((None, vec![0; trace.spares().len()]));
    }
    (0..steps).for_each(|_| levels.rotate());
    let launches = std::mem::take(&mut trace.executor.launcher.launches);
    let spares = trace.spares();
    let order = spares.iter().enumerate().map(|(grid, spares)| {
        let count = bound.levels(grid);
        let slices = trace.executor.slices_of(grid);
        let mut order: Vec<usize> = (0..count).map(|position| slices[levels.slice_at(grid, position)]).collect();
        let rest: Vec<usize> = (0..count + spares).filter(|slice| !order.contains(slice)).collect();
        order.extend(rest);
        order
    });
    let order = order.collect();
    Ok((Some(Leap { steps, launches, order }), spares))
}

impl Trace<'_> {
    fn spares(&self) -> Vec<usize> {
        self.executor.launcher.spares.clone()
    }
}
