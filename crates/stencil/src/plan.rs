//! A stencil with sizes on a target: runs on the host's memory, on the plan's grids, and on an application's buffers.

mod explain;

use std::sync::Arc;

use affinimath_opencl::context::{BufferParts, DeviceContext, Queue, QueueParts};
use affinimath_tuner::space::Space;
use serde_json::json;

use crate::bound::Bound;
use crate::data::{Argument, Field, GridSlices, Layout};
use crate::definition::{Grid, ResultScalar, Stencil};
use crate::design::{Language, source, unfit};
use crate::device::{DeviceGrid, DeviceLauncher, Elements, RunMemory};
use crate::error::{Error, Result};
use crate::executor::{Executor, Kernels, failure, reduction};
use crate::facts::DeviceProfile;
use crate::grids::{Grids, Memory};
use crate::host;
use crate::lower::{Abilities, Form, Variant, passes};
use crate::occupied::Occupied;
use crate::reduce::finished;
use crate::run::{Levels, Outcome, Progress, Span, run};
use crate::schedule::{Schedule, Tree};
use crate::shared::{SharedGrids, is_shared};
use crate::strategy::Strategy;
use crate::tuning::{fits, space, tuned};
use crate::value::Value;

/// The place of a plan's runs.
#[derive(Clone, Debug)]
pub enum Target {
    /// The host.
    Host,
    /// An OpenCL device.
    Device(Arc<DeviceContext>),
}

/// A stencil with sizes on a target.
///
/// ```
/// use affinimath_stencil::{Plan, Span, Stencil, Target};
///
/// let heat = Stencil::parse(
///     "stencil heat {
///        domainsize = (1 .. n);
///        operation (double grid u) { u[x; t+1] = u[x; t] + 0.25 * (u[x-1; t] - 2 * u[x; t] + u[x+1; t]); }
///        boundary { u: x = periodic; }
///      }",
/// )?;
/// let plan = Plan::new(&heat, Target::Host, &[("n", 8)])?;
/// let mut u = plan.bound().field(0)?;
/// u.fill(0, 0, |cell| cell[0] as f64);
/// let outcome = plan.run(&mut [u.slices()], &[], Span { steps: Some(1), ..Span::default() })?;
/// assert_eq!(u.get(0, outcome.newest[0], &[1]).map(|value| value.as_f64()), Some(3.0));
/// # Ok::<(), affinimath_stencil::Error>(())
/// ```
pub struct Plan {
    bound: Bound,
    target: Target,
    kernels: Kernels,
    elements: Elements,
    strategy: Strategy,
}

/// A run that was enqueued.
#[derive(Debug)]
pub struct Enqueued {
    bound: Bound,
    queue: Queue,
    memory: RunMemory,
    progress: Progress,
    has_results: bool,
}

impl Plan {
    /// Binds sizes to their values, for a target. Kernels are compiled at their first use, and cached by the context.
    ///
    /// # Errors
    /// Those of [`Bound::new`] and [`Bound::check_boundaries`], or the device lacks double precision.
    pub fn new(stencil: &Stencil, target: impl Into<Target>, sizes: &[(&str, i64)]) -> Result<Self> {
        let target = target.into();
        let bound = Bound::new(stencil, sizes)?;
        bound.check_boundaries()?;
        let device = match &target {
            Target::Host => DeviceProfile::default().abilities(),
            Target::Device(context) => DeviceProfile::of(context.device().info()).abilities(),
        };
        let strategy = chosen(&bound, &target, device);
        let plan = Plan { bound, target, kernels: Kernels::new(device), elements: Elements::default(), strategy };
        if let Target::Device(_) = plan.target {
            for pass in passes(&plan.bound) {
                plan.kernels.get(&plan.bound, pass, Variant { is_wide: false, is_unit: true, alignment: 4 })?;
            }
        }
        Ok(plan)
    }

    /// The stencil with its sizes.
    pub const fn bound(&self) -> &Bound {
        &self.bound
    }

    /// The place of runs.
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// The same plan with another strategy, or with one that is a text.
    ///
    /// # Errors
    /// A number of the strategy is out of range, or the strategy does not fit the stencil, the sizes or the device. The
    /// loops of a text do not compute each point of the domain once.
    pub fn with_strategy(mut self, strategy: impl Into<Strategy>) -> Result<Self> {
        self.set_strategy(strategy)?;
        Ok(self)
    }

    /// Gives the plan another strategy.
    ///
    /// # Errors
    /// Those of [`Plan::with_strategy`]: the plan keeps its strategy.
    pub fn set_strategy(&mut self, strategy: impl Into<Strategy>) -> Result<()> {
        let strategy = strategy.into();
        strategy.check()?;
        let fits = match (&self.target, &strategy) {
            (_, Strategy::Naive) => true,
            (_, Strategy::Schedule(schedule)) => return self.set_schedule(schedule.clone()),
            (Target::Host, Strategy::Wavefront { .. }) => host::fits(&self.bound),
            (Target::Host, _) => false,
            (Target::Device(_), strategy) => fits(&self.bound, self.kernels.device, strategy),
        };
        if !fits {
            return Err(unfit(&strategy, &self.bound));
        }
        self.kernels = Kernels::new(self.kernels.device);
        self.strategy = strategy;
        Ok(())
    }

    /// Gives the plan the strategy of a text; `auto` is the one that the device was tuned with, else the model's.
    ///
    /// # Errors
    /// The text is no strategy, or those of [`Plan::with_strategy`]: the plan keeps its strategy.
    pub fn set_strategy_text(&mut self, text: &str) -> Result<()> {
        match text {
            "auto" => self.set_strategy(chosen(&self.bound, &self.target, self.kernels.device)),
            text => self.set_strategy(text.parse::<Strategy>()?),
        }
    }

    fn set_schedule(&mut self, schedule: Schedule) -> Result<()> {
        let tree = schedule.bind(&self.bound)?;
        self.kernels = Kernels::new(self.kernels.device);
        self.kernels.schedule = Some(Arc::new(tree));
        self.strategy = schedule.into();
        Ok(())
    }

    /// The strategy that the model chooses, whatever is known of this stencil from tuning.
    pub fn model_strategy(&self) -> Strategy {
        match &self.target {
            Target::Host => host::strategy(&self.bound),
            Target::Device(_) => Strategy::of(&self.bound, self.kernels.device),
        }
    }

    /// The strategies among which a tuner searches, as points of a space, and those to begin from, the model's best
    /// first: [`Strategy::of_configuration`] gives a point's strategy. Some of them may not fit. `None` where there is
    /// nothing to choose from.
    pub fn strategies(&self) -> Option<(Space, Vec<Strategy>)> {
        let device = self.kernels.device;
        let has_tiles = matches!(self.target, Target::Device(_)) && device.form == Form::Points;
        let starts = has_tiles.then(|| Strategy::starts(&self.bound, device))?;
        Some((space(&self.bound, &starts)?, starts))
    }

    /// The strategy of runs.
    pub const fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// The strategy with its loops, where it is a text.
    const fn by(&self) -> (&Strategy, Option<&Arc<Tree>>) {
        (&self.strategy, self.kernels.schedule.as_ref())
    }

    /// Runs on the host's memory, in any layout. A device that shares it works there, if rows along x are contiguous.
    /// Others get copies of the grids, and changed ones are copied back.
    ///
    /// # Errors
    /// Memory or arguments do not fit, or the number of steps is missing: nothing has changed. An expression reads
    /// outside a range, or the device fails: grids hold anything.
    pub fn run(&self, grids: &mut [GridSlices<'_>], arguments: &[Argument], span: Span) -> Result<Outcome> {
        let Target::Device(context) = &self.target else {
            return host::evaluate_by(&self.bound, self.by(), grids, arguments, span);
        };
        self.bound.check(grids)?;
        self.bound.steps(span)?;
        self.bound.parameters(arguments)?;
        if is_shared(context, &self.bound, grids) {
            return self.run_shared(context, grids, arguments, span);
        }
        let layouts: Vec<Layout> = grids.iter().map(|grid| grid.layout.clone()).collect();
        let mut own = Grids::new(self, &layouts)?;
        own.upload_all(grids)?;
        let outcome = self.enqueue(&self.queue()?, &own.slices(), arguments, span)?.wait()?;
        own.download_all(grids, &self.changed(span))?;
        Ok(outcome)
    }

    /// Runs in the caller's memory.
    fn run_shared(
        &self,
        context: &Arc<DeviceContext>,
        grids: &mut [GridSlices<'_>],
        arguments: &[Argument],
        span: Span,
    ) -> Result<Outcome> {
        let queue = self.queue()?;
        // SAFETY: the grids are borrowed until this function returns, and all commands are done before.
        let shared = unsafe { SharedGrids::new(context, grids)? };
        let enqueued = self.enqueue(&queue, &shared.grids(), arguments, span);
        let outcome = enqueued.and_then(Enqueued::wait).inspect_err(|_| {
            // Commands may not outlive the borrow: a failed wait is repeated.
            let _ = queue.finish();
        })?;
        shared.give_back(&queue, grids, &self.changed(span))?;
        Ok(outcome)
    }

    /// Grids of zeros in the target's memory. Rows begin at multiples of 128 bytes, at the first point of the domain.
    ///
    /// # Errors
    /// Memory is exhausted.
    pub fn grids(&self) -> Result<Grids> {
        let grids = 0..self.bound.stencil().grids().len();
        Grids::new(self, &grids.map(|grid| self.bound.layout(grid)).collect::<Result<Vec<_>>>()?)
    }

    /// Runs on the plan's grids, and waits for the end. The next run goes on with the newest levels.
    ///
    /// # Errors
    /// Those of [`Plan::run`]; grids of another plan.
    pub fn run_on(&self, grids: &mut Grids, arguments: &[Argument], span: Span) -> Result<Outcome> {
        grids.fit(self)?;
        let mut outcome = match &mut grids.memory {
            Memory::Host(fields) => {
                let mut slices: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
                host::evaluate_by(&self.bound, self.by(), &mut slices, arguments, span)?
            }
            Memory::Device(_) => {
                let queue = self.queue()?;
                let slices = grids.slices();
                self.enqueue(&queue, &slices, arguments, span)?.wait()?
            }
        };
        grids.rotate(&self.bound, outcome.steps);
        outcome.newest = (0..outcome.newest.len()).map(|grid| grids.newest(grid)).collect();
        Ok(outcome)
    }

    /// Enqueues a run on a device's buffers. Without a stop criterion it does not wait for the device. The buffers have
    /// to live until the run is done; others may not be changed before.
    ///
    /// # Errors
    /// Those of [`Plan::run`]; the plan is the host's, buffers are too short, overlap, or belong to another context.
    pub fn enqueue(
        &self,
        queue: &Queue,
        grids: &[DeviceGrid<'_>],
        arguments: &[Argument],
        span: Span,
    ) -> Result<Enqueued> {
        let Target::Device(context) = &self.target else {
            return Err(Error::new("the plan is the host's: it does not run on a device's buffers"));
        };
        if !Arc::ptr_eq(context, queue.context()) {
            return Err(Error::new("the queue belongs to another context than the plan"));
        }
        self.check(context, grids)?;
        self.bound.steps(span)?;
        let parameters = self.bound.parameters(arguments)?;
        let layouts: Vec<Layout> = grids.iter().map(|grid| grid.layout.clone()).collect();
        let launcher = DeviceLauncher::new(queue, grids, &self.bound, &parameters, &self.elements)?;
        let mut executor =
            Executor::new(&self.bound, &self.kernels, &parameters, &layouts, launcher, self.strategy.clone());
        let progress = run(&self.bound, &parameters, &mut executor, span);
        let (memory, has_results) = (std::mem::take(&mut executor.launcher.memory), executor.has_results());
        let progress = progress.inspect_err(|_| {
            // What was enqueued may not outlive its memory.
            let _ = queue.finish();
        })?;
        let queue = queue.share().map_err(Error::device)?;
        Ok(Enqueued { bound: self.bound.clone(), queue, memory, progress, has_results })
    }

    pub(crate) fn queue(&self) -> Result<Queue> {
        match &self.target {
            Target::Device(context) => Queue::new(context).map_err(Error::device),
            Target::Host => Err(Error::new("the host has no queue")),
        }
    }

    /// Checks buffers: their layouts, lengths, contexts, and that none overlaps what is written.
    fn check(&self, context: &Arc<DeviceContext>, grids: &[DeviceGrid<'_>]) -> Result<()> {
        let wanted = self.bound.stencil().grids().len();
        if grids.len() != wanted {
            return Err(Error::new(format!("{wanted} grids are wanted, and {} are given", grids.len())));
        }
        let mut ranges: Vec<Occupied<'_>> = Vec::new();
        for (grid, data) in grids.iter().enumerate() {
            let levels: Vec<usize> = data.slices.iter().map(Vec::len).collect();
            self.bound.check_layout(grid, &data.layout, &levels)?;
            let definition = &self.bound.stencil().grids()[grid];
            let extent = data.layout.extent().unwrap_or(usize::MAX);
            for slice in data.slices.iter().flatten() {
                let (name, bytes) = (&definition.name, definition.kind.bytes());
                let end = slice.offset.saturating_add(extent);
                let held = slice.buffer.bytes() / bytes;
                if end > held {
                    return Err(Error::new(format!("'{name}' needs {end} elements, and a buffer has {held}")));
                }
                if !Arc::ptr_eq(slice.buffer.context(), context) {
                    return Err(Error::new(format!("a buffer of '{name}' belongs to another context than the plan")));
                }
                let (root, start) = slice.buffer.root().map_err(Error::device)?;
                let first = start + (slice.offset + data.layout.offset) * bytes;
                ranges.push(Occupied { root, first, end: start + end * bytes, bytes, layout: &data.layout, name });
            }
        }
        for (index, one) in ranges.iter().enumerate() {
            if let Some(other) = ranges[index + 1..].iter().find(|other| one.meets(other)) {
                return Err(Error::new(format!("slices of '{}' and '{}' overlap in memory", one.name, other.name)));
            }
        }
        Ok(())
    }

    /// The grids that a run changes: those that are assigned, completed, or get initial values.
    pub fn changed(&self, span: Span) -> Vec<bool> {
        let stencil = self.bound.stencil();
        let each = (0..stencil.grids().len()).map(|grid| {
            stencil.written_level(grid).is_some()
                || stencil.boundaries().iter().any(|rule| rule.grid == grid)
                || span.initial && stencil.initial().iter().any(|initial| initial.grid == grid)
        });
        each.collect()
    }

    /// The kernels of all passes as a text.
    ///
    /// # Errors
    /// The device lacks double precision, or C99 cannot hold a kernel.
    pub fn source(&self, language: Language) -> Result<String> {
        let schedule = self.kernels.schedule.as_deref();
        source(&self.bound, (self.kernels.device, schedule), &self.strategy, language)
    }

    /// Sizes, points and the memory of grids, as a JSON object: `sizes`, `points` and `lower` (lengths and first
    /// coordinates of the domain, x last), and `grids`.
    ///
    /// A grid has `name`, `type`, `lower` (the first coordinate on each axis, x last), `shape` (components first, x
    /// last), `levels` and `inputs` (the times of levels that hold values before a run, oldest first).
    ///
    /// # Errors
    /// Memory beyond the address space.
    pub fn description(&self) -> Result<String> {
        let levels = Levels::new(&self.bound);
        let grid = |(index, grid): (usize, &Grid)| {
            let layout = self.bound.layout(index)?;
            let lengths = layout.lengths.iter().rev();
            Ok(json!({
                "name": grid.name,
                "type": grid.kind.keyword(),
                "lower": layout.lower.iter().rev().collect::<Vec<_>>(),
                "shape": grid.components.iter().chain(lengths).collect::<Vec<_>>(),
                "levels": self.bound.levels(index),
                "inputs": levels.inputs(index).collect::<Vec<_>>(),
            }))
        };
        let grids = self.bound.stencil().grids().iter().enumerate().map(grid).collect::<Result<Vec<_>>>()?;
        let points: Vec<usize> = self.bound.lengths().iter().rev().copied().collect();
        let lower: Vec<i64> = self.bound.lower().iter().rev().copied().collect();
        let described = json!({ "sizes": self.bound.sizes(), "points": points, "lower": lower, "grids": grids });
        Ok(described.to_string())
    }
}

/// The strategy of a plan whose user names none.
fn chosen(bound: &Bound, target: &Target, device: Abilities) -> Strategy {
    match target {
        Target::Host => host::strategy(bound),
        Target::Device(context) => tuned(context, bound, device).unwrap_or_else(|| Strategy::of(bound, device)),
    }
}

impl Enqueued {
    /// The index of each grid's slice with the newest level.
    pub fn newest(&self) -> &[usize] {
        &self.progress.newest
    }

    /// Steps of the run.
    pub const fn steps(&self) -> u64 {
        self.progress.steps
    }

    /// Waits for the end of the run.
    ///
    /// # Errors
    /// An expression reads outside a range, or the device fails: grids hold anything.
    pub fn wait(self) -> Result<Outcome> {
        self.queue.finish().map_err(Error::device)?;
        match self.memory.flag(&self.queue)? {
            0 => {}
            code => return Err(failure(&self.bound, code)),
        }
        let results = self.bound.stencil().results();
        let read = |(number, result): (usize, &ResultScalar)| -> Result<Option<Value>> {
            if !self.has_results {
                return Ok(None);
            }
            let combined = self.memory.partial(&self.queue, number, result.kind)?;
            Ok(Some(finished(reduction(&self.bound, number), combined)))
        };
        let results = results.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
        Ok(self.progress.clone().with(results))
    }
}
