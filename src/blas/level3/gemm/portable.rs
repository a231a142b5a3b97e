//! The portable family: right on every device, and the reference for the others.

use super::{GemmCall, GemmProblem};
use crate::context::Event;
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::Scalar;

const SOURCE: &str = include_str!("../../../../cl/blas/level3/gemm/portable.cl");

/// Elements of C that a work-item computes, and work-items in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortablePlan {
    /// Rows and columns of C per work-item.
    pub work_per_item: [usize; 2],
    /// Work-items of a group along the rows and the columns of C.
    pub group: [usize; 2],
}

impl PortablePlan {
    pub(super) fn choose(device: &DeviceFacts) -> Self {
        let group = if device.max_work_group_size >= 64 { [8, 8] } else { [1, 1] };
        PortablePlan { work_per_item: [4, 4], group }
    }
}

pub(super) fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &PortablePlan) -> Result<Event> {
    let [work_m, work_n] = plan.work_per_item;
    let source = ProgramSource {
        name: "gemm portable",
        kind: T::KIND,
        files: &[SOURCE],
        definitions: vec![("WORK_M", work_m as i64), ("WORK_N", work_n as i64)],
    };
    let context = call.queue.context();
    let program = context.programs().get(context, &source)?;
    let (a, b) = call.operands(problem);
    let groups_m = problem.m.div_ceil(work_m * plan.group[0]);
    let groups_n = problem.n.div_ceil(work_n * plan.group[1]);
    Launch::new(call.queue, &program, "gemm_portable")
        .index(problem.m)
        .index(problem.n)
        .index(problem.k)
        .scalar(call.alpha)
        .operand(a, &problem.a)
        .operand(b, &problem.b)
        .scalar(call.beta)
        .buffer(call.c)
        .target(problem)
        .enqueue([groups_m, groups_n, 1], [plan.group[0], plan.group[1], 1])
}
