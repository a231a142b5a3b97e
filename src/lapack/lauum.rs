//! The product of a triangular factor with its adjoint on a device, in the factor's place, by halves.
//!
//! Of L = [L11, 0; L21, L22] the product Lᴴ L has the blocks L11ᴴ L11 + L21ᴴ L21, L22ᴴ L21 and L22ᴴ L22. At the bottom a block is
//! copied, so that its triangle may take the product.

use affinimath_macros::instances;

use super::{Block, Parts, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Structure, Target, Trapezoid};
use crate::blas::level3::square;
use crate::context::{Event, Queue, QueueParts, Scratch};
use crate::error::Result;
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, View};

/// Order of the blocks that are copied: a product of one is not less work than two of its halves are launches.
const BLOCK: usize = 256;

/// U Uᴴ or Lᴴ L in the place of a triangular factor, whose diagonal is real, on a device (LAPACK: xLAUUM). The other triangle is not
/// touched. It returns as soon as the work is enqueued.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: A is not to be used.
#[instances]
pub fn lauum_on<T: Scalar>(queue: &Queue, triangle: Triangle, a: MatrixMut<'_, T>) -> Result<Event> {
    lauum_by(queue, triangle, a, BLOCK)
}

/// The same with blocks of a given order.
pub(super) fn lauum_by<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    block: usize,
) -> Result<Event> {
    let n = square(a.shape(), "A")?;
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    // The lower triangle of (U Uᴴ)ᵀ is that of Lᴴ L with L = Uᵀ.
    let operand = Operand::whole(Op::NoTrans, a.shape());
    let operand = if triangle == Triangle::Lower { operand } else { operand.transposed() };
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
    if n > 0 {
        tracing::debug!(order = n, block, device = parts.device.name, "lauum");
        // A block on the diagonal is copied, or what is below the first half.
        let below = if n <= block { 0 } else { middle(n, block) * (n - middle(n, block)) };
        let elements = below.max(n.min(block) * n.min(block));
        let room = Scratch::borrow(queue, (elements * size_of::<T>()) as u64)?;
        multiply::<T>(&parts, n, a, block, &room)?;
    }
    parts.finish()
}

/// Where a triangle of order n is cut in two.
const fn middle(n: usize, block: usize) -> usize {
    (n / 2).next_multiple_of(block)
}

/// Lᴴ L in the place of a lower triangle.
fn multiply<T: Scalar>(parts: &Parts<'_>, n: usize, a: Block<'_>, block: usize, room: &Scratch<'_>) -> Result<()> {
    let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
    if n <= block {
        let copy = Block::new(room, a.operand.packed(n, n));
        parts.copy::<T>([n, n], a, copy)?;
        let factor = lower(copy);
        return parts.product([n, n, n], T::ONE, factor.with(Op::ConjTrans), factor, T::ZERO, a, target);
    }
    let half = middle(n, block);
    let rest = n - half;
    let (below, last) = (a.at(half, 0), a.at(half, half));
    multiply::<T>(parts, half, a, block, room)?;
    parts.product([half, half, rest], T::ONE, below.with(Op::ConjTrans), below, T::ONE, a, target)?;
    let copy = Block::new(room, below.operand.packed(rest, half));
    parts.copy::<T>([rest, half], below, copy)?;
    let adjoint = lower(last).with(Op::ConjTrans);
    parts.product([rest, half, rest], T::ONE, adjoint, copy, T::ZERO, below, Target::Whole)?;
    multiply::<T>(parts, rest, last, block, room)
}

/// The lower triangle of a block, with zeros above it.
const fn lower(a: Block<'_>) -> Block<'_> {
    let structure = Structure::Triangular(Trapezoid::of(Triangle::Lower), Diag::NonUnit);
    Block { operand: Operand { structure, ..a.operand }, ..a }
}
