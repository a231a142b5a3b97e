//! Cholesky factorisation on a device, and the solvers that use it.
//!
//! Recursive Cholesky: factorise the left half with all rows below its diagonal, update A22 -= L21 L21ᴴ, factorise
//! the right half. The recursion ends at blocks of columns, which are factorised panel by panel, one launch each. A
//! launch factorises a diagonal block, inverts it, and multiplies the rows below by the inverse.
//!
//! After a leading minor that is not positive, `info` is set and no further diagonal block is factorised. The factor of
//! the minor before it is valid; elements below and right of that are undefined.

mod panels;
mod plan;

use affinimath_macros::instances;
use faer::MatMut;

use super::native::Backend;
use super::outcome::Part;
use super::{Block, DeviceSlice, Executor, check_right_hand_sides, check_rows, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Target, Trapezoid};
use crate::blas::level3::square;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{DeviceMemory, Event, Queue, QueueParts, Workspace};
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

/// A = L Lᴴ or Uᴴ U on a device, for a symmetric or Hermitian positive definite A (LAPACK: xPOTRF). The stored
/// triangle is overwritten by its factor; the other one is not touched.
///
/// It returns as soon as the work is enqueued. `info`, one integer, becomes 0, or the order of the first leading minor
/// that is not positive. In that case the factor of the minor before it is valid, and the rest of the triangle is
/// undefined. On a CPU whose driver runs the host's routines, `info` is [`crate::error::status::INTERNAL`] if one
/// panicked; the results are then undefined.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was
/// enqueued. [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: A and the
/// info are undefined.
#[instances]
pub fn potrf_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let device = device_info(queue);
    let plan = CholeskyPlan::choose(T::KIND, a.rows(), device);
    potrf_with_plan(queue, triangle, a, &info, (&plan, device))
}

/// [`potrf_on`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(super) fn potrf_with_plan<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (&CholeskyPlan, &DeviceInfo),
) -> Result<Event> {
    let queue = &queue.for_steps()?;
    let cholesky = Cholesky::new(queue, triangle, &a, info, plan)?;
    tracing::debug!(order = cholesky.order, plan = ?cholesky.plan, device = cholesky.executor.device.name, "potrf");
    cholesky.run::<T>()?;
    cholesky.executor.finish()
}

/// Solves A X = B with [`potrf_on`]'s factor of A on a device (LAPACK: xPOTRS). X overwrites B. It returns as soon as
/// the work is enqueued.
///
/// # Errors
/// Those of [`potrf_on`]; after those of the second kind B is undefined.
#[instances]
pub fn potrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = square(factor.shape(), "the factor")?;
    check_right_hand_sides(n, b.rows())?;
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let (columns, operand) = (b.columns(), Operand::whole(Op::NoTrans, b.shape()));
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, operand);
    solve::<T>(
        &executor,
        triangle,
        (device_buffer(queue, factor.memory(), "the factor")?, factor.shape()),
        columns,
        b,
    )?;
    executor.finish()
}

/// Solves A X = B for a symmetric or Hermitian positive definite A on a device (LAPACK: xPOSV). The factor overwrites
/// the stored triangle and X overwrites B. It returns as soon as the work is enqueued. `info` is [`potrf_on`]'s; if it
/// is not 0, B is unchanged.
///
/// # Errors
/// Those of [`potrf_on`].
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
    check_right_hand_sides(n, b.rows())?;
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    tracing::debug!(order = n, columns, ?plan, device = cholesky.executor.device.name, "posv");
    cholesky.run::<T>()?;
    let executor = &cholesky.executor;
    executor.modify_if_info_is_zero::<T>([n, columns], b, cholesky.info, |count, x| {
        solve::<T>(executor, triangle, (cholesky.a.memory, a.shape()), count, x)
    })?;
    executor.finish()
}

/// Inverts a matrix from [`potrf_on`]'s factor, in the stored triangle, on a device (LAPACK: xPOTRI). It returns as
/// soon as the work is enqueued.
///
/// `info`, one integer, becomes 0, or the 1-based index of the first zero on the factor's diagonal; nothing is changed
/// then.
///
/// # Errors
/// Those of [`potrf_on`].
#[instances]
pub fn potri_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let backend = Backend::for_triangle(factor.rows(), device_info(queue));
    let plan = CholeskyPlan { backend, ..CholeskyPlan::for_kernels(T::KIND, device_info(queue)) };
    potri_with_plan(queue, triangle, factor, &info, (&plan, device_info(queue)))
}

/// [`potri_on`] by the backend of a plan.
pub(super) fn potri_with_plan<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (&CholeskyPlan, &DeviceInfo),
) -> Result<Event> {
    let Cholesky { executor, a, order: n, info, plan } = Cholesky::new(queue, triangle, &factor, info, plan)?;
    if n > 0 && plan.backend == Backend::Host {
        let routine = |a: MatMut<'_, T>| host::potri(Triangle::Lower, a);
        if executor.on_host((a, [n, n]), info, routine)? {
            return executor.finish();
        }
    }
    executor.scan::<T>(n, Diag::NonUnit, a, info)?;
    if n > 0 {
        // A⁻¹ = L⁻ᴴ L⁻¹.
        let memory = executor.inverse::<T>(n, Diag::NonUnit, a)?;
        let inverse = Block::new(&memory, Operand::general(0, n, 1));
        let memory = Workspace::borrow(queue, (n * n * size_of::<T>()) as u64)?;
        let result = Block::new(&memory, a.operand.packed(n, n));
        let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
        executor.product([n, n, n], T::ONE, inverse.with(Op::ConjTrans), inverse, T::ZERO, result, target)?;
        executor.commit::<T>([n, n], Part::Lower, info, result, a)?;
    }
    executor.finish()
}

/// B := A⁻¹ B with A's factor, for an n x `columns` B.
pub(super) fn solve<T: Scalar>(
    executor: &Executor<'_>,
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
        executor.solve::<T>(&problem, memory, b.memory)?;
    }
    Ok(())
}

/// State of one factorisation, shared by all levels of the recursion.
pub(super) struct Cholesky<'a> {
    pub(super) executor: Executor<'a>,
    pub(super) plan: &'a CholeskyPlan,
    /// The matrix, or its transpose: its lower triangle counts.
    pub(super) a: Block<'a>,
    pub(super) order: usize,
    pub(super) info: DeviceSlice<'a>,
}

/// Workspace: blocks that panels leave for later launches, and for a serial diagonal block a copy of the rows
/// below.
struct PotrfWorkspace<'q> {
    blocks: Workspace<'q>,
    below: Option<Workspace<'q>>,
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
        let info = DeviceSlice::info(queue, info)?;
        let operand = Operand::whole(Op::NoTrans, a.shape());
        // Of A's transpose, which is conj(A), U's is the lower factor.
        let operand = if triangle == Triangle::Lower { operand } else { operand.transposed() };
        let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
        Ok(Cholesky { executor: Executor::new::<T>(queue, device)?, plan, a, order, info })
    }

    pub(super) fn run<T: Scalar>(&self) -> Result<()> {
        if self.order > 0 && self.plan.backend == Backend::Host {
            let routine = |a: MatMut<'_, T>| host::potrf(Triangle::Lower, a);
            if self.executor.on_host((self.a, [self.order; 2]), self.info, routine)? {
                return Ok(());
            }
        }
        self.executor.clear(self.info)?;
        if self.order == 0 {
            return Ok(());
        }
        let (queue, width, bytes) = (self.executor.queue, self.plan.panels.width(), size_of::<T>());
        let (blocks, below) = match self.plan.panels {
            Panels::Groups { .. } => (STEP_BLOCKS, None),
            Panels::Serial { .. } => (1, Some(Workspace::borrow(queue, (width * self.order * bytes) as u64)?)),
        };
        // Two more integers are flags between steps.
        let blocks = Workspace::borrow(queue, (blocks * width * width * bytes + 2 * size_of::<i32>()) as u64)?;
        let workspace = PotrfWorkspace { blocks, below };
        self.factor::<T>(0, self.order, &workspace)
    }

    /// Factorises columns, with all rows that they have below the diagonal.
    fn factor<T: Scalar>(&self, first: usize, width: usize, workspace: &PotrfWorkspace<'_>) -> Result<()> {
        if self.plan.panels.are_block(self.order - first, width) {
            return self.factor_columns::<T>(first, width, workspace);
        }
        let left = (width / 2).next_multiple_of(self.plan.panels.width());
        let (middle, right) = (first + left, width - left);
        self.factor::<T>(first, left, workspace)?;
        // One product updates the diagonal block A22 and the rows below it.
        let (l21, a22) = (self.a.at(middle, first), self.a.at(middle, middle));
        let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
        let sizes = [self.order - middle, right, left];
        self.executor.subtract::<T>(sizes, l21, l21.with(Op::ConjTrans), a22, target)?;
        self.factor::<T>(middle, right, workspace)
    }
}
