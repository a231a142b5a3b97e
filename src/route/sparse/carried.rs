//! Vectors and dense matrices of the host's memory where a sparse matrix lies, for one operation.

use crate::context::Queue;
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::scalar::Scalar;
use crate::transfer::{OnDevice, VectorOnDevice};
use crate::view::{MatrixMut, MatrixRef, Memory, VectorMut, VectorRef};

macro_rules! carried {
    ($(#[$meta:meta])* $name:ident, $reading:ident, $writing:ident, $on_device:ident) => {
        $(#[$meta])*
        pub struct $name<'a, T>(Place<$writing<'a, T>, $on_device<T>>);

        impl<'a, T: Scalar> $name<'a, T> {
            /// What an operation reads.
            ///
            /// # Errors
            /// [`Error::MixedMemory`] when it does not lie in the host's memory; [`Error::OutOfDeviceMemory`], and what the device reports.
            pub fn reading(context: &Context, view: $reading<'a, T>) -> Result<Self> {
                Self::new(context, $writing { memory: view.memory, shape: view.shape }, true)
            }

            /// What an operation writes. With `read` false its elements are left behind.
            ///
            /// # Errors
            /// As [`Self::reading`].
            pub fn writing(context: &Context, view: $writing<'a, T>, read: bool) -> Result<Self> {
                Self::new(context, view, read)
            }

            fn new(context: &Context, view: $writing<'a, T>, read: bool) -> Result<Self> {
                let Memory::Host(start, _) = view.memory else {
                    return Err(Error::MixedMemory("an operand lies on a device, and should on the host".to_owned()));
                };
                let Some(device) = context.on_device() else { return Ok($name(Place::Here(view))) };
                device.device().facts().require(T::KIND)?;
                let queue = Queue::of(device)?;
                // SAFETY: the view holds its elements, which nobody else uses while it lives.
                let there = unsafe { $on_device::new(&queue, start, &view.shape, read)? };
                Ok($name(Place::There(queue, there)))
            }

            /// It as the context has it, to read.
            ///
            /// # Errors
            /// None for one that exists.
            pub fn view(&self) -> Result<$reading<'_, T>> {
                match &self.0 {
                    Place::Here(view) => Ok($reading { memory: view.memory, shape: view.shape }),
                    Place::There(_, there) => there.as_ref("an operand"),
                }
            }

            /// It as the context has it, to write.
            ///
            /// # Errors
            /// None for one that exists.
            pub fn view_mut(&mut self) -> Result<$writing<'_, T>> {
                match &mut self.0 {
                    Place::Here(view) => Ok($writing { memory: view.memory, shape: view.shape }),
                    Place::There(_, there) => there.as_mut("an operand"),
                }
            }

            /// Waits for what was done with it, and brings it back into the host's memory.
            ///
            /// # Errors
            /// What the device reports.
            pub fn take_back(self) -> Result<()> {
                match self.0 {
                    Place::Here(_) => Ok(()),
                    Place::There(queue, there) => there.write_back(&queue),
                }
            }
        }
    };
}

/// Where it is: it was there already, or it was brought to a queue's device.
enum Place<H, D> {
    Here(H),
    There(Queue, D),
}

carried! {
    /// A vector of the host's memory where a context works with it.
    CarriedVector, VectorRef, VectorMut, VectorOnDevice
}
carried! {
    /// A dense matrix of the host's memory where a context works with it.
    CarriedMatrix, MatrixRef, MatrixMut, OnDevice
}
