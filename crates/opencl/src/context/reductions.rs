//! Memory for the partial results of reductions that are one launch, kept with a context for its own queue.

use std::sync::OnceLock;

use opencl3::memory::{Buffer, ClMem};
use opencl3::types::cl_mem;

use super::buffer::{DeviceMemory, zeroed};
use super::{DeviceContext, Queue, QueueParts};
use crate::error::Result;

/// Partial results, behind the number of work-groups that have arrived: 0 before and after a launch. The commands of
/// one in-order queue use it one after another, so that they need no lock and no clearing.
#[derive(Debug)]
pub struct ReductionMemory(Buffer<u8>);

impl ReductionMemory {
    /// Bytes of the largest partial result, and of the number before them.
    pub const MAX_PARTIAL: usize = 32;
    /// Partial results that fit.
    pub const PARTIALS: usize = 8192;

    /// The memory for launches on a queue, if that is the context's own.
    ///
    /// # Errors
    /// [`crate::error::Error::OutOfDeviceMemory`].
    pub fn of(queue: &Queue) -> Result<Option<&Self>> {
        let context: &DeviceContext = queue.context();
        if queue.handle().get() != context.queue.get() {
            return Ok(None);
        }
        if let Some(memory) = context.reductions.get() {
            return Ok(Some(memory));
        }
        let bytes = (Self::PARTIALS + 1) * Self::MAX_PARTIAL;
        let memory = ReductionMemory(zeroed(context, bytes, "partial results of reductions")?);
        // Of two threads that make it, one's is kept.
        Ok(Some(context.reductions.get_or_init(|| memory)))
    }
}

impl DeviceMemory for ReductionMemory {
    fn handle(&self) -> cl_mem {
        self.0.get()
    }
}

/// Slot in a context.
pub(super) type ReductionSlot = OnceLock<ReductionMemory>;
