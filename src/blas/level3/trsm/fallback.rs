//! Substitution with divisions, for systems with a diagonal element that is zero, NaN, or close to overflow or
//! underflow. Inverted blocks are inaccurate there.
//!
//! A kernel checks the diagonal, so that nothing waits on the host. The substitution reads B before the products
//! overwrite it, and its result replaces theirs. Both kernels return at once for an ordinary diagonal.

use super::{TrsmCall, TrsmProblem};
use crate::context::{ContextParts, Event, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Diag, Triangle};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// Maximum work-items of a group on devices other than CPUs.
const THREADS: usize = 256;
/// Maximum groups: each of them reads the whole diagonal.
const GROUPS: usize = 64;

/// Solution by substitution, in workspace, followed by the flag that makes it valid.
pub(super) struct Fallback<'q> {
    x: Workspace<'q>,
    program: std::sync::Arc<Program>,
    threads: usize,
}

impl<'q> Fallback<'q> {
    /// Enqueues the substitution. `None` for a diagonal of ones that is not stored.
    pub(super) fn begin<T: Scalar>(
        call: &TrsmCall<'q, T>,
        problem: &TrsmProblem,
        device: &DeviceInfo,
    ) -> Result<Option<Self>> {
        if problem.diagonal == Diag::Unit {
            return Ok(None);
        }
        let queue = call.queue;
        let threads = match device.class {
            DeviceClass::Cpu => 1,
            _ => THREADS.min(device.max_work_group_size),
        };
        let definitions = vec![("THREADS", threads as i64)];
        let source = ProgramSource {
            name: "trsm fallback",
            kind: T::KIND,
            root: source("blas/level3/trsm/fallback.cl"),
            definitions,
        };
        let program = queue.context().program(&source)?;
        let (elements, flag) = (problem.n * problem.columns, flag_index::<T>(problem));
        let x = Workspace::borrow(queue, (elements * size_of::<T>() + size_of::<i32>()) as u64)?;
        let (a, sign) = (problem.a, direction(problem));
        let first = if sign < 0 { a.shifted(problem.n - 1, problem.n - 1) } else { a };
        let launch = Launch::new(queue, &program, "trsm_substitute")
            .index(problem.n)
            .index(problem.columns)
            .scalar(call.alpha)
            .buffer(call.a)
            .index(first.offset)
            .step(sign * a.row_stride as isize)
            .step(sign * a.column_stride as isize)
            .flag(a.conjugate)
            .buffer(call.b);
        let launch = right_side(launch, problem).workspace(&x).workspace(&x).index(flag);
        launch.enqueue_step([GROUPS.min(problem.columns), 1, 1], [threads, 1, 1])?;
        Ok(Some(Fallback { x, program, threads }))
    }

    /// Enqueues the replacement of B by the substitution's result, if that counts.
    pub(super) fn finish<T: Scalar>(self, call: &TrsmCall<'q, T>, problem: &TrsmProblem) -> Result<Event> {
        let launch = Launch::new(call.queue, &self.program, "trsm_commit")
            .index(problem.n)
            .index(problem.columns)
            .buffer(call.b);
        let launch = right_side(launch, problem).workspace(&self.x).workspace(&self.x).index(flag_index::<T>(problem));
        launch.enqueue([GROUPS.min(problem.columns), 1, 1], [self.threads, 1, 1])
    }
}

/// The order in which unknowns are found.
const fn direction(problem: &TrsmProblem) -> isize {
    match problem.triangle {
        Triangle::Lower => 1,
        Triangle::Upper => -1,
    }
}

/// B's arguments in that order.
fn right_side<'a>(launch: Launch<'a>, problem: &TrsmProblem) -> Launch<'a> {
    let (b, sign) = (problem.b, direction(problem));
    let first = if sign < 0 { b.shifted(problem.n - 1, 0) } else { b };
    launch.index(first.offset).step(sign * b.row_stride as isize).index(b.column_stride)
}

/// Index of the flag after the solution, in flags.
const fn flag_index<T>(problem: &TrsmProblem) -> usize {
    problem.n * problem.columns * (size_of::<T>() / size_of::<i32>())
}
