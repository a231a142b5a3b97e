//! Matrices and vectors of the host on a device: without a copy where the device works on the host's memory, else
//! packed on the way; large ones through pinned memory ([`chunks`]) unless they lie there ([`direct`]), and the largest
//! products in parts ([`product`]).

mod chunks;
mod copy_threads;
mod direct;
pub(crate) mod product;
mod runs;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr;

use opencl3::command_queue::{enqueue_map_buffer, enqueue_unmap_mem_object};
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE};
use opencl3::types::CL_FALSE;

use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceMemory, Queue, QueueParts, wait, wait_for_event};
use crate::error::Result;
use crate::options::Layout;
use crate::scalar::{Element, Scalar};
use crate::view::{
    BandRef, BandShape, BatchMut, BatchRef, BatchShape, MatrixMut, MatrixRef, MatrixShape, PackedMut, PackedRef,
    PackedShape, VectorMut, VectorRef, VectorShape,
};
use chunks::Upload;
pub(crate) use copy_threads::CopyThreads;
use opencl3::event::Event as ClEvent;
pub(crate) use runs::HostRuns;

/// A range of rows, columns or of the sums' terms: where it begins, and its length.
pub(crate) type Span = (usize, usize);

/// A block of the host's matrix, and its shape when it lies alone on the device.
pub(crate) fn block<T: Element>(
    start: *mut T,
    shape: &MatrixShape,
    rows: Span,
    columns: Span,
) -> Result<(HostRuns, MatrixShape)> {
    let part = shape.block(rows, columns);
    let runs = Runs::of(&part);
    let device = MatrixShape::new(shape.layout(), part.rows(), part.columns(), 0, runs.length.max(1))?;
    Ok((runs.on_host(start.wrapping_add(part.offset())), device))
}

/// Enqueues a copy of a block (not empty) to the beginning of a buffer. The event tells when it is there.
///
/// # Safety
/// The runs must be valid, and written by nobody, until the event. No command of another queue may use the buffer.
pub(crate) unsafe fn bring(
    queue: &Queue,
    to: &DeviceBuffer,
    runs: HostRuns,
    threads: CopyThreads,
) -> Result<Option<ClEvent>> {
    if runs.bytes() >= queue.context().transfers().staged_from {
        // SAFETY: by contract.
        return unsafe { chunks::upload(queue, to, runs, threads) };
    }
    assert!(runs.bytes() <= to.bytes());
    // SAFETY: by contract; the buffer is as large.
    let event = unsafe { direct::write(queue, to.handle(), runs)? };
    queue.flush().map(|()| Some(event))
}

/// Copies the beginning of a buffer to a block (not empty), and waits until it is there.
///
/// # Safety
/// The runs must be valid, and nobody else's. What writes the buffer must be done.
pub(crate) unsafe fn bring_back(
    queue: &Queue,
    from: &DeviceBuffer,
    runs: HostRuns,
    threads: CopyThreads,
) -> Result<()> {
    if runs.bytes() >= queue.context().transfers().staged_from {
        // SAFETY: by contract.
        return unsafe { chunks::download(queue, from, runs, threads) };
    }
    assert!(runs.bytes() <= from.bytes());
    // SAFETY: by contract; the buffer is as large.
    wait_for_event(&unsafe { direct::read(queue, from.handle(), runs)? })
}

/// Uploader of operands to a queue's device: the queue itself, at once, or [`Staging`], all of them together.
pub(crate) trait Uploader {
    /// The queue that the operation is enqueued on.
    fn queue(&self) -> &Queue;

    /// Brings a large matrix to the beginning of a buffer.
    ///
    /// # Safety
    /// The runs must be valid, and written by nobody until they are there.
    unsafe fn upload(&self, to: &DeviceBuffer, runs: HostRuns) -> Result<()>;
}

impl Uploader for Queue {
    fn queue(&self) -> &Queue {
        self
    }

    unsafe fn upload(&self, to: &DeviceBuffer, runs: HostRuns) -> Result<()> {
        // SAFETY: by contract, the runs are valid, and written by nobody until they are there.
        unsafe { chunks::upload(self, to, runs, CopyThreads::default()) }.map(drop)
    }
}

/// The large operands of a call, which go to the device together: the bus takes the first pieces of one while threads
/// copy the last ones of another.
pub(crate) struct Staging<'q> {
    queue: &'q Queue,
    threads: CopyThreads,
    uploads: RefCell<Vec<Upload>>,
}

impl<'q> Staging<'q> {
    pub(crate) fn new(queue: &'q Queue) -> Self {
        Self::by(queue, CopyThreads::default())
    }

    /// The same with other threads.
    pub(crate) fn by(queue: &'q Queue, threads: CopyThreads) -> Self {
        Staging { queue, threads, uploads: RefCell::default() }
    }

    /// Sends what was staged. Returns when the last piece is on its way.
    ///
    /// # Safety
    /// The operands that were staged must still be there, on both sides. Those in pinned memory of a user must stay
    /// until the queue has brought them.
    pub(crate) unsafe fn send(self) -> Result<()> {
        let uploads = self.uploads.into_inner();
        // SAFETY: by contract, the staged operands are there; `upload` asserted that each object holds its runs.
        if uploads.is_empty() { Ok(()) } else { unsafe { chunks::upload_all(self.queue, &uploads, self.threads) } }
    }
}

impl Uploader for Staging<'_> {
    fn queue(&self) -> &Queue {
        self.queue
    }

    unsafe fn upload(&self, to: &DeviceBuffer, runs: HostRuns) -> Result<()> {
        assert!(runs.bytes() <= to.bytes());
        self.uploads.borrow_mut().push(Upload { to: to.handle(), runs });
        Ok(())
    }
}

/// A matrix of the host on the device, for one operation.
pub(crate) struct OnDevice<T> {
    buffer: DeviceBuffer,
    shape: MatrixShape,
    host: *mut T,
    host_shape: MatrixShape,
    zero_copy: bool,
}

/// Contiguous runs of a matrix: their number, elements in each, and the distance between their starts.
struct Runs {
    count: usize,
    length: usize,
    pitch: usize,
}

impl Runs {
    fn of(shape: &MatrixShape) -> Self {
        let (length, count) = match shape.layout() {
            Layout::ColumnMajor => (shape.rows(), shape.columns()),
            Layout::RowMajor => (shape.columns(), shape.rows()),
        };
        Runs { count, length, pitch: shape.leading_dimension() }
    }

    /// The same in bytes, from this element on.
    const fn on_host<T>(&self, start: *mut T) -> HostRuns {
        let size = size_of::<T>();
        HostRuns { start: start.cast(), count: self.count, length: self.length * size, pitch: self.pitch * size }
    }
}

impl<T: Element> OnDevice<T> {
    /// Brings the matrix that starts `host_shape.offset()` elements after `host` to the queue's device. With `read`
    /// false its elements are left behind: the operation will not read them.
    ///
    /// # Safety
    /// `host_shape.end()` elements from `host` must be valid, and untouched by anybody else, until the operations on
    /// the result are done.
    pub(crate) unsafe fn new(
        uploader: &impl Uploader,
        host: *mut T,
        host_shape: &MatrixShape,
        read: bool,
    ) -> Result<Self> {
        let queue = uploader.queue();
        let runs = Runs::of(host_shape);
        let start = host.wrapping_add(host_shape.offset());
        // Kernels load an element at a time, which C aligns only to its real numbers.
        let aligned = start.addr().is_multiple_of(size_of::<T>());
        let zero_copy = aligned && queue.context().transfers().zero_copy;
        if runs.count == 0 || runs.length == 0 {
            let buffer = DeviceBuffer::new(queue.context(), 1, "an empty matrix")?;
            let shape = relocated(host_shape, runs.pitch)?;
            return Ok(OnDevice { buffer, shape, host, host_shape: *host_shape, zero_copy: false });
        }
        if zero_copy {
            let bytes = (host_shape.end() - host_shape.offset()) * size_of::<T>();
            // SAFETY: by contract, `host_shape.end()` elements from `host` stay valid; `bytes` ends with them.
            let buffer = unsafe { DeviceBuffer::over_host_memory(queue.context(), start.cast::<c_void>(), bytes)? };
            let shape = relocated(host_shape, runs.pitch)?;
            return Ok(OnDevice { buffer, shape, host, host_shape: *host_shape, zero_copy });
        }
        let bytes = runs.count * runs.length * size_of::<T>();
        let buffer = DeviceBuffer::for_operand(queue, bytes, "a matrix of the host")?;
        let matrix =
            OnDevice { buffer, shape: relocated(host_shape, runs.length)?, host, host_shape: *host_shape, zero_copy };
        if read {
            // SAFETY: by contract, `host_shape.end()` elements from `host` stay valid, and the runs are among them.
            unsafe { matrix.write(uploader, start.cast::<c_void>(), &runs)? };
        }
        Ok(matrix)
    }

    /// The view for an operation that reads.
    pub(crate) fn as_ref(&self, name: &'static str) -> Result<MatrixRef<'_, T>> {
        MatrixRef::from_device(&self.buffer, self.shape, name)
    }

    /// The view for an operation that writes.
    pub(crate) fn as_mut(&mut self, name: &'static str) -> Result<MatrixMut<'_, T>> {
        MatrixMut::from_device(&self.buffer, self.shape, name)
    }

    /// Waits for what was enqueued and brings the matrix back into the host's memory; only its own elements are
    /// written.
    pub(crate) fn write_back(self, queue: &Queue) -> Result<()> {
        let runs = Runs::of(&self.host_shape);
        if runs.count == 0 || runs.length == 0 {
            return Ok(());
        }
        let start = self.host.wrapping_add(self.host_shape.offset()).cast::<c_void>();
        if self.zero_copy {
            return self.synchronize(queue);
        }
        let runs = runs.on_host(start.cast::<T>());
        if runs.bytes() >= queue.context().transfers().staged_from {
            // SAFETY: `new` was given a valid matrix of this shape.
            return unsafe { chunks::download(queue, &self.buffer, runs, CopyThreads::default()) };
        }
        // SAFETY: as above; the read is waited for.
        wait_for_event(&unsafe { direct::read(queue, self.buffer.handle(), runs)? })
    }

    /// # Safety
    /// The host's matrix must be valid and stay so until the queue has read it.
    unsafe fn write(&self, uploader: &impl Uploader, start: *const c_void, runs: &Runs) -> Result<()> {
        let queue = uploader.queue();
        let runs = runs.on_host(start.cast_mut().cast::<T>());
        if runs.bytes() >= queue.context().transfers().staged_from {
            // SAFETY: by contract, the host's matrix stays valid until the queue has read it.
            return unsafe { uploader.upload(&self.buffer, runs) };
        }
        // SAFETY: by contract, the matrix stays valid until the queue has read it; `new` made the buffer as large.
        // The event is not needed: the queue's order covers it.
        unsafe { direct::write(queue, self.buffer.handle(), runs) }.map(drop)
    }

    /// Makes what the device wrote visible to the host: OpenCL asks for a mapping, which copies nothing here.
    fn synchronize(&self, queue: &Queue) -> Result<()> {
        let (handle, memory) = (queue.handle().get(), self.buffer.handle());
        let mut mapped = ptr::null_mut();
        // SAFETY: the whole buffer is mapped, and unmapped before it is used again.
        unsafe {
            let event = enqueue_map_buffer(
                handle,
                memory,
                CL_FALSE,
                CL_MAP_READ | CL_MAP_WRITE,
                0,
                self.buffer.bytes(),
                &mut mapped,
                0,
                ptr::null(),
            );
            wait("clEnqueueMapBuffer", event)?;
            wait("clEnqueueUnmapMemObject", enqueue_unmap_mem_object(handle, memory, mapped, 0, ptr::null()))
        }
    }
}

/// A vector of the host on the device: a matrix of one row.
pub(crate) struct VectorOnDevice<T> {
    matrix: OnDevice<T>,
    backward: bool,
}

impl<T: Scalar> VectorOnDevice<T> {
    /// As [`OnDevice::new`].
    ///
    /// # Safety
    /// The conditions of that function.
    pub(crate) unsafe fn new(to: &impl Uploader, host: *mut T, shape: &VectorShape, read: bool) -> Result<Self> {
        let pitch = shape.increment().unsigned_abs();
        let row = MatrixShape::new(Layout::ColumnMajor, 1, shape.length(), shape.offset(), pitch)?;
        // SAFETY: the matrix has the elements of the vector.
        let matrix = unsafe { OnDevice::new(to, host, &row, read)? };
        Ok(VectorOnDevice { matrix, backward: shape.increment() < 0 })
    }

    fn shape(&self) -> Result<VectorShape> {
        let row = &self.matrix.shape;
        let pitch = row.leading_dimension() as isize;
        VectorShape::new(row.columns(), row.offset(), if self.backward { -pitch } else { pitch })
    }

    /// The view for an operation that reads.
    pub(crate) fn as_ref(&self, name: &'static str) -> Result<VectorRef<'_, T>> {
        VectorRef::from_device(&self.matrix.buffer, self.shape()?, name)
    }

    /// The view for an operation that writes.
    pub(crate) fn as_mut(&mut self, name: &'static str) -> Result<VectorMut<'_, T>> {
        VectorMut::from_device(&self.matrix.buffer, self.shape()?, name)
    }

    /// As [`OnDevice::write_back`].
    pub(crate) fn write_back(self, queue: &Queue) -> Result<()> {
        self.matrix.write_back(queue)
    }
}

/// A band matrix of the host on the device: the matrix of its diagonals.
pub(crate) struct BandOnDevice<T> {
    matrix: OnDevice<T>,
    shape: BandShape,
}

impl<T: Scalar> BandOnDevice<T> {
    /// As [`OnDevice::new`].
    ///
    /// # Safety
    /// The conditions of that function.
    pub(crate) unsafe fn new(to: &impl Uploader, host: *mut T, shape: &BandShape, read: bool) -> Result<Self> {
        // SAFETY: the matrix of diagonals is the memory of the band.
        let matrix = unsafe { OnDevice::new(to, host, shape.memory(), read)? };
        let there = matrix.shape;
        let (rows, columns, lower, upper) = (shape.rows(), shape.columns(), shape.lower(), shape.upper());
        let shape =
            BandShape::new(shape.layout(), rows, columns, lower, upper, there.offset(), there.leading_dimension())?;
        Ok(BandOnDevice { matrix, shape })
    }

    /// The view for an operation that reads.
    pub(crate) fn as_ref(&self, name: &'static str) -> Result<BandRef<'_, T>> {
        BandRef::from_device(&self.matrix.buffer, self.shape, name)
    }

    /// As [`OnDevice::write_back`].
    pub(crate) fn write_back(self, queue: &Queue) -> Result<()> {
        self.matrix.write_back(queue)
    }
}

/// A packed triangle of the host on the device: a matrix of one column.
pub(crate) struct PackedOnDevice<T> {
    matrix: OnDevice<T>,
    shape: PackedShape,
}

impl<T: Scalar> PackedOnDevice<T> {
    /// As [`OnDevice::new`].
    ///
    /// # Safety
    /// The conditions of that function.
    pub(crate) unsafe fn new(to: &impl Uploader, host: *mut T, shape: &PackedShape, read: bool) -> Result<Self> {
        let length = shape.length();
        let column = MatrixShape::new(Layout::ColumnMajor, length, 1, shape.offset(), length.max(1))?;
        // SAFETY: the column has the elements of the triangle.
        let matrix = unsafe { OnDevice::new(to, host, &column, read)? };
        let shape = PackedShape::new(shape.layout(), shape.triangle(), shape.order(), matrix.shape.offset())?;
        Ok(PackedOnDevice { matrix, shape })
    }

    /// The view for an operation that reads.
    pub(crate) fn as_ref(&self, name: &'static str) -> Result<PackedRef<'_, T>> {
        PackedRef::from_device(&self.matrix.buffer, self.shape, name)
    }

    /// The view for an operation that writes.
    pub(crate) fn as_mut(&mut self, name: &'static str) -> Result<PackedMut<'_, T>> {
        PackedMut::from_device(&self.matrix.buffer, self.shape, name)
    }

    /// As [`OnDevice::write_back`].
    pub(crate) fn write_back(self, queue: &Queue) -> Result<()> {
        self.matrix.write_back(queue)
    }
}

/// The same matrix at the start of its memory, its runs `pitch` elements apart.
fn relocated(shape: &MatrixShape, pitch: usize) -> Result<MatrixShape> {
    MatrixShape::new(shape.layout(), shape.rows(), shape.columns(), 0, pitch)
}

/// Copies bytes to the beginning of a buffer. The host's memory is not needed any more; commands enqueued on the queue
/// afterwards find them there.
pub(crate) fn upload(queue: &Queue, to: &DeviceBuffer, bytes: &[u8]) -> Result<()> {
    if is_small(queue, bytes) || queue.context().is_pinned(bytes.as_ptr(), bytes.len()) {
        return if bytes.is_empty() { Ok(()) } else { to.write_bytes(queue, bytes) };
    }
    // SAFETY: the bytes are borrowed until they are on their way, and are no pinned memory.
    unsafe { queue.upload(to, runs_of(bytes.as_ptr().cast_mut(), bytes.len())) }
}

/// Stages bytes of the host for the beginning of a buffer; few of them are sent at once.
///
/// # Safety
/// The bytes must be valid, and written by nobody, until they are sent; where they are pinned memory of a user, until
/// the queue has brought them.
pub(crate) unsafe fn stage(staging: &Staging<'_>, to: &DeviceBuffer, bytes: &[u8]) -> Result<()> {
    if is_small(staging.queue(), bytes) {
        return if bytes.is_empty() { Ok(()) } else { to.write_bytes(staging.queue(), bytes) };
    }
    // SAFETY: by contract, the bytes are valid until they are sent or brought.
    unsafe { staging.upload(to, runs_of(bytes.as_ptr().cast_mut(), bytes.len())) }
}

/// Copies the beginning of a buffer to the host's memory, after everything that was enqueued before, and waits for it.
pub(crate) fn download(queue: &Queue, from: &DeviceBuffer, bytes: &mut [u8]) -> Result<()> {
    download_by(queue, from, bytes, CopyThreads::default())
}

/// The same by other threads.
pub(crate) fn download_by(queue: &Queue, from: &DeviceBuffer, bytes: &mut [u8], threads: CopyThreads) -> Result<()> {
    if is_small(queue, bytes) {
        return if bytes.is_empty() { Ok(()) } else { from.read_bytes(queue, 0, bytes) };
    }
    // SAFETY: the bytes are borrowed, and written by nobody else, until the copy is made.
    unsafe { chunks::download(queue, from, runs_of(bytes.as_mut_ptr(), bytes.len()), threads) }
}

/// True for bytes that are left to the driver.
fn is_small(queue: &Queue, bytes: &[u8]) -> bool {
    bytes.len() < queue.context().transfers().staged_from
}

const fn runs_of(start: *mut u8, length: usize) -> HostRuns {
    HostRuns { start, count: 1, length, pitch: length }
}

/// A batch of the host on the device: everything from its first element to its last one.
pub(crate) struct BatchOnDevice<'a, T> {
    region: OnDevice<T>,
    shape: BatchShape<'a>,
}

impl<'a, T: Scalar> BatchOnDevice<'a, T> {
    /// As [`OnDevice::new`].
    ///
    /// # Safety
    /// The conditions of that function.
    pub(crate) unsafe fn new(to: &impl Uploader, host: *mut T, shape: &BatchShape<'a>, read: bool) -> Result<Self> {
        let offset = shape.matrix().offset();
        let length = shape.end() - offset;
        let region = MatrixShape::new(Layout::ColumnMajor, length, 1, offset, length.max(1))?;
        // SAFETY: the region has the elements of the batch, and between them nothing but what is read with them.
        Ok(BatchOnDevice { region: unsafe { OnDevice::new(to, host, &region, read)? }, shape: *shape })
    }

    /// Shape of the batch on the device.
    fn shape(&self) -> Result<BatchShape<'a>> {
        let first = self.shape.matrix();
        self.shape.with_matrix(MatrixShape::new(
            first.layout(),
            first.rows(),
            first.columns(),
            0,
            first.leading_dimension(),
        )?)
    }

    /// The view for an operation that reads.
    pub(crate) fn as_ref(&self, name: &'static str) -> Result<BatchRef<'_, T>> {
        BatchRef::from_device(&self.region.buffer, self.shape()?, name)
    }

    /// The view for an operation that writes.
    pub(crate) fn as_mut(&mut self, name: &'static str) -> Result<BatchMut<'_, T>> {
        BatchMut::from_device(&self.region.buffer, self.shape()?, name)
    }

    /// As [`OnDevice::write_back`]: only elements of the matrices are written.
    pub(crate) fn write_back(self, queue: &Queue) -> Result<()> {
        if self.region.zero_copy {
            return self.region.write_back(queue);
        }
        let offset = self.shape.matrix().offset();
        let mut copy = vec![T::ZERO; self.shape.end() - offset];
        if copy.is_empty() {
            return Ok(());
        }
        self.region.buffer.read(queue, &mut copy)?;
        let runs = Runs::of(self.shape.matrix());
        for matrix in 0..self.shape.count() {
            for run in 0..runs.count {
                let from = self.shape.offset_of(matrix) + run * runs.pitch;
                let to = self.region.host.wrapping_add(offset + from);
                // SAFETY: `new` was given a valid batch, and the run lies in one of its matrices.
                unsafe { ptr::copy_nonoverlapping(copy.as_ptr().wrapping_add(from), to, runs.length) };
            }
        }
        Ok(())
    }
}
