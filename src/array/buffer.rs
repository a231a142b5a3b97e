//! Buffers as arrays, and arrays as buffers.

use std::sync::Arc;

use affinimath_array::node::Storage;
use affinimath_array::shape::{IntoShape, Strides};
use affinimath_array::{Array, ArrayError, Element};

use super::matrix::AsMatrix;
use super::memory::{ArrayMemory, Block, HostBlock};
use crate::error::{Error, Result};
use crate::memory::{self, Buffer};
use crate::scalar;

impl<T: Element + scalar::Element> Buffer<T> {
    /// The buffer as an array in its context, whose elements are those of the buffer in row-major order. Nothing is
    /// copied.
    ///
    /// Commands on the buffer in another queue than the context's own must be complete.
    ///
    /// ```
    /// use affinimath::{Buffer, Context};
    ///
    /// let buffer = Context::preferred()?.upload(&[1.0_f32, 2.0, 3.0, 4.0])?;
    /// let array = buffer.into_array([2, 2])?;
    /// assert_eq!(array.t().to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    ///
    /// let buffer = Buffer::from_array(array)?;
    /// assert_eq!(buffer.download()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), affinimath::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the shape has another count of elements, or too many axes.
    #[track_caller]
    pub fn into_array(self, shape: impl IntoShape) -> Result<Array<T>> {
        let shape = shape.into_shape().map_err(|kind| Error::from(ArrayError::new(kind)))?;
        let length = self.len();
        if shape.len() != length {
            return Err(Error::argument("shape", format!("{length} elements are given for shape {shape}")));
        }
        let (context, storage) = self.into_storage();
        let block = match storage {
            memory::Storage::Host(elements) => Block::Host(HostBlock::of_vec(elements)),
            memory::Storage::Device(memory) => Block::Device(memory),
        };
        let storage = Arc::new(ArrayMemory::new(context, T::TYPE, length, block));
        Array::from_storage(storage, 0, shape, Strides::row_major(&shape))
    }

    /// The elements of an array in row-major order, in its context. Nothing is copied where the array alone holds its
    /// memory and fills it in this order; on the host, it must have been made of a buffer too.
    ///
    /// Keep the buffer until what another queue than the context's own does with it is done.
    ///
    /// # Errors
    /// Errors of the copy.
    pub fn from_array(array: Array<T>) -> Result<Self> {
        let own = array.contiguous()?;
        drop(array);
        let (shape, leaf) = (*own.shape(), own.leaf().clone());
        let context = ArrayMemory::of(&leaf).map(|memory| memory.context().clone());
        let context = context.ok_or_else(|| Error::argument("context", "the array's memory belongs to no context"))?;
        drop(own);
        let (mut storage, is_whole) = (leaf.storage, leaf.offset == 0);
        if is_whole && storage.len() == shape.len() {
            match take(storage) {
                Ok(buffer) => return Ok(buffer),
                Err(shared) => storage = shared,
            }
        }
        let array = Array::<T>::from_storage(storage, leaf.offset, shape, Strides::row_major(&shape))?;
        context.copy_of(array.flatten().vector()?)
    }
}

/// The memory as a buffer, or the memory where something else holds it or a buffer cannot.
fn take<T: Element + scalar::Element>(storage: Arc<dyn Storage>) -> std::result::Result<Buffer<T>, Arc<dyn Storage>> {
    let memory = ArrayMemory::unwrap(storage)?;
    let length = memory.len();
    memory.replace(|block| match block {
        Block::Device(memory) => Ok(Buffer::of_device(memory, length)),
        Block::Host(block) => block.into_vec().map(Buffer::from).map_err(Block::Host),
    })
}
