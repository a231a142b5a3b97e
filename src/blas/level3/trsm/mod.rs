//! op(A) X = alpha B and X op(A) = alpha B on a device, for a triangular A.
//!
//! Diagonal blocks are inverted first; everything else is gemm. Recursive trsm: solve the first half, update the second
//! half's right-hand sides, solve the second half. All work is enqueued at once.

mod fallback;
mod invert;
mod plan;
mod problem;

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use crate::blas::device_buffer;
use crate::blas::level3::gemm::{
    GemmCall, GemmPlan, GemmProblem, Limits, Operand, Target, execute as multiply, execute_best, local_memory_for,
    plan_best,
};
use crate::blas::movement::{Term, enqueue_sum};
use crate::context::{ContextParts, DeviceMemory, Event, Queue, QueueParts, Workspace};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, View};
use fallback::Fallback;
use invert::Inverses;

use plan::wants_local_memory;
pub use plan::{TrsmBlocks, TrsmMemory, TrsmPlan};
pub use problem::TrsmProblem;

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) on a device (BLAS: xTRSM). X overwrites B. It returns
/// as soon as the work is enqueued. Only one triangle of A is read, and its diagonal only if it is stored; with alpha =
/// 0, A is not read.
///
/// There is no test for singularity: a zero on the diagonal gives Inf and NaN in X, except that 0 divided by it stays
/// 0. If an element of the diagonal is zero or close to overflow or underflow, nothing is inverted, and the solution is
/// by substitution.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was
/// enqueued. [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: B is
/// undefined.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trsm")]
#[instances]
pub fn trsm_on<T: Scalar>(
    queue: &Queue,
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = TrsmProblem::new(T::KIND, side, (triangle, op, diagonal), a.shape(), b.shape())?;
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    let (a, b) = (device_buffer(queue, a.memory(), "A")?, device_buffer(queue, b.memory(), "B")?);
    let plan = TrsmPlan::choose(&problem, alpha == T::ZERO, device, TrsmMemory::of(queue, &problem, device));
    tracing::debug!(?problem, ?plan, device = device.name, "trsm");
    let event = execute(&TrsmCall { queue, alpha, a, b }, &problem, &plan, device)?;
    queue.flush()?;
    Ok(event)
}

/// The inverse of a triangular matrix that is lower, n elements from row to row, with zeros above its diagonal.
pub(crate) fn invert<'q, T: Scalar>(
    call: &TrsmCall<'q, T>,
    problem: &TrsmProblem,
    device: &DeviceInfo,
) -> Result<Workspace<'q>> {
    Inverses::whole(call, problem, device)
}

impl TrsmMemory {
    /// Memory of a queue's device for a problem, or of a device with other facts.
    pub(crate) fn of(queue: &Queue, problem: &TrsmProblem, device: &DeviceInfo) -> Self {
        let asks = wants_local_memory(problem, device);
        let local_bytes = if asks { local_memory_for(queue, problem.kind) } else { device.local_memory_bytes };
        TrsmMemory { workspace_bytes: workspace_bytes(queue), local_bytes }
    }
}

/// A quarter of the context's limit for the blocks, and as much again for the products.
fn workspace_bytes(queue: &Queue) -> u64 {
    queue.context().workspace_limit() / 4
}

/// Memory and scalar of a call, which the problem does not hold.
pub(crate) struct TrsmCall<'a, T> {
    pub(crate) queue: &'a Queue,
    pub(crate) alpha: T,
    pub(crate) a: &'a dyn DeviceMemory,
    pub(crate) b: &'a dyn DeviceMemory,
}

/// Runs a problem by a given plan. The facts select the kernels that invert.
pub(crate) fn execute<T: Scalar>(
    call: &TrsmCall<'_, T>,
    problem: &TrsmProblem,
    plan: &TrsmPlan,
    device: &DeviceInfo,
) -> Result<Event> {
    match plan {
        TrsmPlan::Nothing => Ok(Event::Complete),
        TrsmPlan::Zero => enqueue_sum::<T>(call.queue, problem.n, problem.columns, &[], (call.b, problem.b), false),
        TrsmPlan::Blocks(blocks) => {
            let inverses = Inverses::compute(call, problem, blocks, device)?;
            let mut limits = Limits::on(call.queue);
            limits.workspace_bytes = workspace_bytes(call.queue);
            let mut last = Event::Complete;
            for j in (0..problem.columns).step_by(blocks.columns) {
                let columns = blocks.columns.min(problem.columns - j);
                let problem = TrsmProblem { columns, b: problem.b.shifted(0, j), ..*problem };
                let fallback = Fallback::begin(call, &problem, device)?;
                last = solve_columns(call, &problem, blocks, &inverses, limits, device)?;
                if let Some(fallback) = fallback {
                    last = fallback.finish(call, &problem)?;
                }
            }
            Ok(last)
        }
    }
}

/// Solves for one slab of B's columns.
fn solve_columns<T: Scalar>(
    call: &TrsmCall<'_, T>,
    problem: &TrsmProblem,
    blocks: &TrsmBlocks,
    inverses: &Inverses<'_>,
    limits: Limits,
    device: &DeviceInfo,
) -> Result<Event> {
    let TrsmProblem { n, columns, b: solution, .. } = *problem;
    let mut solver =
        Solver { call, problem: *problem, blocks, inverses, limits, device, rhs: call.b, rhs_operand: solution };
    if solver.works_in_place() {
        return solver.solve(0, n, call.alpha);
    }
    // A block's product reads all of its right-hand sides while it writes the solution, so that it needs a copy of
    // them.
    let copy = Workspace::borrow(call.queue, (n * columns * size_of::<T>()) as u64)?;
    let dense = if solution.row_stride == 1 { Operand::general(0, 1, n) } else { Operand::general(0, columns, 1) };
    let term = Term { factor: T::ONE, memory: call.b, operand: solution };
    enqueue_sum(call.queue, n, columns, &[term], (&copy, dense), false).map(drop)?;
    solver.rhs = &copy;
    solver.rhs_operand = dense;
    solver.solve(0, n, call.alpha)
}

/// State of one solution, shared by all levels of the recursion.
struct Solver<'s, 'q, T> {
    call: &'s TrsmCall<'q, T>,
    problem: TrsmProblem,
    blocks: &'s TrsmBlocks,
    inverses: &'s Inverses<'q>,
    limits: Limits,
    device: &'s DeviceInfo,
    /// The right-hand sides that are still to be solved for: B, or a copy of it.
    rhs: &'s dyn DeviceMemory,
    rhs_operand: Operand,
}

impl<T: Scalar> Solver<'_, '_, T> {
    /// Solves rows `first..end` with right-hand sides alpha B. All blocks but the matrix's last one are complete.
    fn solve(&self, first: usize, end: usize, alpha: T) -> Result<Event> {
        let count = (end - first).div_ceil(self.blocks.block);
        if count == 1 {
            return self.solve_block(first, end - first, alpha);
        }
        let middle = first + count.div_ceil(2) * self.blocks.block;
        // Lower triangle: forward substitution. Upper triangle: backward substitution.
        let (solved, rest) = match self.problem.triangle {
            Triangle::Lower => (first..middle, middle..end),
            Triangle::Upper => (middle..end, first..middle),
        };
        self.solve(solved.start, solved.end, alpha).map(drop)?;
        let update = GemmProblem {
            kind: T::KIND,
            m: rest.len(),
            n: self.problem.columns,
            k: solved.len(),
            a: self.problem.a.shifted(rest.start, solved.start),
            b: self.problem.b.shifted(solved.start, 0),
            c: self.rhs_operand.shifted(rest.start, 0),
            target: Target::Whole,
            swapped: false,
        };
        let TrsmCall { queue, a, b, .. } = *self.call;
        let call = GemmCall { queue, alpha: -T::ONE, a, b, beta: alpha, c: self.rhs };
        drop(execute_best(&call, &by_columns(update), &self.limits)?);
        self.solve(rest.start, rest.end, T::ONE)
    }

    /// X := alpha times the inverse of a diagonal block times its right-hand sides.
    fn solve_block(&self, first: usize, rows: usize, alpha: T) -> Result<Event> {
        let problem = self.block_product(first, rows);
        let plan = plan_best(self.call.queue, &problem, self.device, &self.limits);
        let (a, _) = self.inverses.of_block(first);
        let call = GemmCall { queue: self.call.queue, alpha, a, b: self.rhs, beta: T::ZERO, c: self.call.b };
        multiply(&call, &problem, &plan)
    }

    fn block_product(&self, first: usize, rows: usize) -> GemmProblem {
        by_columns(GemmProblem {
            kind: T::KIND,
            m: rows,
            n: self.problem.columns,
            k: rows,
            a: self.inverses.of_block(first).1,
            b: self.rhs_operand.shifted(first, 0),
            c: self.problem.b.shifted(first, 0),
            target: Target::Whole,
            swapped: false,
        })
    }

    /// True if a block's product may overwrite its right-hand sides, because it packs them first.
    fn works_in_place(&self) -> bool {
        let block = self.blocks.block;
        let sizes = [block.min(self.problem.n), (self.problem.n - 1) % block + 1];
        sizes.into_iter().all(|rows| {
            let problem = self.block_product(0, rows);
            match plan_best(self.call.queue, &problem, self.device, &self.limits) {
                GemmPlan::Packed(plan) => plan.may_replace_operand(&problem),
                _ => false,
            }
        })
    }
}

/// The product with contiguous columns of C.
fn by_columns(problem: GemmProblem) -> GemmProblem {
    if problem.c.row_stride == 1 { problem } else { problem.transposed() }
}
