//! Skinny fp16 products: the large operand is streamed in half precision, and only the small matrices become floats.

use affinimath_core::problem::gemm::GemmProblem;

use super::super::call::GemmCall;
use super::super::limits::Limits;
use super::super::multiply::execute;
use super::super::plan::GemmPlan;
use super::super::skinny::SkinnyPlan;
use super::{Fp16Gemm, floats_of, packed};
use crate::context::{Event, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::scalar::ScalarKind;
use crate::view::MatrixShape;

/// A product that streams an operand.
pub(super) struct Stream {
    /// The problem of the kernels: A is the large operand in half precision, B and C are floats.
    problem: GemmProblem,
    plan: SkinnyPlan,
    /// The large operand is the caller's B.
    streams_b: bool,
    /// Accumulators of C.
    accumulators: MatrixShape,
    /// Of the workspace.
    bytes: u64,
}

impl Fp16Gemm<'_> {
    /// `None` if C is not skinny, or the small matrices do not fit into workspace.
    pub(super) fn stream_plan(&self, k: usize, device: &DeviceInfo, limits: &Limits) -> Result<Option<Stream>> {
        if device.class == DeviceClass::Accelerator {
            return Ok(None);
        }
        let (m, n) = (self.c.1.rows(), self.c.1.columns());
        let streams_b = m < n;
        let [small_floats, accumulator_floats] = [[m.min(n), k], [m, n]].map(floats_of);
        let bytes =
            (small_floats as u64).saturating_add(accumulator_floats as u64).saturating_mul(size_of::<f32>() as u64);
        if bytes > limits.workspace_bytes {
            return Ok(None);
        }
        let whole = |shape: &MatrixShape| packed(shape, (0, shape.rows()), (0, shape.columns()), 0);
        let (a, b) = if streams_b { (whole(&self.a.1)?, self.b.1) } else { (self.a.1, whole(&self.b.1)?) };
        let accumulators = packed(&self.c.1, (0, m), (0, n), small_floats)?;
        let problem = GemmProblem::new(ScalarKind::S, self.ops[0], self.ops[1], &a, &b, &accumulators)?;
        // With the large operand on the right, the transposed problem.
        let problem = if problem.swapped == streams_b { problem } else { problem.transposed() };
        let plan = SkinnyPlan::choose(&problem, device, limits).map(|plan| SkinnyPlan { fp16: true, ..plan });
        Ok(plan.map(|plan| Stream { problem, plan, streams_b, accumulators, bytes }))
    }

    /// The product by such a plan.
    pub(super) fn stream(&self, stream: &Stream) -> Result<Event> {
        let Stream { problem, plan, streams_b, accumulators, bytes } = stream;
        tracing::debug!(?problem, ?plan, device = self.queue.context().device().info().name, "hgemm");
        let floats = Workspace::borrow(self.queue, *bytes)?;
        let (rows, columns) = ((0, self.c.1.rows()), (0, self.c.1.columns()));
        let k = (0, problem.k);
        let (mut a, mut b) = (self.a.0, self.b.0);
        if *streams_b {
            self.operand(0, (rows, k), (&floats, 0), &mut None)?;
            a = &floats;
        } else {
            self.operand(1, (k, columns), (&floats, 0), &mut None)?;
            b = &floats;
        }
        let call = GemmCall { queue: self.queue, alpha: self.alpha, a, b, beta: 0.0, c: &floats };
        // The queue's order is enough.
        drop(execute(&call, problem, &GemmPlan::Skinny(*plan))?);
        self.narrow((&floats, accumulators), rows, columns)
    }
}
