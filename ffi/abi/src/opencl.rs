//! OpenCL's handles in C's types.

use std::ptr;

use affinimath::{DeviceBuffer, Error, Event, Queue, Result};

/// The struct behind `cl_command_queue`.
#[repr(C)]
pub struct ClQueue {
    _opaque: [u8; 0],
}

/// The struct behind `cl_mem`.
#[repr(C)]
pub struct ClMem {
    _opaque: [u8; 0],
}

/// The struct behind `cl_event`.
#[repr(C)]
pub struct ClEvent {
    _opaque: [u8; 0],
}

/// The argument `queue`.
///
/// # Safety
/// `queue` must be null or a live command queue.
pub unsafe fn queue(queue: *mut ClQueue) -> Result<Queue> {
    if queue.is_null() {
        return Err(Error::argument("queue", "it is null"));
    }
    // SAFETY: it is not null, and `queue` requires a live command queue.
    unsafe { Queue::from_raw(queue.cast()) }
}

/// A memory object under its argument's name.
///
/// # Safety
/// `memory` must be null or a live memory object.
pub unsafe fn memory(queue: &Queue, name: &'static str, memory: *mut ClMem) -> Result<DeviceBuffer> {
    // SAFETY: `memory` requires null, which `from_raw` refuses, or a live memory object.
    unsafe { DeviceBuffer::from_raw(queue, memory.cast(), name) }
}

/// Gives the caller the operation's event, if `out` is not null. An operation that enqueued nothing gets a marker
/// behind all earlier commands.
///
/// # Safety
/// `out` must be null or valid for a write.
pub unsafe fn give_event(queue: &Queue, event: Event, out: *mut *mut ClEvent) -> Result<()> {
    if out.is_null() {
        return Ok(());
    }
    let event = match event {
        Event::Complete => queue.marker()?,
        event => event,
    };
    let handle = event.into_raw()?;
    // SAFETY: it is not null, and `give_event` requires a pointer that is valid for a write.
    unsafe { ptr::write(out, handle.cast()) };
    Ok(())
}
