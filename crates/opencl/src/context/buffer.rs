//! Device memory, the library's own and an application's.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use opencl3::command_queue::{enqueue_copy_buffer, enqueue_fill_buffer, enqueue_read_buffer, enqueue_write_buffer};
use opencl3::event::Event;
use opencl3::memory::{
    Buffer, CL_MEM_ASSOCIATED_MEMOBJECT, CL_MEM_CONTEXT, CL_MEM_COPY_HOST_PTR, CL_MEM_OFFSET, CL_MEM_READ_WRITE,
    CL_MEM_SIZE, CL_MEM_USE_HOST_PTR, ClMem, create_buffer, get_mem_object_info, retain_mem_object,
};
use opencl3::types::{CL_FALSE, cl_context, cl_event, cl_mem};

use super::workspace::Loan;
use super::{ContextParts, DeviceContext, Queue, QueueParts, wait_for_event};
use crate::error::{Error, Result};
use crate::scalar::Element;
use crate::status::check;
use crate::trace;
use crate::view::{self, MemoryObject, View};

/// Bytes of a pattern that fills memory.
const FILL: usize = 16;
/// Bytes that are filled, a multiple of the pattern's. Others are copies of them: NVIDIA's driver 580 fails to fill
/// behind 2 GiB.
const FILL_PIECE: usize = 1 << 30;

/// A memory object, held until the last user drops it. Commands in flight keep it alive on the device.
#[derive(Debug)]
pub struct DeviceBuffer {
    memory: Memory,
    bytes: usize,
    context: Arc<DeviceContext>,
}

#[derive(Debug)]
enum Memory {
    Own(Buffer<u8>),
    Lent(Loan),
}

impl DeviceBuffer {
    fn owner(handle: Buffer<u8>, bytes: usize, context: &Arc<DeviceContext>) -> Self {
        DeviceBuffer { memory: Memory::Own(handle), bytes, context: context.clone() }
    }

    /// A buffer that stands for the memory of an operand which is not read.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`].
    pub fn placeholder(queue: &Queue) -> Result<Self> {
        Self::new(queue.context(), 1, "an operand that is not read")
    }

    /// An application's memory object, to be used on `queue`.
    ///
    /// `name` is what an error calls it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when it is null or not a memory object, [`Error::MixedMemory`] when it belongs to
    /// another context than the queue.
    ///
    /// # Safety
    /// The handle must be null or that of a memory object.
    pub unsafe fn from_raw(queue: &Queue, memory: cl_mem, name: &'static str) -> Result<Self> {
        if memory.is_null() {
            return Err(Error::argument(name, "the memory object is null"));
        }
        let info = |what| {
            get_mem_object_info(memory, what)
                .map_err(|code| Error::argument(name, Error::opencl("clGetMemObjectInfo", code).to_string()))
        };
        let bytes = usize::from(info(CL_MEM_SIZE)?);
        let context = isize::from(info(CL_MEM_CONTEXT)?) as cl_context;
        if context != queue.context().handle().get() {
            return Err(Error::MixedMemory(format!("{name} belongs to another OpenCL context than the queue")));
        }
        // SAFETY: the handle is valid, as its size could be asked; the retained handle is released by the wrapper.
        check("clRetainMemObject", unsafe { retain_mem_object(memory) })?;
        trace::buffer_met(memory, bytes);
        Ok(Self::owner(Buffer::new(memory), bytes, queue.context()))
    }

    /// OpenCL's handle, which stays the buffer's own.
    pub fn as_raw(&self) -> cl_mem {
        self.handle()
    }

    /// Its size in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its context.
    pub const fn context(&self) -> &Arc<DeviceContext> {
        &self.context
    }
}

/// The parts of a buffer, for the crates of the library: its users cannot reach them.
pub trait BufferParts: Sized {
    /// Memory for an operand of an operation on `queue`: what the context keeps for operands, where it has room, since
    /// a driver takes as long for new memory as for many a matrix's transfer. Dropped, it is the next operation's once
    /// what is on the queue then is done; what other queues do with it has to be done before.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`].
    fn for_operand(queue: &Queue, bytes: usize, purpose: &'static str) -> Result<Self>;

    /// Memory for a step of an operation on `queue`, from what the context keeps for workspace: the next command of the
    /// same queue may use it as soon as this is dropped.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`].
    fn for_step(queue: &Queue, bytes: usize) -> Result<Self>;

    /// Memory for an array of `bytes` bytes (at least one), not initialised: the context's idle memory, or new one.
    /// The first command on it is on `queue`. Dropped, it is the next array's behind what is on the queue then; what
    /// other queues do with it has to be done before.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`].
    fn for_array(queue: &Queue, bytes: usize) -> Result<Self>;

    /// New memory of zeros.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`].
    fn zeros(context: &Arc<DeviceContext>, bytes: usize, purpose: &'static str) -> Result<Self>;

    /// New memory of `bytes` bytes (at least one: OpenCL has no empty buffers), not initialised.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`].
    fn new(context: &Arc<DeviceContext>, bytes: usize, purpose: &'static str) -> Result<Self>;

    /// New memory that holds a copy of `indices` (at least one). The copy is made at once, without waiting for any
    /// queue.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`].
    fn of_indices(context: &Arc<DeviceContext>, indices: &[i64]) -> Result<Self>;

    /// The host's memory as a memory object, without a copy where the device shares the host's memory.
    ///
    /// # Safety
    /// `bytes` bytes (at least one) from `start` must stay valid, and be written by nobody else, until every command
    /// that uses the buffer is done.
    unsafe fn over_host_memory(context: &Arc<DeviceContext>, start: *mut c_void, bytes: usize) -> Result<Self>;

    /// Writes `data` (not empty) to its beginning, and waits until that is done.
    fn write<T: Element>(&self, queue: &Queue, data: &[T]) -> Result<()>;

    /// The same from its element number `first` on.
    fn write_at<T: Element>(&self, queue: &Queue, first: usize, data: &[T]) -> Result<()>;

    /// Reads its beginning into `data` (not empty), after everything enqueued before is done.
    fn read<T: Element>(&self, queue: &Queue, data: &mut [T]) -> Result<()>;

    /// The same from its element number `first` on.
    fn read_at<T: Element>(&self, queue: &Queue, first: usize, data: &mut [T]) -> Result<()>;

    /// Writes bytes (at least one) to its beginning, and waits until that is done.
    fn write_bytes(&self, queue: &Queue, bytes: &[u8]) -> Result<()>;

    /// Reads bytes (at least one) from byte `start` on, after everything enqueued before is done.
    fn read_bytes(&self, queue: &Queue, start: usize, bytes: &mut [u8]) -> Result<()>;

    /// Enqueues a copy of `bytes` bytes (at least one) from a place of other memory to a place of this one, both in
    /// bytes.
    fn copy_from(&self, queue: &Queue, start: usize, other: &Self, from: usize, bytes: usize) -> Result<super::Event>;

    /// The address of the memory object that its memory is a part of, or its own, and the byte of that at which it
    /// begins. Memory objects of one root may share memory.
    ///
    /// # Errors
    /// Errors of OpenCL.
    fn root(&self) -> Result<(usize, usize)>;

    /// The buffer that a view's memory object is.
    fn of(object: &dyn MemoryObject) -> &Self;
}

impl BufferParts for DeviceBuffer {
    fn for_operand(queue: &Queue, bytes: usize, purpose: &'static str) -> Result<Self> {
        match Loan::take(queue, bytes as u64)? {
            Some(loan) => Ok(DeviceBuffer { memory: Memory::Lent(loan), bytes, context: queue.context().clone() }),
            None => Self::new(queue.context(), bytes, purpose),
        }
    }

    fn for_step(queue: &Queue, bytes: usize) -> Result<Self> {
        let loan = Loan::for_step(queue, bytes as u64)?;
        Ok(DeviceBuffer { memory: Memory::Lent(loan), bytes, context: queue.context().clone() })
    }

    fn for_array(queue: &Queue, bytes: usize) -> Result<Self> {
        let loan = Loan::for_array(queue, bytes as u64)?;
        Ok(DeviceBuffer { memory: Memory::Lent(loan), bytes, context: queue.context().clone() })
    }

    fn zeros(context: &Arc<DeviceContext>, bytes: usize, purpose: &'static str) -> Result<Self> {
        let buffer = Self::new(context, bytes, purpose)?;
        let queue = Queue::new(context)?;
        let (all, pattern) = (bytes.max(1), [0_u8; FILL]);
        let first = all.min(FILL_PIECE);
        let length = if first.is_multiple_of(FILL) { FILL } else { 1 };
        let (handle, from) = (queue.handle().get(), pattern.as_ptr().cast());
        trace::filled(buffer.handle(), first);
        // SAFETY: the memory object has as many bytes, and OpenCL copies the pattern before it returns.
        let event = unsafe { enqueue_fill_buffer(handle, buffer.handle(), from, length, 0, first, 0, ptr::null()) };
        wait_for_event(&Event::new(check("clEnqueueFillBuffer", event)?))?;
        let mut done = first;
        while done < all {
            let piece = (all - done).min(first);
            buffer.copy_from(&queue, done, &buffer, 0, piece)?.wait()?;
            done += piece;
        }
        Ok(buffer)
    }

    fn new(context: &Arc<DeviceContext>, bytes: usize, purpose: &'static str) -> Result<Self> {
        Ok(Self::owner(allocate(context, bytes, purpose)?, bytes, context))
    }

    fn of_indices(context: &Arc<DeviceContext>, indices: &[i64]) -> Result<Self> {
        let (bytes, from) = (size_of_val(indices), indices.as_ptr().cast_mut().cast());
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        // SAFETY: the indices hold the bytes, and OpenCL copies them before it returns.
        let handle = unsafe { create_buffer(context.handle().get(), flags, bytes, from) };
        Ok(Self::owner(created(handle, bytes, "offsets", true)?, bytes, context))
    }

    unsafe fn over_host_memory(context: &Arc<DeviceContext>, start: *mut c_void, bytes: usize) -> Result<Self> {
        // SAFETY: by contract, `bytes` bytes from `start` stay valid until every command on the buffer is done.
        let handle =
            unsafe { create_buffer(context.handle().get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, start) };
        Ok(Self::owner(created(handle, bytes, "an operand in the host's memory", true)?, bytes, context))
    }

    fn write<T: Element>(&self, queue: &Queue, data: &[T]) -> Result<()> {
        self.write_at(queue, 0, data)
    }

    fn write_at<T: Element>(&self, queue: &Queue, first: usize, data: &[T]) -> Result<()> {
        // SAFETY: `data` holds the bytes, and is borrowed until the write is done.
        unsafe { write(self, queue, first * size_of::<T>(), data.as_ptr().cast(), size_of_val(data)) }
    }

    fn write_bytes(&self, queue: &Queue, bytes: &[u8]) -> Result<()> {
        // SAFETY: `bytes` is borrowed until the write is done.
        unsafe { write(self, queue, 0, bytes.as_ptr(), bytes.len()) }
    }

    fn read<T: Element>(&self, queue: &Queue, data: &mut [T]) -> Result<()> {
        self.read_at(queue, 0, data)
    }

    fn read_at<T: Element>(&self, queue: &Queue, first: usize, data: &mut [T]) -> Result<()> {
        // SAFETY: `data` holds the bytes, and is borrowed until the read is done.
        unsafe { read(self, queue, first * size_of::<T>(), data.as_mut_ptr().cast(), size_of_val(data)) }
    }

    fn read_bytes(&self, queue: &Queue, start: usize, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: `bytes` is borrowed until the read is done.
        unsafe { read(self, queue, start, bytes.as_mut_ptr(), bytes.len()) }
    }

    fn copy_from(&self, queue: &Queue, start: usize, other: &Self, from: usize, bytes: usize) -> Result<super::Event> {
        assert!(start + bytes <= self.bytes && from + bytes <= other.bytes);
        let (handle, source, target) = (queue.handle().get(), other.handle(), self.handle());
        trace::copied((source, from), (target, start), bytes);
        // SAFETY: both memory objects hold the bytes, and OpenCL keeps them until the copy is made.
        let event = unsafe { enqueue_copy_buffer(handle, source, target, from, start, bytes, 0, ptr::null()) };
        check("clEnqueueCopyBuffer", event).map(|event| super::Event::Pending(Event::new(event)))
    }

    fn root(&self) -> Result<(usize, usize)> {
        let info = |what| check("clGetMemObjectInfo", get_mem_object_info(self.handle(), what));
        match isize::from(info(CL_MEM_ASSOCIATED_MEMOBJECT)?) {
            0 => Ok((self.handle().addr(), 0)),
            root => Ok((root as usize, usize::from(info(CL_MEM_OFFSET)?))),
        }
    }

    fn of(object: &dyn MemoryObject) -> &Self {
        let object: &dyn Any = object;
        object.downcast_ref().expect("no other type is a memory object")
    }
}

impl MemoryObject for DeviceBuffer {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The buffer behind views of a device's memory.
pub trait MemoryExt<'a> {
    /// The buffer; `None` where the memory is the host's.
    fn buffer(&self) -> Option<&'a DeviceBuffer>;
}

impl<'a, T> MemoryExt<'a> for view::Memory<'a, T> {
    fn buffer(&self) -> Option<&'a DeviceBuffer> {
        match *self {
            view::Memory::Device(object) => Some(DeviceBuffer::of(object)),
            view::Memory::Host(..) => None,
        }
    }
}

/// Vectors that may lie in a device's memory.
pub trait DeviceVector<'a> {
    /// The vector's memory on a device, or `None` on the host.
    fn device_memory(&self) -> Option<&'a DeviceBuffer>;
}

impl<'a, T> DeviceVector<'a> for view::VectorRef<'a, T> {
    fn device_memory(&self) -> Option<&'a DeviceBuffer> {
        self.memory().buffer()
    }
}

impl<'a, T> DeviceVector<'a> for view::VectorMut<'a, T> {
    fn device_memory(&self) -> Option<&'a DeviceBuffer> {
        self.memory().buffer()
    }
}

/// Memory that a kernel can be given: somebody's buffer, or workspace.
pub trait DeviceMemory {
    /// OpenCL's handle.
    fn handle(&self) -> cl_mem;
}

impl DeviceMemory for DeviceBuffer {
    fn handle(&self) -> cl_mem {
        match &self.memory {
            Memory::Own(memory) => memory.get(),
            Memory::Lent(loan) => loan.handle(),
        }
    }
}

/// Writes bytes to a buffer from byte `start` on, and waits until that is done.
///
/// # Safety
/// There are as many bytes at the address, and nobody else writes them.
unsafe fn write(buffer: &DeviceBuffer, queue: &Queue, start: usize, from: *const u8, bytes: usize) -> Result<()> {
    assert!(start + bytes <= buffer.bytes);
    // SAFETY: by contract.
    trace::written(buffer.handle(), start, bytes, || Some(unsafe { std::slice::from_raw_parts(from, bytes) }));
    let (handle, from) = (queue.handle().get(), from.cast_mut().cast());
    // SAFETY: by contract, and the buffer has room for the bytes.
    let event = unsafe { enqueue_write_buffer(handle, buffer.handle(), CL_FALSE, start, bytes, from, 0, ptr::null()) };
    wait("clEnqueueWriteBuffer", event)
}

/// Reads bytes of a buffer from byte `start` on, after everything enqueued before is done.
///
/// # Safety
/// As many bytes at the address are the caller's to write.
unsafe fn read(buffer: &DeviceBuffer, queue: &Queue, start: usize, to: *mut u8, bytes: usize) -> Result<()> {
    assert!(start + bytes <= buffer.bytes);
    trace::read(buffer.handle(), start, bytes);
    let (handle, to) = (queue.handle().get(), to.cast());
    // SAFETY: by contract, and the buffer has the bytes.
    let event = unsafe { enqueue_read_buffer(handle, buffer.handle(), CL_FALSE, start, bytes, to, 0, ptr::null()) };
    wait("clEnqueueReadBuffer", event)
}

/// Waits for a transfer. Transfers are enqueued without blocking and then waited for: Mesa's rusticl 22.3 can return
/// from a blocking one too early when another thread flushes the queue at that moment.
pub fn wait(call: &'static str, event: std::result::Result<cl_event, i32>) -> Result<()> {
    wait_for_event(&Event::new(check(call, event)?))
}

/// A new memory object of zeros; a failure says for what.
pub(super) fn zeroed(context: &DeviceContext, bytes: usize, purpose: &'static str) -> Result<Buffer<u8>> {
    let mut zeros = vec![0_u8; bytes.max(1)];
    let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    // SAFETY: the zeros are as many bytes, and OpenCL copies them before it returns.
    let handle = unsafe { create_buffer(context.handle().get(), flags, zeros.len(), zeros.as_mut_ptr().cast()) };
    created(handle, bytes, purpose, true)
}

/// A new memory object; a failure says for what.
pub(super) fn allocate(context: &DeviceContext, bytes: usize, purpose: &'static str) -> Result<Buffer<u8>> {
    let largest = context.device().info().max_allocation_bytes;
    if largest > 0 && bytes as u64 > largest {
        return Err(Error::OutOfDeviceMemory { bytes: bytes as u64, purpose });
    }
    // SAFETY: no host memory is involved.
    let handle = unsafe { create_buffer(context.handle().get(), CL_MEM_READ_WRITE, bytes.max(1), ptr::null_mut()) };
    created(handle, bytes, purpose, false)
}

/// A memory object that was made, `filled` with content of the host's or not.
fn created(
    handle: std::result::Result<cl_mem, i32>,
    bytes: usize,
    purpose: &'static str,
    filled: bool,
) -> Result<Buffer<u8>> {
    match handle {
        Ok(handle) => {
            trace::buffer_created(handle, bytes.max(1), filled);
            Ok(Buffer::new(handle))
        }
        // CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE.
        Err(-4 | -5 | -6 | -61) => Err(Error::OutOfDeviceMemory { bytes: bytes as u64, purpose }),
        Err(code) => Err(Error::opencl("clCreateBuffer", code)),
    }
}
