//! The portable family: runs on every device, and is the reference for the others.

use affinimath_core::problem::gemm::GemmProblem;

use super::arguments::{Form, definitions};
use super::call::GemmCall;
use super::family::Family;
use super::limits::Limits;
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, Event};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Elements of C that a work-item computes, and work-items in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortablePlan {
    /// Rows and columns of C per work-item.
    pub work_per_item: [usize; 2],
    /// Work-items of a group along the rows and the columns of C.
    pub group: [usize; 2],
}

impl PortablePlan {
    pub(in crate::blas::level3) fn choose(device: &DeviceInfo) -> Self {
        let group = if device.max_work_group_size >= 64 { [8, 8] } else { [1, 1] };
        PortablePlan { work_per_item: [4, 4], group }
    }
}

impl PortablePlan {
    fn source(&self, problem: &GemmProblem, form: Form) -> ProgramSource {
        let [work_m, work_n] = self.work_per_item;
        let mut sizes = vec![("WORK_M", work_m as i64), ("WORK_N", work_n as i64)];
        if form.is_plain() {
            return ProgramSource {
                name: "gemm portable",
                kind: problem.kind,
                root: source("blas/level3/gemm/portable.cl"),
                definitions: sizes,
            };
        }
        sizes.extend(definitions(problem, problem.target));
        ProgramSource {
            name: "gemm portable structured",
            kind: problem.kind,
            root: source("blas/level3/gemm/portable_structured.cl"),
            definitions: sizes,
        }
    }
}

impl Family for PortablePlan {
    type Parameters = ();

    /// One plan, on every device.
    fn candidates(_: &GemmProblem, device: &DeviceInfo, _: &Limits, (): ()) -> Vec<Self> {
        vec![Self::choose(device)]
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &PortablePlan) -> Result<Event> {
    let form = Form::of(problem);
    let context = call.queue.context();
    let program = context.program(&plan.source(problem, form))?;
    let (a, b) = call.operands(problem);
    let groups = |size: usize, d: usize| size.div_ceil(plan.work_per_item[d] * plan.group[d]);
    Launch::new(call.queue, &program, form.name("gemm_portable", "gemm_portable_structured"))
        .index(problem.m)
        .index(problem.n)
        .index(problem.k)
        .scalar(call.alpha)
        .a_of(form, a, problem)
        .b_of(form, b, problem)
        .scalar(call.beta)
        .buffer(call.c)
        .target(problem)
        .triangle(form, &problem.target)
        .enqueue([groups(problem.m, 0), groups(problem.n, 1), 1], [plan.group[0], plan.group[1], 1])
}
