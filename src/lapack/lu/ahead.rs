//! LU by blocks from left to right, of which the next one is factorised while columns further right are brought up to date with the one
//! before it, on a queue of their own.

use super::Lu;
use super::plan::Ahead;
use crate::context::{Queue, QueueParts, Scratch};
use crate::error::Result;
use crate::lapack::interchange::Room;
use crate::lapack::{Parts, joined};
use crate::scalar::Scalar;

impl Lu<'_> {
    /// Factorises the first `order` columns. The columns right of the next block are left to a second queue, for its share of compute units.
    pub(super) fn factor_ahead<T: Scalar>(
        &self,
        order: usize,
        ahead: Ahead,
        (copy, room): (Option<&Scratch<'_>>, &Room<'_>),
    ) -> Result<()> {
        let queue = Queue::second(self.parts.queue.context())?.within(ahead.units.max(ahead.tall_units));
        let parts = Parts::new::<T>(&queue, self.parts.device)?;
        let room_beside = Room::borrow(&parts, self.plan.block)?;
        joined(self.parts.queue, &queue, || {
            for first in (0..order).step_by(self.plan.block) {
                let middle = order.min(first + self.plan.block);
                let parts = parts.within(self.plan.units_beside(ahead, self.rows - first));
                let beside = Lu { parts, plan: self.plan, a: self.a, pivots: self.pivots, info: self.info, ..*self };
                let next = middle..order.min(middle + self.plan.block);
                self.factor::<T>(first, middle - first, first..middle, (copy, room))?;
                // The next block is up to date with the one before this one, and the rest waits for this one.
                self.parts.queue.wait_for_queue(&queue)?;
                queue.wait_for_queue(self.parts.queue)?;
                self.interchange::<T>(first..middle, next.clone(), 0..0, room)?;
                self.eliminate::<T>(first, middle, next.clone())?;
                beside.interchange::<T>(first..middle, 0..self.columns, first..next.end, &room_beside)?;
                beside.eliminate::<T>(first, middle, next.end..self.columns)?;
            }
            Ok(())
        })
    }
}
