//! The passes of a run.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::code::Reduced;
use super::lower::{Bounds, Scene, value_of};
use super::memory::Memory;
use super::prepare::{Prepared, Source, Windowed};
use super::tasks::{execute, last_cache};
use super::wavefront::Shape;
use super::worker::Pass;
use super::{fold, schedule, space::CAPACITY};
use crate::bound::{Bound, Parameters};
use crate::data::{GridSlices, Layout};
use crate::definition::{MAX_AXES, Statement};
use crate::error::{Error, Result};
use crate::reduce::STRIP;
use crate::run::{Colour, Moment, Passes};
use crate::schedule::Tree;
use crate::strategy::Strategy;
use crate::value::Value;
use affinimath_core::threads;

/// A pass that a run does again and again.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Sweep(usize, Option<Colour>),
    /// Without reductions, in boxes.
    Boxes(usize, Option<Colour>),
    Complete(usize, i32, bool),
    CarryOver(usize),
    Filter(usize),
}

/// A run.
pub(super) struct Machine<'g> {
    pub(super) bound: &'g Bound,
    parameters: &'g Parameters,
    memory: Memory,
    pub(super) layouts: Vec<Layout>,
    bounds: Vec<Bounds>,
    pub(super) arch: pulp::Arch,
    /// Results go past the caches where the grids have more bytes.
    pub(super) last_cache: usize,
    prepared: HashMap<Key, Rc<Vec<Prepared>>>,
    /// Slices of each grid whose kept values are in place.
    pub(super) has_halo: Vec<Vec<bool>>,
    /// Partial results of a stage's reductions, or the values of all points.
    sinks: Vec<Vec<u64>>,
    results: Vec<Option<Value>>,
    pub(super) strategy: Strategy,
    /// The loops of a strategy that is a text.
    pub(super) schedule: Option<Arc<Tree>>,
    /// The passes of each stage for several steps at once, once they are needed; none where these do not fit.
    pub(super) windowed: Option<Option<(Shape, Rc<Vec<Windowed>>)>>,
}

impl<'g> Machine<'g> {
    pub(super) fn new(bound: &'g Bound, grids: &mut [GridSlices<'_>], parameters: &'g Parameters) -> Self {
        let stencil = bound.stencil();
        let memory = Memory::new(stencil, grids);
        Machine {
            bound,
            parameters,
            layouts: grids.iter().map(|grid| grid.layout.clone()).collect(),
            bounds: memory.bounds(),
            memory,
            arch: pulp::Arch::new(),
            last_cache: last_cache(),
            prepared: HashMap::new(),
            has_halo: (0..stencil.grids().len()).map(|grid| vec![false; bound.levels(grid)]).collect(),
            sinks: Vec::new(),
            results: vec![None; stencil.results().len()],
            strategy: Strategy::Naive,
            schedule: None,
            windowed: None,
        }
    }

    pub(super) fn source(&self) -> Source<'_> {
        let scene = Scene {
            stencil: self.bound.stencil(),
            sizes: self.bound.sizes(),
            parameters: self.parameters,
            bounds: &self.bounds,
        };
        Source {
            bound: self.bound,
            scene,
            memory: &self.memory,
            arch: self.arch,
            last_cache: self.last_cache,
            is_windowed: false,
        }
    }

    /// Programs of a kind of pass, which are compiled once in a run.
    fn prepared(&mut self, key: Key, prepare: impl FnOnce(&Self) -> Vec<Prepared>) -> Rc<Vec<Prepared>> {
        if let Some(prepared) = self.prepared.get(&key) {
            return prepared.clone();
        }
        let prepared = Rc::new(prepare(self));
        self.prepared.insert(key, prepared.clone());
        prepared
    }

    /// Executes a pass. The first point at which it fails, on the stencil's axes.
    pub(super) fn execute(&mut self, prepared: &Prepared, moment: Moment<'_>) -> Option<[i64; MAX_AXES]> {
        let sinks = self.sinks.iter_mut().map(Vec::as_mut_ptr).collect();
        let pass = self.pass(prepared, moment, sinks);
        let failure = execute(&pass, prepared.row_bytes, prepared.is_streamed);
        failure.map(|number| prepared.space.point(number))
    }

    /// A pass with its addresses, and where its reductions go.
    pub(super) fn pass<'p>(&'p self, prepared: &'p Prepared, moment: Moment<'_>, sinks: Vec<*mut u64>) -> Pass<'p> {
        let program = &prepared.program;
        Pass {
            program,
            space: &prepared.space,
            bindings: program.accesses.iter().map(|access| self.memory.bind(access, moment.levels)).collect(),
            time: moment.now.wrapping_add(i64::from(prepared.time)),
            parameters: self.parameters,
            failure: AtomicU64::new(u64::MAX),
            sinks,
            strip: prepared.space.strip(!program.reduced.is_empty()),
            fetches: true,
        }
    }

    /// The faces of a grid's level.
    pub(super) fn faces(&mut self, grid: usize, time: i32, is_initial: bool) -> Rc<Vec<Prepared>> {
        self.prepared(Key::Complete(grid, time, is_initial), |machine| {
            let faces = machine.source().faces(grid, time, &machine.layouts[grid], is_initial);
            faces.into_iter().map(|(_, pass)| pass).collect()
        })
    }

    /// A point of the domain as errors name it.
    fn outside(&self, cell: [i64; MAX_AXES]) -> Error {
        let cell = &cell[..self.bound.lower().len()];
        Error::new(format!("the point {cell:?} reads outside the range of a parameter"))
    }

    /// A stage computes results.
    fn reduces(&self, stage: usize) -> bool {
        let statements = &self.bound.stencil().stages()[stage].statements;
        statements.iter().any(|statement| matches!(statement, Statement::Reduce { .. }))
    }

    /// Memory for the reductions of a stage.
    fn allocate(&mut self, prepared: &Prepared, colour: Option<Colour>) -> Result<()> {
        if colour == Some(Colour::Black) {
            return Ok(());
        }
        self.sinks.clear();
        for _ in &prepared.program.reduced {
            let (rows, row) = (prepared.space.rows(), prepared.space.row());
            let words = if colour.is_some() { rows * row } else { rows * row.div_ceil(STRIP) };
            let mut sink = Vec::new();
            let reserved = sink.try_reserve_exact(words);
            reserved.map_err(|_| Error::new(format!("{words} values of a reduction are beyond the memory")))?;
            sink.resize(words, 0);
            self.sinks.push(sink);
        }
        Ok(())
    }

    /// The results of strips of a stage's reductions, after its sweeps.
    pub(super) fn partials(&mut self, stage: usize) -> Vec<(Reduced, Vec<u64>)> {
        if !self.reduces(stage) {
            return Vec::new();
        }
        let key = [None, Some(Colour::Black)].map(|colour| self.prepared.get(&Key::Sweep(stage, colour)).cloned());
        let Some(passes) = key.into_iter().flatten().next() else { return Vec::new() };
        let (space, sinks) = (&passes[0].space, std::mem::take(&mut self.sinks));
        let each = passes[0].program.reduced.iter().zip(sinks).map(|(&reduced, sink)| {
            let partial = if space.parity.is_none() { sink } else { partials(&reduced, space, &sink) };
            (reduced, partial)
        });
        each.collect()
    }
}

impl Passes for Machine<'_> {
    fn initial(&mut self, rule: usize, time: i32, moment: Moment<'_>) -> Result<()> {
        let grid = self.bound.stencil().initial()[rule].grid;
        let prepared = self.source().initial(rule, time, &self.layouts[grid]);
        match self.execute(&prepared, moment) {
            None => Ok(()),
            Some(_) => {
                let name = &self.bound.stencil().grids()[grid].name;
                Err(Error::new(format!("an initial value of '{name}' reads outside the range of a parameter")))
            }
        }
    }

    fn complete(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> Result<()> {
        let definition = &self.bound.stencil().grids()[grid];
        let passes = self.faces(grid, time, is_initial);
        let slot = moment.levels.slot(grid, time);
        let is_kept = self.has_halo[grid][slot];
        for pass in passes.iter().filter(|pass| !(pass.is_keep && is_kept)) {
            if let Some(cell) = self.execute(pass, moment) {
                let name = &definition.name;
                let cell: Vec<i64> = definition.axes.iter().map(|&axis| cell[axis]).collect();
                return Err(Error::new(format!(
                    "the boundary of '{name}' at {cell:?} reads outside a range or a memory"
                )));
            }
        }
        // Once each slice has them, values that are kept need no copy.
        if !is_initial {
            self.has_halo[grid][slot] = true;
        }
        Ok(())
    }

    fn carry_over(&mut self, grid: usize, moment: Moment<'_>) -> Result<()> {
        let passes =
            self.prepared(Key::CarryOver(grid), |machine| machine.source().carry_over(grid, &machine.layouts[grid]));
        for pass in passes.iter() {
            self.execute(pass, moment);
        }
        Ok(())
    }

    fn sweep(&mut self, stage: usize, colour: Option<Colour>, moment: Moment<'_>) -> Result<()> {
        if let Some(tree) = self.schedule.clone().filter(|_| !(moment.reduces && self.reduces(stage))) {
            let key = Key::Boxes(stage, colour);
            let passes = self.prepared(key, |machine| vec![machine.source().boxes(stage, colour)]);
            let pass = self.pass(&passes[0], moment, Vec::new());
            let failure = schedule::execute(&pass, &tree).map(|number| passes[0].space.point(number));
            return failure.map_or(Ok(()), |cell| Err(self.outside(cell)));
        }
        let passes = self.prepared(Key::Sweep(stage, colour), |machine| vec![machine.source().sweep(stage, colour)]);
        self.allocate(&passes[0], colour)?;
        match self.execute(&passes[0], moment) {
            Some(cell) => Err(self.outside(cell)),
            None => Ok(()),
        }
    }

    fn reduce(&mut self, stage: usize, _moment: Moment<'_>) -> Result<()> {
        for (reduced, partial) in self.partials(stage) {
            let bits = fold::tree(reduced.reduction, reduced.kind, partial);
            self.results[reduced.result] = Some(value_of(bits, reduced.kind));
        }
        Ok(())
    }

    fn filter(&mut self, filter: usize, point: Option<&[i64]>, moment: Moment<'_>) -> Result<()> {
        let failure = match point {
            Some(point) => {
                let prepared = self.source().filter(filter, Some(point));
                self.execute(&prepared, moment)
            }
            None => {
                let passes = self.prepared(Key::Filter(filter), |machine| vec![machine.source().filter(filter, None)]);
                self.execute(&passes[0], moment)
            }
        };
        failure.map_or(Ok(()), |cell| Err(self.outside(cell)))
    }

    fn leap(&mut self, steps: u64, moment: Moment<'_>) -> Result<u64> {
        self.leap_of(steps, moment)
    }

    fn results(&mut self) -> Result<Vec<Option<Value>>> {
        Ok(self.results.clone())
    }
}

/// Partial results of strips from the values of all points.
fn partials(reduced: &Reduced, space: &super::space::Space, values: &[u64]) -> Vec<u64> {
    let (row, bytes) = (space.row(), reduced.kind.bytes());
    let rows = threads::map(space.rows(), |number| {
        let mut results = vec![0; row.div_ceil(STRIP)];
        let mut first = 0;
        while first < row {
            let n = CAPACITY.min(row - first);
            let from = values.as_ptr().cast::<u8>().wrapping_add((number * row + first) * bytes);
            // SAFETY: the values of all points are there, and `results` has an element for each strip.
            unsafe {
                let to = results.as_mut_ptr().add(first / STRIP);
                fold::strips(reduced.reduction, reduced.kind, from, n, to);
            }
            first += n;
        }
        results
    });
    rows.concat()
}
