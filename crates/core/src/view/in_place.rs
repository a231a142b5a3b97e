//! A memory that holds one matrix before an operation and another one after it.

use super::matrix::MatrixShape;
use super::{Memory, MemoryObject, View, check_fits};
use crate::error::Result;
use crate::scalar::Scalar;

/// A memory that holds a matrix of one shape, and after an operation in place one of another shape, such as its
/// transpose.
#[derive(Debug)]
pub struct InPlace<'a, T> {
    memory: Memory<'a, T>,
    before: MatrixShape,
    after: MatrixShape,
}

impl<'a, T> View<'a, T> for InPlace<'a, T> {
    /// Before the operation, and after it.
    type Shape = [MatrixShape; 2];

    fn memory(&self) -> Memory<'a, T> {
        self.memory
    }
    fn from_parts(memory: Memory<'a, T>, [before, after]: Self::Shape) -> Self {
        InPlace { memory, before, after }
    }
}

impl<'a, T: Scalar> InPlace<'a, T> {
    /// In host memory.
    ///
    /// # Safety
    /// The elements of both shapes, counted from `start`, must stay valid for `'a` (for empty matrices `start` may be
    /// null), and nobody else may touch them.
    pub unsafe fn from_host_raw(start: *mut T, before: MatrixShape, after: MatrixShape) -> Self {
        InPlace { memory: Memory::host(start), before, after }
    }

    /// In a slice of the host's memory.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when the slice is too short for one of the shapes.
    pub fn from_slice(data: &'a mut [T], before: MatrixShape, after: MatrixShape) -> Result<Self> {
        check_fits(before.end().max(after.end()), data.len(), "the matrix")?;
        Ok(InPlace { memory: Memory::host(data.as_mut_ptr()), before, after })
    }

    /// In device memory. `name` is what an error calls the matrix.
    ///
    /// # Errors
    /// [`crate::Error::ViewTooLarge`] when the buffer is too small for one of the shapes.
    pub fn from_device(
        buffer: &'a impl MemoryObject,
        before: MatrixShape,
        after: MatrixShape,
        name: &'static str,
    ) -> Result<Self> {
        check_fits(before.end().max(after.end()), buffer.bytes() / size_of::<T>(), name)?;
        Ok(InPlace { memory: Memory::Device(buffer), before, after })
    }
}

impl<T> InPlace<'_, T> {
    /// Shape of the matrix before the operation.
    pub const fn before(&self) -> &MatrixShape {
        &self.before
    }

    /// Shape of the matrix after the operation.
    pub const fn after(&self) -> &MatrixShape {
        &self.after
    }
}
