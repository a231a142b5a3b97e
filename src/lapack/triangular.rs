//! Triangular matrices on a device: their inverses, and systems that are refused where they are singular.

use affinimath_macros::instances;
use faer::MatMut;

use super::native::Backend;
use super::outcome::Part;
use super::{Block, Entries, Parts, check_rights, check_rows, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::blas::level3::square;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{Event, Queue, QueueParts};
use crate::error::Result;
use crate::host::lapack as host;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, View};

/// The inverse of a triangular matrix in its place on a device (LAPACK: xTRTRI). The other triangle, and a diagonal of ones, are
/// not touched. It returns as soon as the work is enqueued.
///
/// `info`, one number, becomes 0, or the number of the first element of the diagonal that is zero: then nothing is changed. A negative
/// one is [`potrf_on`](super::potrf_on)'s.
///
/// # Errors
/// As [`potrf_on`](super::potrf_on).
#[instances]
pub fn trtri_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    diagonal: Diag,
    a: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let backend = Backend::for_triangle(a.rows(), device_info(queue));
    trtri_by(queue, (triangle, diagonal), a, &info, backend)
}

/// The same by given means.
pub(super) fn trtri_by<T: Scalar>(
    queue: &Queue,
    (triangle, diagonal): (Triangle, Diag),
    a: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    backend: Backend,
) -> Result<Event> {
    let n = square(a.shape(), "A")?;
    check_rows(n)?;
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    let info = Entries::info(queue, info)?;
    let operand = Operand::whole(Op::NoTrans, a.shape());
    let operand = if triangle == Triangle::Lower { operand } else { operand.transposed() };
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
    if n > 0 && backend == Backend::Host {
        let routine = move |a: MatMut<'_, T>| host::trtri(Triangle::Lower, diagonal, a);
        if parts.on_host((a, [n, n]), info, routine)? {
            return parts.finish();
        }
    }
    parts.scan::<T>(n, diagonal, a, info)?;
    if n > 0 {
        let inverse = parts.inverse::<T>(n, diagonal, a)?;
        let part = if diagonal == Diag::Unit { Part::Below } else { Part::Lower };
        parts.commit::<T>([n, n], part, info, Block::new(&inverse, Operand::general(0, n, 1)), a)?;
    }
    parts.finish()
}

/// Solves op(A) X = B for a triangular A, X in B's place, on a device (LAPACK: xTRTRS). It returns as soon as the work is enqueued.
///
/// `info`, one number, becomes 0, or the number of the first element of the diagonal that is zero: then B is as it was.
///
/// # Errors
/// As [`potrf_on`](super::potrf_on).
#[allow(clippy::too_many_arguments, reason = "the operands of LAPACK's trtrs")]
#[instances]
pub fn trtrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square(a.shape(), "A")?;
    check_rows(n)?;
    check_rights(n, b.rows())?;
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    let info = Entries::info(queue, &info)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(op, a.shape()));
    let columns = b.columns();
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    parts.scan::<T>(n, diagonal, a, info)?;
    let triangle = if op.transposes() { triangle.transposed() } else { triangle };
    parts.change_if_right::<T>([n, columns], b, info, |columns, x| {
        let problem = TrsmProblem { kind: T::KIND, n, columns, a: a.operand, triangle, diagonal, b: x.operand };
        parts.solve::<T>(&problem, a.memory, x.memory)
    })?;
    parts.finish()
}
