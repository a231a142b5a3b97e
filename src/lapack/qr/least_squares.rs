//! Least squares and least norms by QR on a device, for matrices of full rank.

use affinimath_macros::instances;

use super::{QrPlan, apply_reflectors, geqrf_block};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{Event, Queue, QueueParts, Workspace};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::lapack::{Block, DeviceSlice, Executor, check_rows, device_info};
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, VectorMut, View};

/// Least squares on a device: for each column b of B, the x that minimises ||b - op(A) x||, or the solution of least
/// norm of an underdetermined system (LAPACK: xGELS). A has full rank. Its factors overwrite it: those of geqrf, or of
/// gelqf if it has more columns than rows. B has max(m, n) rows: b in the first ones, and x after the call. `op` is
/// [`Op::NoTrans`] or [`Op::ConjTrans`]; for the real types [`Op::Trans`] is the same as `ConjTrans`.
///
/// It returns as soon as the work is enqueued. `info`, one integer, becomes 0, or the 1-based index of the first zero
/// on the triangular factor's diagonal. There is no solution then, even for a matrix of zeros.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::InvalidArgument`] (another operation), [`Error::MixedMemory`],
/// [`Error::PrecisionNotSupported`]: nothing was enqueued. [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`],
/// [`Error::OpenCl`]: A, B and the info are undefined.
#[instances]
pub fn gels_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let plan = QrPlan::on_queue::<T>((queue, device_info(queue)), [a.rows(), a.columns()]);
    gels_with_plan(queue, op, a, b, &info, (&plan, device_info(queue)))
}

/// [`gels_on`] by a given plan, as on a device with these facts.
pub(crate) fn gels_with_plan<T: Scalar>(
    queue: &Queue,
    op: Op,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
    (plan, device): (&QrPlan, &DeviceInfo),
) -> Result<Event> {
    let op = keep_or_adjoint::<T>(op)?;
    let (rows, order, columns) = (a.rows().max(a.columns()), a.rows().min(a.columns()), b.columns());
    check_rows(rows)?;
    if b.rows() != rows {
        return Err(Error::ShapeMismatch(format!("the longer side of A: {rows}; rows of B: {}", b.rows())));
    }
    // A with fewer rows than columns is the transpose of a tall one: A = (Q R)ᵀ = Rᵀ Qᵀ, and Aᴴ = conj(Q)
    // conj(R).
    let wide = a.rows() < a.columns();
    let info = DeviceSlice::info(queue, info)?;
    let operand = Operand::whole(if wide { Op::Trans } else { Op::NoTrans }, a.shape());
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    tracing::debug!(rows, order, columns, wide, ?op, ?plan, device = device.name, "gels");
    if order == 0 {
        executor.clear(info)?;
        executor.clear_matrix::<T>([rows, columns], b)?; // LAPACK: the solution of least norm.
        return executor.finish();
    }
    let memory = Workspace::borrow(queue, (order * size_of::<T>()) as u64)?;
    let tau = DeviceSlice { memory: &memory, offset: 0 };
    geqrf_block::<T>(&executor, plan, a, [rows, order], tau)?;
    executor.scan::<T>(order, Diag::NonUnit, a, info)?;
    let q = (a, [rows, order], tau);
    let solve = |op: Op| {
        let operand = a.with(op).operand;
        let triangle = if op.transposes() { Triangle::Lower } else { Triangle::Upper };
        executor.modify_if_info_is_zero::<T>([order, columns], b, info, |columns, x| {
            let (kind, diagonal) = (T::KIND, Diag::NonUnit);
            let problem = TrsmProblem { kind, n: order, columns, a: operand, triangle, diagonal, b: x.operand };
            executor.solve::<T>(&problem, a.memory, x.memory)
        })
    };
    if wide != (op == Op::NoTrans) {
        let (of_q, of_r) = if wide { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
        apply_reflectors::<T>(&executor, plan, of_q, q, columns, b)?;
        solve(of_r)?;
    } else {
        let (of_r, of_q) = if wide { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
        solve(of_r)?;
        executor.clear_matrix::<T>([rows - order, columns], b.at(order, 0))?;
        apply_reflectors::<T>(&executor, plan, of_q, q, columns, b)?;
    }
    executor.finish()
}

/// `op` as one of the two operations that gels knows: no transpose, or the conjugate transpose.
pub(crate) fn keep_or_adjoint<T: Scalar>(op: Op) -> Result<Op> {
    match op {
        Op::NoTrans | Op::ConjTrans => Ok(op),
        Op::Trans if !T::KIND.is_complex() => Ok(Op::ConjTrans),
        Op::ConjNoTrans if !T::KIND.is_complex() => Ok(Op::NoTrans),
        _ => Err(Error::argument("op", format!("{op:?} is neither NoTrans nor ConjTrans"))),
    }
}
