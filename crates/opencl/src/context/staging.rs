//! Pinned memory: pieces of the host's memory that a device reads and writes at the full rate of the bus, mapped once
//! and kept for the next transfer.

use std::collections::VecDeque;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use opencl3::command_queue::enqueue_map_buffer;
use opencl3::event::Event as ClEvent;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem, create_buffer,
};
use opencl3::types::CL_FALSE;

use super::buffer::wait;
use super::waiting::is_complete;
use super::{ContextParts, Queue, QueueParts, wait_for_event};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::status::check;

/// How operands of the host come to a device: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferLimits {
    /// True if the device works on the host's memory itself.
    pub zero_copy: bool,
    /// Bytes of a pinned piece.
    pub chunk_bytes: usize,
    /// Transfers from this size on go through pinned pieces; smaller ones are left to the driver.
    pub staged_from: usize,
    /// Bytes of the device's memory that the operands of one call may take, and the largest of a single matrix.
    pub operand_bytes: u64,
    pub matrix_bytes: u64,
    /// Bytes of the device's memory that are kept for the next call's operands, at most.
    pub cached_bytes: u64,
    /// Products whose matrices have at least these bytes are done in stages, so that transfer and arithmetic overlap.
    pub overlapped_from: u64,
    /// True if several threads may hand transfers to the device at a time. Oclgrind, a simulator, has no locks.
    pub parallel: bool,
}

impl TransferLimits {
    pub(super) fn of(device_info: &DeviceInfo) -> Self {
        let gpu = device_info.class == DeviceClass::Gpu;
        TransferLimits {
            zero_copy: device_info.zero_copy,
            chunk_bytes: 2 << 20,
            // A zero-copy device gains nothing from a second copy.
            staged_from: if gpu && !device_info.zero_copy { 1 << 20 } else { usize::MAX },
            // A quarter is workspace, and somebody else may be there too.
            operand_bytes: device_info.global_memory_bytes / 2,
            matrix_bytes: device_info.max_allocation_bytes.max(1),
            cached_bytes: if gpu && !device_info.zero_copy { device_info.global_memory_bytes / 8 } else { 0 },
            overlapped_from: if gpu && !device_info.zero_copy { 256 << 20 } else { u64::MAX },
            parallel: device_info.platform != "Oclgrind",
        }
    }

    /// True if operands of so many bytes each may be on the device at a time.
    pub fn hold(&self, operands: &[u64]) -> bool {
        let all = operands.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        self.zero_copy || all <= self.operand_bytes && operands.iter().all(|bytes| *bytes <= self.matrix_bytes)
    }
}

/// Pieces that a context keeps, at most: enough for transfers in both directions at a time.
const PIECES: usize = 64;

/// The idle pieces of a context, the longest idle one first.
#[derive(Debug)]
pub(super) struct StagingPool {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    idle: VecDeque<Idle>,
    /// Pieces, idle and lent.
    total: usize,
}

#[derive(Debug)]
struct Idle {
    chunk: Chunk,
    /// The last command that uses it.
    last: Option<ClEvent>,
}

/// A piece of pinned memory.
#[derive(Debug)]
pub struct Chunk {
    _memory: Buffer<u8>,
    address: *mut u8,
}

// SAFETY: the mapped memory is the piece's own, wherever it is used.
unsafe impl Send for Chunk {}

impl Chunk {
    /// Start in the host's memory.
    pub const fn address(&self) -> *mut u8 {
        self.address
    }

    fn new(queue: &Queue, bytes: usize) -> Result<Self> {
        let context = queue.context();
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        // SAFETY: no memory of the caller's is involved.
        let handle = unsafe { create_buffer(context.handle().get(), flags, bytes, ptr::null_mut()) };
        let memory = Buffer::new(match handle {
            Ok(handle) => handle,
            Err(-6..=-4) => return Err(Error::OutOfHostMemory { bytes: bytes as u64, purpose: "pinned memory" }),
            Err(code) => return Err(Error::opencl("clCreateBuffer", code)),
        });
        let (mut address, access) = (ptr::null_mut(), CL_MAP_READ | CL_MAP_WRITE);
        // SAFETY: the whole buffer is mapped, and stays so until it is released.
        let mapped = unsafe {
            let (queue, memory) = (queue.handle().get(), memory.get());
            enqueue_map_buffer(queue, memory, CL_FALSE, access, 0, bytes, &mut address, 0, ptr::null())
        };
        wait("clEnqueueMapBuffer", mapped)?;
        Ok(Chunk { _memory: memory, address: address.cast() })
    }
}

impl StagingPool {
    pub(super) fn new() -> Self {
        StagingPool { state: Mutex::default() }
    }

    /// A piece that nobody uses, once the last command that did is done.
    fn take(&self, queue: &Queue, bytes: usize) -> Result<Chunk> {
        let idle = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let first_is_done = state.idle.front().is_some_and(|idle| idle.last.as_ref().is_none_or(is_complete));
            let idle = if first_is_done || state.total >= PIECES { state.idle.pop_front() } else { None };
            state.total += usize::from(idle.is_none());
            idle
        };
        match idle {
            Some(Idle { chunk, last }) => {
                if let Some(last) = last {
                    // Its result belongs to the transfer that enqueued it; here only the end matters.
                    let _ = wait_for_event(&last);
                }
                Ok(chunk)
            }
            None => Chunk::new(queue, bytes).inspect_err(|_| {
                self.state.lock().unwrap_or_else(PoisonError::into_inner).total -= 1;
            }),
        }
    }

    fn give_back(&self, chunk: Chunk, last: Option<ClEvent>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.total > PIECES {
            // More were lent than are kept: dropping one frees it once the command is done.
            state.total -= 1;
            drop(state);
            if let Some(last) = last {
                let _ = wait_for_event(&last);
            }
            return;
        }
        state.idle.push_back(Idle { chunk, last });
    }
}

/// Pinned memory for transfers of a queue, for the crates of the library.
pub trait PinnedChunks: Sized {
    /// A pinned piece of the context's. It is to be given back.
    fn take_piece(&self) -> Result<Chunk>;

    /// Keeps a piece for the next transfer, which waits for the last command that uses it.
    fn give_back_piece(&self, chunk: Chunk, last: Option<ClEvent>);

    /// Lets what is enqueued from now on wait for a command of another queue.
    fn wait_for(&self, event: &ClEvent) -> Result<()>;
}

impl PinnedChunks for Queue {
    fn take_piece(&self) -> Result<Chunk> {
        let context = self.context();
        context.staging.take(self, context.transfers.chunk_bytes)
    }

    fn give_back_piece(&self, chunk: Chunk, last: Option<ClEvent>) {
        self.context().staging.give_back(chunk, last);
    }

    fn wait_for(&self, event: &ClEvent) -> Result<()> {
        // SAFETY: the event is valid.
        let barrier = unsafe { self.handle().enqueue_barrier_with_wait_list(&[event.get()]) };
        check("clEnqueueBarrierWithWaitList", barrier).map(drop)
    }
}
