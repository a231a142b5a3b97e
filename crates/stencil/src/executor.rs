//! The passes of a run as launches of kernels, on any memory that has slices.

mod failures;
mod layouts;
mod leaps;
mod loops;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bound::{Bound, Parameters};
use crate::data::Layout;
use crate::definition::{Boundary, Reduction, Side, Statement};
use crate::error::{Error, Result};
use crate::lower::{
    Abilities, Form, KernelArgument, Level, Lowered, Pass, TREE_LEVELS, Variant, has_reductions, launch_size, lower,
    overlap_groups, overlaps, read_levels, stream_groups,
};
use crate::reduce::{STRIP, finished};
use crate::run::{Colour, Levels, Moment, Passes};
use crate::schedule::Tree;
use crate::strategy::{Strategy, Tile};
use crate::value::Value;
use failures::code;
use layouts::{alignment, origin};

pub(crate) use failures::failure;
pub(crate) use layouts::variant;

/// Elements below which indices have 32 bits: sums of two indices have them, too.
const MAX_NARROW: usize = 1 << 30;

/// Elements of the greatest vectors.
const MAX_ALIGNMENT: usize = 4;

/// An argument of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LaunchArgument {
    /// The memory of a component's level.
    Slice { grid: usize, component: usize, slot: usize },
    /// The elements of a parameter.
    Elements(usize),
    /// The values of a reduction at all points.
    Values(usize),
    /// The values of a reduction's strips.
    Partials(usize),
    /// The code of the first pass that read outside a range.
    Flag,
    /// A number.
    Number(Value),
}

/// Memory, and the launches of kernels on it.
pub(crate) trait Launcher {
    /// The element of a slice's memory at which its layout begins.
    fn offset(&self, grid: usize, component: usize, slot: usize) -> usize;

    /// The greatest of these elements.
    fn largest_offset(&self) -> usize;

    /// Makes slices that hold levels in the middle of a run, numbered behind the grid's own: false if memory is short.
    fn add_slices(&mut self, grid: usize, count: usize, elements: usize) -> bool;

    /// Launches a kernel.
    fn launch(
        &mut self,
        kernel: &Arc<Lowered>,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: &[LaunchArgument],
    ) -> Result<()>;

    /// The first of a reduction's strips, once all launches are done.
    fn partial(&mut self, result: usize) -> Result<Value>;

    /// The code of the first pass that read outside a range; 0 if none did.
    fn flag(&mut self) -> Result<i32>;
}

/// Kernels of a bound stencil for a device. Each is lowered at its first use.
pub(crate) struct Kernels {
    pub(crate) device: Abilities,
    /// The loops of a strategy that is a text.
    pub(crate) schedule: Option<Arc<Tree>>,
    known: Mutex<HashMap<(Pass, Variant), Arc<Lowered>>>,
}

impl Kernels {
    pub(crate) fn new(device: Abilities) -> Self {
        Kernels { device, schedule: None, known: Mutex::default() }
    }

    /// The kernel of a pass.
    pub(crate) fn get(&self, bound: &Bound, pass: Pass, variant: Variant) -> Result<Arc<Lowered>> {
        // Only walks load vectors.
        let alignment = if matches!(pass, Pass::Stream { .. }) { variant.alignment } else { 1 };
        let variant = Variant { alignment, ..variant };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&(pass, variant)).cloned();
        if let Some(kernel) = known {
            return Ok(kernel);
        }
        let kernel = Arc::new(lower(bound, pass, variant, (self.device, self.schedule.as_deref()))?);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert((pass, variant), kernel.clone());
        Ok(kernel)
    }
}

/// The points of a launch: the first point relative to the domain, and the number of points, by axis; the fastest
/// first.
#[derive(Clone, Debug)]
struct Box {
    axes: Vec<usize>,
    starts: Vec<i64>,
    lengths: Vec<usize>,
}

/// A run of kernels.
pub(crate) struct Executor<'r, L: Launcher> {
    bound: &'r Bound,
    kernels: &'r Kernels,
    parameters: &'r Parameters,
    layouts: &'r [Layout],
    pub(crate) launcher: L,
    variant: Variant,
    /// Slices whose values beyond the faces are those of the first level, by grid: they need no copy.
    has_border: Vec<Vec<bool>>,
    strategy: Strategy,
    /// The slices that hold what a grid's slots stand for: several steps at once mix them up.
    slices: Vec<Vec<usize>>,
    /// Slices that levels after several steps are stored to, by grid, newest first.
    after: Vec<Vec<usize>>,
    /// Variables of loops around a launch.
    loops: Vec<i64>,
    has_results: bool,
    may_fail: bool,
}

/// The state that a launch depends on, apart from its pass.
#[derive(Clone, Copy)]
struct Scene<'m> {
    moment: Moment<'m>,
    /// The level of the pass, relative to `t`.
    level: i32,
    /// The time that expressions see.
    time: i64,
}

impl Scene<'_> {
    /// The slot of a level before a launch.
    fn slot(&self, grid: usize, level: Level) -> usize {
        let time = match level {
            Level::At(time) => time,
            Level::Before => self.level - 1,
            Level::Own | Level::After(_) => self.level,
        };
        self.moment.levels.slot(grid, time)
    }
}

impl<'r, L: Launcher> Executor<'r, L> {
    /// A run on memory of these layouts, which were checked.
    pub(crate) fn new(
        bound: &'r Bound,
        kernels: &'r Kernels,
        parameters: &'r Parameters,
        layouts: &'r [Layout],
        launcher: L,
        strategy: Strategy,
    ) -> Self {
        let mut variant = variant(bound, layouts, launcher.largest_offset());
        variant.is_wide |= kernels.schedule.as_ref().is_some_and(|tree| tree.largest >= MAX_NARROW as i64);
        variant.alignment = if variant.is_unit { alignment(bound, layouts, &launcher) } else { 1 };
        let grids = 0..layouts.len();
        let has_border = grids.clone().map(|grid| vec![false; bound.levels(grid)]).collect();
        Executor {
            strategy,
            slices: grids.clone().map(|grid| (0..bound.levels(grid)).collect()).collect(),
            after: grids.map(|_| Vec::new()).collect(),
            bound,
            kernels,
            parameters,
            layouts,
            launcher,
            variant,
            has_border,
            loops: Vec::new(),
            has_results: false,
            may_fail: false,
        }
    }

    /// The error of the first pass that read outside a range.
    ///
    /// # Errors
    /// That error, or one of the launcher.
    pub(crate) fn check(&mut self) -> Result<()> {
        if !self.may_fail {
            return Ok(());
        }
        match self.launcher.flag()? {
            0 => Ok(()),
            code => Err(failure(self.bound, code)),
        }
    }

    /// A step has computed results.
    pub(crate) const fn has_results(&self) -> bool {
        self.has_results
    }

    fn launch(&mut self, pass: Pass, points: &Box, scene: Scene<'_>) -> Result<()> {
        if points.lengths.contains(&0) {
            return Ok(());
        }
        let kernel = self.kernels.get(self.bound, pass, self.variant)?;
        self.may_fail |= kernel.arguments.contains(&KernelArgument::Flag);
        let has_colour = matches!(pass, Pass::Sweep { colour: Some(_), .. });
        let (groups, items) = match pass {
            Pass::Strips { .. } => ([points.lengths[0], points.lengths[1], 1], [1; 3]),
            Pass::Tree { .. } => ([points.lengths[0], 1, 1], [1; 3]),
            Pass::Stream { tile, .. } => tiles(stream_groups(self.bound, tile), tile)?,
            Pass::Overlap { steps, tile } => tiles(overlap_groups(self.bound, steps, tile), tile)?,
            Pass::Loops { number, .. } => match self.loop_launch(number) {
                Some(launch) => launch,
                None => return Ok(()),
            },
            _ => launch_size(self.kernels.device.form, &points.lengths, has_colour),
        };
        let arguments = kernel.arguments.iter().map(|argument| self.argument(argument, pass, points, scene));
        let arguments = arguments.collect::<Result<Vec<_>>>()?;
        self.launcher.launch(&kernel, groups, items, &arguments)
    }

    /// The slice of a level in a launch.
    fn slice(&self, grid: usize, level: Level, scene: Scene<'_>) -> usize {
        match level {
            Level::After(before) => self.after[grid][before],
            level => self.slices[grid][scene.slot(grid, level)],
        }
    }

    /// A number of the type of indices.
    fn index(&self, number: i64) -> LaunchArgument {
        LaunchArgument::Number(if self.variant.is_wide { Value::I64(number) } else { Value::I32(number as i32) })
    }

    fn argument(
        &self,
        argument: &KernelArgument,
        pass: Pass,
        points: &Box,
        scene: Scene<'_>,
    ) -> Result<LaunchArgument> {
        let long = |number: i64| LaunchArgument::Number(Value::I64(number));
        let int = |number: i32| LaunchArgument::Number(Value::I32(number));
        let on = |axis: usize| points.axes.iter().position(|&own| own == axis).expect("an axis of the box");
        Ok(match argument {
            KernelArgument::Slice { grid, component, level } => {
                LaunchArgument::Slice { grid: *grid, component: *component, slot: self.slice(*grid, *level, scene) }
            }
            KernelArgument::Elements(parameter) => LaunchArgument::Elements(*parameter),
            KernelArgument::Values(result) => LaunchArgument::Values(*result),
            KernelArgument::Partials(result) => LaunchArgument::Partials(*result),
            KernelArgument::Flag => LaunchArgument::Flag,
            KernelArgument::Code => int(code(pass)),
            KernelArgument::Origin { grid, component, level } => {
                let offset = self.launcher.offset(*grid, *component, self.slice(*grid, *level, scene));
                self.index(offset as i64 + origin(self.bound, *grid, &self.layouts[*grid]))
            }
            KernelArgument::Stride(grid, position) => self.index(self.layouts[*grid].strides[*position] as i64),
            KernelArgument::First(grid, position) => long(self.layouts[*grid].lower[*position]),
            KernelArgument::Last(grid, position) => {
                let layout = &self.layouts[*grid];
                long(layout.lower[*position] + layout.lengths[*position] as i64 - 1)
            }
            KernelArgument::Start(axis) => self.index(points.starts[on(*axis)]),
            KernelArgument::Length(axis) => self.index(points.lengths[on(*axis)] as i64),
            KernelArgument::Chunk => self.index(crate::lower::CHUNK as i64),
            KernelArgument::BeforeLower | KernelArgument::BehindUpper | KernelArgument::Reach(_) => {
                self.index(self.beyond(argument, pass))
            }
            KernelArgument::Lower(axis) => long(self.bound.lower()[*axis]),
            KernelArgument::Extent(axis) => self.index(self.bound.lengths()[*axis] as i64),
            KernelArgument::Size(name) => match self.bound.sizes().get(name) {
                Some(&size) => long(size),
                None => return Err(Error::new(format!("the size '{name}' is missing"))),
            },
            KernelArgument::Time => long(scene.time),
            KernelArgument::Scalar(parameter) => LaunchArgument::Number(self.parameters.values(*parameter)[0]),
            KernelArgument::RangeFirst(parameter, range) => long(self.bound.ranges(*parameter)?[*range].0),
            KernelArgument::RangeLength(parameter, range) => long(self.bound.ranges(*parameter)?[*range].1 as i64),
            KernelArgument::Strips => self.index(points.starts[0]),
            KernelArgument::Distance => self.index(points.starts[1]),
            KernelArgument::Loop(variable) => self.index(self.loops[*variable]),
        })
    }

    /// Points beyond faces, in memory or reached by taps.
    fn beyond(&self, argument: &KernelArgument, pass: Pass) -> i64 {
        let Pass::Faces { grid, position, .. } = pass else { return 0 };
        let axis = self.bound.stencil().grids()[grid].axes[position];
        let layout = &self.layouts[grid];
        let (lower, length) = (self.bound.lower()[axis], self.bound.lengths()[axis] as i64);
        match argument {
            KernelArgument::BeforeLower => lower - layout.lower[position],
            KernelArgument::BehindUpper => layout.lower[position] + layout.lengths[position] as i64 - (lower + length),
            KernelArgument::Reach(0) => self.bound.reach(grid, axis, Side::Lower),
            _ => self.bound.reach(grid, axis, Side::Upper),
        }
    }

    /// The domain.
    fn domain(&self) -> Box {
        let axes: Vec<usize> = (0..self.bound.stencil().dimension()).collect();
        Box { starts: vec![0; axes.len()], lengths: self.bound.lengths().to_vec(), axes }
    }

    /// All points in memory of a grid.
    fn memory(&self, grid: usize) -> Box {
        let axes = self.bound.stencil().grids()[grid].axes.clone();
        let layout = &self.layouts[grid];
        let starts = axes.iter().zip(&layout.lower).map(|(&axis, &lower)| lower - self.bound.lower()[axis]).collect();
        Box { axes, starts, lengths: layout.lengths.clone() }
    }

    /// The points at which one axis' faces are set: memory on axes before it, the domain on those behind.
    fn face_box(&self, grid: usize, position: usize) -> Box {
        let mut points = self.memory(grid);
        for later in position + 1..points.axes.len() {
            points.starts[later] = 0;
            points.lengths[later] = self.bound.lengths()[points.axes[later]];
        }
        points.axes.remove(position);
        points.starts.remove(position);
        points.lengths.remove(position);
        points
    }
}

impl<L: Launcher> Passes for Executor<'_, L> {
    fn initial(&mut self, rule: usize, time: i32, moment: Moment<'_>) -> Result<()> {
        let grid = self.bound.stencil().initial()[rule].grid;
        let scene = Scene { moment, level: time, time: moment.now.wrapping_add(i64::from(time)) };
        self.launch(Pass::Initial { rule }, &self.memory(grid), scene)
    }

    fn complete(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> Result<()> {
        let stencil = self.bound.stencil();
        let slot = self.slices[grid][moment.levels.slot(grid, time)];
        let may_keep = !is_initial && moment.levels.count(grid) > 1;
        let keeps = may_keep && !self.has_border[grid][slot];
        let scene = Scene { moment, level: time, time: moment.now.wrapping_add(i64::from(time)) };
        for component in 0..stencil.grids()[grid].component_count() {
            for (position, &axis) in stencil.grids()[grid].axes.iter().enumerate() {
                let has_rule = [Side::Lower, Side::Upper].into_iter().any(|side| {
                    stencil.boundary(grid, component, axis, side) != Boundary::Keep
                        && self.bound.reach(grid, axis, side) > 0
                });
                let pass = Pass::Faces { grid, component, position, keeps };
                let [before, behind] = [KernelArgument::BeforeLower, KernelArgument::BehindUpper]
                    .map(|argument| self.beyond(&argument, pass));
                if has_rule || keeps && before + behind > 0 {
                    self.launch(pass, &self.face_box(grid, position), scene)?;
                }
            }
        }
        // Later steps would copy the same values once more.
        if may_keep {
            self.has_border[grid][slot] = true;
        }
        Ok(())
    }

    fn carry_over(&mut self, grid: usize, moment: Moment<'_>) -> Result<()> {
        let scene = Scene { moment, level: moment.levels.newest(grid), time: moment.now };
        for component in 0..self.bound.stencil().grids()[grid].component_count() {
            self.launch(Pass::CarryOver { grid, component }, &self.memory(grid), scene)?;
        }
        Ok(())
    }

    fn sweep(&mut self, stage: usize, colour: Option<Colour>, moment: Moment<'_>) -> Result<()> {
        let scene = Scene { moment, level: 0, time: moment.now };
        let reduces = moment.reduces && has_reductions(self.bound.stencil(), stage);
        if let Some((tile, is_local)) = self.stream_tile(stage).filter(|_| !reduces) {
            return self.launch(Pass::Stream { stage, tile, is_local }, &self.domain(), scene);
        }
        if let Some(tree) = self.kernels.schedule.clone().filter(|_| !reduces) {
            return self.schedule(&tree, (stage, colour), scene);
        }
        self.launch(Pass::Sweep { stage, colour, reduces }, &self.domain(), scene)
    }

    fn reduce(&mut self, stage: usize, moment: Moment<'_>) -> Result<()> {
        let scene = Scene { moment, level: 0, time: moment.now };
        let bound = self.bound;
        for statement in &bound.stencil().stages()[stage].statements {
            let Statement::Reduce { result, .. } = statement else { continue };
            let row = bound.lengths()[0].div_ceil(STRIP);
            let rows = bound.points() / bound.lengths()[0];
            let points = Box { axes: vec![0, 1], starts: vec![row as i64, 1], lengths: vec![row, rows] };
            self.launch(Pass::Strips { result: *result }, &points, scene)?;
            let strips = row * rows;
            let mut distance = 1usize;
            while distance < strips {
                let span = distance << TREE_LEVELS;
                let starts = vec![strips as i64, distance as i64];
                let points = Box { axes: vec![0, 1], starts, lengths: vec![strips.div_ceil(span), 1] };
                self.launch(Pass::Tree { result: *result }, &points, scene)?;
                distance = span;
            }
        }
        self.has_results = true;
        Ok(())
    }

    fn filter(&mut self, filter: usize, point: Option<&[i64]>, moment: Moment<'_>) -> Result<()> {
        let mut points = self.domain();
        if let Some(point) = point {
            points.starts = point.iter().zip(self.bound.lower()).map(|(own, lower)| own - lower).collect();
            points.lengths.fill(1);
        }
        let scene = Scene { moment, level: 0, time: moment.now };
        self.launch(Pass::Filter { filter }, &points, scene)
    }

    fn leap(&mut self, steps: u64, moment: Moment<'_>) -> Result<u64> {
        let Strategy::Overlap { steps: most, tile } = self.strategy else { return Ok(0) };
        let steps = self.leap_of(most, steps);
        if steps < 2 || !overlaps(self.bound, self.kernels.device, steps, tile) || !self.choose_after(moment.levels) {
            return Ok(0);
        }
        let scene = Scene { moment, level: 0, time: moment.now };
        self.launch(Pass::Overlap { steps, tile }, &self.domain(), scene)?;
        let mut levels = moment.levels.clone();
        (1..steps).for_each(|_| levels.rotate());
        let now = moment.now.wrapping_add(steps as i64 - 1);
        for (grid, count) in read_levels(self.bound) {
            let border = self.slices[grid][moment.levels.slot(grid, levels.newest(grid) - 1)];
            self.enter_after(grid, count, border, &levels);
            for back in (0..count).rev() {
                let time = levels.newest(grid) - back as i32;
                self.complete(grid, time, false, Moment { now, levels: &levels, reduces: false })?;
            }
        }
        Ok(steps as u64)
    }

    fn settle(&mut self, levels: &Levels) -> Result<()> {
        for grid in 0..self.slices.len() {
            self.settle_grid(grid, levels)?;
        }
        Ok(())
    }

    fn results(&mut self) -> Result<Vec<Option<Value>>> {
        self.check()?;
        let results = self.bound.stencil().results().len();
        if !self.has_results {
            return Ok(vec![None; results]);
        }
        (0..results)
            .map(|result| Ok(Some(finished(reduction(self.bound, result), self.launcher.partial(result)?))))
            .collect()
    }
}

/// Groups and work-items of tiles.
fn tiles(groups: Option<[usize; 3]>, tile: Tile) -> Result<([usize; 3], [usize; 3])> {
    let groups = groups.ok_or_else(|| Error::new("tiles do not fit the domain"))?;
    Ok((groups, [tile.items[0], tile.items[1], 1]))
}

/// The reduction of a result.
pub(crate) fn reduction(bound: &Bound, result: usize) -> Reduction {
    let statements = bound.stencil().stages().iter().flat_map(|stage| &stage.statements);
    let mut found = statements.filter_map(|statement| match statement {
        Statement::Reduce { result: own, reduction, .. } if *own == result => Some(*reduction),
        _ => None,
    });
    found.next().expect("each result is computed once")
}

/// The form of kernels for a kind of device.
pub(crate) const fn form(is_cpu: bool) -> Form {
    if is_cpu { Form::Rows } else { Form::Points }
}
