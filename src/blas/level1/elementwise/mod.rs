//! Elementwise operations on a device: copy, swap, scal, axpy, axpby.

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use super::blocks::{Blocks, Variant};
use crate::blas::device_buffer;
use crate::blas::level1::blocks::VectorArguments;
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::{KernelFile, ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{Memory, VectorMut, VectorRef, VectorShape, View};

/// Kernels that a program holds together, for adjacent elements on CPUs and for the rest.
pub(super) struct Family {
    vectors: (&'static str, KernelFile),
    elements: (&'static str, KernelFile),
}

const ELEMENTWISE: Family = Family {
    vectors: ("level 1 elementwise cpu", source("blas/level1/elementwise_cpu.cl")),
    elements: ("level 1 elementwise", source("blas/level1/elementwise.cl")),
};

/// The kernels of rot and rotm.
pub(super) const ROTATIONS: Family = Family {
    vectors: ("level 1 rotations cpu", source("blas/level1/rotation/rot_cpu.cl")),
    elements: ("level 1 rotations", source("blas/level1/rotation/rot.cl")),
};

impl Family {
    fn source(&self, kind: ScalarKind, blocks: &Blocks, adjacent: bool, device: &DeviceInfo) -> ProgramSource {
        let mut definitions = blocks.definitions(kind, device);
        let (name, root) = match blocks.variant {
            Variant::Vectors => self.vectors,
            Variant::Elements => {
                // A CPU's variant for adjacent elements did not apply, so that they are processed one by one.
                let is_whole = adjacent && blocks.length == blocks.threads * WORK_PER_ITEM;
                definitions.extend([
                    ("ADJACENT", i64::from(is_whole)),
                    ("THREADS", blocks.threads as i64),
                    ("WORK", WORK_PER_ITEM as i64),
                ]);
                self.elements
            }
        };
        ProgramSource { name, kind, root, definitions }
    }
}

/// Elements per work-item of a GPU.
const WORK_PER_ITEM: usize = 4;

pub use affinimath_core::problem::Elementwise;

/// A vector that an operation reads or writes.
pub(crate) type Operand<'a, T> = (Memory<'a, T>, VectorShape);

/// The kernel of an operation.
const fn kernel<T: Scalar>(operation: &Elementwise<T>) -> &'static str {
    match operation {
        Elementwise::Set(_) => "set",
        Elementwise::Scal(_) => "scal",
        Elementwise::ScalReal(_) => "scal_real",
        Elementwise::Copy => "copy",
        Elementwise::Swap => "swap",
        Elementwise::Axpy(_) => "axpy",
        Elementwise::Axpby(..) => "axpby",
        Elementwise::Rotate(_) => "rot",
        Elementwise::RotateComplex(..) => "rot_complex",
    }
}

/// y := x on a device (BLAS: xCOPY). It returns as soon as the work is enqueued.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: y is undefined.
#[instances]
pub fn copy_on<T: Scalar>(queue: &Queue, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    enqueue(queue, &Elementwise::Copy, Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// x <-> y on a device (BLAS: xSWAP).
///
/// # Errors
/// Those of [`copy_on`].
#[instances]
pub fn swap_on<T: Scalar>(queue: &Queue, x: VectorMut<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    enqueue(queue, &Elementwise::Swap, Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// x := alpha x on a device (BLAS: xSCAL). With alpha = 1 nothing is done.
///
/// # Errors
/// Those of [`copy_on`].
#[instances]
pub fn scal_on<T: Scalar>(queue: &Queue, alpha: T, x: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::ONE {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    enqueue(queue, &Elementwise::Scal(alpha), None, (x.memory(), *x.shape()))
}

/// x := alpha x for a real alpha on a device (BLAS: xSSCAL, xDSCAL). With alpha = 1 nothing is done.
///
/// # Errors
/// Those of [`copy_on`].
#[instances]
pub fn scal_real_on<T: Scalar>(queue: &Queue, alpha: T::RealScalar, x: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::RealScalar::ONE {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    enqueue(queue, &Elementwise::ScalReal(alpha), None, (x.memory(), *x.shape()))
}

/// y := alpha x + y on a device (BLAS: xAXPY). With alpha = 0 nothing is done.
///
/// # Errors
/// Those of [`copy_on`].
#[instances]
pub fn axpy_on<T: Scalar>(queue: &Queue, alpha: T, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::ZERO {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    enqueue(queue, &Elementwise::Axpy(alpha), Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// y := alpha x + beta y on a device (BLAS Technical Forum: xAXPBY). With alpha = 0, x is not read; with beta = 0, y is
/// not.
///
/// # Errors
/// Those of [`copy_on`].
#[instances]
pub fn axpby_on<T: Scalar>(
    queue: &Queue,
    alpha: T,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    let Some(operation) = Elementwise::axpby(alpha, beta) else { return Ok(Event::Complete) };
    enqueue(queue, &operation, Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// Refuses vectors of different lengths.
pub(crate) fn check_lengths(x: &VectorShape, y: &VectorShape) -> Result<()> {
    if x.length() == y.length() {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("x has {} elements, y has {}", x.length(), y.length())))
}

/// Enqueues an operation. An `x` that the operation does not have is ignored.
pub(crate) fn enqueue<T: Scalar>(
    queue: &Queue,
    operation: &Elementwise<T>,
    x: Option<Operand<'_, T>>,
    y: Operand<'_, T>,
) -> Result<Event> {
    let x = x.filter(|_| operation.has_x());
    let family = if operation.rotates() { &ROTATIONS } else { &ELEMENTWISE };
    enqueue_kernel(queue, family, kernel(operation), x, y, |launch| match *operation {
        Elementwise::Set(alpha) | Elementwise::Scal(alpha) | Elementwise::Axpy(alpha) => launch.scalar(alpha),
        Elementwise::ScalReal(alpha) => launch.scalar(alpha),
        Elementwise::Axpby(alpha, beta) => launch.scalar(alpha).scalar(beta),
        Elementwise::Rotate(factors) => factors.into_iter().fold(launch, Launch::scalar),
        Elementwise::RotateComplex(c, s) => launch.scalar(c).scalar(s),
        Elementwise::Copy | Elementwise::Swap => launch,
    })
}

/// Enqueues a kernel of a family. `arguments` sets those between the sizes and the vectors.
pub(super) fn enqueue_kernel<T: Scalar>(
    queue: &Queue,
    family: &Family,
    kernel: &'static str,
    x: Option<Operand<'_, T>>,
    y: Operand<'_, T>,
    arguments: impl for<'a> FnOnce(Launch<'a>) -> Launch<'a>,
) -> Result<Event> {
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    let y_buffer = device_buffer(queue, y.0, "y")?;
    let x = match x {
        Some((memory, shape)) => {
            check_lengths(&shape, &y.1)?;
            Some((device_buffer(queue, memory, "x")?, shape))
        }
        None => None,
    };
    let n = y.1.length();
    if n == 0 {
        return Ok(Event::Complete); // BLAS: n <= 0 changes nothing.
    }
    let (x_shape, y_shape) = in_forward_order(x.map(|(_, shape)| shape), y.1);
    let adjacent = y_shape.increment() == 1 && x_shape.is_none_or(|shape| shape.increment() == 1);
    let blocks = Blocks::choose(n, adjacent, WORK_PER_ITEM, device);
    tracing::debug!(operation = kernel, n, ?blocks, device = device.name, "level 1");

    let program = queue.context().program(&family.source(T::KIND, &blocks, adjacent, device))?;
    let mut launch = arguments(Launch::new(queue, &program, kernel).index(n).index(blocks.length));
    let vectors = x.map(|(buffer, _)| buffer).zip(x_shape).into_iter().chain([(y_buffer, y_shape)]);
    for (buffer, shape) in vectors {
        launch = launch.vector(buffer, &shape, blocks.variant);
    }
    let event = launch.enqueue([blocks.count, 1, 1], [blocks.threads, 1, 1])?;
    queue.flush_events()?;
    Ok(event)
}

/// Elements are independent: two vectors with negative increments are processed forward.
pub(super) fn in_forward_order(x: Option<VectorShape>, y: VectorShape) -> (Option<VectorShape>, VectorShape) {
    if y.increment() < 0 { (x.map(|x| x.reversed()), y.reversed()) } else { (x, y) }
}
