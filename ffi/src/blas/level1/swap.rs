//! swap: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};

use super::vectors::{self, DeviceVector};
use crate::opencl::{self, ClEvent, ClMem, ClQueue};

/// The arguments of `affinimath*swap`.
pub(crate) struct HostCall<T> {
    pub(crate) n: i64,
    pub(crate) x: *mut T,
    pub(crate) incx: i64,
    pub(crate) y: *mut T,
    pub(crate) incy: i64,
}

/// The arguments of `affinimath*swapCL`.
pub(crate) struct DeviceCall {
    pub(crate) queue: *mut ClQueue,
    pub(crate) n: i64,
    pub(crate) x: *mut ClMem,
    pub(crate) offx: i64,
    pub(crate) incx: i64,
    pub(crate) y: *mut ClMem,
    pub(crate) offy: i64,
    pub(crate) incy: i64,
    pub(crate) event: *mut *mut ClEvent,
}

impl<T: Scalar> HostCall<T> {
    /// # Safety
    /// Pointers that are not null must hold their vectors, and what is written must be nobody else's.
    pub(crate) unsafe fn run(self) -> Result<()> {
        let n = vectors::length(self.n);
        // SAFETY: the caller vouches for the vector.
        let x = unsafe { vectors::write(vectors::X, n, self.x, self.incx)? };
        // SAFETY: the caller vouches for the vector.
        let y = unsafe { vectors::write(vectors::Y, n, self.y, self.incy)? };
        affinimath::swap(x, y)?.wait()
    }
}

impl DeviceCall {
    /// # Safety
    /// Handles that are not null must be valid, and so must the place for the event.
    pub(crate) unsafe fn run<T: Scalar>(self) -> Result<()> {
        // SAFETY: the caller vouches for the handle.
        let queue = unsafe { opencl::queue(self.queue)? };
        let n = vectors::length(self.n);
        let x = DeviceVector::new(vectors::X, n, self.x, self.offx, self.incx)?;
        let y = DeviceVector::new(vectors::Y, n, self.y, self.offy, self.incy)?;
        let event = if n == 0 {
            Event::Complete // BLAS: nothing changes.
        } else {
            // SAFETY: the caller vouches for the handles.
            let (x_memory, y_memory) = unsafe { (x.buffer(&queue)?, y.buffer(&queue)?) };
            let (x, y) = (x.write::<T>(&x_memory)?, y.write(&y_memory)?);
            affinimath::swap_on(&queue, x, y)?
        };
        // SAFETY: the caller vouches for the place.
        unsafe { opencl::give_event(&queue, event, self.event) }
    }
}
