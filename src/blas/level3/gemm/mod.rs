//! C := alpha op(A) op(B) + beta C on a device.
//!
//! A call becomes a [`GemmProblem`], for which [`GemmPlan::choose`] picks a kernel family and its sizes from facts about
//! the device; each family's file launches its own kernels.

mod arguments;
mod expanded;
mod finish;
mod half;
mod known;
mod packed;
mod plan;
mod portable;
mod skinny;
mod skinny_tensor;
mod space;
mod tensor;
mod tiled;
mod tiles;
mod trial;

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use crate::blas::device_buffer;
use crate::context::{DeviceMemory, Event, Queue, QueueParts};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::tuning::tuned::Tuned;
use crate::view::View;
use crate::view::{MatrixMut, MatrixRef};

pub use affinimath_core::problem::gemm::{GemmProblem, Operand};
pub use affinimath_core::problem::structure::{Structure, Target, Wedge};
pub(crate) use arguments::GemmArguments;
pub use expanded::ExpandedPlan;
pub(super) use finish::gather;
pub use half::hgemm_on;
pub use packed::{PackedParameters, PackedPlan};
pub use plan::{GemmParameters, GemmPlan, Limits};
pub use portable::PortablePlan;
pub(crate) use skinny::MOST_SKINNY;
pub use skinny::{SkinnyFamily, SkinnyPlan};
pub use skinny_tensor::SkinnyTensorPlan;
pub(crate) use space::class_of;
pub use tensor::{TensorParameters, TensorPlan};
pub use tiled::{Arithmetic, TiledParameters, TiledPlan};
pub use trial::{Singles, TensorUse};
pub(crate) use trial::{local_memory_for, multiplies_doubles, opt_in_local_memory};

/// C := alpha op(A) op(B) + beta C, all three in device memory of the queue's context.
///
/// Returns as soon as the work is enqueued; the event tells when it is done. BLAS: with m or n = 0 nothing is changed;
/// with alpha or k = 0 A and B are not read; with beta = 0 C is not read.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: C is not to be used.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
#[instances]
pub fn gemm_on<T: Scalar>(
    queue: &Queue,
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = GemmProblem::new(T::KIND, op_a, op_b, a.shape(), b.shape(), c.shape())?;
    let call = GemmCall {
        queue,
        alpha,
        a: device_buffer(queue, a.memory(), "A")?,
        b: device_buffer(queue, b.memory(), "B")?,
        beta,
        c: device_buffer(queue, c.memory(), "C")?,
    };
    multiply(&call, &problem)
}

/// Runs a problem by the plan that suits it and the device.
pub(crate) fn multiply<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
    let context = call.queue.context();
    context.device().facts().require(T::KIND)?;
    let plan = if problem.k == 0 || call.alpha == T::ZERO {
        GemmPlan::without_product(problem, call.beta == T::ONE)
    } else {
        plan_for(call.queue, problem, &Limits::on(call.queue))
    };
    tracing::debug!(?problem, ?plan, device = context.device().facts().name, "gemm");
    execute(call, problem, &plan)
}

/// The plan for a product, after the trial that it may depend on.
pub(super) fn plan_for(queue: &Queue, problem: &GemmProblem, limits: &Limits) -> GemmPlan {
    plan_best(queue, problem, queue.context().device().facts(), limits)
}

/// Runs a problem by the plan that suits it.
pub(crate) fn execute_best<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, limits: &Limits) -> Result<Event> {
    let device = call.queue.context().device().facts();
    execute(call, problem, &plan_best(call.queue, problem, device, limits))
}

/// The plan for a problem; where tensor cores turn out not to work as it has them, another one.
pub(crate) fn plan_best(queue: &Queue, problem: &GemmProblem, device: &DeviceFacts, limits: &Limits) -> GemmPlan {
    let tuned = Tuned::of_context(queue.context());
    known::plan(tuned.version(), problem, limits, || {
        let parameters = GemmParameters::for_problem(problem, device, tuned);
        let mut limits = *limits;
        loop {
            let plan = GemmPlan::choose(problem, device, &limits, &parameters);
            if trial::allows(queue, problem, &plan) {
                return plan;
            }
            if matches!(plan, GemmPlan::Tiled(plan) if plan.parameters.is_copied()) {
                limits.copies = false;
                continue;
            }
            // First without what the device does not state, then without the tensor cores.
            limits.tensor =
                if limits.tensor.unstated { TensorUse { unstated: false, ..limits.tensor } } else { TensorUse::NONE };
        }
    })
}

/// Runs a problem by a given plan. Any plan is right for any problem that it was chosen for; tests run all of them.
pub(crate) fn execute<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &GemmPlan) -> Result<Event> {
    debug_assert_eq!(problem.kind, T::KIND);
    let event = match plan {
        GemmPlan::Nothing => return Ok(Event::Complete),
        GemmPlan::Scale => finish::scale(call, problem)?,
        GemmPlan::Portable(plan) => portable::run(call, problem, plan)?,
        GemmPlan::Packed(plan) => packed::run(call, problem, plan)?,
        GemmPlan::Tiled(plan) => tiled::run(call, problem, plan)?,
        GemmPlan::Tensor(plan) => tensor::run(call, problem, plan)?,
        GemmPlan::Expanded(plan) => expanded::run(call, problem, plan)?,
        GemmPlan::Skinny(plan) => skinny::run(call, problem, plan)?,
        GemmPlan::SkinnyTensor(plan) => skinny_tensor::run(call, problem, plan)?,
    };
    call.queue.flush()?;
    Ok(event)
}

/// What a launch needs besides the problem: the memory and the scalars, under the caller's names.
pub(crate) struct GemmCall<'a, T> {
    pub(crate) queue: &'a Queue,
    pub(crate) alpha: T,
    pub(crate) a: &'a dyn DeviceMemory,
    pub(crate) b: &'a dyn DeviceMemory,
    pub(crate) beta: T,
    pub(crate) c: &'a dyn DeviceMemory,
}

impl<'a, T> GemmCall<'a, T> {
    /// The memory of the problem's A and B.
    pub(crate) fn operands(&self, problem: &GemmProblem) -> (&'a dyn DeviceMemory, &'a dyn DeviceMemory) {
        if problem.swapped { (self.b, self.a) } else { (self.a, self.b) }
    }
}
