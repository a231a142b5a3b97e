//! Passes of a run over all ranks.

use affinimath_stencil::definition::{Statement, Sweep, Type};
use affinimath_stencil::host::Parts;
use affinimath_stencil::run::{Colour, Levels, Moment, Passes};
use affinimath_stencil::{Error as StencilError, Result as StencilResult, STRIP, Strips, Value};

use super::exchange::{Halos, UnderWay};
use super::parts::{OWN, PartList};
use super::topology::Topology;
use crate::comm::Communicator;
use crate::error::{Error, Result};

/// A run on one rank's memory. Halos are exchanged when somebody needs them.
pub(super) struct Distributed<'r> {
    pub(super) topology: &'r Topology,
    pub(super) comm: &'r Communicator,
    pub(super) halos: &'r Halos,
    /// Passes of a rank that has points.
    pub(super) local: Option<(&'r PartList, Parts<'r>)>,
    /// Slices whose halos are those of an older level.
    pub(super) stale: Vec<(usize, usize)>,
    pub(super) results: Vec<Option<Value>>,
    /// Error of a message, which passes cannot return.
    pub(super) failure: Option<Error>,
}

impl Distributed<'_> {
    /// Notes an error of messages for the end of the run.
    fn noted<R>(&mut self, result: Result<R>) -> StencilResult<R> {
        result.map_err(|error| {
            let text = error.to_string();
            self.failure.get_or_insert(error);
            StencilError::new(text)
        })
    }

    /// A slice's halo is to be exchanged.
    fn mark(&mut self, grid: usize, slot: usize) {
        if !self.stale.contains(&(grid, slot)) {
            self.stale.push((grid, slot));
        }
    }

    fn begin(&mut self) -> Result<Option<UnderWay>> {
        match &mut self.local {
            Some((_, parts)) if !self.stale.is_empty() => self.halos.begin(self.comm, parts, &self.stale).map(Some),
            _ => Ok(None),
        }
    }

    fn finish(&mut self, under_way: Option<UnderWay>) -> Result<()> {
        if let (Some((_, parts)), Some(under_way)) = (&mut self.local, under_way) {
            self.halos.finish(under_way, parts, &self.stale)?;
        }
        self.stale.clear();
        Ok(())
    }

    /// All halos are those of their levels.
    fn exchange(&mut self) -> StencilResult<()> {
        let done = self.begin().and_then(|under_way| self.finish(under_way));
        self.noted(done)
    }

    fn on(&mut self, part: usize, pass: impl FnOnce(&mut dyn Passes) -> StencilResult<()>) -> StencilResult<()> {
        match &mut self.local {
            Some((_, parts)) => pass(&mut parts.passes(part)),
            None => Ok(()),
        }
    }

    /// A sweep, of which the interior is computed while halos are under way.
    fn overlapped(
        &mut self,
        sweep: (usize, Option<Colour>),
        (interior, rims): (&[usize], &[usize]),
        moment: Moment<'_>,
    ) -> StencilResult<()> {
        let (stage, colour) = sweep;
        let begun = self.begin();
        let mut under_way = self.noted(begun)?;
        for &part in interior {
            self.on(part, |passes| passes.sweep(stage, colour, moment))?;
            let moved = under_way.as_mut().map_or(Ok(()), UnderWay::progress).and_then(|()| self.comm.progress());
            self.noted(moved)?;
        }
        let finished = self.finish(under_way);
        self.noted(finished)?;
        rims.iter().try_for_each(|&part| self.on(part, |passes| passes.sweep(stage, colour, moment)))
    }

    /// The results of all strips of a stage's reductions, in one exchange.
    fn combine(&mut self, stage: usize) -> Result<()> {
        let stencil = self.topology.stencil();
        let domain = &self.topology.domain;
        let in_row = (domain.length(0) as u64).div_ceil(STRIP as u64);
        let rows: u64 = (1..domain.lower().len()).map(|axis| domain.length(axis) as u64).product();
        let reductions: Vec<_> = stencil.stages()[stage]
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Reduce { result, reduction, .. } => Some((*result, *reduction)),
                _ => None,
            })
            .collect();
        let tree = |result: usize| {
            let own = reductions.iter().find(|(own, _)| *own == result);
            own.map(|(_, reduction)| Strips::new(*reduction, in_row * rows))
        };
        let mut message: Vec<i64> = Vec::new();
        if let Some((_, parts)) = &mut self.local {
            let block = self.topology.cut.block(self.comm.rank());
            for (result, values) in parts.strips(OWN, stage) {
                let Some(mut own) = tree(result) else { continue };
                let mut values = values.into_iter();
                let first = (block.lower()[0] - domain.lower()[0]) as u64 / STRIP as u64;
                let own_strips = (block.length(0) as u64).div_ceil(STRIP as u64);
                let mut rows = block.clone();
                rows.set(0, block.lower()[0], block.lower()[0] + 1);
                rows.for_each_point(|cell| {
                    let axes = (1..cell.len()).rev();
                    let row = axes.fold(0, |row, axis| {
                        row * domain.length(axis) as u64 + (cell[axis] - domain.lower()[axis]) as u64
                    });
                    for (strip, value) in (0..own_strips).zip(&mut values) {
                        own.add(0, row * in_row + first + strip, value);
                    }
                });
                own.combine();
                message
                    .extend(own.nodes().flat_map(|(level, index, value)| {
                        [result as i64, i64::from(level), index as i64, bits(value)]
                    }));
            }
        }
        let lengths = self.comm.gather_all(vec![message.len() as i64])?;
        let longest = lengths.into_iter().max().unwrap_or(0) as usize;
        message.resize(longest, -1);
        let all = if longest > 0 { self.comm.gather_all(message)? } else { Vec::new() };
        for (result, _) in &reductions {
            let Some(mut whole) = tree(*result) else { continue };
            let kind = stencil.results()[*result].kind;
            for node in all.chunks_exact(4).filter(|node| node[0] == *result as i64) {
                whole.add(node[1] as u32, node[2] as u64, value_of(node[3], kind));
            }
            whole.combine();
            self.results[*result] = whole.result();
        }
        Ok(())
    }

    /// Several steps after one exchange: each on fewer points beyond this rank's.
    fn wide_steps(&mut self, steps: usize, moment: Moment<'_>) -> StencilResult<()> {
        self.exchange()?;
        let stencil = self.topology.stencil();
        let mut levels = moment.levels.clone();
        for step in 0..steps {
            let moment = Moment { now: moment.now.wrapping_add(step as i64), levels: &levels, reduces: false };
            for stage in 0..stencil.stages().len() {
                let Some((list, parts)) = &mut self.local else { continue };
                let mut passes = parts.passes(list.wide[steps - 1 - step][stage]);
                passes.sweep(stage, None, moment)?;
                for grid in stencil.assigned_in(stage) {
                    passes.complete(grid, levels.newest(grid), false, moment)?;
                }
            }
            levels.rotate();
        }
        self.mark_inputs(&levels);
        Ok(())
    }

    fn mark_inputs(&mut self, levels: &Levels) {
        for grid in (0..self.topology.stencil().grids().len()).filter(|&grid| self.topology.is_changing(grid)) {
            levels.inputs(grid).for_each(|time| self.mark(grid, levels.slot(grid, time)));
        }
    }
}

impl Passes for Distributed<'_> {
    fn initial(&mut self, rule: usize, time: i32, moment: Moment<'_>) -> StencilResult<()> {
        self.on(OWN, |passes| passes.initial(rule, time, moment))
    }

    fn complete(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> StencilResult<()> {
        let slot = moment.levels.slot(grid, time);
        // Conditions of thin faces read what other ranks have, with the borders that axes before have set there.
        let times = if self.topology.is_thin { self.topology.stencil().grids()[grid].axes.len() } else { 1 };
        for _ in 0..times {
            if self.topology.is_thin || is_initial {
                self.mark(grid, slot);
                self.exchange()?;
            }
            self.on(OWN, |passes| passes.complete(grid, time, is_initial, moment))?;
        }
        self.mark(grid, slot);
        Ok(())
    }

    fn carry_over(&mut self, grid: usize, moment: Moment<'_>) -> StencilResult<()> {
        self.on(OWN, |passes| passes.carry_over(grid, moment))
    }

    fn sweep(&mut self, stage: usize, colour: Option<Colour>, moment: Moment<'_>) -> StencilResult<()> {
        let split = match &self.local {
            Some((list, _)) if !self.stale.is_empty() && !moment.reduces => list.splits[stage].clone(),
            _ => None,
        };
        match split {
            Some(split) => self.overlapped((stage, colour), (&split.interior, &split.rims), moment),
            None => {
                self.exchange()?;
                self.on(OWN, |passes| passes.sweep(stage, colour, moment))
            }
        }
    }

    fn reduce(&mut self, stage: usize, _moment: Moment<'_>) -> StencilResult<()> {
        let combined = self.combine(stage);
        self.noted(combined)
    }

    fn filter(&mut self, filter: usize, point: Option<&[i64]>, moment: Moment<'_>) -> StencilResult<()> {
        let stencil = self.topology.stencil();
        let taps = stencil.graph().taps([stencil.filter()[filter].value]);
        if taps.iter().any(|tap| tap.offsets.iter().any(|offset| *offset != 0)) {
            self.exchange()?;
        }
        self.on(OWN, |passes| passes.filter(filter, point, moment))
    }

    fn leap(&mut self, steps: u64, moment: Moment<'_>) -> StencilResult<u64> {
        let steps = steps.min(self.topology.steps as u64);
        let is_jacobi = self.topology.stencil().stages().iter().all(|stage| stage.sweep == Sweep::Jacobi);
        if steps < 2 || !is_jacobi {
            return Ok(0);
        }
        self.wide_steps(steps as usize, moment)?;
        Ok(steps)
    }

    fn results(&mut self) -> StencilResult<Vec<Option<Value>>> {
        Ok(self.results.clone())
    }
}

/// A number as an integer of its bits.
pub(super) fn bits(value: Value) -> i64 {
    match value {
        Value::Bool(value) => i64::from(value),
        Value::I32(value) => i64::from(value),
        Value::I64(value) => value,
        Value::F32(value) => i64::from(value.to_bits()),
        Value::F64(value) => value.to_bits() as i64,
    }
}

/// The number of some bits.
fn value_of(bits: i64, kind: Type) -> Value {
    match kind {
        Type::Bool => Value::Bool(bits != 0),
        Type::I32 => Value::I32(bits as i32),
        Type::I64 => Value::I64(bits),
        Type::F32 => Value::F32(f32::from_bits(bits as u32)),
        Type::F64 => Value::F64(f64::from_bits(bits as u64)),
    }
}
