//! Cholesky's factorisation on a device, and what is solved with it.
//!
//! Columns are factorised by halves: the left half with all that is below its diagonal, then the right one loses that half's product
//! with itself, and is factorised. What is left is blocks of columns, whose panels are each a launch of a kernel: it finds the factor
//! of a block on the diagonal and its inverse, with which the rows below are multiplied.
//!
//! Once a leading minor has turned out not to be positive, the info says so and nothing on the diagonal is factorised any more.
//! The factor of the minor before it stands in its place; what is below and right of that is of no use.

mod panels;
mod plan;

use affinimath_macros::instances;
use faer::MatMut;

use super::native::Backend;
use super::outcome::Part;
use super::{Block, Entries, Parts, check_rights, check_rows, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Target, Trapezoid};
use crate::blas::level3::square;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{DeviceMemory, Event, Queue, QueueParts, Scratch};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::host::lapack as host;
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, View};

use panels::STEP_BLOCKS;
use plan::Panels;

pub(crate) use plan::CholeskyPlan;
#[cfg(test)]
pub(crate) use plan::Panels as CholeskyPanels;

/// A = L Lᴴ or Uᴴ U on a device, for a symmetric or Hermitian positive definite A, of which the triangle named is read, and
/// overwritten by its factor; the other one is not touched (LAPACK: xPOTRF).
///
/// It returns as soon as the work is enqueued. `info`, one number, becomes 0, or the order of the first leading minor that is not
/// positive: then the factor of the minor before it is in its place, and the rest of the triangle is not to be used. On a CPU whose
/// driver runs the host's routines it is [`crate::error::status::INTERNAL`] where one ended by a panic: then nothing is to be used.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: A and the info are not to be used.
#[instances]
pub fn potrf_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let device = device_info(queue);
    let plan = CholeskyPlan::choose(T::KIND, a.rows(), device);
    potrf_by(queue, triangle, a, &info, (&plan, device))
}

/// The same by a given plan, as on a device with these facts: any plan is right for any matrix.
pub(super) fn potrf_by<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (&CholeskyPlan, &DeviceInfo),
) -> Result<Event> {
    let queue = &queue.for_steps()?;
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
#[instances]
pub fn potrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = square(factor.shape(), "the factor")?;
    check_rights(n, b.rows())?;
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    let (columns, operand) = (b.columns(), Operand::whole(Op::NoTrans, b.shape()));
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, operand);
    solve::<T>(&parts, triangle, (device_buffer(queue, factor.memory(), "the factor")?, factor.shape()), columns, b)?;
    parts.finish()
}

/// Solves A X = B for a symmetric or Hermitian positive definite A on a device: the factor takes its triangle's place and X takes
/// B's (LAPACK: xPOSV). It returns as soon as the work is enqueued. `info` is [`potrf_on`]'s; where it is not 0, B stays as it is.
///
/// # Errors
/// As [`potrf_on`].
#[instances]
pub fn posv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let queue = &queue.for_steps()?;
    let plan = CholeskyPlan::choose(T::KIND, a.rows(), device_info(queue));
    let cholesky = Cholesky::new(queue, triangle, &a, &info, (&plan, device_info(queue)))?;
    let (n, columns) = (cholesky.order, b.columns());
    check_rights(n, b.rows())?;
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    tracing::debug!(order = n, columns, ?plan, device = cholesky.parts.device.name, "posv");
    cholesky.run::<T>()?;
    let parts = &cholesky.parts;
    parts.change_if_right::<T>([n, columns], b, cholesky.info, |count, x| {
        solve::<T>(parts, triangle, (cholesky.a.memory, a.shape()), count, x)
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
#[instances]
pub fn potri_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let backend = Backend::for_triangle(factor.rows(), device_info(queue));
    let plan = CholeskyPlan { backend, ..CholeskyPlan::by_kernels(T::KIND, device_info(queue)) };
    potri_by(queue, triangle, factor, &info, (&plan, device_info(queue)))
}

/// The same by the means of a plan.
pub(super) fn potri_by<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (&CholeskyPlan, &DeviceInfo),
) -> Result<Event> {
    let Cholesky { parts, a, order: n, info, plan } = Cholesky::new(queue, triangle, &factor, info, plan)?;
    if n > 0 && plan.backend == Backend::Host {
        let routine = |a: MatMut<'_, T>| host::potri(Triangle::Lower, a);
        if parts.on_host((a, [n, n]), info, routine)? {
            return parts.finish();
        }
    }
    parts.scan::<T>(n, Diag::NonUnit, a, info)?;
    if n > 0 {
        // A⁻¹ = L⁻ᴴ L⁻¹.
        let memory = parts.inverse::<T>(n, Diag::NonUnit, a)?;
        let inverse = Block::new(&memory, Operand::general(0, n, 1));
        let memory = Scratch::borrow(queue, (n * n * size_of::<T>()) as u64)?;
        let result = Block::new(&memory, a.operand.packed(n, n));
        let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
        parts.product([n, n, n], T::ONE, inverse.with(Op::ConjTrans), inverse, T::ZERO, result, target)?;
        parts.commit::<T>([n, n], Part::Lower, info, result, a)?;
    }
    parts.finish()
}

/// B := A⁻¹ B with A's factor, for a B of so many columns.
pub(super) fn solve<T: Scalar>(
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
    let ops = if triangle == Triangle::Lower { [Op::NoTrans, Op::ConjTrans] } else { [Op::ConjTrans, Op::NoTrans] };
    for op in ops {
        let (a, diagonal) = (Operand::whole(op, shape), Diag::NonUnit);
        let triangle = if op.transposes() { triangle.transposed() } else { triangle };
        let problem = TrsmProblem { kind: T::KIND, n, columns, a, triangle, diagonal, b: b.operand };
        parts.solve::<T>(&problem, memory, b.memory)?;
    }
    Ok(())
}

/// A factorisation: what the recursion carries along.
pub(super) struct Cholesky<'a> {
    pub(super) parts: Parts<'a>,
    pub(super) plan: &'a CholeskyPlan,
    /// The matrix, or its transpose: its lower triangle counts.
    pub(super) a: Block<'a>,
    pub(super) order: usize,
    pub(super) info: Entries<'a>,
}

/// Scratch memory: what panels leave for others, and where one work-item factorises the diagonal, a copy of what is below.
struct Room<'q> {
    blocks: Scratch<'q>,
    below: Option<Scratch<'q>>,
}

impl<'a> Cholesky<'a> {
    fn new<T: Scalar>(
        queue: &'a Queue,
        triangle: Triangle,
        a: &MatrixMut<'a, T>,
        info: &VectorMut<'a, i32>,
        (plan, device): (&'a CholeskyPlan, &'a DeviceInfo),
    ) -> Result<Self> {
        let order = square(a.shape(), "A")?;
        check_rows(order)?;
        let info = Entries::info(queue, info)?;
        let operand = Operand::whole(Op::NoTrans, a.shape());
        // Of A's transpose, which is conj(A), U's is the lower factor.
        let operand = if triangle == Triangle::Lower { operand } else { operand.transposed() };
        let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
        Ok(Cholesky { parts: Parts::new::<T>(queue, device)?, plan, a, order, info })
    }

    pub(super) fn run<T: Scalar>(&self) -> Result<()> {
        if self.order > 0 && self.plan.backend == Backend::Host {
            let routine = |a: MatMut<'_, T>| host::potrf(Triangle::Lower, a);
            if self.parts.on_host((self.a, [self.order; 2]), self.info, routine)? {
                return Ok(());
            }
        }
        self.parts.clear(self.info)?;
        if self.order == 0 {
            return Ok(());
        }
        let (queue, width, bytes) = (self.parts.queue, self.plan.panels.width(), size_of::<T>());
        let (blocks, below) = match self.plan.panels {
            Panels::Groups { .. } => (STEP_BLOCKS, None),
            Panels::Serial { .. } => (1, Some(Scratch::borrow(queue, (width * self.order * bytes) as u64)?)),
        };
        // And two numbers that steps leave for each other.
        let blocks = Scratch::borrow(queue, (blocks * width * width * bytes + 2 * size_of::<i32>()) as u64)?;
        let room = Room { blocks, below };
        self.factor::<T>(0, self.order, &room)
    }

    /// Factorises columns, with all rows that they have below the diagonal.
    fn factor<T: Scalar>(&self, first: usize, width: usize, room: &Room<'_>) -> Result<()> {
        if self.plan.panels.are_block(self.order - first, width) {
            return self.factor_columns::<T>(first, width, room);
        }
        let left = (width / 2).next_multiple_of(self.plan.panels.width());
        let (middle, right) = (first + left, width - left);
        self.factor::<T>(first, left, room)?;
        // The corner and what is below it, at once.
        let (beside, corner) = (self.a.at(middle, first), self.a.at(middle, middle));
        let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
        let sizes = [self.order - middle, right, left];
        self.parts.subtract::<T>(sizes, beside, beside.with(Op::ConjTrans), corner, target)?;
        self.factor::<T>(middle, right, room)
    }
}
