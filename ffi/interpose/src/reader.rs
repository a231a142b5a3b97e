//! Memory of a launch, read before and after it on a queue of the trace's own. Waiting never outlasts what the program
//! itself may have to do meanwhile.

use std::ffi::c_void;
use std::io::{Error, ErrorKind, Result};
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use crate::objects::{has_unset_events, objects};
use crate::types::{
    EVENT_COMMAND_EXECUTION_STATUS, Handle, MEM_READ_WRITE, QUEUE_CONTEXT, QUEUE_DEVICE, SUCCESS, Status,
};
use crate::{info, real};

/// Obstacle of a launch that may wait for the program itself.
pub const WAITS_FOR_PROGRAM: &str = "it may wait for a user event that the program sets later";

/// Longest wait for commands before a launch, while user events have no status: they may wait for one.
const PATIENCE_BEFORE: Duration = Duration::from_millis(20);
/// Longest wait for a launch whose commands before are done, while user events have no status.
pub const PATIENCE_AFTER: Duration = Duration::from_secs(1);

/// Reads memory for one launch.
pub struct Reader {
    queue: Handle,
    /// Queue of the trace's own, from the first read on.
    own: Option<Handle>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(own) = self.own {
            // SAFETY: the queue is this reader's.
            unsafe { real::clReleaseCommandQueue(own) };
        }
    }
}

fn checked(call: &str, status: Status) -> Result<()> {
    if status == SUCCESS {
        return Ok(());
    }
    Err(Error::other(format!("memory of a launch cannot be read: {call} gives {status}")))
}

impl Reader {
    pub fn new(queue: Handle) -> Self {
        Reader { queue, own: None }
    }

    /// Waits for all commands of the queue before, and for a launch's events.
    pub fn settle(&self, waits: &[Handle]) -> Result<()> {
        // Commands may wait for those of other queues, which nobody may have flushed yet.
        let known: Vec<usize> = {
            let objects = objects();
            // SAFETY: a queue that is known is alive: before its last release, the program's call forgets it under
            // this lock.
            let retained = |queue: &usize| unsafe { real::clRetainCommandQueue(*queue as Handle) } == SUCCESS;
            objects.queues.keys().copied().filter(retained).collect()
        };
        for queue in known {
            // SAFETY: the reference is the one above.
            unsafe {
                real::clFlush(queue as Handle);
                real::clReleaseCommandQueue(queue as Handle);
            }
        }
        let mut marker = ptr::null_mut();
        // SAFETY: the queue is that of the program's call, and the event has its place.
        let status = unsafe {
            match real::clEnqueueMarkerWithWaitList(self.queue, 0, ptr::null(), &raw mut marker) {
                SUCCESS => SUCCESS,
                _ => real::clEnqueueMarker(self.queue, &raw mut marker),
            }
        };
        checked("clEnqueueMarkerWithWaitList", status)?;
        let settled = waits.iter().chain([&marker]).try_for_each(|event| self.wait(*event, PATIENCE_BEFORE));
        // SAFETY: the event is the call's above.
        unsafe { real::clReleaseEvent(marker) };
        settled
    }

    /// Waits for a command, or until it seems to wait for the program itself.
    pub fn wait(&self, event: Handle, patience: Duration) -> Result<()> {
        // SAFETY: the queue is that of the program's call.
        unsafe { real::clFlush(self.queue) };
        let mut pause = Duration::from_micros(5);
        let mut unset_since = None;
        loop {
            let status = info::value::<i32>(|size, value, used| {
                // SAFETY: the event is alive: the program's call has it, or the reader.
                unsafe { real::clGetEventInfo(event, EVENT_COMMAND_EXECUTION_STATUS, size, value, used) }
            });
            // An error of the command is the program's to find.
            if status.is_none_or(|status| status <= 0) {
                return Ok(());
            }
            if !has_unset_events() {
                unset_since = None;
            } else if unset_since.get_or_insert_with(Instant::now).elapsed() > patience {
                return Err(Error::new(ErrorKind::WouldBlock, WAITS_FOR_PROGRAM));
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }

    /// Handle by a query of the launch's queue.
    fn of_queue(&self, what: u32) -> Option<Handle> {
        // SAFETY: the queue is that of the program's call.
        info::value(|size, value, used| unsafe { real::clGetCommandQueueInfo(self.queue, what, size, value, used) })
    }

    pub fn context_and_device(&self) -> Option<(Handle, Handle)> {
        Some((self.of_queue(QUEUE_CONTEXT)?, self.of_queue(QUEUE_DEVICE)?))
    }

    fn own_queue(&mut self) -> Result<Handle> {
        if let Some(own) = self.own {
            return Ok(own);
        }
        let unknown = || Error::other("the queue of a launch tells no context");
        let (context, device) = self.context_and_device().ok_or_else(unknown)?;
        let mut status = SUCCESS;
        // SAFETY: the context and the device are the queue's, and the status has its place.
        let own = unsafe {
            let own = real::clCreateCommandQueue(context, device, 0, &raw mut status);
            match own.is_null() {
                true => real::clCreateCommandQueueWithProperties(context, device, ptr::null_mut(), &raw mut status),
                false => own,
            }
        };
        checked("clCreateCommandQueue", if own.is_null() { status.min(-1) } else { SUCCESS })?;
        self.own = Some(own);
        Ok(own)
    }

    /// Content of a memory object. Memory that the host may not read is copied to some that it may.
    pub fn content(&mut self, handle: usize, bytes: u64) -> Result<Vec<u8>> {
        let bytes = usize::try_from(bytes).map_err(Error::other)?;
        let mut content = Vec::new();
        content.try_reserve_exact(bytes).map_err(Error::other)?;
        content.resize(bytes, 0_u8);
        let (queue, to) = (self.own_queue()?, content.as_mut_ptr().cast::<c_void>());
        let memory = handle as Handle;
        if read_into(queue, memory, bytes, to) != SUCCESS {
            let (context, _) = self.context_and_device().ok_or_else(|| Error::other("no context"))?;
            let mut status = SUCCESS;
            // SAFETY: no host memory is involved, and the status has its place.
            let copy =
                unsafe { real::clCreateBuffer(context, MEM_READ_WRITE, bytes, ptr::null_mut(), &raw mut status) };
            checked("clCreateBuffer", status)?;
            // SAFETY: both memory objects hold the bytes, and the queue is in order.
            let copied =
                unsafe { real::clEnqueueCopyBuffer(queue, memory, copy, 0, 0, bytes, 0, ptr::null(), ptr::null_mut()) };
            let read = if copied == SUCCESS { read_into(queue, copy, bytes, to) } else { copied };
            // SAFETY: the memory object is that of the call above.
            unsafe { real::clReleaseMemObject(copy) };
            checked("clEnqueueCopyBuffer", read)?;
        }
        Ok(content)
    }
}

/// Reads the first bytes of a memory object, and waits. The caller has room for them.
fn read_into(queue: Handle, memory: Handle, bytes: usize, to: *mut c_void) -> Status {
    // SAFETY: there is room, and the read is blocking; OpenCL refuses more than the memory object has.
    unsafe { real::clEnqueueReadBuffer(queue, memory, 1, 0, bytes, to, 0, ptr::null(), ptr::null_mut()) }
}
