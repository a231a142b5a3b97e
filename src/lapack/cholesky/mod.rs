//! Cholesky's factorisation on a device, and what is solved with it.
//!
//! The matrix is factorised by halves: the first one, then the block below it is solved for, the second half loses that block's
//! product with itself, and is factorised. At the bottom a kernel finds the factor of a block on the diagonal and its inverse,
//! with which the block below is one product.
//!
//! Once a leading minor has turned out not to be positive, the info says so and nothing on the diagonal is factorised any more.
//! The factor of the minor before it stands in its place; what is below and right of that is of no use.

mod plan;

use super::outcome::Part;
use super::{Block, Entries, Parts, check_rights, check_rows, facts};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Target, Wedge};
use crate::blas::level3::square;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{DeviceMemory, Event, Queue, Scratch};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Diagonal, Op, Symmetry, Triangle};
use crate::program::ProgramSource;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut};

pub(crate) use plan::CholeskyPlan;

const GROUP: &[&str] = &[include_str!("../../../cl/lapack/cholesky/block_group.cl")];
const SERIAL: &[&str] = &[include_str!("../../../cl/lapack/cholesky/block_serial.cl")];

/// A = L Lᴴ or Uᴴ U on a device, for a symmetric or Hermitian positive definite A, of which the triangle named is read, and
/// overwritten by its factor; the other one is not touched (LAPACK: xPOTRF).
///
/// It returns as soon as the work is enqueued. `info`, one number, becomes 0, or the order of the first leading minor that is not
/// positive: then the factor of the minor before it is in its place, and the rest of the triangle is not to be used.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: A and the info are not to be used.
pub fn potrf_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let device = facts(queue);
    potrf_by(queue, triangle, a, &info, (&CholeskyPlan::choose(T::KIND, device), device))
}

/// The same by a given plan, as on a device with these facts: any plan is right for any matrix.
pub(super) fn potrf_by<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (&CholeskyPlan, &DeviceFacts),
) -> Result<Event> {
    let cholesky = Cholesky::new(queue, triangle, &a, info, plan)?;
    tracing::debug!(order = cholesky.order, plan = ?cholesky.plan, device = cholesky.parts.device.name, "potrf");
    cholesky.run::<T>()?;
    cholesky.parts.finish()
}

/// Solves A X = B with [`potrf_on`]'s factor of A, X in B's place, on a device (LAPACK: xPOTRS). It returns as soon as the work is
/// enqueued.
///
/// # Errors
/// As [`potrf_on`]; after those of the second kind B is not to be used.
pub fn potrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = square(&factor.shape, "the factor")?;
    check_rights(n, b.rows())?;
    let parts = Parts::new::<T>(queue, facts(queue))?;
    let (columns, operand) = (b.columns(), Operand::whole(Op::Keep, &b.shape));
    let b = Block::new(device_buffer(queue, b.memory, "B")?, operand);
    solve::<T>(&parts, triangle, (device_buffer(queue, factor.memory, "the factor")?, &factor.shape), columns, b)?;
    parts.finish()
}

/// Solves A X = B for a symmetric or Hermitian positive definite A on a device: the factor takes its triangle's place and X takes
/// B's (LAPACK: xPOSV). It returns as soon as the work is enqueued. `info` is [`potrf_on`]'s; where it is not 0, B stays as it is.
///
/// # Errors
/// As [`potrf_on`].
pub fn posv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let plan = CholeskyPlan::choose(T::KIND, facts(queue));
    let cholesky = Cholesky::new(queue, triangle, &a, &info, (&plan, facts(queue)))?;
    let (n, columns) = (cholesky.order, b.columns());
    check_rights(n, b.rows())?;
    let b = Block::new(device_buffer(queue, b.memory, "B")?, Operand::whole(Op::Keep, &b.shape));
    tracing::debug!(order = n, columns, ?plan, device = cholesky.parts.device.name, "posv");
    cholesky.run::<T>()?;
    let parts = &cholesky.parts;
    parts.change_if_right::<T>([n, columns], b, cholesky.info, |count, x| {
        solve::<T>(parts, triangle, (cholesky.a.memory, &a.shape), count, x)
    })?;
    parts.finish()
}

/// The triangle named of the inverse from [`potrf_on`]'s factor in it, on a device (LAPACK: xPOTRI). It returns as soon as the work
/// is enqueued.
///
/// `info`, one number, becomes 0, or the number of the first element of the factor's diagonal that is zero: then nothing is changed.
///
/// # Errors
/// As [`potrf_on`].
pub fn potri_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let plan = CholeskyPlan::choose(T::KIND, facts(queue));
    let Cholesky { parts, a, order: n, info, .. } =
        Cholesky::new(queue, triangle, &factor, &info, (&plan, facts(queue)))?;
    parts.scan::<T>(n, Diagonal::Stored, a, info)?;
    if n > 0 {
        // A⁻¹ = L⁻ᴴ L⁻¹.
        let memory = parts.inverse::<T>(n, Diagonal::Stored, a)?;
        let inverse = Block::new(&memory, Operand::general(0, n, 1));
        let memory = Scratch::borrow(queue, (n * n * size_of::<T>()) as u64)?;
        let result = Block::new(&memory, a.operand.packed(n, n));
        let target = Target::Triangle(Wedge::of(Triangle::Lower), Symmetry::Hermitian);
        parts.product([n, n, n], T::ONE, inverse.with(Op::Adjoint), inverse, T::ZERO, result, target)?;
        parts.commit::<T>([n, n], Part::Lower, info, result, a)?;
    }
    parts.finish()
}

/// B := A⁻¹ B with A's factor, for a B of so many columns.
fn solve<T: Scalar>(
    parts: &Parts<'_>,
    triangle: Triangle,
    (memory, shape): (&dyn DeviceMemory, &MatrixShape),
    columns: usize,
    b: Block<'_>,
) -> Result<()> {
    let n = shape.rows();
    if n == 0 || columns == 0 {
        return Ok(());
    }
    let ops = if triangle == Triangle::Lower { [Op::Keep, Op::Adjoint] } else { [Op::Adjoint, Op::Keep] };
    for op in ops {
        let (a, diagonal) = (Operand::whole(op, shape), Diagonal::Stored);
        let triangle = if op.transposes() { triangle.transposed() } else { triangle };
        let problem = TrsmProblem { kind: T::KIND, n, columns, a, triangle, diagonal, b: b.operand };
        parts.solve::<T>(&problem, memory, b.memory)?;
    }
    Ok(())
}

/// A factorisation: what the recursion carries along.
struct Cholesky<'a> {
    parts: Parts<'a>,
    plan: &'a CholeskyPlan,
    /// The matrix, or its transpose: its lower triangle counts.
    a: Block<'a>,
    order: usize,
    info: Entries<'a>,
}

/// Scratch memory: the inverse of a block on the diagonal, and a copy of what is below it.
struct Room<'q> {
    inverse: Scratch<'q>,
    below: Scratch<'q>,
}

impl<'a> Cholesky<'a> {
    fn new<T: Scalar>(
        queue: &'a Queue,
        triangle: Triangle,
        a: &MatrixMut<'a, T>,
        info: &VectorMut<'a, i32>,
        (plan, device): (&'a CholeskyPlan, &'a DeviceFacts),
    ) -> Result<Self> {
        let order = square(&a.shape, "A")?;
        check_rows(order)?;
        let info = Entries::info(queue, info)?;
        let operand = Operand::whole(Op::Keep, &a.shape);
        // Of A's transpose, which is conj(A), U's is the lower factor.
        let operand = if triangle == Triangle::Lower { operand } else { operand.transposed() };
        let a = Block::new(device_buffer(queue, a.memory, "A")?, operand);
        Ok(Cholesky { parts: Parts::new::<T>(queue, device)?, plan, a, order, info })
    }

    fn run<T: Scalar>(&self) -> Result<()> {
        self.parts.clear(self.info)?;
        if self.order == 0 {
            return Ok(());
        }
        let (queue, block, bytes) = (self.parts.queue, self.plan.block, size_of::<T>());
        let room = Room {
            inverse: Scratch::borrow(queue, (block * block * bytes) as u64)?,
            below: Scratch::borrow(queue, (block * self.order * bytes) as u64)?,
        };
        self.factor::<T>(0, self.order, &room)
    }

    fn factor<T: Scalar>(&self, first: usize, order: usize, room: &Room<'_>) -> Result<()> {
        if order <= self.plan.block {
            return self.factor_block::<T>(first, order, room);
        }
        let half = (order / 2).next_multiple_of(self.plan.block);
        let (middle, rest) = (first + half, order - half);
        self.factor::<T>(first, half, room)?;
        let below = self.a.at(middle, first);
        if half <= self.plan.block {
            self.solve_with_inverse::<T>([rest, half], below, room)?;
        } else {
            // L21 L11ᴴ = A21, of which all is transposed.
            let l11 = self.a.at(first, first);
            let problem = TrsmProblem {
                kind: T::KIND,
                n: half,
                columns: rest,
                a: Operand { conjugate: !l11.operand.conjugate, ..l11.operand },
                triangle: Triangle::Lower,
                diagonal: Diagonal::Stored,
                b: below.operand.transposed(),
            };
            self.parts.solve::<T>(&problem, l11.memory, below.memory)?;
        }
        let target = Target::Triangle(Wedge::of(Triangle::Lower), Symmetry::Hermitian);
        let corner = self.a.at(middle, middle);
        self.parts.subtract::<T>([rest, rest, half], below, below.with(Op::Adjoint), corner, target)?;
        self.factor::<T>(middle, rest, room)
    }

    /// A21 := A21 L11⁻ᴴ with the inverse that the last block has left.
    fn solve_with_inverse<T: Scalar>(
        &self,
        [rows, columns]: [usize; 2],
        below: Block<'_>,
        room: &Room<'_>,
    ) -> Result<()> {
        let copy = Block::new(&room.below, below.operand.packed(rows, columns));
        self.parts.copy::<T>([rows, columns], below, copy)?;
        let inverse = Block::new(&room.inverse, Operand::general(0, self.plan.block, 1));
        self.parts.product(
            [rows, columns, columns],
            T::ONE,
            copy,
            inverse.with(Op::Adjoint),
            T::ZERO,
            below,
            Target::Whole,
        )
    }

    fn factor_block<T: Scalar>(&self, first: usize, order: usize, room: &Room<'_>) -> Result<()> {
        let (width, queue) = (self.plan.block, self.parts.queue);
        let (name, files, threads) =
            if self.plan.by_group { ("cholesky block", GROUP, width) } else { ("cholesky block serial", SERIAL, 1) };
        let source = ProgramSource { name, kind: T::KIND, files, definitions: vec![("WIDTH", width as i64)] };
        let program = queue.context().programs().get(queue.context(), &source)?;
        let operand = self.a.at(first, first).operand;
        Launch::new(queue, &program, "cholesky_block")
            .count(order)
            .buffer(self.a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .buffer(&room.inverse)
            .count(first)
            .buffer(self.info.memory)
            .index(self.info.offset)
            .enqueue_step([1, 1, 1], [threads, 1, 1])
    }
}
