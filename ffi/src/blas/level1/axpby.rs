//! axpby: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};

use super::vectors::{self, DeviceVector};
use crate::opencl::{self, ClEvent, ClMem, ClQueue};

/// The arguments of `affinimath*axpby`.
pub(crate) struct HostCall<T> {
    pub(crate) n: i64,
    pub(crate) alpha: T,
    pub(crate) x: *const T,
    pub(crate) incx: i64,
    pub(crate) beta: T,
    pub(crate) y: *mut T,
    pub(crate) incy: i64,
}

/// The arguments of `affinimath*axpbyCL`.
pub(crate) struct DeviceCall<T> {
    pub(crate) queue: *mut ClQueue,
    pub(crate) n: i64,
    pub(crate) alpha: T,
    pub(crate) x: *mut ClMem,
    pub(crate) offx: i64,
    pub(crate) incx: i64,
    pub(crate) beta: T,
    pub(crate) y: *mut ClMem,
    pub(crate) offy: i64,
    pub(crate) incy: i64,
    pub(crate) event: *mut *mut ClEvent,
}

impl<T: Scalar> HostCall<T> {
    /// # Safety
    /// Pointers that are not null must hold their vectors, and what is written must be nobody else's.
    pub(crate) unsafe fn run(self) -> Result<()> {
        // BLAS: with alpha = 0 and beta = 1 nothing changes.
        let n = if self.alpha == T::ZERO && self.beta == T::ONE { 0 } else { vectors::length(self.n) };
        // x is not read with alpha = 0: it may be null.
        let x_length = if self.alpha == T::ZERO { 0 } else { n };
        // SAFETY: the caller vouches for the vector.
        let x = unsafe { vectors::read(vectors::X, x_length, self.x, self.incx)? };
        // SAFETY: the caller vouches for the vector.
        let y = unsafe { vectors::write(vectors::Y, n, self.y, self.incy)? };
        affinimath::axpby(self.alpha, x, self.beta, y)?.wait()
    }
}

impl<T: Scalar> DeviceCall<T> {
    /// # Safety
    /// Handles that are not null must be valid, and so must the place for the event.
    pub(crate) unsafe fn run(self) -> Result<()> {
        // SAFETY: the caller vouches for the handle.
        let queue = unsafe { opencl::queue(self.queue)? };
        // BLAS: with alpha = 0 and beta = 1 nothing changes.
        let n = if self.alpha == T::ZERO && self.beta == T::ONE { 0 } else { vectors::length(self.n) };
        // x is not read with alpha = 0: it may be null.
        let x_length = if self.alpha == T::ZERO { 0 } else { n };
        let x = DeviceVector::new(vectors::X, x_length, self.x, self.offx, self.incx)?;
        let y = DeviceVector::new(vectors::Y, n, self.y, self.offy, self.incy)?;
        let event = if n == 0 {
            Event::Complete // BLAS: nothing changes.
        } else {
            // SAFETY: the caller vouches for the handles.
            let x_memory = (x_length > 0).then(|| unsafe { x.buffer(&queue) }).transpose()?;
            // SAFETY: as above.
            let y_memory = unsafe { y.buffer(&queue)? };
            let (x, y) = (x.read(x_memory.as_ref().unwrap_or(&y_memory))?, y.write(&y_memory)?);
            affinimath::axpby_on(&queue, self.alpha, x, self.beta, y)?
        };
        // SAFETY: the caller vouches for the place.
        unsafe { opencl::give_event(&queue, event, self.event) }
    }
}
