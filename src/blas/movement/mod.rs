//! Matrix copies on a device: omatcopy, imatcopy and omatadd, which scale, transpose and add.
//!
//! All three are sums of terms: C := alpha op(A), or C := alpha op(A) + beta op(B). A term with factor zero is dropped
//! and not read.

mod in_place;
mod plan;

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use crate::blas::device_buffer;
use crate::blas::level3::gemm::{GemmArguments, Operand};
use crate::context::{ContextParts, DeviceMemory, Event, Queue, QueueParts};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::Op;
use crate::program::{self, ProgramSource};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};

pub use affinimath_core::problem::movement::MovementProblem;
pub(crate) use in_place::check_in_place;
pub use in_place::imatcopy_on;
pub use plan::{MovementPlan, Tiles};

/// A factor times a matrix in device memory.
#[derive(Clone, Copy)]
pub(crate) struct Term<'a, T> {
    pub(crate) factor: T,
    pub(crate) memory: &'a dyn DeviceMemory,
    pub(crate) operand: Operand,
}

/// B := alpha op(A) on a device, for any layouts of A and B. It returns as soon as the work is enqueued. With alpha =
/// 0, A is not read, and B becomes zero; alpha = 1 changes no bit.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OpenCl`]: B is undefined.
#[instances]
pub fn omatcopy_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    check_sizes(op, a.shape(), b.shape(), "B")?;
    queue.context().device().info().require(T::KIND)?;
    let term =
        Term { factor: alpha, memory: device_buffer(queue, a.memory(), "A")?, operand: Operand::whole(op, a.shape()) };
    let target: (&dyn DeviceMemory, Operand) =
        (device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    let event = enqueue_sum(queue, b.rows(), b.columns(), &[term], target, false)?;
    queue.flush()?;
    Ok(event)
}

/// C := alpha op(A) + beta op(B) on a device, for any layouts. It returns as soon as the work is enqueued. A matrix
/// with factor 0 is not read.
///
/// # Errors
/// Those of [`omatcopy_on`].
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's omatadd")]
#[instances]
pub fn omatadd_on<T: Scalar>(
    queue: &Queue,
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    beta: T,
    b: MatrixRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    check_sizes(op_a, a.shape(), c.shape(), "C")?;
    check_sizes(op_b, b.shape(), c.shape(), "C")?;
    queue.context().device().info().require(T::KIND)?;
    let terms = [
        Term {
            factor: alpha,
            memory: device_buffer(queue, a.memory(), "A")?,
            operand: Operand::whole(op_a, a.shape()),
        },
        Term { factor: beta, memory: device_buffer(queue, b.memory(), "B")?, operand: Operand::whole(op_b, b.shape()) },
    ];
    let target: (&dyn DeviceMemory, Operand) =
        (device_buffer(queue, c.memory(), "C")?, Operand::whole(Op::NoTrans, c.shape()));
    let event = enqueue_sum(queue, c.rows(), c.columns(), &terms, target, false)?;
    queue.flush()?;
    Ok(event)
}

/// Refuses a result that has not op(X)'s size.
pub(crate) fn check_sizes(op: Op, x: &MatrixShape, result: &MatrixShape, name: &str) -> Result<()> {
    let (rows, columns) = if op.transposes() { (x.columns(), x.rows()) } else { (x.rows(), x.columns()) };
    if (rows, columns) == (result.rows(), result.columns()) {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!(
        "the operand is {rows} x {columns} once its operation is done, {name} is {} x {}",
        result.rows(),
        result.columns()
    )))
}

/// Enqueues C := sum of the terms with factors other than zero, over a `rows` x `columns` C. `in_place` says that C is
/// the first term's own memory, element by element.
pub(crate) fn enqueue_sum<T: Scalar>(
    queue: &Queue,
    rows: usize,
    columns: usize,
    terms: &[Term<'_, T>],
    (memory, target): (&dyn DeviceMemory, Operand),
    in_place: bool,
) -> Result<Event> {
    if rows == 0 || columns == 0 {
        return Ok(Event::Complete); // An empty matrix is left as it is.
    }
    let mut present = terms.iter().filter(|term| term.factor != T::ZERO).copied();
    let terms = [present.next(), present.next()];
    let problem = MovementProblem {
        kind: T::KIND,
        rows,
        columns,
        target,
        terms: terms.map(|term| term.map(|term| term.operand)),
    }
    .canonical();
    let plan = MovementPlan::choose(&problem, queue.context().device().info());
    tracing::debug!(?problem, ?plan, "movement");
    execute(queue, &problem, &plan, terms, memory, in_place)
}

/// Runs a problem by a given plan. Any plan is right for any problem in its canonical form.
fn execute<T: Scalar>(
    queue: &Queue,
    problem: &MovementProblem,
    plan: &MovementPlan,
    terms: [Option<Term<'_, T>>; 2],
    memory: &dyn DeviceMemory,
    in_place: bool,
) -> Result<Event> {
    let context = queue.context();
    let source = source(problem, plan, in_place);
    let program = context.program(&source)?;
    let kernel = match plan {
        MovementPlan::Tiles(_) => "movement_tiles",
        MovementPlan::Blocks { .. } => "movement_blocks",
    };
    let mut launch = Launch::new(queue, &program, kernel)
        .index(problem.rows)
        .index(problem.columns)
        .buffer(memory)
        .index(problem.target.offset)
        .index(problem.target.column_stride);
    for (term, operand) in terms.iter().flatten().zip(problem.terms.iter().flatten()) {
        launch = launch.scalar(term.factor).operand(term.memory, operand);
    }
    match *plan {
        MovementPlan::Tiles(Tiles { tile, threads }) => {
            let tiles = problem.rows.div_ceil(tile[0]) * problem.columns.div_ceil(tile[1]);
            launch.enqueue([tiles, 1, 1], [threads, 1, 1])
        }
        MovementPlan::Blocks { block: [rows, columns], .. } => {
            let blocks = problem.rows.div_ceil(rows) * problem.columns.div_ceil(columns);
            launch.index(rows).index(columns).enqueue([blocks, 1, 1], [1, 1, 1])
        }
    }
}

fn source(problem: &MovementProblem, plan: &MovementPlan, in_place: bool) -> ProgramSource {
    let across = problem.across();
    let mut definitions = vec![
        ("TERMS", problem.terms.iter().flatten().count() as i64),
        ("ACROSS_0", i64::from(across[0])),
        ("ACROSS_1", i64::from(across[1])),
        ("IN_PLACE", i64::from(in_place)),
    ];
    let (name, file) = match *plan {
        MovementPlan::Tiles(Tiles { tile, threads }) => {
            let [rows, columns] = tile.map(|size| size as i64);
            definitions.extend([("TILE_ROWS", rows), ("TILE_COLUMNS", columns), ("THREADS", threads as i64)]);
            ("movement", "blas/movement/tiles.cl")
        }
        MovementPlan::Blocks { tile, square, vector_width, .. } => {
            definitions.extend([
                ("TILE_ROWS", tile[0] as i64),
                ("TILE_COLUMNS", tile[1] as i64),
                ("PACK_WIDTH", square as i64),
                ("VECTOR_WIDTH", vector_width as i64),
            ]);
            ("movement cpu", "blas/movement/blocks_cpu.cl")
        }
    };
    ProgramSource { name, kind: problem.kind, root: program::source(file), definitions }
}
