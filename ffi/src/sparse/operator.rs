//! The caller's functions that multiply vectors.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use affinimath::sparse::LinearOperator;
use affinimath::{Context, DeviceBuffer, Error, Op, Result, VectorMut, VectorRef};
use affinimath_abi::opencl::{ClMem, ClQueue};

use super::handle::Typed;
use affinimath::DeviceVector;

/// C's `affinimath_history`.
pub type History = Option<unsafe extern "C" fn(user: *mut c_void, iteration: i64, residual: f64)>;

/// C's `affinimath_operator`.
pub type Operator =
    Option<unsafe extern "C" fn(user: *mut c_void, op: c_int, x: *const c_void, y: *mut c_void) -> c_int>;

/// C's `affinimath_operator_cl`.
pub type OperatorCl = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        op: c_int,
        queue: *mut ClQueue,
        x: *mut ClMem,
        offx: i64,
        y: *mut ClMem,
        offy: i64,
    ) -> c_int,
>;

/// A callback of either form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callback {
    Host(Operator),
    Device(OperatorCl),
}

impl From<Operator> for Callback {
    fn from(function: Operator) -> Self {
        Callback::Host(function)
    }
}

impl From<OperatorCl> for Callback {
    fn from(function: OperatorCl) -> Self {
        Callback::Device(function)
    }
}

impl Callback {
    /// Refuses null.
    pub(crate) fn check(self, name: &'static str) -> Result<()> {
        if matches!(self, Callback::Host(None) | Callback::Device(None)) {
            return Err(Error::argument(name, "it is null, and the solve needs it"));
        }
        Ok(())
    }
}

/// An operator that calls the caller's function.
#[derive(Debug)]
pub(crate) struct Called<T> {
    context: Context,
    /// Rows and columns.
    shape: (usize, usize),
    function: Callback,
    user: *mut c_void,
    /// The operator's name in errors.
    what: &'static str,
    of: PhantomData<T>,
}

// SAFETY: the C header documents that the function and its `user` are used on the thread that solves.
unsafe impl<T> Send for Called<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Called<T> {}

impl<T: Typed> Called<T> {
    /// An operator of `shape` on vectors in a context.
    ///
    /// # Safety
    /// The function must be valid, and behave as the C header documents, while the operator is used.
    pub(crate) unsafe fn new(
        context: Context,
        shape: (usize, usize),
        function: Callback,
        user: *mut c_void,
        what: &'static str,
    ) -> Self {
        Called { context, shape, function, user, what, of: PhantomData }
    }

    fn check(&self, status: c_int) -> Result<()> {
        if status == 0 { Ok(()) } else { Err(Error::Callback { what: self.what, status }) }
    }

    /// Calls the host form's function.
    fn call(&self, op: Op, x: &[T], y: &mut [T]) -> Result<()> {
        let Callback::Host(Some(function)) = self.function else {
            return Err(Error::Internal("a function on memory objects is called with the host's vectors".to_owned()));
        };
        // SAFETY: `Called::new` requires a valid function, and the vectors have the elements of `shape`.
        self.check(unsafe { function(self.user, op.code(), x.as_ptr().cast(), y.as_mut_ptr().cast()) })
    }
}

impl<T: Typed> LinearOperator<T> for Called<T> {
    fn context(&self) -> &Context {
        &self.context
    }

    fn rows(&self) -> usize {
        self.shape.0
    }

    fn columns(&self) -> usize {
        self.shape.1
    }

    fn apply(&self, op: Op, x: VectorRef<'_, T>, mut y: VectorMut<'_, T>) -> Result<()> {
        if let (Some(x), Some(y)) = (x.as_slice(), y.as_slice_mut()) {
            return self.call(op, x, y);
        }
        let Callback::Device(Some(function)) = self.function else {
            // The host form's function runs on copies of device vectors.
            let mut result = vec![T::ZERO; y.length()];
            self.call(op, &self.context.copy_of(x)?.download()?, &mut result)?;
            return self.context.upload(&result)?.copy_to(y);
        };
        let (from, to) = (x.device_memory(), y.device_memory());
        let (Some(from), Some(to), Some(queue)) = (from, to, self.context.own_queue()?) else {
            return Err(Error::Internal("vectors of a solve are not adjacent".to_owned()));
        };
        let location = |memory: &DeviceBuffer, offset: usize| (memory.as_raw().cast::<ClMem>(), offset as i64);
        let ((x, offx), (y, offy)) = (location(from, x.shape().offset()), location(to, y.shape().offset()));
        // SAFETY: `Called::new` requires a valid function, and the views hold both memory objects until it returns.
        self.check(unsafe { function(self.user, op.code(), queue.as_raw().cast(), x, offx, y, offy) })
    }
}
