//! Several steps of a run at once.

use std::rc::Rc;

use super::passes::Machine;
use super::prepare::Windowed;
use super::wavefront::{Phase, Shape, changing};
use crate::analysis::all_taps;
use crate::error::Result;
use crate::run::{Levels, Moment};
use crate::strategy::Strategy;

impl Machine<'_> {
    /// Some of the next steps, if the strategy has several at once and they fit.
    pub(super) fn leap_of(&mut self, left: u64, moment: Moment<'_>) -> Result<u64> {
        let Strategy::Wavefront { steps: most, width } = self.strategy else { return Ok(0) };
        // Leaps of nearly equal lengths.
        let steps = left.div_ceil(left.div_ceil(most as u64));
        let Some((shape, stages)) = self.windowed().filter(|_| steps > 1) else { return Ok(0) };
        if !self.keep_everywhere(moment)? {
            return Ok(0);
        }
        let mut levels = moment.levels.clone();
        let mut phases = Vec::new();
        for step in 0..steps {
            let moment = Moment { now: moment.now.wrapping_add_unsigned(step), levels: &levels, reduces: false };
            for windowed in stages.iter() {
                let sweep = self.pass(&windowed.sweep, moment, Vec::new());
                let faces = windowed.faces.iter().map(|(_, face)| self.pass(face, moment, Vec::new())).collect();
                phases.push(Phase { sweep, faces, windowed });
            }
            levels.rotate();
        }
        // Tiles fetch what they need.
        phases.iter_mut().for_each(|phase| phase.sweep.fetches = false);
        shape.run(&phases, width);
        Ok(steps)
    }

    /// The passes of stages for parts of the domain. None where several steps do not fit, or a pass may fail: the point
    /// of an error is the first one in the order of steps.
    fn windowed(&mut self) -> Option<(Shape, Rc<Vec<Windowed>>)> {
        if self.windowed.is_none() {
            let shape = Shape::new(self.bound);
            let stages = shape.map(|shape| {
                let source = self.source();
                let stages = 0..self.bound.stencil().stages().len();
                (shape, Rc::new(stages.map(|stage| source.windowed(stage, &self.layouts)).collect::<Vec<_>>()))
            });
            let is_safe = |stages: &[Windowed]| stages.iter().all(|stage| !stage.may_fail());
            self.windowed = Some(stages.filter(|(_, stages)| is_safe(stages)));
        }
        self.windowed.clone().flatten()
    }

    /// All slices get the values that are kept beyond faces, before levels in them are computed. False where a slice
    /// has others that steps still read.
    fn keep_everywhere(&mut self, moment: Moment<'_>) -> Result<bool> {
        let stencil = self.bound.stencil();
        let taps = all_taps(stencil);
        for grid in changing(stencil) {
            let (newest, mut levels) = (moment.levels.newest(grid), moment.levels.clone());
            let is_read = |levels: &Levels, slot: usize| {
                let mut beyond = taps.iter().filter(|tap| tap.grid == grid && tap.offsets.iter().any(|&by| by != 0));
                beyond.any(|tap| tap.time < newest - 1 && levels.slot(grid, tap.time) == slot)
            };
            let lacking = (0..self.has_halo[grid].len()).filter(|&slot| !self.has_halo[grid][slot]);
            if lacking.into_iter().any(|slot| is_read(&levels, slot)) {
                return Ok(false);
            }
            for _ in 1..levels.count(grid) {
                self.keep(grid, Moment { levels: &levels, ..moment })?;
                levels.rotate();
            }
            self.has_halo[grid].fill(true);
        }
        Ok(true)
    }

    /// Copies the values that are kept beyond faces to the level that a step writes.
    fn keep(&mut self, grid: usize, moment: Moment<'_>) -> Result<()> {
        let time = moment.levels.newest(grid);
        if self.has_halo[grid][moment.levels.slot(grid, time)] {
            return Ok(());
        }
        for pass in self.faces(grid, time, false).iter().filter(|pass| pass.is_keep) {
            self.execute(pass, moment);
        }
        Ok(())
    }
}
