//! Batches on any memory.

use affinimath_macros::instances;

use super::Family;
use super::dispatch::{dispatch, used};
use super::set::share;
use crate::blas::level3::batched::{batched_problem, batched_system, gemm_batched_on, trsm_batched_on};
use crate::context::Event;
use crate::error::Result;
use crate::host::batched as host;
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::vendor::Request;
use crate::view::{BatchMut, BatchRef};

/// C := alpha op(A) op(B) + beta C for each matrix of a batch.
///
/// The matrices of A and of B may be the same ones (a stride of 0); those of C do not overlap. As [`crate::gemm`]
/// otherwise: with alpha or k = 0, A and B are not read; with beta = 0, C is not. Without matrices nothing is done.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when counts or sizes do not agree, [`crate::Error::MixedMemory`] when the operands
/// do not lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{BatchShape, Context, Layout, MatrixShape, Op, gemm_batched};
///
/// let context = Context::preferred()?;
/// let a = context.upload(&[1.0_f32, 2.0, 3.0])?; // three matrices of 1 x 1
/// let b = context.upload(&[10.0])?; // one for all of them
/// let mut c = context.zeros::<f32>(3)?;
/// let one = MatrixShape::new(Layout::ColumnMajor, 1, 1, 0, 1)?;
/// let each = |stride| BatchShape::strided(one, stride, 3);
/// let (a, b, c_view) = (a.batch(each(1)?)?, b.batch(each(0)?)?, c.batch_mut(each(1)?)?);
/// gemm_batched(Op::NoTrans, Op::NoTrans, 1.0, a, b, 0.0, c_view)?.wait()?;
/// assert_eq!(c.download()?, [10.0, 20.0, 30.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
#[instances]
pub fn gemm_batched<T: Scalar>(
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    beta: T,
    c: BatchMut<'_, T>,
) -> Result<Event> {
    let problem = batched_problem::<T>([op_a, op_b], alpha, [a.shape(), b.shape()], c.shape())?;
    let gemm = &problem.gemm;
    if problem.count == 0 || gemm.m == 0 || gemm.n == 0 || gemm.k == 0 && beta == T::ONE {
        return Ok(Event::Complete); // BLAS: no element of any C changes.
    }
    let work = operations::<T>(&[problem.count, gemm.m, gemm.n, gemm.k]);
    if let Some(set) = share::<T>(Family::Batch, work, 0, &[&a, &b, &c])? {
        return set.gemm_batched(op_a, op_b, alpha, a, b, beta, c).map(|()| Event::Complete);
    }
    let reads = gemm.k > 0;
    dispatch(
        Family::Batch,
        work,
        (used(a, reads), used(b, reads), used(c, beta != T::ZERO)),
        |(a, b, c)| host::gemm_batched([op_a, op_b], alpha, &a, &b, beta, &c),
        |queue, (a, b, c)| gemm_batched_on(queue, op_a, op_b, alpha, a, b, beta, c),
        |_: &mut Request<T>, _| None, // CBLAS has no batches.
    )
}

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for each matrix of a batch, where X takes B's place.
///
/// The matrices of A may be the same one (a stride of 0); those of B do not overlap. As [`crate::trsm`] otherwise.
/// Without matrices nothing is done.
///
/// # Errors
/// The errors of [`gemm_batched`].
#[instances]
pub fn trsm_batched<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchMut<'_, T>,
) -> Result<Event> {
    let problem = batched_system::<T>(side, (triangle, op, diagonal), a.shape(), b.shape())?;
    let count = b.shape().count();
    if count == 0 || problem.n == 0 || problem.columns == 0 {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    let work = operations::<T>(&[count, problem.n, problem.n, problem.columns]) / 2;
    if let Some(set) = share::<T>(Family::Batch, work, 0, &[&a, &b])? {
        return set.trsm_batched(side, triangle, op, diagonal, alpha, a, b).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    dispatch(
        Family::Batch,
        work,
        (used(a, reads), used(b, reads)),
        |(a, b)| host::trsm_batched(side, (triangle, op, diagonal), alpha, &a, &b),
        |queue, (a, b)| trsm_batched_on(queue, side, triangle, op, diagonal, alpha, a, b),
        |_: &mut Request<T>, _| None, // CBLAS has no batches.
    )
}

fn operations<T: Scalar>(sizes: &[usize]) -> u64 {
    let multiplications = sizes.iter().fold(1_u64, |product, &size| product.saturating_mul(size as u64));
    multiplications.saturating_mul(T::KIND.multiply_add_operations())
}
