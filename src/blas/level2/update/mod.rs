//! Rank-one and rank-two updates on a device: ger, gerc, syr, her, syr2, her2, and the packed spr, hpr, spr2, hpr2.
//!
//! All of them are one operation on the stored elements of a matrix, an `Update`. [`UpdatePlan::choose`] picks its
//! kernel.

mod plan;
mod routines;

#[cfg(test)]
mod tests;

use crate::blas::device_buffer;
use crate::blas::level2::arguments::StoredArguments;
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::error::Result;
use crate::launch::Launch;
use crate::scalar::Scalar;
use crate::view::View;

pub(crate) use affinimath_core::problem::update::{Conjugated, Update};
pub use plan::UpdatePlan;
pub use routines::{ger_on, gerc_on, her_on, her2_on, hpr_on, hpr2_on, spr_on, spr2_on, syr_on, syr2_on};

/// Enqueues an update.
pub(crate) fn update_on<T: Scalar>(queue: &Queue, update: &Update<'_, T>) -> Result<Event> {
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    let plan = UpdatePlan::choose(T::KIND, &update.stored, device);
    execute(queue, update, &plan)
}

/// Runs an update by a given plan: any plan is right for any update.
fn execute<T: Scalar>(queue: &Queue, update: &Update<'_, T>, plan: &UpdatePlan) -> Result<Event> {
    let a = device_buffer(queue, update.a, "A")?;
    let (x, y) = (device_buffer(queue, update.x.memory(), "x")?, device_buffer(queue, update.y.memory(), "y")?);
    if update.changes_nothing() {
        return Ok(Event::Complete);
    }
    let context = queue.context();
    let device = context.device().info();
    tracing::debug!(stored = ?update.stored, ?plan, device = device.name, "rank update");
    let source = plan.source(T::KIND, update.beta.is_some(), device);
    let program = context.program(&source)?;
    let stored = &update.stored;
    let launch = Launch::new(queue, &program, "update")
        .index(stored.rows)
        .index(stored.columns)
        .stored_strides(stored)
        .buffer(a)
        .index(stored.offset)
        .scalar(update.alpha)
        .scalar(update.beta.unwrap_or(T::ZERO))
        .vector_by_steps(x, update.x.shape())
        .vector_by_steps(y, update.y.shape())
        .flag(update.conjugated == Conjugated::Rows)
        .flag(update.conjugated == Conjugated::Columns)
        .flag(update.real_diagonal);
    let event = plan.finish(launch, stored)?;
    queue.flush()?;
    Ok(event)
}
