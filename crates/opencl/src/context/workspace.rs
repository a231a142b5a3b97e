//! Blocks of device memory that operations borrow, kept for the next one within a bound: workspace, memory for operands
//! of the host, and memory of arrays.
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
use super::{DeviceContext, Queue, QueueParts, TransferLimits, wait_for_event};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::scalar::Element;
use crate::status::check;

/// Blocks below this size are rounded up to it, so that small requests share them.
const SMALLEST_BLOCK: u64 = 64 << 10;
/// Bytes of idle arrays that a CPU device keeps.
const MAX_IDLE_ON_CPU: u64 = 1 << 30;
/// Idle blocks of arrays that are kept: each request walks over them.
const MAX_IDLE_BLOCKS: usize = 256;

#[derive(Debug)]
pub(super) struct BlockPool {
    purpose: &'static str,
    bound: Bound,
    state: Mutex<State>,
}

/// A bound of a pool, in bytes.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// Of all blocks, idle and borrowed: a request beyond it fails.
    Total(u64),
    /// Of idle blocks: users hold as many as the device has memory for.
    Idle(u64),
}

#[derive(Debug, Default)]
struct State {
    /// The one given back last is the last one.
    idle: Vec<Block>,
    /// Bytes of all blocks, idle and borrowed.
    total: u64,
}

impl State {
    /// Frees an idle block, after its last command; false where there is none.
    fn free_one(&mut self) -> bool {
        let Some(mut block) = self.idle.pop() else { return false };
        self.total -= block.bytes;
        if let Some(last) = &mut block.last_use {
            // Its result belongs to the operation that enqueued it; here only the end matters.
            let _ = last.marker().and_then(wait_for_event);
        }
        true
    }

    fn idle_bytes(&self) -> u64 {
        self.idle.iter().map(|block| block.bytes).sum()
    }
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
        Self::new("workspace", Bound::Total(limit))
    }

    /// For operands of the host.
    pub(super) fn for_operands(limits: &TransferLimits) -> Self {
        Self::new("a matrix of the host", Bound::Total(limits.cached_bytes))
    }

    /// For arrays.
    pub(super) fn for_arrays(device_info: &DeviceInfo) -> Self {
        let limit = device_info.global_memory_bytes / 8;
        let is_cpu = device_info.class == DeviceClass::Cpu || device_info.zero_copy;
        Self::new("an array", Bound::Idle(if is_cpu { limit.min(MAX_IDLE_ON_CPU) } else { limit }))
    }

    fn new(purpose: &'static str, bound: Bound) -> Self {
        BlockPool { purpose, bound, state: Mutex::default() }
    }

    /// The most bytes of one request.
    pub(super) const fn limit(&self) -> u64 {
        match self.bound {
            Bound::Total(bytes) => bytes,
            Bound::Idle(_) => u64::MAX,
        }
    }

    /// True for a block that serves a request without waste.
    const fn fits(&self, block: u64, wanted: u64) -> bool {
        match self.bound {
            Bound::Total(_) => block >= wanted,
            Bound::Idle(_) => block >= wanted && block - wanted <= wanted / 4,
        }
    }

    /// A block of at least `bytes` bytes: an idle one, a new one, or, when that would exceed the bound, one made after
    /// idle blocks were freed (waiting for their last commands).
    ///
    /// It is for commands on `queue` alone, or for those of other queues of its context, too.
    fn take(&self, queue: &Queue, alone: bool, bytes: u64) -> Result<Block> {
        let exhausted = Error::OutOfDeviceMemory { bytes, purpose: self.purpose };
        if bytes > self.limit() {
            return Err(exhausted);
        }
        let wanted = bytes.max(SMALLEST_BLOCK);
        let (context, queue) = (queue.context(), alone.then_some(queue.handle().get() as usize));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = (0..state.idle.len())
            .filter(|&i| self.fits(state.idle[i].bytes, wanted) && state.idle[i].ready_for(queue))
            .collect::<Vec<_>>()
            .into_iter()
            .min_by_key(|&i| state.idle[i].bytes);
        if let Some(index) = fitting {
            return Ok(state.idle.remove(index));
        }
        while state.total.saturating_add(wanted) > self.limit() {
            if !state.free_one() {
                return Err(exhausted);
            }
        }
        let memory = loop {
            match allocate(context, wanted as usize, self.purpose) {
                // The driver may have no other memory than that of idle blocks.
                Err(Error::OutOfDeviceMemory { .. }) if state.free_one() => {}
                memory => break memory?,
            }
        };
        state.total += wanted;
        Ok(Block { memory, bytes: wanted, last_use: None })
    }

    /// Keeps a block for the next operation: on this queue at once, elsewhere behind what is enqueued on it now; or,
    /// where the next one is likely to be on this queue, and that lives as long, behind what is enqueued on it until
    /// another one asks.
    fn give_back(&self, mut block: Block, queue: &Queue, is_for_same: bool) {
        let mut last_use = LastUse { queue: queue.handle().get() as usize, marker: None };
        let mut is_marked = (is_for_same && queue.lives_with_context()) || last_use.marker().is_ok();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Bound::Idle(most) = self.bound {
            is_marked &= block.bytes <= most;
            while is_marked && (state.idle_bytes() + block.bytes > most || state.idle.len() >= MAX_IDLE_BLOCKS) {
                let oldest = state.idle.remove(0);
                state.total -= oldest.bytes;
            }
        }
        if is_marked {
            block.last_use = Some(last_use);
            state.idle.push(block);
        } else {
            // Dropping the block frees it once the commands that use it are done.
            state.total -= block.bytes;
        }
    }
}

/// A block that an owner holds. Dropped, it goes back behind what is enqueued on its queue then.
#[derive(Debug)]
pub(super) struct Loan {
    block: Option<Block>,
    queue: Queue,
    purpose: Purpose,
}

/// The pool of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// An operand of the host, for any queue.
    Operand,
    /// A step on one queue.
    Step,
    /// An array, which is written on its context's queue first.
    Array,
}

impl Purpose {
    fn pool(self, context: &DeviceContext) -> &BlockPool {
        match self {
            Purpose::Operand => &context.operands,
            Purpose::Step => &context.workspace,
            Purpose::Array => &context.arrays,
        }
    }
}

impl Loan {
    /// A block of at least `bytes` bytes, for commands on `queue`; `None` where the context keeps none that large.
    pub(super) fn take(queue: &Queue, bytes: u64) -> Result<Option<Self>> {
        if bytes > queue.context().operands.limit() {
            return Ok(None);
        }
        match Self::of(queue, bytes, Purpose::Operand) {
            Err(Error::OutOfDeviceMemory { .. }) => Ok(None),
            loan => loan.map(Some),
        }
    }

    /// A block of workspace of at least `bytes` bytes for commands on `queue` alone.
    pub(super) fn for_step(queue: &Queue, bytes: u64) -> Result<Self> {
        Self::of(queue, bytes, Purpose::Step)
    }

    /// A block of at least `bytes` bytes for an array, whose first command is on `queue`.
    pub(super) fn for_array(queue: &Queue, bytes: u64) -> Result<Self> {
        Self::of(queue, bytes, Purpose::Array)
    }

    fn of(queue: &Queue, bytes: u64, purpose: Purpose) -> Result<Self> {
        let queue = queue.share()?;
        let block = purpose.pool(queue.context()).take(&queue, purpose != Purpose::Operand, bytes)?;
        Ok(Loan { block: Some(block), queue, purpose })
    }

    pub(super) fn handle(&self) -> cl_mem {
        self.block.as_ref().expect("a block until it is dropped").memory.get()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            let pool = self.purpose.pool(self.queue.context());
            pool.give_back(block, &self.queue, self.purpose != Purpose::Operand);
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
