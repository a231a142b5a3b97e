//! Triangular solves with one right-hand side on a device: trsv, tbsv, tpsv.
//!
//! They are all one operation, a `Solve`, on a matrix of columns. It goes block by block: a launch finds a block of
//! unknowns, and all groups but the first one subtract from the rest what the block before has to do with it.

mod plan;

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use crate::blas::device_buffer;
use crate::blas::level2::Stored;
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Diagonal, Op, Triangle};
use crate::scalar::Scalar;
use crate::view::View;
use crate::view::{BandRef, MatrixRef, Memory, PackedRef, VectorMut, VectorShape};

pub use plan::{SolvePlan, Step};

/// x := op(A)⁻¹ x, where A is a triangle stored by columns.
#[derive(Debug)]
pub(crate) struct Solve<'a, T: Scalar> {
    /// The memory of A.
    pub(crate) a: Memory<'a, T>,
    /// Which elements of A are stored, and where.
    pub(crate) stored: Stored,
    /// What is done to the matrix that is stored by columns.
    pub(crate) op: Op,
    /// Whether the first unknown is found first, as op(A) is a lower triangle.
    pub(crate) forward: bool,
    /// Whether the diagonal is all ones, and not read.
    pub(crate) unit: bool,
    /// The right-hand side, and the solution.
    pub(crate) x: VectorMut<'a, T>,
}

impl<'a, T: Scalar> Solve<'a, T> {
    /// With a triangle of a full matrix.
    pub(crate) fn full(
        triangle: Triangle,
        op: Op,
        diagonal: Diagonal,
        a: MatrixRef<'a, T>,
        x: VectorMut<'a, T>,
    ) -> Result<Self> {
        check_sizes(a.rows(), a.columns(), x.shape())?;
        Ok(Self::new(Stored::triangle(a.shape(), triangle), triangle, op, diagonal, a.memory(), x))
    }

    /// With a triangle of a band matrix.
    pub(crate) fn band(
        triangle: Triangle,
        op: Op,
        diagonal: Diagonal,
        a: BandRef<'a, T>,
        x: VectorMut<'a, T>,
    ) -> Result<Self> {
        check_sizes(a.shape().rows(), a.shape().columns(), x.shape())?;
        let (stored, by_rows) = Stored::band(a.shape());
        Ok(Self::new((stored.only(triangle, by_rows), by_rows), triangle, op, diagonal, a.memory(), x))
    }

    /// With a packed triangle.
    pub(crate) fn packed(op: Op, diagonal: Diagonal, a: PackedRef<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        check_sizes(a.shape().order(), a.shape().order(), x.shape())?;
        Ok(Self::new(Stored::packed(a.shape()), a.shape().triangle(), op, diagonal, a.memory(), x))
    }

    fn new(
        (stored, by_rows): (Stored, bool),
        triangle: Triangle,
        op: Op,
        diagonal: Diagonal,
        a: Memory<'a, T>,
        x: VectorMut<'a, T>,
    ) -> Self {
        let op = if by_rows { op.transposed() } else { op };
        let upper = (triangle == Triangle::Upper) != by_rows;
        Solve { a, stored, op, forward: upper == op.transposes(), unit: diagonal == Diagonal::Unit, x }
    }

    /// Real operations, counted as multiplications and additions of the stored elements.
    pub(crate) fn operations(&self) -> u64 {
        let elements = (self.stored.rows as u64).saturating_mul(1 + self.reach() as u64);
        elements.saturating_mul(T::KIND.multiply_add_operations()) / 2
    }

    /// How many unknowns before it an unknown has to do with, at most.
    pub(crate) fn reach(&self) -> usize {
        // One of both is 0.
        self.stored.above.max(self.stored.below).min(self.stored.rows.saturating_sub(1))
    }
}

fn check_sizes(rows: usize, columns: usize, x: &VectorShape) -> Result<()> {
    if rows == columns && rows == x.length() {
        return Ok(());
    }
    let sizes = format!("A is {rows} x {columns}, and would have to be square; x has {} elements", x.length());
    Err(Error::ShapeMismatch(sizes))
}

/// x := op(A)⁻¹ x for a triangle of a full matrix on a device (BLAS: xTRSV). As all solves here, it returns as soon as the
/// work is enqueued. As in BLAS, A is not tested for singularity: a zero on the diagonal gives infinities and NaN, but an
/// element of x that is zero by then stays zero.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: x is not to be used.
#[instances]
pub fn trsv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    diagonal: Diagonal,
    a: MatrixRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, &Solve::full(triangle, op, diagonal, a, x)?)
}

/// x := op(A)⁻¹ x for a triangular band matrix on a device (BLAS: xTBSV). Of a band that has both triangles, the given one
/// is used.
///
/// # Errors
/// As [`trsv_on`].
#[instances]
pub fn tbsv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    diagonal: Diagonal,
    a: BandRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, &Solve::band(triangle, op, diagonal, a, x)?)
}

/// x := op(A)⁻¹ x for a packed triangle on a device (BLAS: xTPSV).
///
/// # Errors
/// As [`trsv_on`].
#[instances]
pub fn tpsv_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    diagonal: Diagonal,
    a: PackedRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, &Solve::packed(op, diagonal, a, x)?)
}

/// Enqueues a solve.
pub(crate) fn solve_on<T: Scalar>(queue: &Queue, solve: &Solve<'_, T>) -> Result<Event> {
    let device = queue.context().device().facts();
    device.require(T::KIND)?;
    execute(queue, solve, &SolvePlan::choose(T::KIND, device))
}

/// Runs a solve by a given plan: any plan is right for any solve.
fn execute<T: Scalar>(queue: &Queue, solve: &Solve<'_, T>, plan: &SolvePlan) -> Result<Event> {
    let (a, x) = (device_buffer(queue, solve.a, "A")?, device_buffer(queue, solve.x.memory(), "x")?);
    let (context, stored) = (queue.context(), &solve.stored);
    let device = context.device().facts();
    if stored.rows == 0 {
        return Ok(Event::Complete); // BLAS: n = 0 changes nothing.
    }
    tracing::debug!(?stored, op = ?solve.op, ?plan, device = device.name, "triangular solve");
    let program = context.programs().get(context, &plan.source(T::KIND, solve.op.transposes(), device))?;
    let mut last = Event::Complete;
    for step in plan.steps(stored.rows, solve.reach()) {
        last = Launch::new(queue, &program, "solve")
            .index(stored.rows)
            .stored_places(stored)
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
