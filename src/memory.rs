//! Memory by context: the Rust API's way to put data where the work is done.

use std::sync::Arc;

use crate::context::{BufferParts, DeviceBuffer, DeviceContext, MemoryExt, Queue};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::options::Layout;
use crate::scalar::{Element, Scalar};
use crate::view::{
    BandRef, BandShape, BatchMut, BatchRef, BatchShape, InPlace, MatrixMut, MatrixRef, MatrixShape, PackedMut,
    PackedRef, PackedShape, VectorMut, VectorRef, VectorShape, View,
};

/// Location of buffers and of the operations on them: a device, or the host.
#[derive(Clone, Debug)]
pub struct Context {
    /// `None` for the host.
    device: Option<Arc<DeviceContext>>,
}

impl Context {
    /// The host: it is always there.
    pub const fn host() -> Self {
        Context { device: None }
    }

    /// A device, one of [`Device::all`].
    ///
    /// # Errors
    /// [`crate::Error::OpenCl`] when the driver cannot make a context.
    pub fn open(device: &Device) -> Result<Self> {
        Ok(Context { device: Some(DeviceContext::for_device(device)?) })
    }

    /// That of a queue: the memory that its commands work on.
    pub fn from_queue(queue: &Queue) -> Self {
        Context { device: Some(queue.context().clone()) }
    }

    /// True if it is the same memory as another's.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.device, &other.device) {
            (None, None) => true,
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }

    /// The device, or `None` for the host.
    pub fn device(&self) -> Option<&Device> {
        self.device.as_ref().map(|context| context.device())
    }

    /// The context of a device.
    pub(crate) const fn of(device: Arc<DeviceContext>) -> Self {
        Context { device: Some(device) }
    }

    /// The device's context, or `None` for the host.
    pub(crate) const fn on_device(&self) -> Option<&Arc<DeviceContext>> {
        self.device.as_ref()
    }

    /// The library's own queue of the device, on which operations run that are not given another, or `None` for the
    /// host.
    ///
    /// # Errors
    /// Errors of OpenCL.
    pub fn own_queue(&self) -> Result<Option<Queue>> {
        self.device.as_ref().map(Queue::new).transpose()
    }

    /// The same in tests.
    #[cfg(test)]
    pub(crate) fn queue(&self) -> Option<Queue> {
        self.device.as_ref().map(|context| Queue::new(context).unwrap())
    }

    /// A buffer that holds a copy of `data`.
    ///
    /// # Errors
    /// [`crate::Error::OutOfDeviceMemory`], [`crate::Error::PrecisionNotSupported`].
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<Buffer<T>> {
        let Some(context) = &self.device else {
            return Ok(Buffer { storage: Storage::Host(data.to_vec()), length: data.len() });
        };
        T::SCALAR.map_or(Ok(()), |kind| context.device().info().require(kind))?;
        let bytes = size_of_val(data);
        let memory = DeviceBuffer::new(context, bytes, "a buffer")?;
        if bytes > 0 {
            memory.write(&Queue::new(context)?, data)?;
        }
        Ok(Buffer { storage: Storage::Device(memory), length: data.len() })
    }

    /// A buffer of `length` elements that are not initialised on a device, and zeros on the host: for operations that
    /// write all.
    ///
    /// # Errors
    /// The errors of [`Context::upload`].
    pub(crate) fn unwritten<T: Element>(&self, length: usize) -> Result<Buffer<T>> {
        let Some(context) = &self.device else { return self.zeros(length) };
        T::SCALAR.map_or(Ok(()), |kind| context.device().info().require(kind))?;
        let memory = DeviceBuffer::new(context, length * size_of::<T>(), "a buffer")?;
        Ok(Buffer { storage: Storage::Device(memory), length })
    }

    /// A buffer that holds a copy of a vector of adjacent elements in this memory. On a device it returns when the copy
    /// is enqueued on the device's own queue.
    ///
    /// # Errors
    /// [`crate::Error::MixedMemory`] when the vector lies elsewhere, [`crate::Error::ShapeMismatch`] when its elements
    /// are not adjacent; [`crate::Error::OutOfDeviceMemory`], [`crate::Error::PrecisionNotSupported`].
    pub fn copy_of<T: Element>(&self, vector: VectorRef<'_, T>) -> Result<Buffer<T>> {
        let Some(context) = &self.device else {
            let elements = vector.as_slice().ok_or_else(|| not_a_copy(vector.shape(), vector.memory().buffer()))?;
            return self.upload(elements);
        };
        let copy = self.unwritten(vector.length())?;
        copy_between(&Queue::new(context)?, vector, copy.vector()?)?;
        Ok(copy)
    }

    /// A buffer of `length` zeros.
    ///
    /// # Errors
    /// [`crate::Error::OutOfDeviceMemory`], [`crate::Error::PrecisionNotSupported`].
    pub fn zeros<T: Element>(&self, length: usize) -> Result<Buffer<T>> {
        let Some(context) = &self.device else {
            // Memory that the system has not given yet costs nothing until it is touched.
            return Ok(Buffer { storage: Storage::Host(vec![T::default(); length]), length });
        };
        T::SCALAR.map_or(Ok(()), |kind| context.device().info().require(kind))?;
        let memory = DeviceBuffer::zeros(context, length.saturating_mul(size_of::<T>()), "a buffer")?;
        Ok(Buffer { storage: Storage::Device(memory), length })
    }
}

/// Enqueues a copy between vectors of adjacent elements and of one length, in a queue's context.
fn copy_between<T: Element>(queue: &Queue, from: VectorRef<'_, T>, to: VectorRef<'_, T>) -> Result<()> {
    let both = [&from, &to].map(|vector| vector.memory().buffer().filter(|_| vector.shape().increment() == 1));
    let [Some(source), Some(target)] = both else {
        let wrong = if both[0].is_none() { from } else { to };
        return Err(not_a_copy(wrong.shape(), wrong.memory().buffer()));
    };
    if from.length() == 0 {
        return Ok(());
    }
    if [source, target].iter().any(|memory| !Arc::ptr_eq(memory.context(), queue.context())) {
        return Err(Error::MixedMemory("the vectors of a copy".to_owned()));
    }
    let [first, start, bytes] =
        [from.shape().offset(), to.shape().offset(), from.length()].map(|count| count * size_of::<T>());
    target.copy_from(queue, start, source, first, bytes).map(drop)
}

/// Why a vector cannot be copied as it lies.
#[cold]
fn not_a_copy(shape: &VectorShape, memory: Option<&DeviceBuffer>) -> Error {
    if shape.increment() != 1 {
        return Error::ShapeMismatch(format!("elements {} apart are not adjacent", shape.increment()));
    }
    let location = if memory.is_some() { "on a device" } else { "in the host's memory" };
    Error::MixedMemory(format!("the vector lies {location}, and its copy elsewhere"))
}

/// Elements in the memory of a [`Context`].
#[derive(Debug)]
pub struct Buffer<T> {
    storage: Storage<T>,
    length: usize,
}

#[derive(Debug)]
pub(crate) enum Storage<T> {
    Host(Vec<T>),
    Device(DeviceBuffer),
}

impl<T> From<Vec<T>> for Buffer<T> {
    /// A buffer on the host.
    fn from(data: Vec<T>) -> Self {
        Buffer { length: data.len(), storage: Storage::Host(data) }
    }
}

impl<T: Element> Buffer<T> {
    /// The number of elements.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// True if there are none.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A copy of the elements, after everything enqueued before is done.
    ///
    /// # Errors
    /// [`crate::Error::OpenCl`], also for a failure of an operation before.
    pub fn download(&self) -> Result<Vec<T>> {
        match &self.storage {
            Storage::Host(data) => Ok(data.clone()),
            Storage::Device(memory) => {
                let mut data = vec![T::default(); self.length];
                if self.length > 0 {
                    memory.read(&Queue::new(memory.context())?, &mut data)?;
                }
                Ok(data)
            }
        }
    }

    /// Copies the elements to a vector of as many adjacent ones in the same memory. On a device it returns when the
    /// copy is enqueued on the device's own queue.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`], [`Error::MixedMemory`].
    pub fn copy_to(&self, mut vector: VectorMut<'_, T>) -> Result<()> {
        if vector.length() != self.length {
            let (from, to) = (self.length, vector.length());
            return Err(Error::ShapeMismatch(format!("{from} elements, and room for {to}")));
        }
        match &self.storage {
            Storage::Host(data) => {
                let (shape, memory) = (*vector.shape(), vector.memory().buffer());
                vector.as_slice_mut().ok_or_else(|| not_a_copy(&shape, memory))?.copy_from_slice(data);
                Ok(())
            }
            Storage::Device(memory) => {
                let target = VectorRef::from_parts(vector.memory(), *vector.shape());
                copy_between(&Queue::new(memory.context())?, self.vector()?, target)
            }
        }
    }

    /// The buffer of a device's memory that holds `length` elements.
    pub(crate) const fn of_device(memory: DeviceBuffer, length: usize) -> Self {
        Buffer { storage: Storage::Device(memory), length }
    }

    /// The context and its memory.
    pub(crate) fn into_storage(self) -> (Context, Storage<T>) {
        let device = match &self.storage {
            Storage::Host(_) => None,
            Storage::Device(memory) => Some(memory.context().clone()),
        };
        (Context { device }, self.storage)
    }

    /// The elements in the host's memory, or `None` on a device.
    pub(crate) fn on_host(&self) -> Option<&[T]> {
        match &self.storage {
            Storage::Host(data) => Some(data),
            Storage::Device(_) => None,
        }
    }

    /// Its memory on a device, or `None` on the host.
    pub(crate) const fn on_device(&self) -> Option<&DeviceBuffer> {
        match &self.storage {
            Storage::Host(_) => None,
            Storage::Device(memory) => Some(memory),
        }
    }

    /// All elements as a vector, to read.
    ///
    /// # Errors
    /// None for a buffer that exists; the type is that of the other views.
    pub fn vector(&self) -> Result<VectorRef<'_, T>> {
        self.vector_view(VectorShape::new(self.length, 0, 1)?)
    }

    /// All elements as a vector, to write.
    ///
    /// # Errors
    /// The errors of [`Buffer::vector`].
    pub fn vector_mut(&mut self) -> Result<VectorMut<'_, T>> {
        self.vector_view_mut(VectorShape::new(self.length, 0, 1)?)
    }

    /// A vector of any shape in the buffer, to read.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn vector_view(&self, shape: VectorShape) -> Result<VectorRef<'_, T>> {
        match &self.storage {
            Storage::Host(data) => VectorRef::from_slice(data, shape),
            Storage::Device(memory) => VectorRef::from_device(memory, shape, "the vector"),
        }
    }

    /// A vector of any shape in the buffer, to write.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn vector_view_mut(&mut self, shape: VectorShape) -> Result<VectorMut<'_, T>> {
        match &mut self.storage {
            Storage::Host(data) => VectorMut::from_slice(data, shape),
            Storage::Device(memory) => VectorMut::from_device(memory, shape, "the vector"),
        }
    }
}

impl<T: Element> Buffer<T> {
    /// The first `rows * columns` elements as a column-major matrix, to read.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when there are fewer.
    pub fn matrix(&self, rows: usize, columns: usize) -> Result<MatrixRef<'_, T>> {
        self.view(MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows.max(1))?)
    }

    /// The first `rows * columns` elements as a column-major matrix, to write.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when there are fewer.
    pub fn matrix_mut(&mut self, rows: usize, columns: usize) -> Result<MatrixMut<'_, T>> {
        self.view_mut(MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows.max(1))?)
    }

    /// A matrix of any shape in the buffer, to read.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn view(&self, shape: MatrixShape) -> Result<MatrixRef<'_, T>> {
        match &self.storage {
            Storage::Host(data) => MatrixRef::from_slice(data, shape),
            Storage::Device(memory) => MatrixRef::from_device(memory, shape, "the matrix"),
        }
    }

    /// A matrix of any shape in the buffer, to write.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn view_mut(&mut self, shape: MatrixShape) -> Result<MatrixMut<'_, T>> {
        match &mut self.storage {
            Storage::Host(data) => MatrixMut::from_slice(data, shape),
            Storage::Device(memory) => MatrixMut::from_device(memory, shape, "the matrix"),
        }
    }
}

impl<T: Scalar> Buffer<T> {
    /// A matrix of one shape, which an operation in place turns into one of another shape.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when one of them reaches past the end.
    pub fn in_place(&mut self, before: MatrixShape, after: MatrixShape) -> Result<InPlace<'_, T>> {
        match &mut self.storage {
            Storage::Host(data) => InPlace::from_slice(data, before, after),
            Storage::Device(memory) => InPlace::from_device(memory, before, after, "the matrix"),
        }
    }

    /// A batch of matrices in the buffer, to read.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn batch<'a>(&'a self, shape: BatchShape<'a>) -> Result<BatchRef<'a, T>> {
        match &self.storage {
            Storage::Host(data) => BatchRef::from_slice(data, shape),
            Storage::Device(memory) => BatchRef::from_device(memory, shape, "the batch"),
        }
    }

    /// A batch of matrices in the buffer, to write.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end, [`crate::Error::ShapeMismatch`] when matrices
    /// overlap.
    pub fn batch_mut<'a>(&'a mut self, shape: BatchShape<'a>) -> Result<BatchMut<'a, T>> {
        match &mut self.storage {
            Storage::Host(data) => BatchMut::from_slice(data, shape),
            Storage::Device(memory) => BatchMut::from_device(memory, shape, "the batch"),
        }
    }
    /// A band matrix in the buffer, to read.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn band_view(&self, shape: BandShape) -> Result<BandRef<'_, T>> {
        match &self.storage {
            Storage::Host(data) => BandRef::from_slice(data, shape),
            Storage::Device(memory) => BandRef::from_device(memory, shape, "the band matrix"),
        }
    }

    /// A packed triangle in the buffer, to read.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn packed_view(&self, shape: PackedShape) -> Result<PackedRef<'_, T>> {
        match &self.storage {
            Storage::Host(data) => PackedRef::from_slice(data, shape),
            Storage::Device(memory) => PackedRef::from_device(memory, shape, "the packed matrix"),
        }
    }

    /// A packed triangle in the buffer, to write.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when it reaches past the end.
    pub fn packed_view_mut(&mut self, shape: PackedShape) -> Result<PackedMut<'_, T>> {
        match &mut self.storage {
            Storage::Host(data) => PackedMut::from_slice(data, shape),
            Storage::Device(memory) => PackedMut::from_device(memory, shape, "the packed matrix"),
        }
    }
}
