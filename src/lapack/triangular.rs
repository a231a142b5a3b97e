//! Triangular inverses and solves on a device, with a check for singularity.

use affinimath_macros::instances;
use faer::MatMut;

use super::native::Backend;
use super::outcome::Part;
use super::{Block, DeviceSlice, Executor, check_right_hand_sides, check_rows, device_info};
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

/// Inverts a triangular matrix in place on a device (LAPACK: xTRTRI). The other triangle and a unit diagonal are not
/// touched. It returns as soon as the work is enqueued.
///
/// `info`, one integer, becomes 0, or the 1-based index of the first zero on the diagonal; nothing is changed then.
/// Negative values are those of [`potrf_on`](super::potrf_on).
///
/// # Errors
/// Those of [`potrf_on`](super::potrf_on).
#[instances]
pub fn trtri_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    diagonal: Diag,
    a: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let backend = Backend::for_triangle(a.rows(), device_info(queue));
    trtri_with_backend(queue, (triangle, diagonal), a, &info, backend)
}

/// [`trtri_on`] by a given backend.
pub(super) fn trtri_with_backend<T: Scalar>(
    queue: &Queue,
    (triangle, diagonal): (Triangle, Diag),
    a: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    backend: Backend,
) -> Result<Event> {
    let n = square(a.shape(), "A")?;
    check_rows(n)?;
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let info = DeviceSlice::info(queue, info)?;
    let operand = Operand::whole(Op::NoTrans, a.shape());
    let operand = if triangle == Triangle::Lower { operand } else { operand.transposed() };
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
    if n > 0 && backend == Backend::Host {
        let routine = move |a: MatMut<'_, T>| host::trtri(Triangle::Lower, diagonal, a);
        if executor.on_host((a, [n, n]), info, routine)? {
            return executor.finish();
        }
    }
    executor.scan::<T>(n, diagonal, a, info)?;
    if n > 0 {
        let inverse = executor.inverse::<T>(n, diagonal, a)?;
        let part = if diagonal == Diag::Unit { Part::Below } else { Part::Lower };
        executor.commit::<T>([n, n], part, info, Block::new(&inverse, Operand::general(0, n, 1)), a)?;
    }
    executor.finish()
}

/// Solves op(A) X = B for a triangular A on a device (LAPACK: xTRTRS). X overwrites B. It returns as soon as the work
/// is enqueued.
///
/// `info`, one integer, becomes 0, or the 1-based index of the first zero on the diagonal; B is then unchanged.
///
/// # Errors
/// Those of [`potrf_on`](super::potrf_on).
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
    check_right_hand_sides(n, b.rows())?;
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let info = DeviceSlice::info(queue, &info)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(op, a.shape()));
    let columns = b.columns();
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    executor.scan::<T>(n, diagonal, a, info)?;
    let triangle = if op.transposes() { triangle.transposed() } else { triangle };
    executor.modify_if_info_is_zero::<T>([n, columns], b, info, |columns, x| {
        let problem = TrsmProblem { kind: T::KIND, n, columns, a: a.operand, triangle, diagonal, b: x.operand };
        executor.solve::<T>(&problem, a.memory, x.memory)
    })?;
    executor.finish()
}
