//! Several steps in one launch: their lengths, and the slices that hold levels meanwhile.

use super::{Executor, Launcher, Scene};
use crate::error::Result;
use crate::lower::{Pass, read_levels, streams, streams_locally};
use crate::run::{Levels, Moment};
use crate::strategy::{Strategy, Tile};

impl<L: Launcher> Executor<'_, L> {
    /// The tile of a stage's sweep, where the strategy has one that fits, and whether neighbours are in local memory.
    pub(super) fn stream_tile(&self, stage: usize) -> Option<(Tile, bool)> {
        let device = self.kernels.device;
        let tiles = match self.strategy {
            Strategy::Naive | Strategy::Wavefront { .. } | Strategy::Schedule(_) => return None,
            Strategy::Stream(tile) => [None, Some(tile)],
            Strategy::StreamLocal(tile) => [Some(tile), Strategy::stream_tile(self.bound, device)],
            Strategy::Overlap { .. } => {
                [Strategy::local_tile(self.bound, device), Strategy::stream_tile(self.bound, device)]
            }
        };
        let is_aligned = |tile: &Tile| {
            [self.variant.alignment, self.bound.lengths()[0]].iter().all(|n| n.is_multiple_of(tile.points[0]))
        };
        let local = tiles[0].map(|tile| if is_aligned(&tile) { tile } else { tile.turned() });
        if let Some(tile) = local.filter(|&tile| streams_locally(self.bound, device, stage, tile)) {
            return Some((tile, true));
        }
        let tile = tiles[1]?;
        let narrow = Tile { points: [1, tile.points[1]], ..tile };
        let tile = if is_aligned(&tile) { tile } else { narrow };
        streams(self.bound, device, stage, tile).then_some((tile, false))
    }

    /// Steps of the next launch, if there are so many left: launches of nearly equal lengths, and an even number of
    /// those that leave grids of two levels in the other slice.
    pub(super) fn leap_of(&self, most: usize, left: u64) -> usize {
        let is_swapped = self.slices.iter().any(|slices| slices.len() == 2 && slices[0] != 0);
        let mut launches = left.div_ceil(most as u64);
        let has_pairs = read_levels(self.bound).iter().any(|&(_, count)| count == 1);
        if has_pairs && (launches + left + u64::from(is_swapped)) % 2 == 1 {
            launches += 1;
        }
        left.div_ceil(launches) as usize
    }

    /// The strategy of launches.
    pub(crate) const fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// The slices that a grid's slots stand for.
    pub(crate) fn slices_of(&self, grid: usize) -> &[usize] {
        &self.slices[grid]
    }

    /// Chooses slices for the levels after several steps: those that hold none of the levels before. False if there is
    /// no memory for them.
    pub(super) fn choose_after(&mut self, levels: &Levels) -> bool {
        for (grid, count) in read_levels(self.bound) {
            let needed = 2 * count;
            if self.has_border[grid].len() < needed {
                let elements = self.layouts[grid].extent().unwrap_or(usize::MAX);
                if !self.launcher.add_slices(grid, needed - self.has_border[grid].len(), elements) {
                    return false;
                }
                self.has_border[grid].resize(needed, false);
            }
            let before: Vec<usize> =
                levels.inputs(grid).map(|time| self.slices[grid][levels.slot(grid, time)]).collect();
            let free = (0..needed).filter(|slice| !before.contains(slice));
            self.after[grid] = free.take(count).collect();
        }
        true
    }

    /// Slots stand for the slices of levels after several steps. `border` is the newest one before them.
    pub(super) fn enter_after(&mut self, grid: usize, count: usize, border: usize, levels: &Levels) {
        let newest = levels.newest(grid);
        let after = std::mem::take(&mut self.after[grid]);
        for (back, &slice) in after.iter().enumerate() {
            self.slices[grid][levels.slot(grid, newest - back as i32)] = slice;
        }
        // The oldest level is none any more. Its values beyond faces are what others keep.
        self.slices[grid][levels.slot(grid, newest - count as i32)] = border;
    }

    /// Copies levels to the slices that their slots have had before the run.
    pub(super) fn settle_grid(&mut self, grid: usize, levels: &Levels) -> Result<()> {
        let slots: Vec<usize> = levels.inputs(grid).map(|time| levels.slot(grid, time)).collect();
        loop {
            let moved = slots.iter().copied().filter(|&slot| self.slices[grid][slot] != slot);
            let moved: Vec<usize> = moved.collect();
            let Some(&first) = moved.first() else { return Ok(()) };
            let is_free = |slice: usize| slots.iter().all(|&slot| self.slices[grid][slot] != slice);
            let easy = moved.into_iter().find(|&slot| is_free(slot));
            let (slot, target) = match easy {
                Some(slot) => (slot, slot),
                None => (first, (0..self.has_border[grid].len()).find(|&slice| is_free(slice)).unwrap_or(first)),
            };
            self.copy(grid, slot, target, levels)?;
        }
    }

    /// Copies a slot's level to a slice, which the slot stands for from now on.
    pub(super) fn copy(&mut self, grid: usize, slot: usize, target: usize, levels: &Levels) -> Result<()> {
        let source = std::mem::replace(&mut self.slices[grid][slot], target);
        let newest = levels.newest(grid);
        let moment = Moment { now: 0, levels, reduces: false };
        // The pass copies the level before its own: two slots stand for the slices meanwhile.
        let [own, before] = [newest, newest - 1].map(|time| levels.slot(grid, time));
        let saved = self.slices[grid].clone();
        (self.slices[grid][own], self.slices[grid][before]) = (target, source);
        let points = self.memory(grid);
        let outcome = (0..self.bound.stencil().grids()[grid].component_count()).try_for_each(|component| {
            self.launch(Pass::CarryOver { grid, component }, &points, Scene { moment, level: newest, time: 0 })
        });
        self.slices[grid] = saved;
        outcome
    }
}
