//! Blocked right-looking LU with look-ahead: the next block is factorised while a second queue applies the trailing
//! update of the current one to the columns further right.

use super::Lu;
use super::plan::LookAhead;
use crate::context::{Queue, QueueParts, Workspace};
use crate::error::Result;
use crate::lapack::interchange::LaswpWorkspace;
use crate::lapack::{Executor, with_second_queue};
use crate::scalar::Scalar;

impl Lu<'_> {
    /// Factorises the first `order` columns. Columns right of the next block go to a second queue, limited to its share
    /// of compute units.
    pub(super) fn factor_with_look_ahead<T: Scalar>(
        &self,
        order: usize,
        look_ahead: LookAhead,
        (copy, workspace): (Option<&Workspace<'_>>, &LaswpWorkspace<'_>),
    ) -> Result<()> {
        let queue = Queue::second(self.executor.queue.context())?.within(look_ahead.units.max(look_ahead.tall_units));
        let executor = Executor::new::<T>(&queue, self.executor.device)?;
        let second_workspace = LaswpWorkspace::borrow(&executor, self.plan.block)?;
        with_second_queue(self.executor.queue, &queue, || {
            for first in (0..order).step_by(self.plan.block) {
                let middle = order.min(first + self.plan.block);
                let executor = executor.within(self.plan.update_units(look_ahead, self.rows - first));
                let update = Lu { executor, plan: self.plan, a: self.a, pivots: self.pivots, info: self.info, ..*self };
                let next = middle..order.min(middle + self.plan.block);
                self.factor::<T>(first, middle - first, first..middle, (copy, workspace))?;
                // The second queue's earlier updates of the next block precede its factorisation here, and the factors
                // of this block precede the second queue's next update.
                self.executor.queue.wait_for_queue(&queue)?;
                queue.wait_for_queue(self.executor.queue)?;
                self.interchange::<T>(first..middle, next.clone(), 0..0, workspace)?;
                self.trailing_update::<T>(first, middle, next.clone())?;
                update.interchange::<T>(first..middle, 0..self.columns, first..next.end, &second_workspace)?;
                update.trailing_update::<T>(first, middle, next.end..self.columns)?;
            }
            Ok(())
        })
    }
}
