//! A C of few rows or columns: the large operand is streamed in half precision as it lies, and only what is small becomes floats.

use affinimath_core::problem::gemm::GemmProblem;

use super::super::call::GemmCall;
use super::super::limits::Limits;
use super::super::multiply::execute;
use super::super::plan::GemmPlan;
use super::super::skinny::SkinnyPlan;
use super::{HalfCall, floats_of, packed};
use crate::context::{Event, Scratch};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::scalar::ScalarKind;
use crate::view::MatrixShape;

/// A product that streams an operand.
pub(super) struct Stream {
    /// The product as the kernels see it: its A is the large operand, in half precision, its B and C are floats.
    problem: GemmProblem,
    plan: SkinnyPlan,
    /// Whether the large operand is the caller's B.
    streams_b: bool,
    /// C's sums.
    sums: MatrixShape,
    /// Of the scratch memory.
    bytes: u64,
}

impl HalfCall<'_> {
    /// How the call's product streams; `None` where C is not skinny, or what is small is too large for the memory.
    pub(super) fn stream_plan(&self, k: usize, device: &DeviceInfo, limits: &Limits) -> Result<Option<Stream>> {
        if device.class == DeviceClass::Accelerator {
            return Ok(None);
        }
        let (m, n) = (self.c.1.rows(), self.c.1.columns());
        let streams_b = m < n;
        let [small_floats, sums_floats] = [[m.min(n), k], [m, n]].map(floats_of);
        let bytes = (small_floats as u64).saturating_add(sums_floats as u64).saturating_mul(size_of::<f32>() as u64);
        if bytes > limits.scratch_bytes {
            return Ok(None);
        }
        let whole = |shape: &MatrixShape| packed(shape, (0, shape.rows()), (0, shape.columns()), 0);
        let (a, b) = if streams_b { (whole(&self.a.1)?, self.b.1) } else { (self.a.1, whole(&self.b.1)?) };
        let sums = packed(&self.c.1, (0, m), (0, n), small_floats)?;
        let problem = GemmProblem::new(ScalarKind::S, self.ops[0], self.ops[1], &a, &b, &sums)?;
        // That of the transposed matrices, where the large operand stands on the right.
        let problem = if problem.swapped == streams_b { problem } else { problem.transposed() };
        let plan = SkinnyPlan::choose(&problem, device, limits).map(|plan| SkinnyPlan { halves: true, ..plan });
        Ok(plan.map(|plan| Stream { problem, plan, streams_b, sums, bytes }))
    }

    /// The product by such a plan.
    pub(super) fn stream(&self, stream: &Stream) -> Result<Event> {
        let Stream { problem, plan, streams_b, sums, bytes } = stream;
        tracing::debug!(?problem, ?plan, device = self.queue.context().device().info().name, "hgemm");
        let floats = Scratch::borrow(self.queue, *bytes)?;
        let (rows, columns) = ((0, self.c.1.rows()), (0, self.c.1.columns()));
        let depth = (0, problem.k);
        let (mut a, mut b) = (self.a.0, self.b.0);
        if *streams_b {
            self.operand(0, (rows, depth), (&floats, 0), &mut None)?;
            a = &floats;
        } else {
            self.operand(1, (depth, columns), (&floats, 0), &mut None)?;
            b = &floats;
        }
        let call = GemmCall { queue: self.queue, alpha: self.alpha, a, b, beta: 0.0, c: &floats };
        // The queue's order is enough.
        drop(execute(&call, problem, &GemmPlan::Skinny(*plan))?);
        self.narrow((&floats, sums), rows, columns)
    }
}
