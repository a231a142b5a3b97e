//! Triangular solves with one right-hand side on a device: trsv, tbsv, tpsv.
//!
//! All of them are one operation, a `Solve` on a column-major matrix, block by block. The first group of a launch
//! solves for a block of unknowns. The other groups subtract the previous block's contribution from the remaining
//! right-hand sides.

mod plan;

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use crate::blas::device_buffer;
use crate::blas::level2::arguments::StoredArguments;
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{BandRef, MatrixRef, PackedRef, VectorMut, View};

pub(crate) use affinimath_core::problem::solve::Solve;
pub use plan::SolvePlan;

/// x := op(A)⁻¹ x for a triangle of a full matrix on a device (BLAS: xTRSV). It returns as soon as the work is
/// enqueued. BLAS: A is not tested for singularity; a zero on the diagonal gives infinities and NaN, except that an
/// element of x that is zero stays zero.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: x is undefined.
#[instances]
pub fn trsv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, &Solve::full(triangle, op, diagonal, a, x)?)
}

/// x := op(A)⁻¹ x for a triangular band matrix on a device (BLAS: xTBSV). If a band stores both triangles, the given
/// one is used.
///
/// # Errors
/// Those of [`trsv_on`].
#[instances]
pub fn tbsv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: BandRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, &Solve::band(triangle, op, diagonal, a, x)?)
}

/// x := op(A)⁻¹ x for a packed triangle on a device (BLAS: xTPSV).
///
/// # Errors
/// Those of [`trsv_on`].
#[instances]
pub fn tpsv_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    diagonal: Diag,
    a: PackedRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, &Solve::packed(op, diagonal, a, x)?)
}

/// Enqueues a solve.
pub(crate) fn solve_on<T: Scalar>(queue: &Queue, solve: &Solve<'_, T>) -> Result<Event> {
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    execute(queue, solve, &SolvePlan::choose(T::KIND, device))
}

/// Runs a solve by a given plan: any plan is right for any solve.
fn execute<T: Scalar>(queue: &Queue, solve: &Solve<'_, T>, plan: &SolvePlan) -> Result<Event> {
    let (a, x) = (device_buffer(queue, solve.a, "A")?, device_buffer(queue, solve.x.memory(), "x")?);
    let (context, stored) = (queue.context(), &solve.stored);
    let device = context.device().info();
    if stored.rows == 0 {
        return Ok(Event::Complete); // BLAS: n = 0 changes nothing.
    }
    tracing::debug!(?stored, op = ?solve.op, ?plan, device = device.name, "triangular solve");
    let program = context.program(&plan.source(T::KIND, solve.op.transposes(), device))?;
    let mut last = Event::Complete;
    for step in plan.steps(stored.rows, solve.reach()) {
        last = Launch::new(queue, &program, "solve")
            .index(stored.rows)
            .stored_strides(stored)
            .flag(solve.forward)
            .flag(solve.op.conjugates())
            .flag(solve.unit)
            .buffer(a)
            .index(stored.offset)
            .vector_by_steps(x, solve.x.shape())
            .index(step.first)
            .index(step.count)
            .enqueue([step.groups, 1, 1], [plan.threads(), 1, 1])?;
    }
    queue.flush()?;
    Ok(last)
}
