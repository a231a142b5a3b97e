//! A memory that holds one matrix before an operation and another one after it.

use super::matrix::MatrixShape;
use super::{Memory, check_fits};
use crate::context::DeviceBuffer;
use crate::error::Result;
use crate::scalar::Scalar;

/// A memory that holds a matrix of one shape, and after an operation in place one of another shape, such as its transpose.
#[derive(Debug)]
pub struct InPlace<'a, T> {
    pub(crate) memory: Memory<'a, T>,
    pub(crate) before: MatrixShape,
    pub(crate) after: MatrixShape,
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
        buffer: &'a DeviceBuffer,
        before: MatrixShape,
        after: MatrixShape,
        name: &'static str,
    ) -> Result<Self> {
        check_fits(before.end().max(after.end()), buffer.bytes() / size_of::<T>(), name)?;
        Ok(InPlace { memory: Memory::Device(buffer), before, after })
    }

    /// Where the matrix lies before.
    pub const fn before(&self) -> &MatrixShape {
        &self.before
    }

    /// Where the matrix lies afterwards.
    pub const fn after(&self) -> &MatrixShape {
        &self.after
    }
}
