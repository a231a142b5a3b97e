//! When the host looks at what iterations have come to.

use super::runner::HISTORY;
use super::space::Space;
use crate::error::Result;
use crate::scalar::Scalar;

/// Looks at a method's numbers, a few iterations apart.
///
/// The first ones come sooner: a solve of few iterations is not to make many in vain. Once they are as far apart as
/// they may be, and where somebody else does the iterations, the next ones are asked for before those behind them are
/// looked at, so that nobody waits for the host. What is asked for after the end changes nothing but the time, so then
/// two looks are [`SHARE`] times nearer to each other.
pub(super) struct Polling {
    most: usize,
    between: usize,
    /// Which half of the history the next iterations' numbers go into, and which one those of the last look are in.
    half: usize,
    seen: usize,
    /// True if iterations are under way that have not been looked at.
    ahead: bool,
}

/// How much nearer to each other looks are where they do not keep the iterations waiting.
const SHARE: usize = 4;

impl Polling {
    /// With so many iterations between two of them, at the most.
    pub(super) const fn new(most: usize) -> Self {
        Polling { most, between: 1, half: 0, seen: 0, ahead: false }
    }

    /// Asks for more iterations, and gives the numbers that there are after those asked for before.
    pub(super) fn next<T: Scalar>(
        &mut self,
        space: &mut Space<'_, T>,
        mut iterate: impl FnMut(&mut Space<'_, T>, usize) -> Result<()>,
    ) -> Result<Vec<T>> {
        let apart = (self.most / SHARE).max(1);
        if self.most == 1 || self.between < apart || space.watch().is_none() {
            for slot in 0..self.between {
                iterate(space, slot)?;
            }
            self.between = self.most.min(2 * self.between);
            return space.scalars();
        }
        loop {
            for slot in 0..apart {
                iterate(space, self.half * (HISTORY / 2) + slot)?;
            }
            let watch = space.watch().expect("it was there before");
            watch.keep(self.half)?;
            self.seen = 1 - self.half;
            self.half = self.seen;
            if std::mem::replace(&mut self.ahead, true) {
                return watch.kept(self.seen);
            }
        }
    }

    /// Recorded residuals since the poll before the last.
    pub(super) fn history<T: Scalar>(&self, space: &mut Space<'_, T>, count: usize) -> Result<Vec<T>> {
        match space.watch().filter(|_| self.ahead) {
            Some(watch) => watch.history(self.seen * (HISTORY / 2), count),
            None => space.history(count),
        }
    }
}
