//! Times of launches on the device's own clock.

use std::sync::Arc;

use affinimath_opencl::context::{ContextParts, DeviceContext, Event, Queue};
use affinimath_opencl::status::check;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue, create_command_queue};

use crate::error::Result;

/// Dimensions of index spaces, which a wrapper of queues wants to know.
const DIMENSIONS: u32 = 3;

/// A queue of a context whose events have times. Some drivers take longer for launches on such a queue.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device).
pub fn profiling_queue(context: &Arc<DeviceContext>) -> Result<Queue> {
    let (device, context) = (context.device().handle().id(), context.handle().get());
    // clCreateCommandQueue is the function that every version has.
    // SAFETY: the device belongs to the context.
    let queue = unsafe { create_command_queue(context, device, CL_QUEUE_PROFILING_ENABLE) };
    // The wrapper releases it, after the queue below has retained it.
    let queue = CommandQueue::new(check("clCreateCommandQueue", queue)?, DIMENSIONS);
    // SAFETY: the queue is valid.
    Ok(unsafe { Queue::from_raw(queue.get()) }?)
}

/// Seconds from a launch's start to its end, after it was waited for; `None` for an event of another queue than a
/// [`profiling_queue`].
pub fn device_seconds(event: &Event) -> Option<f64> {
    let Event::Pending(event) = event else { return None };
    let (start, end) = (event.profiling_command_start().ok()?, event.profiling_command_end().ok()?);
    Some(end.checked_sub(start)? as f64 * 1e-9)
}
