//! scal_real: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};

use super::vectors::{self, DeviceVector};
use crate::opencl::{self, ClEvent, ClMem, ClQueue};

/// The arguments of `affinimath*scal_real`.
pub(crate) struct HostCall<T: Scalar> {
    pub(crate) n: i64,
    pub(crate) alpha: T::RealScalar,
    pub(crate) x: *mut T,
    pub(crate) incx: i64,
}

/// The arguments of `affinimath*scal_realCL`.
pub(crate) struct DeviceCall<T: Scalar> {
    pub(crate) queue: *mut ClQueue,
    pub(crate) n: i64,
    pub(crate) alpha: T::RealScalar,
    pub(crate) x: *mut ClMem,
    pub(crate) offx: i64,
    pub(crate) incx: i64,
    pub(crate) event: *mut *mut ClEvent,
}

impl<T: Scalar> HostCall<T> {
    /// # Safety
    /// Pointers that are not null must hold their vectors, and what is written must be nobody else's.
    pub(crate) unsafe fn run(self) -> Result<()> {
        // BLAS: with alpha = 1 or a negative increment nothing changes.
        let n = if self.alpha == T::RealScalar::ONE { 0 } else { vectors::forward_length(self.n, self.incx) };
        // SAFETY: the caller vouches for the vector.
        let x = unsafe { vectors::write(vectors::X, n, self.x, self.incx)? };
        affinimath::scal_real(self.alpha, x)?.wait()
    }
}

impl<T: Scalar> DeviceCall<T> {
    /// # Safety
    /// Handles that are not null must be valid, and so must the place for the event.
    pub(crate) unsafe fn run(self) -> Result<()> {
        // SAFETY: the caller vouches for the handle.
        let queue = unsafe { opencl::queue(self.queue)? };
        // BLAS: with alpha = 1 or a negative increment nothing changes.
        let n = if self.alpha == T::RealScalar::ONE { 0 } else { vectors::forward_length(self.n, self.incx) };
        let x = DeviceVector::new(vectors::X, n, self.x, self.offx, self.incx)?;
        let event = if n == 0 {
            Event::Complete // BLAS: nothing changes.
        } else {
            // SAFETY: the caller vouches for the handle.
            let memory = unsafe { x.buffer(&queue)? };
            let x = x.write::<T>(&memory)?;
            affinimath::scal_real_on(&queue, self.alpha, x)?
        };
        // SAFETY: the caller vouches for the place.
        unsafe { opencl::give_event(&queue, event, self.event) }
    }
}
