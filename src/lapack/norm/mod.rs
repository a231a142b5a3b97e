//! Matrix norms on a device: one element in its memory, without waiting on the host.
//!
//! Kernels take column-major matrices; a row-major one is transposed together with its norm. Max and Frobenius norms
//! reduce blocks of elements. One and infinity norms reduce columns or rows; a mirrored triangle adds both, since its
//! columns are also rows.

pub(crate) mod plan;

use affinimath_macros::instances;
use std::sync::Arc;

use super::{Block, DeviceSlice, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::blas::level3::square;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, QueueParts, Workspace};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Diag, Norm, Op, Symmetry, Triangle};
use crate::pattern::{Corner, Pattern};
use crate::program::{Program, ProgramSource};
use crate::scalar::Scalar;
use crate::view::{MatrixRef, VectorMut, View};

use plan::{NormPlan, Reduction};

/// Bytes of the largest partial result: Frobenius's three doubles, padded.
const MAX_PARTIAL_BYTES: usize = 32;

/// result := a norm of an m x n matrix on a device (LAPACK: xLANGE); see [`crate::lange`]. It returns as soon as the
/// work is enqueued. The result is a vector of one element in device memory.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was
/// enqueued. [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: the result
/// is undefined.
#[instances]
pub fn lange_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    a: MatrixRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    enqueue(queue, norm, Pattern::General, a, &result)
}

/// result := a norm of a symmetric matrix on a device, of which the triangle named is read (LAPACK: xLANSY).
///
/// # Errors
/// Those of [`lange_on`].
#[instances]
pub fn lansy_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    square(a.shape(), "A")?;
    enqueue(queue, norm, Pattern::Mirrored(triangle, Symmetry::Symmetric), a, &result)
}

/// result := a norm of a Hermitian matrix on a device (LAPACK: xLANHE). The stored triangle is read, and of its
/// diagonal only the real parts.
///
/// # Errors
/// Those of [`lange_on`].
#[instances]
pub fn lanhe_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    square(a.shape(), "A")?;
    enqueue(queue, norm, Pattern::Mirrored(triangle, Symmetry::Hermitian), a, &result)
}

/// result := a norm of a triangular or trapezoidal matrix on a device (LAPACK: xLANTR).
///
/// # Errors
/// Those of [`lange_on`].
#[instances]
pub fn lantr_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    triangle: Triangle,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    enqueue(queue, norm, Pattern::Triangular(triangle, diagonal), a, &result)
}

/// Enqueues a norm into device memory.
pub(crate) fn enqueue<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    pattern: Pattern,
    a: MatrixRef<'_, T>,
    result: &VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    enqueue_as(queue, device_info(queue), norm, pattern, a, result)
}

/// [`enqueue`] as on a device with these facts.
pub(super) fn enqueue_as<T: Scalar>(
    queue: &Queue,
    device: &DeviceInfo,
    norm: Norm,
    pattern: Pattern,
    a: MatrixRef<'_, T>,
    result: &VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    device.require(T::KIND)?;
    let result = DeviceSlice::element("the result", queue, result)?;
    let size = [a.rows(), a.columns()];
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let event = norm_of_block::<T>((queue, device), norm, pattern, size, a, result)?;
    queue.flush()?;
    Ok(event)
}

/// Enqueues a norm of an m x n block.
pub(super) fn norm_of_block<T: Scalar>(
    (queue, device): (&Queue, &DeviceInfo),
    norm: Norm,
    pattern: Pattern,
    [m, n]: [usize; 2],
    a: Block<'_>,
    result: DeviceSlice<'_>,
) -> Result<Event> {
    tracing::debug!(?norm, ?pattern, m, n, device = device.name, "norm");
    let norm_of_block = if a.operand.row_stride == 1 {
        NormCall { queue, device, norm, pattern, a, m, n, result }
    } else {
        let (norm, pattern, a) = (norm.transposed(), pattern.transposed(), a.with(Op::Trans));
        NormCall { queue, device, norm, pattern, a, m: n, n: m, result }
    };
    norm_of_block.run::<T>()
}

/// A norm of a matrix with adjacent columns.
struct NormCall<'a> {
    queue: &'a Queue,
    device: &'a DeviceInfo,
    norm: Norm,
    pattern: Pattern,
    a: Block<'a>,
    m: usize,
    n: usize,
    result: DeviceSlice<'a>,
}

/// Partial sums of rows or columns in workspace: one layer per block.
struct PartialSums<'q> {
    memory: Workspace<'q>,
    vectors: usize,
}

impl NormCall<'_> {
    fn run<T: Scalar>(&self) -> Result<Event> {
        let NormCall { m, n, norm, .. } = *self;
        if m == 0 || n == 0 {
            return self.largest::<T>(self.result.memory, 0, 0); // LAPACK: 0.
        }
        match norm {
            Norm::Max | Norm::Frobenius => self.elements::<T>(),
            _ if self.pattern.is_mirrored() => {
                let reductions = [(Reduction::Columns, self.pattern.corner()), (Reduction::Rows, Corner::Any)];
                self.vector_sums::<T>(n, &reductions)
            }
            Norm::One => self.vector_sums::<T>(n, &[(Reduction::Columns, self.pattern.corner())]),
            Norm::Infinity => self.vector_sums::<T>(m, &[(Reduction::Rows, self.pattern.corner())]),
        }
    }

    fn elements<T: Scalar>(&self) -> Result<Event> {
        let plan = NormPlan::choose(Reduction::All, self.m, self.n, self.device);
        let [blocks, slabs] = plan.blocks(self.m, self.n);
        let program = self.program(&plan.source(self.norm, T::KIND, self.device))?;
        let launch =
            self.matrix(Launch::new(self.queue, &program, "norm_elements"), &plan, self.pattern.corner(), |launch| {
                launch.flag(self.pattern.is_mirrored())
            });
        let (groups, local) = (blocks * slabs, [plan.threads, 1, 1]);
        if groups == 1 {
            // The kernel writes the result, and no partials.
            return self.result_arguments(launch.buffer(self.result.memory)).enqueue([1, 1, 1], local);
        }
        let partials = Workspace::borrow(self.queue, (groups * MAX_PARTIAL_BYTES) as u64)?;
        self.result_arguments(launch.workspace(&partials)).enqueue_step([blocks, slabs, 1], local)?;
        let launch = Launch::new(self.queue, &program, "finish").index(groups).flag(false).workspace(&partials);
        self.result_arguments(launch).enqueue([1, 1, 1], local)
    }

    /// The largest of `vectors` row or column sums, each added up from the layers of one or two passes.
    fn vector_sums<T: Scalar>(&self, vectors: usize, reductions: &[(Reduction, Corner)]) -> Result<Event> {
        let planned = reductions.iter().map(|&(reduction, corner)| {
            let plan = NormPlan::choose(reduction, self.m, self.n, self.device);
            let [blocks, slabs] = plan.blocks(self.m, self.n);
            (reduction, corner, plan, [blocks, slabs], if reduction == Reduction::Columns { blocks } else { slabs })
        });
        let planned: Vec<_> = planned.collect();
        let count: usize = planned.iter().map(|(.., layers)| layers).sum();
        let bytes = (count * vectors * size_of::<T::RealScalar>()) as u64;
        let partial_sums = PartialSums { memory: Workspace::borrow(self.queue, bytes)?, vectors };
        let mut first = 0;
        for (reduction, corner, plan, [blocks, slabs], count) in planned {
            let program = self.program(&plan.source(self.norm, T::KIND, self.device))?;
            let kernel = if reduction == Reduction::Columns { "norm_column_sums" } else { "norm_row_sums" };
            self.matrix(Launch::new(self.queue, &program, kernel), &plan, corner, |launch| launch)
                .workspace(&partial_sums.memory)
                .index(first * partial_sums.vectors)
                .enqueue_step([blocks, slabs, 1], [plan.threads, 1, 1])?;
            first += count;
        }
        self.largest::<T>(&partial_sums.memory, vectors, count)
    }

    /// The largest of `vectors` sums over `count` layers.
    fn largest<T: Scalar>(&self, partial_sums: &dyn DeviceMemory, vectors: usize, count: usize) -> Result<Event> {
        let (source, threads) = NormPlan::finish_source(T::KIND, self.device);
        let program = self.program(&source)?;
        let launch = Launch::new(self.queue, &program, "norm_max_sum").index(vectors).index(count).buffer(partial_sums);
        self.result_arguments(launch).enqueue([1, 1, 1], [threads, 1, 1])
    }

    /// Memory and offset of the result as arguments.
    fn result_arguments<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(self.result.memory).index(self.result.offset)
    }

    fn program(&self, source: &ProgramSource) -> Result<Arc<Program>> {
        let context = self.queue.context();
        context.program(source)
    }

    /// Size, pattern and memory of the matrix as arguments, with `others` between the pattern and the memory.
    fn matrix<'l>(
        &self,
        launch: Launch<'l>,
        plan: &NormPlan,
        corner: Corner,
        others: impl FnOnce(Launch<'l>) -> Launch<'l>,
    ) -> Launch<'l> {
        let triangle = match self.pattern.triangle() {
            None => 0,
            Some(Triangle::Upper) => 1,
            Some(Triangle::Lower) => 2,
        };
        let corner = match corner {
            Corner::Any => 0,
            Corner::Stored => 1,
            Corner::Real => 2,
            Corner::Ones => 3,
        };
        let launch = launch.index(self.m).index(self.n).index(plan.rows).index(plan.columns);
        others(launch.count(triangle).count(corner))
            .buffer(self.a.memory)
            .index(self.a.operand.offset)
            .index(self.a.operand.column_stride)
    }
}
