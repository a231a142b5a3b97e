//! A product from its problem to its launches.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::limits::Limits;
use super::plan::{GemmParameters, GemmPlan};
use super::{feature_probes, plan_cache};
use crate::context::{Event, Queue, QueueParts};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::scalar::Scalar;
use crate::tuning::tuned::Tuned;

/// Runs a problem by the plan that suits it and the device.
pub(crate) fn multiply<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
    let context = call.queue.context();
    context.device().info().require(T::KIND)?;
    let plan = if problem.k == 0 || call.alpha == T::ZERO {
        GemmPlan::without_product(problem, call.beta == T::ONE)
    } else {
        plan_for(call.queue, problem, &Limits::on(call.queue))
    };
    tracing::debug!(?problem, ?plan, device = context.device().info().name, "gemm");
    execute(call, problem, &plan)
}

/// The plan for a product; runs the probe that it depends on.
pub(in crate::blas::level3) fn plan_for(queue: &Queue, problem: &GemmProblem, limits: &Limits) -> GemmPlan {
    plan_best(queue, problem, queue.context().device().info(), limits)
}

/// Runs a problem by the plan that suits it.
pub(crate) fn execute_best<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, limits: &Limits) -> Result<Event> {
    let device = call.queue.context().device().info();
    execute(call, problem, &plan_best(call.queue, problem, device, limits))
}

/// The plan for a problem; if a probe fails, one without that feature.
pub(crate) fn plan_best(queue: &Queue, problem: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> GemmPlan {
    let tuned = Tuned::of_context(queue.context());
    plan_cache::plan(tuned.version(), problem, limits, || {
        let parameters = GemmParameters::for_problem(problem, device, tuned);
        let mut limits = *limits;
        loop {
            let plan = GemmPlan::choose(problem, device, &limits, &parameters);
            if feature_probes::allows(queue, problem, &plan) {
                return plan;
            }
            limits = plan.fallback(&limits);
        }
    })
}

/// Runs a problem by a given plan. Any plan is right for any problem that it was chosen for; tests run all of them.
pub(crate) fn execute<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &GemmPlan) -> Result<Event> {
    debug_assert_eq!(problem.kind, T::KIND);
    let Some(event) = plan.run(call, problem)? else { return Ok(Event::Complete) };
    call.queue.flush()?;
    Ok(event)
}
