//! Stencils over all ranks of a grid.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use affinimath_stencil::host::Parts;
use affinimath_stencil::run::run;
use affinimath_stencil::{Argument, Bound, Error as StencilError, Field, GridSlices, Slice, Span, Stencil, Value};

use super::blocks::StencilBlock;
use super::exchange::Halos;
use super::parts::PartList;
use super::passes::{Distributed, bits};
use super::topology::Topology;
use crate::agree::Agreement;
use crate::comm::{Sending, Tag, allocate};
use crate::error::{Error, Result};
use crate::grid::Grid;

/// How a stencil's grids are cut, and how often halos are exchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StencilOptions {
    ranks: Option<Vec<usize>>,
    steps: usize,
}

impl StencilOptions {
    /// An exchange in each step, and blocks with small halos.
    pub const fn new() -> Self {
        StencilOptions { ranks: None, steps: 1 }
    }

    /// Ranks on each axis, x first: their product is the grid's number of ranks. Neighbours on x have adjacent numbers.
    #[must_use]
    pub fn ranks(self, ranks: &[usize]) -> Self {
        StencilOptions { ranks: Some(ranks.to_vec()), ..self }
    }

    /// Steps from an exchange to the next. Halos are as many times as wide, and ranks compute their neighbours' points
    /// as well: for small blocks and slow networks. Where a stencil cannot do that, there is an exchange in each step:
    /// with filters, red-black sweeps, coordinates of a periodic axis that is cut, and blocks thinner than the taps.
    #[must_use]
    pub fn steps_per_exchange(self, steps: usize) -> Self {
        StencilOptions { steps, ..self }
    }
}

/// End of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StencilOutcome {
    /// Steps that were done.
    pub steps: u64,
    /// The stop criterion ended the run.
    pub has_stopped: bool,
    /// Results of the last step, in the order of the definition; none before the first one.
    pub results: Vec<Option<Value>>,
}

/// A stencil on grids that are spread over all ranks in blocks.
///
/// A rank has the points of [`DistStencil::block`], a halo, and the border beyond those faces of the domain where its
/// block ends. Values and results have the same bits as those of one process, for any number of ranks.
///
/// ```no_run
/// # use affinimath::stencil::{Span, Stencil};
/// # use affinimath_mpi::{DistStencil, Environment, Grid, StencilOptions};
/// # fn main() -> affinimath_mpi::Result<()> {
/// # let environment = Environment::initialize()?;
/// let heat = Stencil::parse(
///     "stencil heat {
///        domainsize = (1 .. n, 1 .. n, 1 .. n);
///        operation (double grid u, double param k) {
///          u[x,y,z; t+1] = u[x,y,z; t] + k * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 6 * u[x,y,z; t]);
///        }
///        boundary { u: x = periodic; y = 0; z = symmetric; }
///      }",
/// )
/// .expect("a stencil");
/// let grid = Grid::line(&environment.world())?;
/// let mut plan = DistStencil::new(&grid, &heat, &[("n", 512)], StencilOptions::new())?;
/// plan.fill("u", |point| if point == [256, 256, 256] { 1.0 } else { 0.0 })?;
/// plan.run(&[0.1.into()], Span { steps: Some(100), ..Span::default() })?;
/// let own = plan.values("u", 0)?; // of this rank's points, x fastest
/// # Ok(())
/// # }
/// ```
pub struct DistStencil {
    grid: Grid,
    topology: Topology,
    block: StencilBlock,
    parts: Option<PartList>,
    halos: Halos,
    fields: Vec<Field>,
    /// Slices by which levels have rotated, by grid.
    turns: Vec<usize>,
    digest: i64,
}

impl fmt::Debug for DistStencil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("DistStencil");
        text.field("stencil", &self.stencil().name()).field("block", &self.block).finish_non_exhaustive()
    }
}

/// An error of the stencil's definition, sizes or arguments.
fn refused(name: &'static str) -> impl Fn(StencilError) -> Error {
    move |error| Error::argument(name, error.reason)
}

impl DistStencil {
    /// Cuts the grids of a stencil, and makes their memory: zeros. All ranks call it. `sizes` are those of
    /// [`affinimath::stencil::Plan::new`]. Along x, blocks of stencils with results are cut at multiples of 256 points.
    ///
    /// # Errors
    /// [`Error::Argument`] for sizes or numbers of ranks that do not fit, [`Error::Mismatch`] if ranks disagree, and an
    /// error on all ranks if one has no memory left.
    pub fn new(grid: &Grid, stencil: &Stencil, sizes: &[(&str, i64)], options: StencilOptions) -> Result<Self> {
        let made = grid.guarded(|| Self::make(grid, stencil, sizes, &options));
        let own = made.as_ref().map(drop).map_err(Clone::clone);
        let agreement = Agreement::new("DistStencil::new").integer("the stencil's digest", digest_of(stencil));
        let agreement = agreement.integer("the sizes' digest", digest_of(sizes));
        let agreement = agreement.integer("the options' digest", digest_of(&(&options.ranks, options.steps)));
        grid.agree(agreement, own)?;
        made
    }

    fn make(grid: &Grid, stencil: &Stencil, sizes: &[(&str, i64)], options: &StencilOptions) -> Result<Self> {
        let bound = Bound::new(stencil, sizes).map_err(refused("sizes"))?;
        bound.check_boundaries().map_err(refused("sizes"))?;
        if options.steps == 0 {
            return Err(Error::argument("steps_per_exchange", "halos are exchanged every 1 step or more"));
        }
        let (rank, ranks) = (grid.rank(), grid.size());
        let topology = Topology::new(bound, ranks, options.ranks.as_deref(), options.steps)?;
        let block = topology.cut.block(rank);
        let mut fields = Vec::new();
        for (number, definition) in stencil.grids().iter().enumerate() {
            let mut layout = topology.memory(rank, number).layout();
            if block.is_empty() {
                layout.lengths.fill(1);
            }
            let (components, levels) = (definition.component_count(), topology.bound.levels(number));
            let field = Field::zeros(definition.kind, layout, components, levels);
            fields.push(field.map_err(|error| Error::Local(error.reason))?);
        }
        Ok(DistStencil {
            grid: grid.clone(),
            block,
            parts: PartList::new(&topology, rank)?,
            halos: Halos::new(&topology, rank, ranks),
            turns: vec![0; fields.len()],
            fields,
            digest: digest_of(&(stencil, sizes)),
            topology,
        })
    }

    /// The stencil.
    pub fn stencil(&self) -> &Stencil {
        self.topology.stencil()
    }

    /// The stencil with its sizes, on the whole domain.
    pub fn bound(&self) -> &Bound {
        &self.topology.bound
    }

    /// Its grid of ranks.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// This rank's points.
    pub fn block(&self) -> &StencilBlock {
        &self.block
    }

    /// Ranks on each axis, x first.
    pub fn ranks(&self) -> Vec<usize> {
        (0..self.block.lower().len()).map(|axis| self.topology.cut.parts(axis)).collect()
    }

    /// Steps from an exchange to the next: those of the options, or 1 where the stencil needs an exchange in each step.
    pub fn steps_per_exchange(&self) -> usize {
        self.topology.steps
    }

    /// Bytes that this rank sends of a grid's level in an exchange, and messages.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such grid.
    pub fn halo(&self, grid: &str) -> Result<(usize, usize)> {
        let number = self.number(grid)?;
        let (elements, messages) = self.halos.volume(number);
        Ok((elements * self.stencil().grids()[number].kind.bytes(), messages))
    }

    fn number(&self, grid: &str) -> Result<usize> {
        let found = self.stencil().grids().iter().position(|each| each.name == grid);
        found.ok_or_else(|| Error::argument("grid", format!("there is no grid '{grid}'")))
    }

    /// A component of a grid.
    fn component(&self, grid: &str, component: usize) -> Result<usize> {
        let number = self.number(grid)?;
        let components = self.stencil().grids()[number].component_count();
        if component >= components {
            let rule = format!("'{grid}' has {components} components, and {component} is asked for");
            return Err(Error::argument("component", rule));
        }
        Ok(number)
    }

    /// Sets all levels of all components of a grid, at this rank's points and on the border beyond the domain's faces.
    /// The value is one of the point's coordinates on the grid's axes, x first. Ranks may call it alone.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such grid.
    pub fn fill(&mut self, grid: &str, mut value: impl FnMut(&[i64]) -> f64) -> Result<()> {
        let number = self.number(grid)?;
        for component in 0..self.stencil().grids()[number].component_count() {
            for level in 0..self.topology.bound.levels(number) {
                self.set(number, component, level, &mut value);
            }
        }
        Ok(())
    }

    /// Sets one level of a component: of those that a step reads, 0 is the oldest.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such grid, component or level.
    pub fn fill_level(
        &mut self,
        grid: &str,
        (component, level): (usize, usize),
        mut value: impl FnMut(&[i64]) -> f64,
    ) -> Result<()> {
        let number = self.component(grid, component)?;
        let levels = self.topology.bound.levels(number);
        if level >= levels {
            let rule = format!("'{grid}' has {levels} levels, and {level} is asked for");
            return Err(Error::argument("level", rule));
        }
        let slot = (level + self.turns[number]) % levels;
        self.set(number, component, slot, &mut value);
        Ok(())
    }

    fn set(&mut self, grid: usize, component: usize, slot: usize, value: &mut impl FnMut(&[i64]) -> f64) {
        if self.parts.is_none() {
            return;
        }
        let owned = self.topology.owned(self.grid.rank(), grid, component);
        let field = &mut self.fields[grid];
        let layout = field.layout().clone();
        let mut memory = field.slices();
        let slice = &mut memory.slices[component][slot];
        self.grid.guarded(|| {
            owned.for_each_point(|point| {
                let (Some(index), value) = (layout.index(point), value(point)) else { return };
                match slice {
                    Slice::I32(slice) => slice[index] = value as i32,
                    Slice::I64(slice) => slice[index] = value as i64,
                    Slice::F32(slice) => slice[index] = value as f32,
                    Slice::F64(slice) => slice[index] = value,
                }
            });
        });
    }

    /// Runs steps. Arguments are those of [`affinimath::stencil::Plan::run`], in the order of the definition. A run
    /// goes on with the levels of the one before. All ranks call it.
    ///
    /// # Errors
    /// [`Error::Argument`] for arguments that do not fit, or a missing number of steps, [`Error::Mismatch`] if ranks
    /// disagree: nothing was changed. The error of the rank whose points read outside the range of a parameter: grids
    /// hold anything.
    pub fn run(&mut self, arguments: &[Argument], span: Span) -> Result<StencilOutcome> {
        let bound = &self.topology.bound;
        let parameters = bound.parameters(arguments).map_err(refused("arguments"));
        let steps = bound.steps(span).map_err(refused("steps"));
        let own = parameters.as_ref().map(drop).map_err(Clone::clone);
        let own = own.and_then(|()| steps.as_ref().map(drop).map_err(Clone::clone));
        let agreement = Agreement::new("DistStencil::run").integer("the stencil's digest", self.digest);
        let agreement = agreement.integer("first", span.first).integer("initial", i64::from(span.initial));
        let agreement = agreement.integer("steps", steps.as_ref().map_or(-1, |steps| *steps as i64));
        let agreement = agreement.integer("the arguments' digest", digest_of(&argument_bits(arguments)));
        self.grid.agree(agreement, own)?;
        let parameters = parameters?;
        let grid = self.grid.clone();
        let progress = grid.together(|| {
            let mut slices: Vec<GridSlices<'_>> = self.fields.iter_mut().map(Field::slices).collect();
            for (grid, turn) in slices.iter_mut().zip(&self.turns) {
                grid.slices.iter_mut().for_each(|levels| levels.rotate_left(*turn));
            }
            let local = self.parts.as_ref().map(|list| Parts::new(&list.parts, &mut slices, &parameters));
            let local = local.transpose().map_err(|error| Error::Local(error.reason))?;
            let mut passes = Distributed {
                topology: &self.topology,
                comm: grid.all(),
                halos: &self.halos,
                local: self.parts.as_ref().zip(local),
                stale: Vec::new(),
                results: vec![None; self.topology.stencil().results().len()],
                failure: None,
            };
            let progress = run(&self.topology.bound, &parameters, &mut passes, span);
            match (progress, passes.failure) {
                (_, Some(failure)) => Err(failure),
                (Err(error), None) => Err(Error::Local(error.reason)),
                (Ok(progress), None) => Ok(progress.with(passes.results)),
            }
        })?;
        for grid in (0..self.turns.len()).filter(|&grid| self.topology.is_changing(grid)) {
            let levels = self.topology.bound.levels(grid) as u64;
            self.turns[grid] = ((self.turns[grid] as u64 + progress.steps) % levels) as usize;
        }
        Ok(StencilOutcome { steps: progress.steps, has_stopped: progress.has_stopped, results: progress.results })
    }

    /// The slice with a grid's newest level.
    fn newest(&self, grid: usize) -> usize {
        let levels = self.topology.bound.levels(grid);
        let is_written = self.topology.is_changing(grid) && levels > 1;
        (self.turns[grid] + levels - if is_written { 2 } else { 1 }) % levels
    }

    /// The newest level of a component at this rank's points, x fastest, in double precision: exact but for a `long`
    /// beyond 2^53. A grid with fewer axes than the domain has fewer points.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such grid or component.
    pub fn values(&self, grid: &str, component: usize) -> Result<Vec<f64>> {
        let number = self.component(grid, component)?;
        let mut values = Vec::new();
        let (points, slot) = (self.points_of(self.grid.rank(), number), self.newest(number));
        points.for_each_point(|point| {
            values.extend(self.fields[number].get(component, slot, point).map(Value::as_f64));
        });
        Ok(values)
    }

    /// The newest level of a component at one of this rank's points, or on its border; none elsewhere.
    pub fn get(&self, grid: &str, component: usize, point: &[i64]) -> Option<Value> {
        let number = self.component(grid, component).ok()?;
        let owned = self.topology.owned(self.grid.rank(), number, component);
        let mut sides = point.iter().enumerate();
        let is_own = point.len() == owned.lower().len()
            && sides.all(|(axis, at)| (owned.lower()[axis]..owned.end(axis)).contains(at));
        if is_own { self.fields[number].get(component, self.newest(number), point) } else { None }
    }

    /// A rank's points on a grid's axes.
    fn points_of(&self, rank: usize, grid: usize) -> StencilBlock {
        let (axes, block) = (&self.stencil().grids()[grid].axes, self.topology.cut.block(rank));
        let side = |&axis: &usize| (block.lower()[axis], if block.is_empty() { 0 } else { block.length(axis) });
        let (lower, lengths) = axes.iter().map(side).unzip();
        StencilBlock::new(lower, lengths)
    }

    /// The newest level of a component at all points of the domain, x fastest, on rank `root`; none on the others. All
    /// ranks call it.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such grid, component or rank; [`Error::Mismatch`] if ranks disagree.
    pub fn gather(&self, root: usize, grid: &str, component: usize) -> Result<Option<Vec<f64>>> {
        let number = self.component(grid, component);
        let own = number.as_ref().map(drop).map_err(Clone::clone);
        let own = own.and_then(|()| match root < self.grid.size() {
            true => Ok(()),
            false => Err(Error::argument("root", format!("there is no rank {root}"))),
        });
        let agreement = Agreement::new("DistStencil::gather").integer("the stencil's digest", self.digest);
        let agreement = agreement.size("root", root).size("component", component);
        self.grid.agree(agreement.integer("the grid's digest", digest_of(grid)), own)?;
        let values = self.values(grid, component)?;
        self.grid.together(|| self.collect(number?, root, values))
    }

    fn collect(&self, number: usize, root: usize, values: Vec<f64>) -> Result<Option<Vec<f64>>> {
        let comm = self.grid.all();
        let axes = &self.stencil().grids()[number].axes;
        if comm.rank() != root {
            comm.send(root, Tag::Gather, Rc::new(values)).and_then(Sending::wait)?;
            return Ok(None);
        }
        let domain = &self.topology.domain;
        let (lower, lengths) = axes.iter().map(|&axis| (domain.lower()[axis], domain.length(axis))).unzip();
        let whole = StencilBlock::new(lower, lengths).layout();
        let mut all = allocate(whole.points(), 0.0)?;
        let mut put = |rank: usize, values: &[f64]| {
            let mut values = values.iter();
            self.points_of(rank, number).for_each_point(|point| {
                if let (Some(index), Some(value)) = (whole.index(point), values.next()) {
                    all[index] = *value;
                }
            });
        };
        put(root, &values);
        for rank in (0..comm.size()).filter(|rank| *rank != root) {
            let message = comm.receive::<f64>(rank, Tag::Gather, self.points_of(rank, number).len())?.wait()?;
            put(rank, &message);
        }
        Ok(Some(all))
    }
}

/// Arguments as numbers that can be compared.
fn argument_bits(arguments: &[Argument]) -> Vec<(bool, Vec<i64>)> {
    let each = arguments.iter().map(|argument| match argument {
        Argument::Integers(values) => (false, values.clone()),
        Argument::Reals(values) => (true, values.iter().map(|value| bits(Value::F64(*value))).collect()),
    });
    each.collect()
}

/// A number that is the same for equal values, in all processes of a program.
fn digest_of<T: Hash + ?Sized>(value: &T) -> i64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() as i64
}
