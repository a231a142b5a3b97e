//! trsm on any memory.

use affinimath_macros::instances;

use super::Family;
use super::dispatch::{dispatch, on_host, on_host_mut, used};
use super::set::share;
use crate::blas::level3::trsm::{TrsmProblem, trsm_on};
use crate::context::Event;
use crate::error::Result;
use crate::host;
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::vendor::{Routine, level3 as vendor};
use crate::view::{MatrixMut, MatrixRef};

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for a triangular A, where X takes B's place (BLAS:
/// xTRSM).
///
/// Only one triangle of A is read, and its diagonal only if it is stored; with alpha = 0, A is not read and X is zero.
/// No test for singularity is made. The memory of the views tells where it runs, as for [`crate::gemm`].
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when the matrices do not
/// lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, Diag, Op, Side, Triangle, trsm};
///
/// let context = Context::preferred()?;
/// let a = context.upload(&[2.0_f64, 3.0, 0.0, 4.0])?; // columns (2, 3) and (0, 4)
/// let mut b = context.upload(&[2.0, 11.0])?;
/// let views = (a.matrix(2, 2)?, b.matrix_mut(2, 1)?);
/// trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, 1.0, views.0, views.1)?.wait()?;
/// assert_eq!(b.download()?, [1.0, 2.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn trsm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = TrsmProblem::new(T::KIND, side, (triangle, op, diagonal), a.shape(), b.shape())?;
    if problem.n == 0 || problem.columns == 0 {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    let [n, columns] = [problem.n, problem.columns].map(|size| size as u64);
    let multiplications = n.saturating_mul(n).saturating_mul(columns) / 2;
    let operations = multiplications.saturating_mul(T::KIND.multiply_add_operations());
    if let Some(set) = share::<T>(Family::TriangularSolve, operations, 0, &[&a, &b])? {
        return set.trsm(side, triangle, op, diagonal, alpha, a, b).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    dispatch(
        Family::TriangularSolve,
        operations,
        (used(a, reads), used(b, reads)),
        |(a, b)| host::trsm(side, triangle, op, diagonal, alpha, on_host(a), on_host_mut(b)),
        |queue, (a, b)| trsm_on(queue, side, triangle, op, diagonal, alpha, a, b),
        |call, (a, b)| {
            let options = (triangle, op, diagonal);
            vendor::triangular(call, Routine::Trsm, side, options, alpha, (&a).into(), (&b).into())
        },
    )
}
