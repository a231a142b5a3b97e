//! Pinned memory of users: memory of the host that a device reads and writes at the full rate of the bus.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use opencl3::command_queue::{enqueue_map_buffer, enqueue_unmap_mem_object};
use opencl3::event::Event as ClEvent;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem, create_buffer,
};
use opencl3::types::CL_FALSE;

use super::buffer::wait;
use super::{ContextParts, DeviceContext, Queue, QueueParts};
use crate::error::{Error, Result};

/// Alignment where a device works on the host's memory: drivers copy what is not aligned to a page.
const PAGE: usize = 4096;

/// The users' pinned memory of a context: ends by starts.
#[derive(Debug, Default)]
pub(super) struct PinnedRanges {
    ends: RwLock<BTreeMap<usize, usize>>,
    /// Their number: most programs have none, and need no lock.
    count: AtomicUsize,
}

impl PinnedRanges {
    fn insert(&self, start: usize, bytes: usize) {
        let mut ends = self.ends.write().unwrap_or_else(PoisonError::into_inner);
        ends.insert(start, start + bytes);
        self.count.store(ends.len(), Ordering::Release);
    }

    fn remove(&self, start: usize) {
        let mut ends = self.ends.write().unwrap_or_else(PoisonError::into_inner);
        ends.remove(&start);
        self.count.store(ends.len(), Ordering::Release);
    }

    /// True if all bytes lie in one of them.
    pub(super) fn hold(&self, start: usize, bytes: usize) -> bool {
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let ends = self.ends.read().unwrap_or_else(PoisonError::into_inner);
        let below = ends.range(..=start).next_back();
        below.is_some_and(|(_, end)| start.checked_add(bytes).is_some_and(|needed| needed <= *end))
    }
}

/// Bytes of the host's memory, at first zeros: pinned where a device has memory of its own, else aligned to a page.
#[derive(Debug)]
pub struct PinnedMemory {
    start: NonNull<u8>,
    bytes: usize,
    owner: Owner,
}

#[derive(Debug)]
enum Owner {
    /// A memory object of the context, mapped until it is released.
    Device { object: Buffer<u8>, context: Arc<DeviceContext> },
    /// The allocator, from which the layout came.
    Host(Layout),
}

// SAFETY: it owns its memory, which it hands out as a raw pointer only.
unsafe impl Send for PinnedMemory {}
// SAFETY: as above; who dereferences the pointer answers for races.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    /// Memory for a context, or `None` for the host.
    ///
    /// # Errors
    /// [`Error::OutOfHostMemory`], errors of OpenCL.
    pub fn new(context: Option<&Arc<DeviceContext>>, bytes: usize) -> Result<Self> {
        match context {
            Some(context) if !context.transfers().zero_copy => Self::mapped(context, bytes),
            _ => Self::of_pages(bytes),
        }
    }

    fn of_pages(bytes: usize) -> Result<Self> {
        let layout = Layout::from_size_align(bytes.max(1), PAGE).map_err(|_| out_of_memory(bytes))?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(|| out_of_memory(bytes))?;
        Ok(PinnedMemory { start, bytes, owner: Owner::Host(layout) })
    }

    fn mapped(context: &Arc<DeviceContext>, bytes: usize) -> Result<Self> {
        let (flags, all) = (CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes.max(1));
        // SAFETY: no memory of the caller's is involved.
        let object = match unsafe { create_buffer(context.handle().get(), flags, all, ptr::null_mut()) } {
            Ok(handle) => Buffer::new(handle),
            // CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE.
            Err(-6..=-4 | -61) => return Err(out_of_memory(bytes)),
            Err(code) => return Err(Error::opencl("clCreateBuffer", code)),
        };
        // A queue of its own: the context's may have long work to do.
        let queue = Queue::second(context)?;
        let (mut start, access) = (ptr::null_mut(), CL_MAP_READ | CL_MAP_WRITE);
        // SAFETY: the whole buffer is mapped, and stays so until it is dropped.
        let event = unsafe {
            let (queue, object) = (queue.handle().get(), object.get());
            enqueue_map_buffer(queue, object, CL_FALSE, access, 0, all, &mut start, 0, ptr::null())
        };
        wait("clEnqueueMapBuffer", event)?;
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(|| out_of_memory(bytes))?;
        // SAFETY: the mapping has as many bytes, and is nobody else's.
        unsafe { ptr::write_bytes(start.as_ptr(), 0, all) };
        context.pinned.insert(start.addr().get(), bytes);
        Ok(PinnedMemory { start, bytes, owner: Owner::Device { object, context: context.clone() } })
    }

    /// Its first byte.
    pub const fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Its size in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        match &self.owner {
            Owner::Device { object, context } => {
                context.pinned.remove(self.start.addr().get());
                let Ok(queue) = Queue::second(context) else { return };
                let (handle, start) = (queue.handle().get(), self.start.as_ptr().cast());
                // SAFETY: the address is that of the mapping. OpenCL keeps the object until the command is done.
                let event = unsafe { enqueue_unmap_mem_object(handle, object.get(), start, 0, ptr::null()) };
                if let Ok(event) = event {
                    drop(ClEvent::new(event));
                    let _ = queue.flush();
                }
            }
            // SAFETY: `of_pages` allocated it with this layout.
            Owner::Host(layout) => unsafe { dealloc(self.start.as_ptr(), *layout) },
        }
    }
}

#[cold]
const fn out_of_memory(bytes: usize) -> Error {
    Error::OutOfHostMemory { bytes: bytes as u64, purpose: "pinned memory" }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn ranges_hold_what_lies_in_one_of_them() {
        let ranges = PinnedRanges::default();
        assert!(!ranges.hold(100, 0));
        ranges.insert(100, 50);
        ranges.insert(150, 10);
        assert!(ranges.hold(100, 50) && ranges.hold(149, 1) && ranges.hold(150, 10));
        assert!(!ranges.hold(99, 2) && !ranges.hold(140, 11) && !ranges.hold(160, 1) && !ranges.hold(120, usize::MAX));
        ranges.remove(100);
        assert!(!ranges.hold(100, 1) && ranges.hold(155, 5));
    }

    #[test]
    fn memory_of_the_host_is_aligned_and_zero() {
        for bytes in [0, 1, 12_345] {
            let memory = PinnedMemory::new(None, bytes).unwrap();
            assert!(memory.start().addr().get().is_multiple_of(PAGE) && memory.bytes() == bytes);
            // SAFETY: the memory has as many bytes.
            let all = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), bytes) };
            assert!(all.iter().all(|byte| *byte == 0));
        }
        for bytes in [usize::MAX, isize::MAX as usize - 100] {
            assert!(matches!(PinnedMemory::new(None, bytes), Err(Error::OutOfHostMemory { .. })));
        }
    }
}
