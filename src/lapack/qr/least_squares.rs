//! Least squares and least norms by QR on a device, for matrices of full rank.

use affinimath_macros::instances;

use super::{QrPlan, factorise, multiply, plan_for};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{Event, Queue, QueueParts, Scratch};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::lapack::{Block, Entries, Parts, check_rows, device_info};
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, VectorMut, View};

/// For each column b of B, the x that minimises ||b - op(A) x||; where that is zero for many x, the one of least norm, on a device
/// (LAPACK: xGELS). A has full rank; it is overwritten by its factors, those of geqrf or, where it is wider than high, of gelqf. B
/// has max(m, n) rows: b in the first ones, and then x. `op` is [`Op::NoTrans`] or [`Op::ConjTrans`]; for the real types
/// [`Op::Trans`] is the same.
///
/// It returns as soon as the work is enqueued. `info`, one number, becomes 0, or the number of the first element on the triangular
/// factor's diagonal that is zero: then there is no solution, also for a matrix of zeros.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::InvalidArgument`] (another operation), [`Error::MixedMemory`],
/// [`Error::PrecisionNotSupported`]: nothing was enqueued. [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`],
/// [`Error::OpenCl`]: A, B and the info are not to be used.
#[instances]
pub fn gels_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let plan = plan_for::<T>(queue, [a.rows(), a.columns()]);
    gels_by(queue, op, a, b, &info, (&plan, device_info(queue)))
}

/// The same by a given plan, as on a device with these facts.
pub(crate) fn gels_by<T: Scalar>(
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
    // A wide A is the transpose of a high one: A = (Q R)ᵀ = Rᵀ Qᵀ, and Aᴴ = conj(Q) conj(R).
    let wide = a.rows() < a.columns();
    let info = Entries::info(queue, info)?;
    let operand = Operand::whole(if wide { Op::Trans } else { Op::NoTrans }, a.shape());
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, operand);
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device)?;
    tracing::debug!(rows, order, columns, wide, ?op, ?plan, device = device.name, "gels");
    if order == 0 {
        parts.clear(info)?;
        parts.clear_matrix::<T>([rows, columns], b)?; // LAPACK: the solution of least norm.
        return parts.finish();
    }
    let memory = Scratch::borrow(queue, (order * size_of::<T>()) as u64)?;
    let tau = Entries { memory: &memory, offset: 0 };
    factorise::<T>(&parts, plan, a, [rows, order], tau)?;
    parts.scan::<T>(order, Diag::NonUnit, a, info)?;
    let reflections = (a, [rows, order], tau);
    let solve = |op: Op| {
        let operand = a.with(op).operand;
        let triangle = if op.transposes() { Triangle::Lower } else { Triangle::Upper };
        parts.change_if_right::<T>([order, columns], b, info, |columns, x| {
            let (kind, diagonal) = (T::KIND, Diag::NonUnit);
            let problem = TrsmProblem { kind, n: order, columns, a: operand, triangle, diagonal, b: x.operand };
            parts.solve::<T>(&problem, a.memory, x.memory)
        })
    };
    if wide != (op == Op::NoTrans) {
        let (of_q, of_r) = if wide { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
        multiply::<T>(&parts, plan, of_q, reflections, columns, b)?;
        solve(of_r)?;
    } else {
        let (of_r, of_q) = if wide { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
        solve(of_r)?;
        parts.clear_matrix::<T>([rows - order, columns], b.at(order, 0))?;
        multiply::<T>(&parts, plan, of_q, reflections, columns, b)?;
    }
    parts.finish()
}

/// The operation as `NoTrans` or what is the adjoint for the type.
pub(crate) fn keep_or_adjoint<T: Scalar>(op: Op) -> Result<Op> {
    match op {
        Op::NoTrans | Op::ConjTrans => Ok(op),
        Op::Trans if !T::KIND.is_complex() => Ok(Op::ConjTrans),
        Op::ConjNoTrans if !T::KIND.is_complex() => Ok(Op::NoTrans),
        _ => Err(Error::argument("op", format!("{op:?} is neither NoTrans nor ConjTrans"))),
    }
}
