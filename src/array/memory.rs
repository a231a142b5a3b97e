//! Memory of arrays, on the host and on devices.

use std::alloc::{Layout, alloc, dealloc};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use affinimath_array::node::{ContextId, Leaf, Storage};
use affinimath_array::{ElementType, Executor};

use super::executor::{ContextExecutor, context_id};
use crate::context::{BufferParts, DeviceBuffer, Queue};
use crate::error::{Error, Result};
use crate::memory::Context;

/// Uninitialised memory of a context, for one array or for values between kernels.
#[derive(Debug)]
pub(super) enum Block {
    Host(HostBlock),
    Device(DeviceBuffer),
}

impl Block {
    /// Memory for `length` elements, on the context's own queue.
    pub(super) fn new(context: &Context, element: ElementType, length: usize) -> Result<Self> {
        let bytes = length.saturating_mul(element.bytes());
        match context.on_device() {
            None => HostBlock::new(bytes).map(Block::Host),
            Some(device) => {
                let queue = Queue::new(device)?;
                DeviceBuffer::for_array(&queue, bytes.max(1)).map(Block::Device)
            }
        }
    }
}

/// Elements of an array in a context's memory.
pub(super) struct ArrayMemory {
    element: ElementType,
    length: usize,
    context: Context,
    block: Block,
}

impl ArrayMemory {
    pub(super) const fn new(context: Context, element: ElementType, length: usize, block: Block) -> Self {
        ArrayMemory { element, length, context, block }
    }

    /// The memory behind a leaf; `None` where it is another's.
    pub(super) fn of(leaf: &Leaf) -> Option<&Self> {
        let storage: &dyn Any = &*leaf.storage;
        storage.downcast_ref()
    }

    /// The memory without its handle, or the handle where there are others or the memory is another's.
    pub(super) fn unwrap(storage: Arc<dyn Storage>) -> std::result::Result<Self, Arc<dyn Storage>> {
        let any: &dyn Any = &*storage;
        if !any.is::<Self>() {
            return Err(storage);
        }
        let storage: Arc<dyn Any + Send + Sync> = storage;
        match storage.downcast::<Self>() {
            Ok(memory) => Arc::try_unwrap(memory).map_err(|memory| memory as Arc<dyn Storage>),
            Err(_) => unreachable!("the type was compared"),
        }
    }

    /// The value of a function of the block, or the memory where the function gives the block back.
    pub(super) fn replace<V>(
        self,
        function: impl FnOnce(Block) -> std::result::Result<V, Block>,
    ) -> std::result::Result<V, Arc<dyn Storage>> {
        function(self.block).map_err(|block| Arc::new(ArrayMemory { block, ..self }) as Arc<dyn Storage>)
    }

    pub(super) const fn context(&self) -> &Context {
        &self.context
    }

    pub(super) const fn block(&self) -> &Block {
        &self.block
    }
}

impl Storage for ArrayMemory {
    fn element(&self) -> ElementType {
        self.element
    }

    fn len(&self) -> usize {
        self.length
    }

    fn context(&self) -> Option<ContextId> {
        Some(context_id(&self.context))
    }

    fn executor(&self) -> Option<Arc<dyn Executor>> {
        Some(Arc::new(ContextExecutor::new(self.context.clone())))
    }
}

/// Bytes that each block is a multiple of, and begins at a multiple of: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;
/// Blocks from this size on are kept for the next array: the system's memory is slow where it is touched first.
const MIN_POOLED: usize = 64 << 10;
/// Bytes of idle blocks that are kept.
const MAX_IDLE: usize = 1 << 30;

/// Memory of the host.
#[derive(Debug)]
pub(super) struct HostBlock {
    at: NonNull<u8>,
    /// A multiple of the alignment, and not 0, of memory without an owner.
    bytes: usize,
    /// The vector whose memory it is; only its elements are aligned.
    owner: Option<Box<dyn Any + Send + Sync>>,
}

// SAFETY: it owns its memory, which it hands out as a raw pointer only.
unsafe impl Send for HostBlock {}
// SAFETY: as above; who dereferences the pointer answers for races.
unsafe impl Sync for HostBlock {}

/// Idle blocks, the last used one last.
static IDLE: Mutex<Idle> = Mutex::new(Idle { blocks: Vec::new(), bytes: 0 });

struct Idle {
    blocks: Vec<(Address, usize)>,
    bytes: usize,
}

/// The beginning of an idle block.
struct Address(NonNull<u8>);

// SAFETY: nobody else has the address of an idle block.
unsafe impl Send for Address {}

impl HostBlock {
    /// At least `bytes` bytes.
    fn new(bytes: usize) -> Result<Self> {
        let failed = || Error::OutOfHostMemory { bytes: bytes as u64, purpose: "an array" };
        let bytes = bytes.max(1).checked_next_multiple_of(ALIGNMENT).ok_or_else(failed)?;
        if bytes >= MIN_POOLED
            && let Some(block) = Self::idle(bytes)
        {
            return Ok(block);
        }
        let layout = Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| failed())?;
        // SAFETY: the size is not 0.
        let at = NonNull::new(unsafe { alloc(layout) }).ok_or_else(failed)?;
        Ok(HostBlock { at, bytes, owner: None })
    }

    /// The last used idle block that is large enough, and at most a quarter too large.
    fn idle(bytes: usize) -> Option<Self> {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |&(_, available): &(Address, usize)| available >= bytes && available - bytes <= bytes / 4;
        let index = idle.blocks.iter().rposition(fits)?;
        let (Address(at), bytes) = idle.blocks.remove(index);
        idle.bytes -= bytes;
        Some(HostBlock { at, bytes, owner: None })
    }

    /// The memory of a vector.
    pub(super) fn of_vec<T: Send + Sync + 'static>(mut elements: Vec<T>) -> Self {
        let at = NonNull::from(elements.as_mut_slice()).cast();
        HostBlock { at, bytes: size_of_val(elements.as_slice()), owner: Some(Box::new(elements)) }
    }

    /// The vector whose memory it is, or the block.
    pub(super) fn into_vec<T: 'static>(mut self) -> std::result::Result<Vec<T>, Self> {
        match self.owner.take().map(|owner| owner.downcast::<Vec<T>>()) {
            Some(Ok(elements)) => {
                // Nothing else is to be freed.
                std::mem::forget(self);
                Ok(*elements)
            }
            Some(Err(owner)) => {
                self.owner = Some(owner);
                Err(self)
            }
            None => Err(self),
        }
    }

    /// Its first byte.
    pub(super) const fn as_ptr(&self) -> *mut u8 {
        self.at.as_ptr()
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        if self.owner.is_some() {
            return;
        }
        if self.bytes >= MIN_POOLED {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.bytes + self.bytes <= MAX_IDLE {
                idle.bytes += self.bytes;
                idle.blocks.push((Address(self.at), self.bytes));
                return;
            }
        }
        free(self.at, self.bytes);
    }
}

fn free(at: NonNull<u8>, bytes: usize) {
    if let Ok(layout) = Layout::from_size_align(bytes, ALIGNMENT) {
        // SAFETY: `HostBlock::new` allocated it with this layout, and its owner is gone.
        unsafe { dealloc(at.as_ptr(), layout) };
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn a_large_block_is_used_again() {
        let bytes = 3 * MIN_POOLED + 1;
        let first = HostBlock::new(bytes).unwrap();
        assert!(first.bytes >= bytes && first.as_ptr().addr().is_multiple_of(ALIGNMENT));
        let second = HostBlock::new(bytes).unwrap();
        assert_ne!(first.as_ptr(), second.as_ptr());
        drop(second);
        assert!(HostBlock::idle(first.bytes).is_some_and(|block| block.bytes == first.bytes));
    }

    #[test]
    fn memory_that_nobody_has_is_an_error() {
        assert!(matches!(HostBlock::new(usize::MAX - 3), Err(Error::OutOfHostMemory { .. })));
        assert!(matches!(HostBlock::new(isize::MAX as usize - 100), Err(Error::OutOfHostMemory { .. })));
    }
}
