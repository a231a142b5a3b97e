//! op(A) X = alpha B or X op(A) = alpha B for each matrix of a batch.

use affinimath_macros::instances;

use super::gemm::{BatchedProblem, execute_batched};
use super::offsets::MatrixOffsets;
use super::plan::{BatchedPlan, BatchedTrsmPlan};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{GemmCall, GemmProblem, Operand, Target};
use crate::blas::level3::trsm::{TrsmCall, TrsmMemory, TrsmPlan, TrsmProblem, execute};
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Diag, Op, Side, Triangle};
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, BatchShape, View};

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for each matrix of a batch on a device. X overwrites B.
/// It returns as soon as the work is enqueued. Small systems share one launch.
///
/// See [`crate::trsm_on`]: one triangle of each A is read; with alpha = 0, no A is.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: B is undefined.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trsm")]
#[instances]
pub fn trsm_batched_on<T: Scalar>(
    queue: &Queue,
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchMut<'_, T>,
) -> Result<Event> {
    let problem = batched_system::<T>(side, (triangle, op, diagonal), a.shape(), b.shape())?;
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    let (a_memory, b_memory) = (device_buffer(queue, a.memory(), "A")?, device_buffer(queue, b.memory(), "B")?);
    let count = b.shape().count();
    let plan = BatchedTrsmPlan::choose(&problem, count, alpha == T::ZERO, device);
    tracing::debug!(?problem, count, ?plan, device = device.name, "trsm batched");
    let offsets = MatrixOffsets::of(queue, count, &[a.shape(), b.shape()])?;
    let call = TrsmCall { queue, alpha, a: a_memory, b: b_memory };
    let event = execute_systems(&call, &problem, &offsets, &plan, device)?;
    queue.flush()?;
    Ok(event)
}

/// Checks that counts and sizes agree, and returns the first system.
pub(crate) fn batched_system<T: Scalar>(
    side: Side,
    options: (Triangle, Op, Diag),
    a: &BatchShape<'_>,
    b: &BatchShape<'_>,
) -> Result<TrsmProblem> {
    if a.count() != b.count() {
        return Err(Error::ShapeMismatch(format!("{} matrices A, {} matrices B", a.count(), b.count())));
    }
    TrsmProblem::new(T::KIND, side, options, a.matrix(), b.matrix())
}

/// Runs a batch by a given plan. The facts select the kernels that solve.
pub(crate) fn execute_systems<T: Scalar>(
    call: &TrsmCall<'_, T>,
    problem: &TrsmProblem,
    offsets: &MatrixOffsets<'_>,
    plan: &BatchedTrsmPlan,
    device: &DeviceInfo,
) -> Result<Event> {
    match plan {
        BatchedTrsmPlan::Nothing => Ok(Event::Complete),
        BatchedTrsmPlan::Each => {
            let mut last = Event::Complete;
            let alpha_is_zero = call.alpha == T::ZERO;
            let plan = TrsmPlan::choose(problem, alpha_is_zero, device, TrsmMemory::of(call.queue, problem, device));
            for i in 0..offsets.count() {
                let moved =
                    |operand: Operand, slot| Operand { offset: operand.offset + offsets.offset_of(slot, i), ..operand };
                let one = TrsmProblem { a: moved(problem.a, 0), b: moved(problem.b, 1), ..*problem };
                last = execute(call, &one, &plan, device)?;
            }
            Ok(last)
        }
        BatchedTrsmPlan::Blocks { base } => {
            Systems { call, problem, offsets, base: *base, device }.solve(0, problem.n, call.alpha)
        }
    }
}

/// State of one batched solution, shared by all levels of the recursion.
struct Systems<'s, 'q, T> {
    call: &'s TrsmCall<'q, T>,
    problem: &'s TrsmProblem,
    offsets: &'s MatrixOffsets<'s>,
    base: usize,
    device: &'s DeviceInfo,
}

impl<T: Scalar> Systems<'_, '_, T> {
    /// Solves for the rows from `first` to `end`, with alpha times the right-hand sides that stand there.
    fn solve(&self, first: usize, end: usize, alpha: T) -> Result<Event> {
        let count = (end - first).div_ceil(self.base);
        if count == 1 {
            return self.substitute(first, end - first, alpha);
        }
        let middle = first + count.div_ceil(2) * self.base;
        // Lower triangle: forward substitution. Upper triangle: backward substitution.
        let (solved, rest) = match self.problem.triangle {
            Triangle::Lower => (first..middle, middle..end),
            Triangle::Upper => (middle..end, first..middle),
        };
        drop(self.solve(solved.start, solved.end, alpha)?);
        let gemm = GemmProblem {
            kind: T::KIND,
            m: rest.len(),
            n: self.problem.columns,
            k: solved.len(),
            a: self.problem.a.shifted(rest.start, solved.start),
            b: self.problem.b.shifted(solved.start, 0),
            c: self.problem.b.shifted(rest.start, 0),
            target: Target::Whole,
            swapped: false,
        };
        let gemm = if gemm.c.row_stride == 1 { gemm } else { gemm.transposed() };
        let batch = BatchedProblem { gemm, count: self.offsets.count() };
        let TrsmCall { queue, a, b, .. } = *self.call;
        let call = GemmCall { queue, alpha: -T::ONE, a, b, beta: alpha, c: b };
        let offsets = self.offsets.reordered(&[0, 1, 1]);
        drop(execute_batched(&call, &batch, &offsets, &BatchedPlan::choose(&batch, self.device))?);
        self.solve(rest.start, rest.end, T::ONE)
    }

    /// Solves for a block's rows in one launch.
    fn substitute(&self, first: usize, rows: usize, alpha: T) -> Result<Event> {
        let (count, columns) = (self.offsets.count(), self.problem.columns);
        let cpu = self.device.class == DeviceClass::Cpu;
        let vector_width = self.device.vector_width(T::KIND);
        let width = match (cpu, T::KIND.bytes()) {
            (true, _) => vector_width * T::KIND.real_bytes() / T::KIND.bytes(),
            // With them the tiles fit into the 32 KiB of local memory that OpenCL promises.
            (false, 16) => 16,
            (false, _) => 32,
        };
        let mut definitions = vec![("BASE", self.base as i64)];
        let (name, file) = if cpu {
            definitions.push(("VECTOR_WIDTH", vector_width as i64));
            ("trsm batched cpu", "blas/level3/batched/trsm_cpu.cl")
        } else {
            definitions.push(("COLUMNS", width as i64));
            ("trsm batched", "blas/level3/batched/trsm_tiles.cl")
        };
        let queue = self.call.queue;
        let source = ProgramSource { name, kind: T::KIND, root: source(file), definitions };
        let program = queue.context().program(&source)?;
        let (a, b) = (self.problem.a.shifted(first, first), self.problem.b.shifted(first, 0));
        // Backward substitution for an upper triangle.
        let backward = self.problem.triangle == Triangle::Upper;
        let last = rows - 1;
        let (a_first, b_first) = if backward { (a.shifted(last, last), b.shifted(last, 0)) } else { (a, b) };
        let sign = if backward { -1 } else { 1 };
        let launch = Launch::new(queue, &program, "trsm_batched")
            .index(rows)
            .index(columns)
            .flag(self.problem.diagonal == Diag::Unit)
            .scalar(alpha)
            .buffer(self.call.a)
            .index(a_first.offset)
            .step(sign * a.row_stride as isize)
            .step(sign * a.column_stride as isize)
            .flag(a.conjugate)
            .buffer(self.call.b)
            .index(b_first.offset)
            .step(sign * b.row_stride as isize)
            .index(b.column_stride);
        let launch = self.offsets.arguments(launch, self.call.b, &[0, 1]);
        if cpu {
            let per_item = BatchedTrsmPlan::matrices_per_item(rows, columns, count, self.device);
            return launch.index(per_item).enqueue([count.div_ceil(per_item), 1, 1], [1, 1, 1]);
        }
        launch.enqueue([count * columns.div_ceil(width), 1, 1], [width, 1, 1])
    }
}
