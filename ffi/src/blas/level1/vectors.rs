//! Vectors as C gives them: a pointer and an increment, or a memory object, an offset and an increment.

use affinimath::{DeviceBuffer, Error, Queue, Result, Scalar, VectorMut, VectorRef, VectorShape};

use crate::arguments;
use crate::opencl::{self, ClMem};

/// What C calls a vector's arguments.
#[derive(Clone, Copy)]
pub(super) struct Names {
    vector: &'static str,
    offset: &'static str,
    increment: &'static str,
}

pub(super) const X: Names = Names { vector: "x", offset: "offx", increment: "incx" };
pub(super) const Y: Names = Names { vector: "y", offset: "offy", increment: "incy" };

/// The argument `n`. BLAS: n <= 0 is no error, and there is nothing to do.
pub(super) fn length(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// The same for the routines that, as BLAS has it, do nothing for a negative increment either.
pub(super) fn forward_length(n: i64, increment: i64) -> usize {
    if increment < 0 { 0 } else { length(n) }
}

/// A vector that the operation does not touch is empty: its increment is checked, its pointer is not looked at.
fn shape(names: Names, n: usize, offset: usize, increment: i64) -> Result<VectorShape> {
    if increment == 0 {
        return Err(Error::argument(names.increment, "it is 0"));
    }
    VectorShape::new(n, offset, increment as isize).map_err(|error| Error::argument(names.vector, error.to_string()))
}

/// A vector of `n` elements in host memory, to read.
///
/// # Safety
/// With n > 0, the pointer must be null or valid for the vector, for as long as the view is used.
pub(super) unsafe fn read<'a, T: Scalar>(
    names: Names,
    n: usize,
    pointer: *const T,
    increment: i64,
) -> Result<VectorRef<'a, T>> {
    if n > 0 {
        arguments::not_null(names.vector, pointer)?;
    }
    // SAFETY: the caller vouches for the vector; a null one is empty here.
    Ok(unsafe { VectorRef::from_host_raw(pointer.cast_mut(), shape(names, n, 0, increment)?) })
}

/// A vector of `n` elements in host memory, to write.
///
/// # Safety
/// As [`read`], and nobody else may touch it.
pub(super) unsafe fn write<'a, T: Scalar>(
    names: Names,
    n: usize,
    pointer: *mut T,
    increment: i64,
) -> Result<VectorMut<'a, T>> {
    if n > 0 {
        arguments::not_null(names.vector, pointer)?;
    }
    // SAFETY: the caller vouches for the vector; a null one is empty here.
    Ok(unsafe { VectorMut::from_host_raw(pointer, shape(names, n, 0, increment)?) })
}

/// A vector in a memory object whose numbers were checked.
pub(super) struct DeviceVector {
    memory: *mut ClMem,
    shape: VectorShape,
    name: &'static str,
}

impl DeviceVector {
    pub(super) fn new(names: Names, n: usize, memory: *mut ClMem, offset: i64, increment: i64) -> Result<Self> {
        if n > 0 {
            arguments::not_null(names.vector, memory)?;
        }
        let offset = arguments::size(names.offset, offset)?;
        let offset = if n == 0 { 0 } else { offset };
        Ok(DeviceVector { memory, shape: shape(names, n, offset, increment)?, name: names.vector })
    }

    /// Its memory object.
    ///
    /// # Safety
    /// The handle must be that of a memory object.
    pub(super) unsafe fn buffer(&self, queue: &Queue) -> Result<DeviceBuffer> {
        // SAFETY: the caller vouches for the handle.
        unsafe { opencl::memory(queue, self.name, self.memory) }
    }

    pub(super) fn read<'a, T: Scalar>(&self, buffer: &'a DeviceBuffer) -> Result<VectorRef<'a, T>> {
        VectorRef::from_device(buffer, self.shape, self.name)
    }

    pub(super) fn write<'a, T: Scalar>(&self, buffer: &'a DeviceBuffer) -> Result<VectorMut<'a, T>> {
        VectorMut::from_device(buffer, self.shape, self.name)
    }
}
