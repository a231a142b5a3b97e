//! C := alpha op(A) op(B) + beta C for each matrix of a batch.

use affinimath_macros::instances;

use super::offsets::MatrixOffsets;
use super::plan::{BatchedItems, BatchedPlan, BatchedTiles, K_BLOCK};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{
    GemmArguments, GemmCall, GemmPlan, GemmProblem, Limits, Operand, execute, execute_best,
};
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::Op;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, BatchShape, View};

/// `count` products of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedProblem {
    /// The first one.
    pub gemm: GemmProblem,
    /// Number of products.
    pub count: usize,
}

/// C := alpha op(A) op(B) + beta C for each matrix of a batch on a device. It returns as soon as the work is enqueued.
/// Small matrices share one launch.
///
/// BLAS: with no matrices, or m or n = 0, nothing is changed; with alpha or k = 0, A and B are not read; with beta = 0,
/// C is not read.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: C is undefined.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
#[instances]
pub fn gemm_batched_on<T: Scalar>(
    queue: &Queue,
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    beta: T,
    c: BatchMut<'_, T>,
) -> Result<Event> {
    let problem = batched_problem::<T>([op_a, op_b], alpha, [a.shape(), b.shape()], c.shape())?;
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    let [a_memory, b_memory] =
        [(a.memory(), "A"), (b.memory(), "B")].map(|(memory, name)| device_buffer(queue, memory, name));
    let call = GemmCall { queue, alpha, a: a_memory?, b: b_memory?, beta, c: device_buffer(queue, c.memory(), "C")? };
    if problem.gemm.k == 0 && beta == T::ONE {
        return Ok(Event::Complete); // BLAS: no C changes.
    }
    let plan = BatchedPlan::choose(&problem, device);
    tracing::debug!(?problem, ?plan, device = device.name, "gemm batched");
    let offsets = MatrixOffsets::of(queue, problem.count, &[a.shape(), b.shape(), c.shape()])?;
    let event = execute_batched(&call, &problem, &offsets, &plan)?;
    queue.flush()?;
    Ok(event)
}

/// Checks that counts and sizes agree. With alpha = 0 the problem has k = 0: A and B are not read.
pub(crate) fn batched_problem<T: Scalar>(
    [op_a, op_b]: [Op; 2],
    alpha: T,
    [a, b]: [&BatchShape<'_>; 2],
    c: &BatchShape<'_>,
) -> Result<BatchedProblem> {
    let count = c.count();
    if a.count() != count || b.count() != count {
        let counts = format!("{} matrices A, {} matrices B, {count} matrices C", a.count(), b.count());
        return Err(Error::ShapeMismatch(counts));
    }
    let mut gemm = GemmProblem::new(T::KIND, op_a, op_b, a.matrix(), b.matrix(), c.matrix())?;
    if alpha == T::ZERO {
        gemm.k = 0;
    }
    Ok(BatchedProblem { gemm, count })
}

/// Runs a batch by a given plan; any plan is right for any batch. The offsets are those of the caller's A, B and C.
pub(crate) fn execute_batched<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &BatchedProblem,
    offsets: &MatrixOffsets<'_>,
    plan: &BatchedPlan,
) -> Result<Event> {
    match plan {
        BatchedPlan::Nothing => Ok(Event::Complete),
        BatchedPlan::Each => each(call, problem, offsets),
        BatchedPlan::Tiles(tiles) => by_tiles(call, problem, offsets, tiles),
        BatchedPlan::Items(items) => by_items(call, problem, offsets, items),
    }
}

/// A loop over the products.
fn each<T: Scalar>(call: &GemmCall<'_, T>, problem: &BatchedProblem, offsets: &MatrixOffsets<'_>) -> Result<Event> {
    let gemm = &problem.gemm;
    let limits = Limits::on(call.queue);
    let [slot_a, slot_b] = slots(gemm);
    let mut last = Event::Complete;
    for i in 0..problem.count {
        let moved = |operand: Operand, slot| Operand { offset: operand.offset + offsets.offset_of(slot, i), ..operand };
        let one = GemmProblem { a: moved(gemm.a, slot_a), b: moved(gemm.b, slot_b), c: moved(gemm.c, 2), ..*gemm };
        last = if gemm.k == 0 {
            execute(call, &one, &GemmPlan::without_product(&one, call.beta == T::ONE))?
        } else {
            execute_best(call, &one, &limits)?
        };
    }
    Ok(last)
}

/// Indices of the problem's A and B among the caller's operands.
const fn slots(gemm: &GemmProblem) -> [usize; 2] {
    if gemm.swapped { [1, 0] } else { [0, 1] }
}

fn by_tiles<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &BatchedProblem,
    offsets: &MatrixOffsets<'_>,
    plan: &BatchedTiles,
) -> Result<Event> {
    let gemm = &problem.gemm;
    let definitions = vec![
        ("TILE", plan.tile as i64),
        ("WORK", plan.work as i64),
        ("TILE_K", plan.tile_k as i64),
        ("MATRICES", plan.matrices as i64),
        ("A_ALONG_M", i64::from(gemm.a.row_stride == 1)),
        ("B_ALONG_N", i64::from(gemm.b.column_stride == 1)),
    ];
    let source = ProgramSource {
        name: "gemm batched",
        kind: T::KIND,
        root: source("blas/level3/batched/gemm_tiles.cl"),
        definitions,
    };
    let program = call.queue.context().program(&source)?;
    let tiles = gemm.m.div_ceil(plan.tile) * gemm.n.div_ceil(plan.tile);
    let groups = tiles * problem.count.div_ceil(plan.matrices);
    arguments(Launch::new(call.queue, &program, "gemm_batched_tiles"), call, problem, offsets)
        .enqueue([groups, 1, 1], [plan.threads(), 1, 1])
}

fn by_items<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &BatchedProblem,
    offsets: &MatrixOffsets<'_>,
    plan: &BatchedItems,
) -> Result<Event> {
    let definitions = vec![
        ("VECTOR_WIDTH", plan.vector_width as i64),
        ("TILE_VECTORS", plan.tile_vectors as i64),
        ("TILE_COLUMNS", plan.tile_columns as i64),
        ("K_BLOCK", K_BLOCK as i64),
    ];
    let source = ProgramSource {
        name: "gemm batched cpu",
        kind: T::KIND,
        root: source("blas/level3/batched/gemm_cpu.cl"),
        definitions,
    };
    let program = call.queue.context().program(&source)?;
    arguments(Launch::new(call.queue, &program, "gemm_batched"), call, problem, offsets)
        .index(plan.per_item)
        .enqueue([problem.count.div_ceil(plan.per_item), 1, 1], [1, 1, 1])
}

fn arguments<'l, T: Scalar>(
    launch: Launch<'l>,
    call: &GemmCall<'_, T>,
    problem: &BatchedProblem,
    offsets: &MatrixOffsets<'_>,
) -> Launch<'l> {
    let gemm = &problem.gemm;
    let (a, b) = call.operands(gemm);
    let launch = launch
        .index(gemm.m)
        .index(gemm.n)
        .index(gemm.k)
        .scalar(call.alpha)
        .operand(a, &gemm.a)
        .operand(b, &gemm.b)
        .scalar(call.beta)
        .buffer(call.c)
        .index(gemm.c.offset)
        .index(gemm.c.column_stride);
    let [slot_a, slot_b] = slots(gemm);
    offsets.arguments(launch, call.c, &[slot_a, slot_b, 2])
}
