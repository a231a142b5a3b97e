//! Schedule by which the host polls the status of iterations.

use super::runner::HISTORY;
use super::space::Space;
use crate::error::Result;
use crate::scalar::Scalar;

/// Reads a method's scalars after batches of iterations.
///
/// The first batches are small, so that a solve of few iterations makes few in vain. On a device, batches are enqueued
/// before the previous batch's scalars are read, so the queue never drains. Iterations enqueued after the end only copy
/// scalars.
pub(super) struct Polling {
    /// Maximum iterations between two polls.
    max_interval: usize,
    /// Iterations of the next batch, while each poll waits for its batch.
    interval: usize,
    /// Half of the history that the next batch writes, and the half of the last polled batch.
    half: usize,
    seen: usize,
    /// True if a batch is enqueued that has not been polled.
    ahead: bool,
}

/// Divides the maximum interval where polls do not keep the queue waiting.
const STEADY_DIVISOR: usize = 4;

impl Polling {
    pub(super) const fn new(max_interval: usize) -> Self {
        Polling { max_interval, interval: 1, half: 0, seen: 0, ahead: false }
    }

    /// Enqueues another batch, and gives the scalars after it, or after the batch before.
    pub(super) fn next<T: Scalar>(
        &mut self,
        space: &mut Space<'_, T>,
        mut iterate: impl FnMut(&mut Space<'_, T>, usize) -> Result<()>,
    ) -> Result<Vec<T>> {
        let steady_interval = (self.max_interval / STEADY_DIVISOR).max(1);
        if self.max_interval == 1 || self.interval < steady_interval || space.watch().is_none() {
            for slot in 0..self.interval {
                iterate(space, slot)?;
            }
            self.interval = self.max_interval.min(2 * self.interval);
            return space.scalars();
        }
        loop {
            for slot in 0..steady_interval {
                iterate(space, self.half * (HISTORY / 2) + slot)?;
            }
            let watch = space.watch().expect("it was there before");
            watch.take_snapshot(self.half)?;
            self.seen = 1 - self.half;
            self.half = self.seen;
            if std::mem::replace(&mut self.ahead, true) {
                return watch.snapshot(self.seen);
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
