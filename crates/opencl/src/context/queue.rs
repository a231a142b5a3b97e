//! Command queues, the library's own and an application's, and the events that tell when work is done.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;
use std::sync::{Arc, PoisonError};

use opencl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROPERTIES, CommandQueue,
    get_command_queue_info, retain_command_queue,
};
use opencl3::device::Device as ClDevice;
use opencl3::types::{cl_command_queue, cl_context, cl_device_id, cl_event};

use super::{ContextParts, DIMENSIONS, DeviceContext, new_queue, wait_for_event};
use crate::error::{Error, Result};
use crate::status::check;

/// An in-order command queue, and the context that belongs to it.
#[derive(Debug)]
pub struct Queue {
    // Before the context, so that the queue is released first.
    handle: Handle,
    context: Arc<DeviceContext>,
    /// True if operations create events.
    events: bool,
    /// Compute units that its large launches take, where they leave the others to another queue.
    units: Option<usize>,
}

/// OpenCL's queue. To retain and release one for each operation would take longer than to look its program up: a
/// release flushes.
#[derive(Debug)]
enum Handle {
    /// The context's, which lives as long: it is not released with this handle.
    OfContext(ManuallyDrop<CommandQueue>),
    /// An application's, retained.
    Retained(CommandQueue),
}

impl Handle {
    fn of_context(queue: cl_command_queue) -> Self {
        Handle::OfContext(ManuallyDrop::new(CommandQueue::new(queue, DIMENSIONS)))
    }

    /// Retains a queue.
    ///
    /// # Safety
    /// It must be valid.
    unsafe fn retained(queue: cl_command_queue) -> Result<Self> {
        // SAFETY: the queue is valid; the wrapper releases it.
        check("clRetainCommandQueue", unsafe { retain_command_queue(queue) })?;
        Ok(Handle::Retained(CommandQueue::new(queue, DIMENSIONS)))
    }
}

impl Deref for Handle {
    type Target = CommandQueue;

    fn deref(&self) -> &CommandQueue {
        match self {
            Handle::OfContext(queue) => queue,
            Handle::Retained(queue) => queue,
        }
    }
}

/// A second queue of a context, concurrent with the first. A dropped one is cached for the next caller.
#[derive(Debug)]
pub struct SecondQueue {
    queue: ManuallyDrop<Queue>,
}

impl SecondQueue {
    /// The same, for operations that make no events, whose large launches take so many compute units: see
    /// [`Queue::units`].
    pub fn within(mut self, units: usize) -> Self {
        self.queue.events = false;
        self.queue.units = Some(units);
        self
    }
}

impl Deref for SecondQueue {
    type Target = Queue;

    fn deref(&self) -> &Queue {
        &self.queue
    }
}

impl Drop for SecondQueue {
    fn drop(&mut self) {
        // SAFETY: it is not used after this.
        let Queue { handle, context, .. } = unsafe { ManuallyDrop::take(&mut self.queue) };
        let handle = CommandQueue::new(handle.get(), DIMENSIONS);
        context.second_queues.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
    }
}

impl Queue {
    /// The context's own queue.
    pub fn new(context: &Arc<DeviceContext>) -> Result<Self> {
        Ok(Queue {
            handle: Handle::of_context(context.queue.get()),
            context: context.clone(),
            events: true,
            units: None,
        })
    }

    /// The same queue for operations that make no events of their own: what they return is complete once everything is
    /// that was enqueued until it is waited for. An event takes NVIDIA's driver two microseconds, on the device too.
    pub fn unsignaled(self) -> Self {
        Queue { events: false, ..self }
    }

    /// An application's queue. Its device and context are looked up, and get a [`DeviceContext`] at their first use.
    ///
    /// # Errors
    /// [`Error::InvalidQueue`] when it is null, not a queue, or executes out of order.
    ///
    /// # Safety
    /// The handle must be null or that of a command queue.
    pub unsafe fn from_raw(queue: cl_command_queue) -> Result<Self> {
        if queue.is_null() {
            return Err(Error::InvalidQueue("it is null".to_owned()));
        }
        let info = |name| {
            get_command_queue_info(queue, name)
                .map_err(|code| Error::InvalidQueue(Error::opencl("clGetCommandQueueInfo", code).to_string()))
        };
        let properties: u64 = info(CL_QUEUE_PROPERTIES)?.into();
        if properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0 {
            return Err(Error::InvalidQueue(
                "it executes out of order; create it without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE".to_owned(),
            ));
        }
        let context = isize::from(info(CL_QUEUE_CONTEXT)?) as cl_context;
        let device = ClDevice::new(isize::from(info(CL_QUEUE_DEVICE)?) as cl_device_id);
        // SAFETY: the handles come from a valid queue.
        let context = unsafe { DeviceContext::for_foreign(context, device)? };
        // SAFETY: the queue is valid.
        let handle = unsafe { Handle::retained(queue)? };
        Ok(Queue { handle, context, events: true, units: None })
    }

    /// The context.
    pub const fn context(&self) -> &Arc<DeviceContext> {
        &self.context
    }

    /// Waits until everything enqueued so far is done.
    ///
    /// By a marker, since Mesa's rusticl 22.3 waits in clFinish for what has not been flushed before, and for nothing
    /// else.
    pub fn finish(&self) -> Result<()> {
        match self.marker() {
            Ok(marker) => marker.wait(),
            Err(error) => {
                self.flush()?;
                self.handle.finish().map_err(|_| error)
            }
        }
    }

    /// Has what is enqueued from now on wait for everything that is enqueued on another queue of the same context.
    ///
    /// # Errors
    /// Errors of OpenCL, such as for a queue of another context.
    pub fn wait_for_queue(&self, other: &Queue) -> Result<()> {
        if self.handle.get() == other.handle.get() {
            return Ok(());
        }
        let done = other.mark()?;
        // OpenCL: a command that another queue waits for must be flushed.
        other.flush()?;
        // SAFETY: the event lives until the command holds it.
        let barrier = unsafe { self.handle.enqueue_barrier_with_wait_list(&[done.get()]) };
        check("clEnqueueBarrierWithWaitList", barrier).map(drop)
    }

    /// OpenCL's handle, which stays the queue's own.
    pub fn as_raw(&self) -> cl_command_queue {
        self.handle.get()
    }

    /// An event that is complete once everything enqueued so far is.
    pub fn marker(&self) -> Result<Event> {
        self.mark().map(Event::Pending)
    }
}

/// The parts of a queue, for the crates of the library: its users cannot reach them.
pub trait QueueParts: Sized {
    /// The same queue, held by one more owner.
    fn share(&self) -> Result<Self>;

    /// The same queue for the steps of an operation, which need no events: their order is all that counts.
    fn for_steps(&self) -> Result<Self>;

    /// True if operations on it make events: see [`Queue::unsignaled`].
    fn makes_events(&self) -> bool;

    /// Compute units that large launches take, where they leave the others to another queue. A device hands out a
    /// launch's work-groups before those of any later one, so that many of them would keep the other queue's few
    /// waiting.
    fn units(&self) -> Option<usize>;

    /// Another queue of the context, whose commands run beside those of its own. It is the caller's alone.
    fn second(context: &Arc<DeviceContext>) -> Result<SecondQueue>;

    /// OpenCL's queue.
    fn handle(&self) -> &CommandQueue;

    /// True if OpenCL's queue lives as long as the context.
    fn lives_with_context(&self) -> bool;

    /// Hands what was enqueued to the device where an event was made, on which another queue may wait. Elsewhere
    /// whoever waits does that.
    fn flush_events(&self) -> Result<()>;

    /// Hands what was enqueued to the device.
    fn flush(&self) -> Result<()>;

    /// Does work that has commands on this queue use the host's memory. After an error it returns once they are done:
    /// the memory is the caller's again.
    fn lending_memory<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R>;

    /// [`Queue::marker`], as OpenCL's event.
    fn mark(&self) -> Result<opencl3::event::Event>;
}

impl QueueParts for Queue {
    fn share(&self) -> Result<Self> {
        let handle = match &self.handle {
            Handle::OfContext(queue) => Handle::of_context(queue.get()),
            // SAFETY: the queue is retained by this handle.
            Handle::Retained(queue) => unsafe { Handle::retained(queue.get()) }?,
        };
        Ok(Queue { handle, context: self.context.clone(), events: self.events, units: self.units })
    }

    fn for_steps(&self) -> Result<Self> {
        Ok(self.share()?.unsignaled())
    }

    fn makes_events(&self) -> bool {
        self.events
    }

    fn units(&self) -> Option<usize> {
        self.units
    }

    fn second(context: &Arc<DeviceContext>) -> Result<SecondQueue> {
        let idle = context.second_queues.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let handle = match idle {
            Some(handle) => handle,
            None => new_queue(context.handle(), context.device())?,
        };
        Ok(SecondQueue {
            queue: ManuallyDrop::new(Queue {
                // The pool, which gets it back, is the one to release it.
                handle: Handle::OfContext(ManuallyDrop::new(handle)),
                context: context.clone(),
                events: true,
                units: None,
            }),
        })
    }

    fn handle(&self) -> &CommandQueue {
        &self.handle
    }

    fn lives_with_context(&self) -> bool {
        matches!(self.handle, Handle::OfContext(_))
    }

    fn flush_events(&self) -> Result<()> {
        if self.events { self.flush() } else { Ok(()) }
    }

    fn flush(&self) -> Result<()> {
        check("clFlush", self.handle.flush())
    }

    fn lending_memory<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let result = work();
        if result.is_err() {
            // The first error is the one to report.
            let _ = self.finish();
        }
        result
    }

    fn mark(&self) -> Result<opencl3::event::Event> {
        // SAFETY: an empty wait list is valid.
        let event = unsafe { self.handle.enqueue_marker_with_wait_list(&[]) };
        check("clEnqueueMarkerWithWaitList", event)
    }
}

/// When an operation is done.
#[derive(Debug)]
#[must_use = "an operation on a device may still be running: wait for its event, or for the queue"]
pub enum Event {
    /// It is: it ran on the host, or there was nothing to do.
    Complete,
    /// Once OpenCL's event is complete.
    Pending(opencl3::event::Event),
    /// Once everything is that was enqueued on the queue until somebody asks: see [`Queue::unsignaled`].
    Deferred(Queue),
}

impl Event {
    /// Waits until the operation is done.
    ///
    /// # Errors
    /// [`Error::OpenCl`] when the operation failed on the device.
    pub fn wait(&self) -> Result<()> {
        match self {
            Event::Complete => Ok(()),
            Event::Pending(event) => wait_for_event(event),
            Event::Deferred(queue) => queue.finish(),
        }
    }

    /// OpenCL's handle, now the caller's to release; null when the operation is complete without one.
    ///
    /// # Errors
    /// [`Error::OpenCl`] when an event has to be made and cannot.
    pub fn into_raw(self) -> Result<cl_event> {
        let event = match self {
            Event::Complete => return Ok(ptr::null_mut()),
            Event::Pending(event) => event,
            Event::Deferred(queue) => queue.mark()?,
        };
        let handle = event.get();
        std::mem::forget(event);
        Ok(handle)
    }
}
