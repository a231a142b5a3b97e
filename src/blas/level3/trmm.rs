//! B := alpha op(A) B or alpha B op(A) on a device, for a triangular A.

use affinimath_macros::instances;

use super::gemm::{
    GemmCall, GemmPlan, GemmProblem, Limits, Structure, Target, Trapezoid, execute, gather, multiply, plan_for,
};
use super::square;
use crate::blas::device_buffer;
use crate::context::{Event, Queue, Workspace};
use crate::error::Result;
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};

/// B := alpha op(A) B (left) or alpha B op(A) (right) for a triangular A, both in device memory (BLAS: xTRMM). Only one
/// triangle of A is read, and its diagonal only if it is stored.
///
/// It returns as soon as the work is enqueued; the event reports completion. BLAS: with m or n = 0 nothing is changed;
/// with alpha = 0 neither A nor B is read, and B becomes zero.
///
/// # Errors
/// Those of [`gemm_on`](super::gemm::gemm_on).
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trmm")]
#[instances]
pub fn trmm_on<T: Scalar>(
    queue: &Queue,
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = problem(T::KIND, side, (triangle, op, diagonal), a.shape(), b.shape())?;
    let (a, b) = (device_buffer(queue, a.memory(), "A")?, device_buffer(queue, b.memory(), "B")?);
    let (left, right) = if side == Side::Left { (a, b) } else { (b, a) };
    let call = GemmCall { queue, alpha, a: left, b: right, beta: T::ZERO, c: b };
    if problem.m == 0 || problem.n == 0 || alpha == T::ZERO {
        return multiply(&call, &problem); // BLAS: B is empty, or becomes zero.
    }
    queue.context().device().info().require(T::KIND)?;
    // The copy of B takes half of an operation's workspace, the product the other half.
    let limits = Limits::on(queue);
    let limits = Limits { workspace_bytes: limits.workspace_bytes / 2, ..limits };
    run(&call, &problem, limits.workspace_bytes, |problem| plan_for(queue, problem, &limits))
}

/// Runs it by the plans that `choose` gives for the products that it is made of.
pub(super) fn run<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &GemmProblem,
    copy_bytes: u64,
    choose: impl Fn(&GemmProblem) -> GemmPlan,
) -> Result<Event> {
    let plan = choose(problem);
    if works_in_place(problem, &plan) {
        tracing::debug!(?problem, ?plan, "trmm in place");
        return execute(call, problem, &plan);
    }
    by_slabs(call, problem, copy_bytes, choose)
}

/// True if a plan reads B before it writes there: the packed family packs whole columns of its right operand first.
fn works_in_place(problem: &GemmProblem, plan: &GemmPlan) -> bool {
    match plan {
        GemmPlan::Packed(plan) => problem.a.structure.is_triangular() && plan.slab[1] >= problem.k,
        _ => false,
    }
}

/// The product by slabs: copy columns of B (rows, for a triangle on the right) to workspace, and multiply the copy
/// into B.
fn by_slabs<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &GemmProblem,
    copy_bytes: u64,
    choose: impl Fn(&GemmProblem) -> GemmPlan,
) -> Result<Event> {
    let (a, b) = call.operands(problem);
    let on_left = problem.a.structure.is_triangular();
    let extent = if on_left { problem.n } else { problem.m };
    let slab = slab(extent, problem.k * T::KIND.bytes(), copy_bytes);
    let copy = Workspace::borrow(call.queue, (slab * problem.k * T::KIND.bytes()) as u64)?;
    let mut last = Event::Complete;
    for first in (0..extent).step_by(slab) {
        let size = slab.min(extent - first);
        let mut slab_problem = GemmProblem { swapped: false, ..*problem };
        let mut call = GemmCall { a, b, ..*call };
        if on_left {
            slab_problem.n = size;
            slab_problem.c = problem.c.shifted(0, first);
            slab_problem.b = gather(call.queue, T::KIND, b, &problem.b.shifted(0, first), [problem.k, size], &copy)?;
            call.b = &copy;
        } else {
            slab_problem.m = size;
            slab_problem.c = problem.c.shifted(first, 0);
            slab_problem.a = gather(call.queue, T::KIND, a, &problem.a.shifted(first, 0), [size, problem.k], &copy)?;
            call.a = &copy;
        }
        let plan = choose(&slab_problem);
        tracing::debug!(?slab_problem, ?plan, "trmm");
        last = execute(&call, &slab_problem, &plan)?;
    }
    Ok(last)
}

/// Columns or rows of B, of `bytes` each, that are copied at a time: multiples of a tile if memory allows.
fn slab(extent: usize, bytes: usize, workspace_bytes: u64) -> usize {
    const TILE: usize = 128;
    let fitting = (workspace_bytes / bytes as u64).max(1) as usize;
    if fitting >= extent {
        extent
    } else if fitting > TILE {
        fitting / TILE * TILE
    } else {
        fitting
    }
}

/// The equivalent product; its C is B, so that it must not run in place.
///
/// # Errors
/// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if A is not square or the sizes do not agree.
pub(crate) fn problem(
    kind: ScalarKind,
    side: Side,
    (triangle, op, diagonal): (Triangle, Op, Diag),
    a: &MatrixShape,
    b: &MatrixShape,
) -> Result<GemmProblem> {
    square(a, "A")?;
    let left = (op, a, Structure::Triangular(Trapezoid::of(triangle), diagonal));
    let right = (Op::NoTrans, b, Structure::General);
    let (left, right) = if side == Side::Left { (left, right) } else { (right, left) };
    GemmProblem::structured(kind, left, right, (b, Target::Whole))
}

#[cfg(test)]
mod host {
    use super::slab;

    #[test]
    fn a_slab_is_what_workspace_holds() {
        assert_eq!(slab(1000, 400, 1 << 20), 1000);
        assert_eq!(slab(10_000, 400, 1 << 20), 2560);
        assert_eq!(slab(10_000, 40_000, 1 << 20), 26);
        assert_eq!(slab(10_000, 1 << 21, 1 << 20), 1);
    }
}
