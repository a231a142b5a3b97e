//! Reductions on a device: dot, asum, nrm2, iamax, iamin. The result stays in device memory.
//!
//! Every work-group reduces a block of the vectors to a partial result. On NVIDIA's GPUs the last group to arrive
//! reduces those ([`ReductionMemory`] holds them with the arrival counter). Elsewhere, and on queues other than the
//! context's own, a second launch does. The order of summation is always the same.

mod plan;
#[cfg(test)]
mod tests;

use affinimath_macros::instances;
use opencl3::types::cl_mem;

pub use plan::{Reduction, ReductionPlan};

use super::elementwise::{Operand, check_lengths, in_forward_order};
use crate::blas::device_buffer;
use crate::blas::level1::blocks::{Variant, VectorArguments};
use crate::context::{ContextParts, DeviceBuffer, DeviceMemory, Event, Queue, QueueParts, ReductionMemory, Workspace};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::scalar::{Element, Scalar, ScalarKind};
use crate::view::{Memory, VectorMut, VectorRef, VectorShape, View};

/// result := sum of x_i y_i on a device (BLAS: SDOT, DDOT, CDOTU, ZDOTU); 0 for empty vectors. It returns as soon as
/// the work is enqueued. The result is a vector of one element in device memory.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: the result is undefined.
#[instances]
pub fn dot_on<T: Scalar>(
    queue: &Queue,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    result: VectorMut<'_, T>,
) -> Result<Event> {
    let dot = Reduction::Dot { conjugate: false };
    enqueue(queue, &dot, (x.memory(), *x.shape()), Some((y.memory(), *y.shape())), &result)
}

/// result := sum of conj(x_i) y_i on a device (BLAS: CDOTC, ZDOTC); equal to [`dot_on`] for the real types.
///
/// # Errors
/// Those of [`dot_on`].
#[instances]
pub fn dotc_on<T: Scalar>(
    queue: &Queue,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    result: VectorMut<'_, T>,
) -> Result<Event> {
    let dot = Reduction::Dot { conjugate: true };
    enqueue(queue, &dot, (x.memory(), *x.shape()), Some((y.memory(), *y.shape())), &result)
}

/// result := sum of x_i y_i on a device, floats accumulated in doubles (BLAS: DSDOT).
///
/// # Errors
/// Those of [`dot_on`]; [`Error::PrecisionNotSupported`] if the device has no doubles.
pub fn dsdot_on(
    queue: &Queue,
    x: VectorRef<'_, f32>,
    y: VectorRef<'_, f32>,
    result: VectorMut<'_, f64>,
) -> Result<Event> {
    enqueue(queue, &Reduction::Dsdot, (x.memory(), *x.shape()), Some((y.memory(), *y.shape())), &result)
}

/// result := `start` plus the sum of x_i y_i on a device, floats accumulated in doubles and rounded to float (BLAS:
/// SDSDOT).
///
/// # Errors
/// Those of [`dsdot_on`].
pub fn sdsdot_on(
    queue: &Queue,
    start: f32,
    x: VectorRef<'_, f32>,
    y: VectorRef<'_, f32>,
    result: VectorMut<'_, f32>,
) -> Result<Event> {
    enqueue(queue, &Reduction::Sdsdot(start), (x.memory(), *x.shape()), Some((y.memory(), *y.shape())), &result)
}

/// result := square root of the sum of |x_i|^2 on a device (BLAS: SNRM2, DNRM2, SCNRM2, DZNRM2), without intermediate
/// overflow or underflow; 0 for an empty vector.
///
/// # Errors
/// Those of [`dot_on`].
#[instances]
pub fn nrm2_on<T: Scalar>(queue: &Queue, x: VectorRef<'_, T>, result: VectorMut<'_, T::RealScalar>) -> Result<Event> {
    enqueue(queue, &Reduction::Nrm2, (x.memory(), *x.shape()), None, &result)
}

/// result := sum of |re(x_i)| + |im(x_i)| on a device (BLAS: SASUM, DASUM, SCASUM, DZASUM); 0 for an empty vector.
///
/// # Errors
/// Those of [`dot_on`].
#[instances]
pub fn asum_on<T: Scalar>(queue: &Queue, x: VectorRef<'_, T>, result: VectorMut<'_, T::RealScalar>) -> Result<Event> {
    enqueue(queue, &Reduction::Asum, (x.memory(), *x.shape()), None, &result)
}

/// result := index, from 0, of the first element with the largest |re(x_i)| + |im(x_i)| on a device (BLAS: IxAMAX); 0
/// for an empty vector. NaN is treated like [`crate::iamax`] does.
///
/// # Errors
/// Those of [`dot_on`].
#[instances]
pub fn iamax_on<T: Scalar>(queue: &Queue, x: VectorRef<'_, T>, result: VectorMut<'_, i64>) -> Result<Event> {
    enqueue(queue, &Reduction::Iamax, (x.memory(), *x.shape()), None, &result)
}

/// result := index, from 0, of the first element with the smallest |re(x_i)| + |im(x_i)| on a device (BLAS extension:
/// IxAMIN); 0 for an empty vector. NaN is treated like [`crate::iamin`] does.
///
/// # Errors
/// Those of [`dot_on`].
#[instances]
pub fn iamin_on<T: Scalar>(queue: &Queue, x: VectorRef<'_, T>, result: VectorMut<'_, i64>) -> Result<Event> {
    enqueue(queue, &Reduction::Iamin, (x.memory(), *x.shape()), None, &result)
}

/// Enqueues a reduction into device memory. Only dot products have `y`.
pub(crate) fn enqueue<T: Scalar, R: Element>(
    queue: &Queue,
    reduction: &Reduction,
    x: Operand<'_, T>,
    y: Option<Operand<'_, T>>,
    result: &VectorMut<'_, R>,
) -> Result<Event> {
    let elements = elements(queue, result.memory(), result.shape(), 1, "result")?;
    let problem = Problem::new(queue, reduction, x, y)?;
    let plan = problem.plan(queue);
    let event = problem.run(queue, &plan, elements)?;
    queue.flush_events()?;
    Ok(event)
}

/// Enqueues a reduction and waits for its result.
pub(crate) fn reduced<T: Scalar, R: Element>(
    queue: &Queue,
    reduction: &Reduction,
    x: Operand<'_, T>,
    y: Option<Operand<'_, T>>,
) -> Result<R> {
    let problem = Problem::new(queue, reduction, x, y)?;
    let workspace = Workspace::borrow(queue, size_of::<R>() as u64)?;
    let plan = problem.plan(queue);
    // The queue's order is enough.
    drop(problem.run(queue, &plan, DeviceElements { handle: workspace.handle(), offset: 0 })?);
    let mut result = [R::default()];
    workspace.read(&mut result)?;
    Ok(result[0])
}

/// Contiguous elements in device memory.
#[derive(Clone, Copy)]
pub(super) struct DeviceElements {
    handle: cl_mem,
    pub(super) offset: usize,
}

impl DeviceMemory for DeviceElements {
    fn handle(&self) -> cl_mem {
        self.handle
    }
}

/// # Errors
/// [`Error::ShapeMismatch`] if `view` has not `count` contiguous elements.
pub(super) fn elements<R: Element>(
    queue: &Queue,
    memory: Memory<'_, R>,
    shape: &VectorShape,
    count: usize,
    name: &'static str,
) -> Result<DeviceElements> {
    if shape.length() != count || (count > 1 && shape.increment() != 1) {
        let found = format!("{name} has {} elements, {} apart", shape.length(), shape.increment());
        return Err(Error::ShapeMismatch(format!("{found}; {count} adjacent ones are needed")));
    }
    Ok(DeviceElements { handle: device_buffer(queue, memory, name)?.handle(), offset: shape.offset() })
}

/// Vectors in device memory; those whose order is irrelevant are traversed forward.
struct Problem<'a> {
    reduction: Reduction,
    kind: ScalarKind,
    x: (&'a DeviceBuffer, VectorShape),
    y: Option<(&'a DeviceBuffer, VectorShape)>,
}

impl<'a> Problem<'a> {
    fn new<T: Scalar>(
        queue: &Queue,
        reduction: &Reduction,
        x: Operand<'a, T>,
        y: Option<Operand<'a, T>>,
    ) -> Result<Self> {
        let device = queue.context().device().info();
        device.require(T::KIND)?;
        if reduction.needs_doubles() {
            device.require(ScalarKind::D)?;
        }
        let x_buffer = device_buffer(queue, x.0, "x")?;
        let y = match y {
            Some((memory, shape)) => {
                check_lengths(&x.1, &shape)?;
                Some((device_buffer(queue, memory, "y")?, shape))
            }
            None => None,
        };
        let (y_shape, x_shape) =
            if reduction.finds_index() { (None, x.1) } else { in_forward_order(y.map(|(_, shape)| shape), x.1) };
        let y = y.map(|(buffer, _)| buffer).zip(y_shape);
        Ok(Problem { reduction: *reduction, kind: T::KIND, x: (x_buffer, x_shape), y })
    }

    fn plan(&self, queue: &Queue) -> ReductionPlan {
        let adjacent = self.x.1.increment() == 1 && self.y.is_none_or(|(_, shape)| shape.increment() == 1);
        let device = queue.context().device().info();
        ReductionPlan::choose(&self.reduction, self.kind, self.x.1.length(), adjacent, device)
    }

    fn run(&self, queue: &Queue, plan: &ReductionPlan, elements: DeviceElements) -> Result<Event> {
        let context = queue.context();
        let device = context.device().info();
        let blocks = plan.blocks;
        let n = self.x.1.length();
        tracing::debug!(reduction = ?self.reduction, n, ?plan, device = device.name, "level 1");

        let one_launch =
            plan.one_launch && blocks.variant == Variant::Elements && blocks.count <= ReductionMemory::PARTIALS;
        let memory = if one_launch { ReductionMemory::of(queue)? } else { None };
        let plan = ReductionPlan { one_launch: memory.is_some(), ..*plan };
        let program = context.program(&plan.source(&self.reduction, self.kind, device))?;
        let mut launch = Launch::new(queue, &program, "reduce").index(n).index(blocks.length);
        launch = self.option(launch).vector(self.x.0, &self.x.1, blocks.variant);
        if let Some((buffer, shape)) = &self.y {
            launch = launch.vector(buffer, shape, blocks.variant);
        }
        let local = [blocks.threads, 1, 1];
        if let Some(memory) = memory {
            return launch.buffer(memory).buffer(&elements).index(elements.offset).enqueue([blocks.count, 1, 1], local);
        }
        if blocks.count == 1 {
            // The kernel writes the result, and no partials.
            return launch.buffer(&elements).buffer(&elements).index(elements.offset).enqueue([1, 1, 1], local);
        }
        let partials = Workspace::borrow(queue, (blocks.count * ReductionPlan::MAX_PARTIAL_BYTES) as u64)?;
        launch
            .workspace(&partials)
            .buffer(&elements)
            .index(elements.offset)
            .enqueue_step([blocks.count, 1, 1], local)?;
        self.option(Launch::new(queue, &program, "finish").index(blocks.count))
            .workspace(&partials)
            .buffer(&elements)
            .index(elements.offset)
            .enqueue([1, 1, 1], local)
    }

    /// The reduction's option, in the type that its kernels have it in.
    fn option<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        match (self.reduction, self.kind.is_double()) {
            (Reduction::Dot { conjugate }, _) => launch.flag(conjugate),
            (Reduction::Dsdot, _) => launch.scalar(0.0_f64),
            (Reduction::Sdsdot(start), _) => launch.scalar(f64::from(start)),
            (Reduction::Asum | Reduction::Nrm2, _) => launch.flag(false),
            (Reduction::Iamax, true) => launch.scalar(1.0_f64),
            (Reduction::Iamax, false) => launch.scalar(1.0_f32),
            (Reduction::Iamin, true) => launch.scalar(-1.0_f64),
            (Reduction::Iamin, false) => launch.scalar(-1.0_f32),
        }
    }
}
