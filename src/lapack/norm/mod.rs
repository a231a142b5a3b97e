//! Norms of matrices on a device: one number in its memory, without a wait for the host.
//!
//! Of the matrix or its transpose, whose columns are adjacent, the largest modulus and the sum of squares are joined from blocks, and
//! sums of moduli are formed along the columns or across them: of a mirrored triangle both ways, since a line of it is part of a
//! row and part of a column.

pub(crate) mod plan;

use affinimath_macros::instances;
use std::sync::Arc;

use super::{Block, Entries, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::blas::level3::square;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, QueueParts, Scratch};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Diag, Norm, Op, Symmetry, Triangle};
use crate::pattern::{Corner, Pattern};
use crate::program::{Program, ProgramSource};
use crate::scalar::Scalar;
use crate::view::{MatrixRef, VectorMut, View};

use plan::{NormPlan, Walk};

/// Bytes of the largest partial result: Frobenius's three doubles, padded.
const LARGEST_PARTIAL: usize = 32;

/// result := a norm of an m x n matrix on a device (LAPACK: xLANGE), as [`crate::lange`]. It returns as soon as the work is enqueued;
/// the result is a place in the device's memory: a vector of one element.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: the result is not to be used.
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
/// As [`lange_on`].
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

/// result := a norm of a Hermitian matrix on a device, of which the triangle named is read, and of its diagonal the real parts
/// (LAPACK: xLANHE).
///
/// # Errors
/// As [`lange_on`].
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
/// As [`lange_on`].
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

/// Enqueues a norm into a place of the device's memory.
pub(crate) fn enqueue<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    pattern: Pattern,
    a: MatrixRef<'_, T>,
    result: &VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    enqueue_as(queue, device_info(queue), norm, pattern, a, result)
}

/// The same as on a device with these facts.
pub(super) fn enqueue_as<T: Scalar>(
    queue: &Queue,
    device: &DeviceInfo,
    norm: Norm,
    pattern: Pattern,
    a: MatrixRef<'_, T>,
    result: &VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    device.require(T::KIND)?;
    let result = Entries::number("the result", queue, result)?;
    let size = [a.rows(), a.columns()];
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let event = measure::<T>((queue, device), norm, pattern, size, a, result)?;
    queue.flush()?;
    Ok(event)
}

/// The same of an m x n block.
pub(super) fn measure<T: Scalar>(
    (queue, device): (&Queue, &DeviceInfo),
    norm: Norm,
    pattern: Pattern,
    [m, n]: [usize; 2],
    a: Block<'_>,
    result: Entries<'_>,
) -> Result<Event> {
    tracing::debug!(?norm, ?pattern, m, n, device = device.name, "norm");
    let measure = if a.operand.row_stride == 1 {
        Measure { queue, device, norm, pattern, a, m, n, result }
    } else {
        let (norm, pattern, a) = (norm.transposed(), pattern.transposed(), a.with(Op::Trans));
        Measure { queue, device, norm, pattern, a, m: n, n: m, result }
    };
    measure.run::<T>()
}

/// A norm of a matrix with adjacent columns.
struct Measure<'a> {
    queue: &'a Queue,
    device: &'a DeviceInfo,
    norm: Norm,
    pattern: Pattern,
    a: Block<'a>,
    m: usize,
    n: usize,
    result: Entries<'a>,
}

/// Layers of sums of lines in scratch memory.
struct Layers<'q> {
    memory: Scratch<'q>,
    lines: usize,
}

impl Measure<'_> {
    fn run<T: Scalar>(&self) -> Result<Event> {
        let Measure { m, n, norm, .. } = *self;
        if m == 0 || n == 0 {
            return self.largest::<T>(self.result.memory, 0, 0); // LAPACK: 0.
        }
        match norm {
            Norm::Max | Norm::Frobenius => self.elements::<T>(),
            _ if self.pattern.is_mirrored() => {
                let walks = [(Walk::Along, self.pattern.corner()), (Walk::Across, Corner::Any)];
                self.lines::<T>(n, &walks)
            }
            Norm::One => self.lines::<T>(n, &[(Walk::Along, self.pattern.corner())]),
            Norm::Infinity => self.lines::<T>(m, &[(Walk::Across, self.pattern.corner())]),
        }
    }

    fn elements<T: Scalar>(&self) -> Result<Event> {
        let plan = NormPlan::choose(Walk::Elements, self.m, self.n, self.device);
        let [blocks, slabs] = plan.blocks(self.m, self.n);
        let program = self.program(&plan.source(self.norm, T::KIND, self.device))?;
        let launch =
            self.matrix(Launch::new(self.queue, &program, "measure"), &plan, self.pattern.corner(), |launch| {
                launch.flag(self.pattern.is_mirrored())
            });
        let (groups, local) = (blocks * slabs, [plan.threads, 1, 1]);
        if groups == 1 {
            // The kernel writes the result, and no partials.
            return self.place(launch.buffer(self.result.memory)).enqueue([1, 1, 1], local);
        }
        let partials = Scratch::borrow(self.queue, (groups * LARGEST_PARTIAL) as u64)?;
        self.place(launch.scratch(&partials)).enqueue_step([blocks, slabs, 1], local)?;
        let launch = Launch::new(self.queue, &program, "finish").index(groups).flag(false).scratch(&partials);
        self.place(launch).enqueue([1, 1, 1], local)
    }

    /// The largest of so many sums, each of what some walks make of it.
    fn lines<T: Scalar>(&self, lines: usize, walks: &[(Walk, Corner)]) -> Result<Event> {
        let planned = walks.iter().map(|&(walk, corner)| {
            let plan = NormPlan::choose(walk, self.m, self.n, self.device);
            let [blocks, slabs] = plan.blocks(self.m, self.n);
            (walk, corner, plan, [blocks, slabs], if walk == Walk::Along { blocks } else { slabs })
        });
        let planned: Vec<_> = planned.collect();
        let count: usize = planned.iter().map(|(.., layers)| layers).sum();
        let bytes = (count * lines * size_of::<T::RealScalar>()) as u64;
        let layers = Layers { memory: Scratch::borrow(self.queue, bytes)?, lines };
        let mut first = 0;
        for (walk, corner, plan, [blocks, slabs], count) in planned {
            let program = self.program(&plan.source(self.norm, T::KIND, self.device))?;
            let kernel = if walk == Walk::Along { "sums_along" } else { "sums_across" };
            self.matrix(Launch::new(self.queue, &program, kernel), &plan, corner, |launch| launch)
                .scratch(&layers.memory)
                .index(first * layers.lines)
                .enqueue_step([blocks, slabs, 1], [plan.threads, 1, 1])?;
            first += count;
        }
        self.largest::<T>(&layers.memory, lines, count)
    }

    /// The largest of so many sums over layers.
    fn largest<T: Scalar>(&self, layers: &dyn DeviceMemory, lines: usize, count: usize) -> Result<Event> {
        let (source, threads) = NormPlan::finish_source(T::KIND, self.device);
        let program = self.program(&source)?;
        let launch = Launch::new(self.queue, &program, "largest_line").index(lines).index(count).buffer(layers);
        self.place(launch).enqueue([1, 1, 1], [threads, 1, 1])
    }

    /// The arguments that tell where the result goes.
    fn place<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(self.result.memory).index(self.result.offset)
    }

    fn program(&self, source: &ProgramSource) -> Result<Arc<Program>> {
        let context = self.queue.context();
        context.program(source)
    }

    /// The arguments that tell of the matrix, with others between its pattern and its memory.
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
