//! gemm of matrices in half precision on any memory.

use super::dispatch::{dispatch_stored, on_host, on_host_mut, used};
use super::gemm::operations;
use super::{Family, Route, RouteChoice, Work, decide, settings, without_vendors};
use crate::blas::level3::gemm::{GemmProblem, hgemm_on};
use crate::context::{ContextParts, Event};
use crate::error::Result;
use crate::host;
use crate::options::Op;
use crate::scalar::{Half, ScalarKind};
use crate::view::{MatrixMut, MatrixRef, MatrixShape};

/// C := alpha op(A) op(B) + beta C for m x k op(A), k x n op(B) and m x n C in half precision: sums, alpha and beta are
/// `f32`, and each element of C is rounded once to half precision, at the end.
///
/// Otherwise like [`crate::gemm`]. Vendors' libraries are not asked.
///
/// # Errors
/// The errors of [`crate::gemm`]; every device has the precision. [`crate::Error::UnsupportedByVendor`] where a
/// vendor's library is demanded.
///
/// # Example
/// ```
/// use affinimath::{Context, Half, Op, hgemm};
///
/// // The preferred device, or the host where there is none.
/// let context = Context::preferred()?;
/// let halves = |numbers: [f32; 4]| numbers.map(Half::from_f32);
/// let a = context.upload(&halves([1.0, 2.0, 3.0, 4.0]))?; // columns (1, 2) and (3, 4)
/// let b = context.upload(&halves([1.0, 0.0, 1.0, 1.0]))?;
/// let mut c = context.zeros::<Half>(4)?;
/// hgemm(Op::NoTrans, Op::Trans, 1.0, a.matrix(2, 2)?, b.matrix(2, 2)?, 0.0, c.matrix_mut(2, 2)?)?.wait()?;
/// assert_eq!(c.download()?, halves([4.0, 6.0, 3.0, 4.0]));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
pub fn hgemm(
    op_a: Op,
    op_b: Op,
    alpha: f32,
    a: MatrixRef<'_, Half>,
    b: MatrixRef<'_, Half>,
    beta: f32,
    c: MatrixMut<'_, Half>,
) -> Result<Event> {
    let problem = GemmProblem::new(ScalarKind::S, op_a, op_b, a.shape(), b.shape(), c.shape())?;
    let matrices = [a.shape(), b.shape(), c.shape()].map(bytes);
    let operations = operations(ScalarKind::S, problem.m, problem.n, problem.k);
    let reads = alpha != 0.0;
    dispatch_stored(
        (used(a, reads), used(b, reads), used(c, beta != 0.0)),
        |bytes_to, bytes_from| {
            // It is computed as a product of floats, with less to carry.
            let work =
                Work { family: Family::Product, kind: ScalarKind::S, operations, steps: 0, bytes_to, bytes_from };
            route(&work, &matrices)
        },
        |(a, b, c)| host::hgemm(op_a, op_b, alpha, on_host(a), on_host(b), beta, on_host_mut(c)),
        |queue, (a, b, c)| hgemm_on(queue, op_a, op_b, alpha, a, b, beta, c),
    )
}

fn route(work: &Work, matrices: &[u64]) -> Result<Route> {
    let route = match decide(work)? {
        Route::Vendor(vendor) => without_vendors(work, vendor, "it is not asked for half precision".to_owned())?,
        route => route,
    };
    match route {
        // There are no parts of it that would fit.
        Route::Device(context) if settings()?.route != RouteChoice::Device && !context.transfers().hold(matrices) => {
            Ok(Route::Host)
        }
        route => Ok(route),
    }
}

fn bytes(shape: &MatrixShape) -> u64 {
    (shape.rows() as u64).saturating_mul(shape.columns() as u64).saturating_mul(size_of::<Half>() as u64)
}
