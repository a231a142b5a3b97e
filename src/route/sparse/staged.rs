//! Vectors and dense matrices of the host's memory where a sparse matrix lies, for one operation.

use crate::context::{Queue, QueueParts};
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::scalar::Scalar;
use crate::transfer::{OnDevice, VectorOnDevice};
use crate::view::{MatrixMut, MatrixRef, Memory, VectorMut, VectorRef, View};

macro_rules! carried {
    ($(#[$meta:meta])* $name:ident, $reading:ident, $writing:ident, $on_device:ident) => {
        $(#[$meta])*
        pub struct $name<'a, T>(Location<$writing<'a, T>, $on_device<T>>);

        impl<'a, T: Scalar> $name<'a, T> {
            /// Stages an operand that an operation reads.
            ///
            /// # Errors
            /// [`Error::MixedMemory`] when it does not lie in the host's memory; [`Error::OutOfDeviceMemory`], and what
            /// the device reports.
            pub fn reading(context: &Context, view: $reading<'a, T>) -> Result<Self> {
                Self::new(context, $writing::from_parts(view.memory(), *view.shape()), true)
            }

            /// Stages an operand that an operation writes. With `read` false its elements are not copied.
            ///
            /// # Errors
            /// The errors of [`Self::reading`].
            pub fn writing(context: &Context, view: $writing<'a, T>, read: bool) -> Result<Self> {
                Self::new(context, view, read)
            }

            fn new(context: &Context, view: $writing<'a, T>, read: bool) -> Result<Self> {
                let Memory::Host(start, _) = view.memory() else {
                    return Err(Error::MixedMemory("an operand lies on a device, and should on the host".to_owned()));
                };
                let Some(device) = context.on_device() else { return Ok($name(Location::Here(view))) };
                device.device().info().require(T::KIND)?;
                let queue = Queue::new(device)?;
                // SAFETY: the view holds its elements, which nobody else uses while it lives.
                let there = unsafe { $on_device::new(&queue, start, view.shape(), read)? };
                Ok($name(Location::There(queue, there)))
            }

            /// It as the context has it, to read.
            ///
            /// # Errors
            /// None for one that exists.
            pub fn view(&self) -> Result<$reading<'_, T>> {
                match &self.0 {
                    Location::Here(view) => Ok($reading::from_parts(view.memory(), *view.shape())),
                    Location::There(_, there) => there.as_ref("an operand"),
                    Location::TakenBack => Err(taken_back()),
                }
            }

            /// It as the context has it, to write.
            ///
            /// # Errors
            /// None for one that exists.
            pub fn view_mut(&mut self) -> Result<$writing<'_, T>> {
                match &mut self.0 {
                    Location::Here(view) => Ok($writing::from_parts(view.memory(), *view.shape())),
                    Location::There(_, there) => there.as_mut("an operand"),
                    Location::TakenBack => Err(taken_back()),
                }
            }

            /// Waits for what was done with it, and brings it back into the host's memory.
            ///
            /// # Errors
            /// Errors of the device.
            pub fn take_back(mut self) -> Result<()> {
                match std::mem::replace(&mut self.0, Location::TakenBack) {
                    Location::There(queue, there) => queue.lending_memory(|| there.write_back(&queue)),
                    Location::Here(_) | Location::TakenBack => Ok(()),
                }
            }
        }

        /// The host's memory is the caller's again once the device is done with it, whatever became of the operation.
        impl<T> Drop for $name<'_, T> {
            fn drop(&mut self) {
                if let Location::There(queue, _) = &self.0 {
                    // Waiting for the operation reports errors of the device.
                    let _ = queue.finish();
                }
            }
        }
    };
}

/// Location of the operand: in place, or copied to the device of a queue.
enum Location<H, D> {
    Here(H),
    There(Queue, D),
    TakenBack,
}

#[cold]
fn taken_back() -> Error {
    Error::Internal("an operand was taken back and is asked for".to_owned())
}

carried! {
    /// A vector of the host's memory where a context works with it.
    StagedVector, VectorRef, VectorMut, VectorOnDevice
}
carried! {
    /// A dense matrix of the host's memory where a context works with it.
    StagedMatrix, MatrixRef, MatrixMut, OnDevice
}
