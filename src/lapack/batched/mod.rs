//! Batched factorisations of small matrices of one shape, in one launch or a few, and the solvers that use them.
//!
//! On GPUs, teams of work-items have a matrix or a panel of it in registers; the trailing update is batched gemm and
//! trsm. On CPUs, a work-item factorises matrix after matrix. Every matrix has its own info and does not affect the
//! others.

mod band;
mod cholesky;
mod copies;
mod jacobi;
mod lu;
mod plan;
mod qr;
mod tridiagonal;

pub(crate) use band::eliminates_bands;
pub use band::{gbsv_batched_on, gbtrf_batched_on, gbtrs_batched_on};
pub use cholesky::{posv_batched_on, potrf_batched_on, potrs_batched_on};
pub(crate) use jacobi::{gesvd_batched_with_team, heev_batched_with_team, rotates};
pub use lu::{gesv_batched_on, getrf_batched_on, getrs_batched_on};
pub use qr::geqrf_batched_on;
pub use tridiagonal::gtsv_batched_on;
#[cfg(test)]
pub(super) use {
    band::{BandPlan, gbsv_batched_with_plan, gbtrf_batched_with_plan, gbtrs_batched_with_plan},
    cholesky::{posv_batched_with_plan, potrf_batched_with_plan},
    jacobi::JacobiTeam,
    lu::{gesv_batched_with_plan, getrf_batched_with_plan},
    plan::{BatchedFactorPlan, BatchedQrPlan},
    qr::geqrf_batched_with_plan,
    tridiagonal::{TridiagonalPartsPlan, TridiagonalPlan, TridiagonalRoute, gtsv_batched_with_plan},
};

use super::{DeviceSlice, Executor};
use crate::blas::device_buffer;
use crate::blas::level3::batched::{
    BatchedPlan, BatchedTrsmPlan, MatrixOffsets, batched_problem, batched_system, execute_batched, execute_systems,
};
use crate::blas::level3::gemm::{GemmCall, Operand};
use crate::blas::level3::trsm::TrsmCall;
use crate::context::{DeviceMemory, Queue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::{Element, Scalar};
use crate::view::{BatchShape, Memory, VectorRef};

/// Work-items of a group that do not cooperate.
const INDEPENDENT: usize = 64;

/// The matrices of a batch in device memory.
#[derive(Clone, Copy)]
struct Matrices<'a> {
    memory: &'a dyn DeviceMemory,
    shape: BatchShape<'a>,
}

impl<'a> Matrices<'a> {
    fn new<T>(queue: &Queue, memory: Memory<'a, T>, shape: BatchShape<'a>, name: &str) -> Result<Self> {
        Ok(Matrices { memory: device_buffer(queue, memory, name)?, shape })
    }

    fn count(&self) -> usize {
        self.shape.count()
    }

    const fn size(&self) -> [usize; 2] {
        [self.shape.matrix().rows(), self.shape.matrix().columns()]
    }

    /// First matrix as an operand.
    fn operand(&self) -> Operand {
        Operand::whole(Op::NoTrans, self.shape.matrix())
    }

    /// True if columns are contiguous.
    fn has_columns(&self) -> bool {
        self.operand().row_stride == 1 || self.size().contains(&0)
    }

    /// A block of each.
    fn block(&self, rows: (usize, usize), columns: (usize, usize)) -> Result<Self> {
        Ok(Matrices { shape: self.shape.with_matrix(self.shape.matrix().block(rows, columns))?, ..*self })
    }

    /// Some of them.
    fn part(&self, first: usize, count: usize) -> Self {
        Matrices { shape: self.shape.part(first, count), ..*self }
    }

    /// Offsets of the matrices, for a kernel without another batch.
    fn offsets(&self, queue: &Queue) -> Result<MatrixOffsets<'a>> {
        MatrixOffsets::of(queue, self.count(), &[&self.shape])
    }
}

/// A vector per matrix of a batch: `each` contiguous elements, `stride` apart.
#[derive(Clone, Copy)]
struct PerMatrix<'a> {
    values: DeviceSlice<'a>,
    stride: usize,
}

impl<'a> PerMatrix<'a> {
    /// # Errors
    /// [`Error::ShapeMismatch`] if the vector is too short.
    fn new<V: Element>(
        name: &'static str,
        queue: &Queue,
        vector: &VectorRef<'a, V>,
        (each, stride): (usize, usize),
        count: usize,
    ) -> Result<Self> {
        if count > 1 && stride < each {
            return Err(Error::argument(name, format!("a stride of {stride}, and each matrix has {each}")));
        }
        let overflow =
            || Error::ShapeMismatch(format!("{name}: {count} times {stride} do not fit in the address space"));
        let elements_from = count.saturating_sub(1).checked_mul(stride).ok_or_else(overflow)?;
        let needed = if count == 0 || each == 0 { 0 } else { elements_from.checked_add(each).ok_or_else(overflow)? };
        Ok(PerMatrix { values: DeviceSlice::of(name, queue, vector, needed)?, stride })
    }

    /// From the batch's matrix number `matrix` on.
    const fn from(self, matrix: usize) -> Self {
        PerMatrix { values: self.values.from(matrix * self.stride), ..self }
    }

    /// From each matrix's element `first` on.
    const fn elements_from(self, first: usize) -> Self {
        PerMatrix { values: self.values.from(first), ..self }
    }

    fn arguments<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(self.values.memory).index(self.values.offset).index(self.stride)
    }
}

impl Executor<'_> {
    /// C := C - A B for each matrix of batches.
    fn subtract_batched<T: Scalar>(&self, a: &Matrices<'_>, b: &Matrices<'_>, c: &Matrices<'_>) -> Result<()> {
        let problem = batched_problem::<T>([Op::NoTrans; 2], -T::ONE, [&a.shape, &b.shape], &c.shape)?;
        if problem.gemm.m == 0 || problem.gemm.n == 0 || problem.gemm.k == 0 {
            return Ok(());
        }
        let call = GemmCall { queue: self.queue, alpha: -T::ONE, a: a.memory, b: b.memory, beta: T::ONE, c: c.memory };
        let offsets = MatrixOffsets::of(self.queue, problem.count, &[&a.shape, &b.shape, &c.shape])?;
        execute_batched(&call, &problem, &offsets, &BatchedPlan::choose(&problem, self.device)).map(drop)
    }

    /// Solves op(A) X = B for each matrix of batches. X overwrites B.
    fn solve_batched<T: Scalar>(
        &self,
        options: (Triangle, Op, Diag),
        a: &Matrices<'_>,
        b: &Matrices<'_>,
    ) -> Result<()> {
        let problem = batched_system::<T>(Side::Left, options, &a.shape, &b.shape)?;
        let plan = BatchedTrsmPlan::choose(&problem, b.count(), false, self.device);
        let call = TrsmCall { queue: self.queue, alpha: T::ONE, a: a.memory, b: b.memory };
        let offsets = MatrixOffsets::of(self.queue, b.count(), &[&a.shape, &b.shape])?;
        execute_systems(&call, &problem, &offsets, &plan, self.device).map(drop)
    }
}

/// Refuses batches of different counts, and right-hand sides of another height than the matrices.
fn check_right_hand_sides(a: &BatchShape<'_>, b: &BatchShape<'_>) -> Result<()> {
    if a.count() != b.count() {
        return Err(Error::ShapeMismatch(format!("{} matrices A, {} matrices B", a.count(), b.count())));
    }
    super::check_right_hand_sides(a.matrix().rows(), b.matrix().rows())
}
