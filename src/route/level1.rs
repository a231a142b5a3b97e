//! Level 1 on any memory.
//!
//! The memory of the views tells where an operation runs. In the host's memory, the route decides, and the result is
//! there on return. In a device's memory, it is enqueued on the context's own queue, and the event tells when it is done.

use std::sync::Arc;

use super::{Route, Work, decide};
use crate::blas::level1::Elementwise;
use crate::blas::level1::elementwise::{Operand, check_lengths, enqueue};
use crate::context::{DeviceContext, Event, Queue};
use crate::error::{Error, Result};
use crate::host::level1::{Strand, elementwise};
use crate::scalar::{Scalar, ScalarKind};
use crate::transfer::VectorOnDevice;
use crate::view::{Memory, VectorMut, VectorRef, VectorShape};

/// y := x (BLAS: xCOPY).
///
/// # Errors
/// [`Error::ShapeMismatch`] when the lengths differ, [`Error::MixedMemory`] when the vectors do not lie in one memory,
/// and what the device reports.
pub fn copy<T: Scalar>(x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    run(&Elementwise::Copy, Some((x.memory, x.shape)), (y.memory, y.shape))
}

/// x <-> y (BLAS: xSWAP).
///
/// # Errors
/// As [`copy`].
pub fn swap<T: Scalar>(x: VectorMut<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    run(&Elementwise::Swap, Some((x.memory, x.shape)), (y.memory, y.shape))
}

/// x := alpha x (BLAS: xSCAL). With alpha = 1 nothing is done; with alpha = 0, NaN and Inf give NaN, as in the reference
/// BLAS 3.12.
///
/// # Errors
/// What the device reports.
pub fn scal<T: Scalar>(alpha: T, x: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::ONE {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    run(&Elementwise::Scal(alpha), None, (x.memory, x.shape))
}

/// x := alpha x for a real alpha (BLAS: CSSCAL, ZDSCAL). As [`scal`] otherwise.
///
/// # Errors
/// What the device reports.
pub fn scal_real<T: Scalar>(alpha: T::RealScalar, x: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::RealScalar::ONE {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    run(&Elementwise::ScalReal(alpha), None, (x.memory, x.shape))
}

/// y := alpha x + y (BLAS: xAXPY). With alpha = 0 nothing is done.
///
/// # Errors
/// As [`copy`].
///
/// # Example
/// ```
/// use affinimath::{Context, axpy};
///
/// let context = Context::preferred()?;
/// let x = context.upload(&[1.0_f64, 2.0, 3.0])?;
/// let mut y = context.upload(&[10.0, 20.0, 30.0])?;
/// axpy(2.0, x.vector()?, y.vector_mut()?)?.wait()?;
/// assert_eq!(y.download()?, [12.0, 24.0, 36.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
pub fn axpy<T: Scalar>(alpha: T, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::ZERO {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    run(&Elementwise::Axpy(alpha), Some((x.memory, x.shape)), (y.memory, y.shape))
}

/// y := alpha x + beta y (BLAS Technical Forum: xAXPBY). With alpha = 0, x is not read; with beta = 0, y is not, so that
/// NaN in it vanishes.
///
/// # Errors
/// As [`copy`].
pub fn axpby<T: Scalar>(alpha: T, x: VectorRef<'_, T>, beta: T, y: VectorMut<'_, T>) -> Result<Event> {
    let Some(operation) = Elementwise::axpby(alpha, beta) else { return Ok(Event::Complete) };
    run(&operation, Some((x.memory, x.shape)), (y.memory, y.shape))
}

fn run<T: Scalar>(operation: &Elementwise<T>, x: Option<Operand<'_, T>>, y: Operand<'_, T>) -> Result<Event> {
    let x = x.filter(|_| operation.has_x());
    if let Some((_, shape)) = &x {
        check_lengths(shape, &y.1)?;
    }
    match (x.map(|(memory, _)| memory), y.0) {
        (_, Memory::Host(..)) if y.1.length() == 0 => Ok(Event::Complete), // BLAS: n <= 0 changes nothing.
        (None, Memory::Host(y_start, _)) => on_host_memory(operation, None, (y_start, y.1)),
        (Some(Memory::Host(x_start, _)), Memory::Host(y_start, _)) => {
            on_host_memory(operation, x.map(|(_, shape)| (x_start, shape)), (y_start, y.1))
        }
        (None | Some(Memory::Device(_)), Memory::Device(buffer)) => {
            enqueue(&Queue::of(buffer.context())?, operation, x, y)
        }
        _ => Err(mixed()),
    }
}

#[cold]
fn mixed() -> Error {
    Error::MixedMemory("some vectors lie in the host's memory, some in a device's".to_owned())
}

/// A vector's first address and shape, as its view had them.
type OnHost<T> = (*mut T, VectorShape);

fn on_host_memory<T: Scalar>(operation: &Elementwise<T>, x: Option<OnHost<T>>, y: OnHost<T>) -> Result<Event> {
    match decide(&work(T::KIND, y.1.length(), 1 + usize::from(x.is_some())))? {
        Route::Host => {
            // SAFETY: the views hold valid vectors of these shapes, and outlive this function.
            let strand = |(start, shape): OnHost<T>| unsafe { Strand::new(start, &shape) };
            elementwise(operation, x.map(strand), strand(y));
        }
        Route::Device(context) => on_device(operation, x, y, &context)?,
    }
    Ok(Event::Complete)
}

/// One multiplication and addition per element; each vector goes to the device, and one comes back.
fn work(kind: ScalarKind, n: usize, vectors: usize) -> Work {
    let n = n as u64;
    Work {
        kind,
        operations: n.saturating_mul(kind.multiply_add_operations()),
        bytes: n.saturating_mul((vectors + 1) as u64 * kind.bytes() as u64),
    }
}

fn on_device<T: Scalar>(
    operation: &Elementwise<T>,
    x: Option<OnHost<T>>,
    y: OnHost<T>,
    context: &Arc<DeviceContext>,
) -> Result<()> {
    let queue = Queue::of(context)?;
    // SAFETY: the views hold valid vectors; they are borrowed until this function returns, and it returns, also on an
    // error, only after the queue is done with them.
    let operands = unsafe {
        let x = x.map(|(start, shape)| VectorOnDevice::new(&queue, start, &shape, true)).transpose();
        let y = VectorOnDevice::new(&queue, y.0, &y.1, operation.reads_y());
        x.and_then(|x| Ok((x, y?)))
    };
    let result = operands.and_then(|(x, mut y)| {
        let x_view = x.as_ref().map(|x| x.as_ref("x")).transpose()?;
        let y_view = y.as_mut("y")?;
        let x_operand = x_view.map(|view| (view.memory, view.shape));
        enqueue(&queue, operation, x_operand, (y_view.memory, y_view.shape))?.wait()?;
        if let Some(x) = x.filter(|_| operation.writes_x()) {
            x.write_back(&queue)?;
        }
        y.write_back(&queue)
    });
    if result.is_err() {
        // The first error is the one to report.
        let _ = queue.finish();
    }
    result
}
