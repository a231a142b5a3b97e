//! Transfers that are the driver's own: of few bytes, and of pinned memory that a user has.

use std::ptr;

use opencl3::command_queue::{
    enqueue_read_buffer, enqueue_read_buffer_rect, enqueue_write_buffer, enqueue_write_buffer_rect,
};
use opencl3::event::Event as ClEvent;
use opencl3::types::{CL_FALSE, cl_mem};

use super::HostRuns;
use crate::context::{Queue, QueueParts};
use crate::error::Result;
use crate::status::check;
use crate::trace;

const START: [usize; 3] = [0; 3];

/// Enqueues a copy of runs (not empty) to the beginning of a memory object.
///
/// # Safety
/// The memory object must be as large as the runs. They must be valid, and written by nobody, until the event.
pub(super) unsafe fn write(queue: &Queue, to: cl_mem, runs: HostRuns) -> Result<ClEvent> {
    let (handle, start, zero) = (queue.handle().get(), runs.start.cast(), START.as_ptr());
    // SAFETY: by contract.
    let bytes = || unsafe { std::slice::from_raw_parts(runs.start.cast(), runs.bytes()) };
    trace::written(to, 0, runs.bytes(), || runs.contiguous().then(bytes));
    if runs.contiguous() {
        // SAFETY: by contract.
        let event = unsafe { enqueue_write_buffer(handle, to, CL_FALSE, 0, runs.bytes(), start, 0, ptr::null()) };
        return check("clEnqueueWriteBuffer", event).map(ClEvent::new);
    }
    let (length, region, pitch) = (runs.length, [runs.length, runs.count, 1], runs.pitch);
    let (region, none) = (region.as_ptr(), ptr::null());
    // SAFETY: by contract; only the runs are read.
    let event = unsafe {
        enqueue_write_buffer_rect(handle, to, CL_FALSE, zero, zero, region, length, 0, pitch, 0, start, 0, none)
    };
    check("clEnqueueWriteBufferRect", event).map(ClEvent::new)
}

/// Enqueues a copy of the beginning of a memory object to runs (not empty). Only their bytes are written.
///
/// # Safety
/// The memory object must be as large as the runs. They must be valid, and nobody else's, until the event.
pub(super) unsafe fn read(queue: &Queue, from: cl_mem, runs: HostRuns) -> Result<ClEvent> {
    let (handle, start, zero) = (queue.handle().get(), runs.start.cast(), START.as_ptr());
    trace::read(from, 0, runs.bytes());
    if runs.contiguous() {
        // SAFETY: by contract.
        let event = unsafe { enqueue_read_buffer(handle, from, CL_FALSE, 0, runs.bytes(), start, 0, ptr::null()) };
        return check("clEnqueueReadBuffer", event).map(ClEvent::new);
    }
    let (length, region, pitch) = (runs.length, [runs.length, runs.count, 1], runs.pitch);
    let (region, none) = (region.as_ptr(), ptr::null());
    // SAFETY: by contract; only the runs are written.
    let event = unsafe {
        enqueue_read_buffer_rect(handle, from, CL_FALSE, zero, zero, region, length, 0, pitch, 0, start, 0, none)
    };
    check("clEnqueueReadBufferRect", event).map(ClEvent::new)
}
