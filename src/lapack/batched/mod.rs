//! Many small matrices of one shape in one call: factorised together, in one launch or a few, and solved with.
//!
//! On GPUs teams of work-items have a matrix, or a panel of it, in registers; what is right of a panel is brought up to date by the
//! batched products and triangular systems of level 3. On CPUs a work-item takes matrix after matrix. Every matrix has an info of its
//! own, and does not disturb the others.

mod cholesky;
mod copies;
mod lu;
mod plan;
mod qr;

pub use cholesky::{posv_batched_on, potrf_batched_on, potrs_batched_on};
pub use lu::{gesv_batched_on, getrf_batched_on, getrs_batched_on};
pub use qr::geqrf_batched_on;
#[cfg(test)]
pub(super) use {
    cholesky::{posv_batched_by, potrf_batched_by},
    lu::{gesv_batched_by, getrf_batched_by},
    plan::{BatchedFactorPlan, BatchedQrPlan},
    qr::geqrf_batched_by,
};

use super::{Entries, Parts};
use crate::blas::device_buffer;
use crate::blas::level3::batched::{
    BatchedPlan, BatchedTrsmPlan, Places, batched_problem, batched_system, execute_batched, execute_systems,
};
use crate::blas::level3::gemm::{GemmCall, Operand};
use crate::blas::level3::trsm::TrsmCall;
use crate::context::{DeviceMemory, Queue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::{Element, Scalar};
use crate::view::{BatchShape, Memory, VectorRef};

const PLACES: &str = include_str!("../../../cl/blas/level3/batched/places.cl");

/// Work-items of a group that have nothing to do with each other.
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

    /// How kernels walk over the first one.
    fn operand(&self) -> Operand {
        Operand::whole(Op::NoTrans, self.shape.matrix())
    }

    /// Whether their columns are contiguous.
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

    /// Where they are, as [`Places::arguments`] takes it for a kernel with no other batch.
    fn places(&self, queue: &Queue) -> Result<Places<'a>> {
        Places::of(queue, self.count(), &[&self.shape])
    }
}

/// Numbers that go with each matrix of a batch: `each` adjacent ones, `stride` apart.
#[derive(Clone, Copy)]
struct PerMatrix<'a> {
    entries: Entries<'a>,
    stride: usize,
}

impl<'a> PerMatrix<'a> {
    /// Those of a vector, which must be long enough.
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
        let reach = || Error::ShapeMismatch(format!("{name}: {count} times {stride} do not fit in the address space"));
        let behind = count.saturating_sub(1).checked_mul(stride).ok_or_else(reach)?;
        let needed = if count == 0 || each == 0 { 0 } else { behind.checked_add(each).ok_or_else(reach)? };
        Ok(PerMatrix { entries: Entries::of(name, queue, vector, needed)?, stride })
    }

    /// Those from a matrix on.
    const fn from(self, matrix: usize) -> Self {
        PerMatrix { entries: self.entries.from(matrix * self.stride), ..self }
    }

    /// Those from the one numbered `first` of each matrix on.
    const fn behind(self, first: usize) -> Self {
        PerMatrix { entries: self.entries.from(first), ..self }
    }

    fn arguments<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(self.entries.memory).index(self.entries.offset).index(self.stride)
    }
}

impl Parts<'_> {
    /// C := C - A B for each matrix of batches.
    fn subtract_batched<T: Scalar>(&self, a: &Matrices<'_>, b: &Matrices<'_>, c: &Matrices<'_>) -> Result<()> {
        let problem = batched_problem::<T>([Op::NoTrans; 2], -T::ONE, [&a.shape, &b.shape], &c.shape)?;
        if problem.gemm.m == 0 || problem.gemm.n == 0 || problem.gemm.k == 0 {
            return Ok(());
        }
        let call = GemmCall { queue: self.queue, alpha: -T::ONE, a: a.memory, b: b.memory, beta: T::ONE, c: c.memory };
        let places = Places::of(self.queue, problem.count, &[&a.shape, &b.shape, &c.shape])?;
        execute_batched(&call, &problem, &places, &BatchedPlan::choose(&problem, self.device)).map(drop)
    }

    /// Solves op(A) X = B for each matrix of batches, X in B's place.
    fn solve_batched<T: Scalar>(
        &self,
        options: (Triangle, Op, Diag),
        a: &Matrices<'_>,
        b: &Matrices<'_>,
    ) -> Result<()> {
        let problem = batched_system::<T>(Side::Left, options, &a.shape, &b.shape)?;
        let plan = BatchedTrsmPlan::choose(&problem, b.count(), false, self.device);
        let call = TrsmCall { queue: self.queue, alpha: T::ONE, a: a.memory, b: b.memory };
        let places = Places::of(self.queue, b.count(), &[&a.shape, &b.shape])?;
        execute_systems(&call, &problem, &places, &plan, self.device).map(drop)
    }
}

/// Refuses batches of different counts, and right-hand sides of another height than the matrices.
fn check_rights(a: &BatchShape<'_>, b: &BatchShape<'_>) -> Result<()> {
    if a.count() != b.count() {
        return Err(Error::ShapeMismatch(format!("{} matrices A, {} matrices B", a.count(), b.count())));
    }
    super::check_rights(a.matrix().rows(), b.matrix().rows())
}
