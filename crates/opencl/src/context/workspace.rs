//! Blocks of device memory that operations borrow, kept for the next one, with a bound on their sum: workspace,
//! and room for operands of the host.
//!
//! An operation enqueues its commands and returns while they run. The same in-order queue may use its block again at
//! once; another queue only after a marker behind the last command that uses it. A marker takes NVIDIA's driver as long
//! as a launch: where the queue lives as long as the block, it is enqueued when another queue asks, and so comes behind
//! what is enqueued until then.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use opencl3::command_queue::{enqueue_marker_with_wait_list, enqueue_read_buffer, flush};
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::{CL_FALSE, cl_command_queue, cl_mem};

use super::buffer::{DeviceMemory, allocate, wait};
use super::waiting::is_complete;
use super::{Queue, QueueParts, TransferLimits, wait_for_event};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::scalar::Element;
use crate::status::check;

/// Blocks below this size are rounded up to it, so that small requests share them.
const SMALLEST_BLOCK: u64 = 64 << 10;

#[derive(Debug)]
pub(super) struct BlockPool {
    purpose: &'static str,
    limit: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Block>,
    /// Bytes of all blocks, idle and borrowed.
    total: u64,
}

#[derive(Debug)]
pub(super) struct Block {
    memory: Buffer<u8>,
    bytes: u64,
    last_use: Option<LastUse>,
}

#[derive(Debug)]
struct LastUse {
    /// The handle of the queue, only ever compared. A queue's handle can come to mean another one only after all its
    /// commands are done.
    queue: usize,
    /// Without one, the queue lives as long as the pool.
    marker: Option<opencl3::event::Event>,
}

impl LastUse {
    /// The marker behind it, which is enqueued if it has not been.
    fn marker(&mut self) -> Result<&opencl3::event::Event> {
        if self.marker.is_none() {
            let queue = self.queue as cl_command_queue;
            // SAFETY: the queue lives; an empty wait list is valid.
            let event = unsafe { enqueue_marker_with_wait_list(queue, 0, ptr::null()) };
            self.marker = Some(opencl3::event::Event::new(check("clEnqueueMarkerWithWaitList", event)?));
            // Whoever asks whether it is complete does not move it.
            check("clFlush", flush(queue))?;
        }
        Ok(self.marker.as_ref().expect("a marker that was just made"))
    }
}

impl Block {
    /// True if it can be used on this queue, or with `None` on any, and by the host.
    fn ready_for(&mut self, queue: Option<usize>) -> bool {
        match &mut self.last_use {
            Some(last) if Some(last.queue) != queue => last.marker().is_ok_and(is_complete),
            _ => true,
        }
    }
}

impl BlockPool {
    /// For workspace: a quarter of the device's memory at most, in blocks that the device can allocate.
    pub(super) fn for_workspace(device_info: &DeviceInfo) -> Self {
        let limit = (device_info.global_memory_bytes / 4).min(device_info.max_allocation_bytes).max(SMALLEST_BLOCK);
        Self::new("workspace", limit)
    }

    /// For operands of the host.
    pub(super) fn for_operands(limits: &TransferLimits) -> Self {
        Self::new("a matrix of the host", limits.cached_bytes)
    }

    fn new(purpose: &'static str, limit: u64) -> Self {
        BlockPool { purpose, limit, state: Mutex::default() }
    }

    pub(super) const fn limit(&self) -> u64 {
        self.limit
    }

    /// A block of at least `bytes` bytes: an idle one, a new one, or, when that would exceed the bound, one made after
    /// idle blocks were freed (waiting for their last commands).
    ///
    /// It is for commands on `queue` alone, or for those of other queues of its context, too.
    fn take(&self, queue: &Queue, alone: bool, bytes: u64) -> Result<Block> {
        let exhausted = Error::OutOfDeviceMemory { bytes, purpose: self.purpose };
        if bytes > self.limit {
            return Err(exhausted);
        }
        let wanted = bytes.max(SMALLEST_BLOCK);
        let (context, queue) = (queue.context(), alone.then_some(queue.handle().get() as usize));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = (0..state.idle.len())
            .filter(|&i| state.idle[i].bytes >= wanted && state.idle[i].ready_for(queue))
            .collect::<Vec<_>>()
            .into_iter()
            .min_by_key(|&i| state.idle[i].bytes);
        if let Some(index) = fitting {
            return Ok(state.idle.swap_remove(index));
        }
        while state.total + wanted > self.limit {
            let Some(mut block) = state.idle.pop() else { return Err(exhausted) };
            state.total -= block.bytes;
            if let Some(last) = &mut block.last_use {
                // Its result belongs to the operation that enqueued it; here only the end matters.
                let _ = last.marker().and_then(wait_for_event);
            }
        }
        let memory = allocate(context, wanted as usize, self.purpose)?;
        state.total += wanted;
        Ok(Block { memory, bytes: wanted, last_use: None })
    }

    /// Keeps a block for the next operation: on this queue at once, elsewhere behind what is enqueued on it now; or,
    /// where the next one is likely to be on this queue, and that lives as long, behind what is enqueued on it until
    /// another one asks.
    fn give_back(&self, mut block: Block, queue: &Queue, is_for_same: bool) {
        let mut last_use = LastUse { queue: queue.handle().get() as usize, marker: None };
        let is_marked = (is_for_same && queue.lives_with_context()) || last_use.marker().is_ok();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if is_marked {
            block.last_use = Some(last_use);
            state.idle.push(block);
        } else {
            // Dropping the block frees it once the commands that use it are done.
            state.total -= block.bytes;
        }
    }
}

/// A block that an owner holds: for an operand of the host, to be used on any queue, or for a step on one queue.
/// Dropped, it goes back behind what is enqueued on its queue then.
#[derive(Debug)]
pub(super) struct Loan {
    block: Option<Block>,
    queue: Queue,
    /// True if it is for commands on the queue alone, from the workspace.
    is_step: bool,
}

impl Loan {
    /// A block of at least `bytes` bytes, for commands on `queue`; `None` where the context keeps none that large.
    pub(super) fn take(queue: &Queue, bytes: u64) -> Result<Option<Self>> {
        let pool = &queue.context().operands;
        if bytes > pool.limit {
            return Ok(None);
        }
        let queue = queue.share()?;
        Ok(pool.take(&queue, false, bytes).ok().map(|block| Loan { block: Some(block), queue, is_step: false }))
    }

    /// A block of workspace of at least `bytes` bytes for commands on `queue` alone.
    pub(super) fn for_step(queue: &Queue, bytes: u64) -> Result<Self> {
        let block = queue.context().workspace.take(queue, true, bytes)?;
        Ok(Loan { block: Some(block), queue: queue.share()?, is_step: true })
    }

    pub(super) fn handle(&self) -> cl_mem {
        self.block.as_ref().expect("a block until it is dropped").memory.get()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            let context = self.queue.context();
            let pool = if self.is_step { &context.workspace } else { &context.operands };
            pool.give_back(block, &self.queue, self.is_step);
        }
    }
}

/// A borrowed block. Drop it once the commands that use it are enqueued (or could not be): it goes back behind a
/// marker.
#[derive(Debug)]
pub struct Workspace<'q> {
    block: Option<Block>,
    queue: &'q Queue,
}

impl<'q> Workspace<'q> {
    /// Borrows at least `bytes` bytes for commands on `queue`.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`] when the request exceeds the bound, or the device has no more.
    pub fn borrow(queue: &'q Queue, bytes: u64) -> Result<Self> {
        let block = queue.context().workspace.take(queue, true, bytes)?;
        Ok(Workspace { block: Some(block), queue })
    }

    /// Reads its beginning into `data` (not empty, and no more than was borrowed), after everything enqueued before is
    /// done.
    pub fn read<T: Element>(&self, data: &mut [T]) -> Result<()> {
        let bytes = size_of_val(data);
        assert!(self.block.as_ref().is_some_and(|block| bytes as u64 <= block.bytes));
        let (queue, to) = (self.queue.handle().get(), data.as_mut_ptr().cast());
        // SAFETY: `data` holds the bytes, and is borrowed until the read is done.
        let event = unsafe { enqueue_read_buffer(queue, self.handle(), CL_FALSE, 0, bytes, to, 0, ptr::null()) };
        wait("clEnqueueReadBuffer", event)
    }
}

impl DeviceMemory for Workspace<'_> {
    fn handle(&self) -> cl_mem {
        self.block.as_ref().expect("a block until it is dropped").memory.get()
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.queue.context().workspace.give_back(block, self.queue, true);
        }
    }
}
