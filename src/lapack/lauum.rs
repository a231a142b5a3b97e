//! Product of a triangular factor with its adjoint on a device, in place, recursively.
//!
//! With L = [L11, 0; L21, L22], the blocks of Lᴴ L are L11ᴴ L11 + L21ᴴ L21, L22ᴴ L21 and L22ᴴ L22. The
//! recursion ends at blocks that are copied, so that the product can overwrite the triangle.

use affinimath_macros::instances;

use super::{Block, Executor, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Structure, Target, Trapezoid};
use crate::blas::level3::square;
use crate::context::{Event, Queue, QueueParts, Workspace};
use crate::error::Result;
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, View};

/// Order of the blocks that are copied. Below it two more launches cost more than the zeros that are multiplied.
const BLOCK: usize = 256;

/// U Uᴴ or Lᴴ L of a triangular factor with a real diagonal, in place, on a device (LAPACK: xLAUUM). The other
/// triangle is not touched. It returns as soon as the work is enqueued.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was
/// enqueued. [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: A is
/// undefined.
#[instances]
pub fn lauum_on<T: Scalar>(queue: &Queue, triangle: Triangle, a: MatrixMut<'_, T>) -> Result<Event> {
    lauum_with_backend(queue, triangle, a, BLOCK)
}

/// [`lauum_on`] with blocks of a given order.
pub(super) fn lauum_with_backend<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    block: usize,
) -> Result<Event> {
    let n = square(a.shape(), "A")?;
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    // The lower triangle of (U Uᴴ)ᵀ is that of Lᴴ L with L = Uᵀ.
    let operand = Operand::whole(Op::NoTrans, a.shape());
    let operand = if triangle == Triangle::Lower { operand } else { operand.transposed() };
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
    if n > 0 {
        tracing::debug!(order = n, block, device = executor.device.name, "lauum");
        // Largest copy of the recursion: a diagonal block, or L21 of the first level.
        let below = if n <= block { 0 } else { middle(n, block) * (n - middle(n, block)) };
        let elements = below.max(n.min(block) * n.min(block));
        let workspace = Workspace::borrow(queue, (elements * size_of::<T>()) as u64)?;
        multiply::<T>(&executor, n, a, block, &workspace)?;
    }
    executor.finish()
}

/// Order of L11 in a triangle of order n.
const fn middle(n: usize, block: usize) -> usize {
    (n / 2).next_multiple_of(block)
}

/// Lᴴ L in place of a lower triangle.
fn multiply<T: Scalar>(
    executor: &Executor<'_>,
    n: usize,
    a: Block<'_>,
    block: usize,
    workspace: &Workspace<'_>,
) -> Result<()> {
    let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
    if n <= block {
        let copy = Block::new(workspace, a.operand.packed(n, n));
        executor.copy::<T>([n, n], a, copy)?;
        let factor = lower(copy);
        return executor.product([n, n, n], T::ONE, factor.with(Op::ConjTrans), factor, T::ZERO, a, target);
    }
    let half = middle(n, block);
    let rest = n - half;
    let (below, last) = (a.at(half, 0), a.at(half, half));
    multiply::<T>(executor, half, a, block, workspace)?;
    executor.product([half, half, rest], T::ONE, below.with(Op::ConjTrans), below, T::ONE, a, target)?;
    let copy = Block::new(workspace, below.operand.packed(rest, half));
    executor.copy::<T>([rest, half], below, copy)?;
    let adjoint = lower(last).with(Op::ConjTrans);
    executor.product([rest, half, rest], T::ONE, adjoint, copy, T::ZERO, below, Target::Whole)?;
    multiply::<T>(executor, rest, last, block, workspace)
}

/// The lower triangle of a block, with zeros above it.
const fn lower(a: Block<'_>) -> Block<'_> {
    let structure = Structure::Triangular(Trapezoid::of(Triangle::Lower), Diag::NonUnit);
    Block { operand: Operand { structure, ..a.operand }, ..a }
}
