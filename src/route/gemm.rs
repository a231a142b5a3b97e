//! gemm on any memory.

use affinimath_macros::instances;

use super::dispatch::{dispatch, on_host, on_host_mut, used};
use super::set::share;
use super::{Family, Route, Work, decide};
use crate::blas::level3::gemm::{GemmProblem, gemm_on};
use crate::context::{ContextParts, Event};
use crate::error::Result;
use crate::host;
use crate::options::Op;
use crate::scalar::{Scalar, ScalarKind};
use crate::transfer::product::{Product, ProductPlan};
use crate::vendor::level3 as vendor;
use crate::view::{MatrixMut, MatrixRef, Memory, View};

/// C := alpha op(A) op(B) + beta C (BLAS: xGEMM), for m x k op(A), k x n op(B) and m x n C.
///
/// The memory of the views tells where it runs. In the host's memory, the route decides ([`crate::route::decide`]), and
/// the result is there on return. In a device's memory, it is enqueued on the context's own queue, and the event tells
/// when it is done.
///
/// Quick returns are those of BLAS. With m or n = 0 nothing is changed; with alpha or k = 0 A and B are not read; with
/// beta = 0 C is not read, so that NaN in it vanishes.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when the operands do not
/// lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, Op, gemm};
///
/// // The preferred device, or the host where there is none.
/// let context = Context::preferred()?;
/// let a = context.upload(&[1.0_f64, 2.0, 3.0, 4.0])?; // columns (1, 2) and (3, 4)
/// let b = context.upload(&[1.0, 0.0, 1.0, 1.0])?;
/// let mut c = context.zeros::<f64>(4)?;
/// gemm(Op::NoTrans, Op::Trans, 1.0, a.matrix(2, 2)?, b.matrix(2, 2)?, 0.0, c.matrix_mut(2, 2)?)?.wait()?;
/// assert_eq!(c.download()?, [4.0, 6.0, 3.0, 4.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
#[instances]
pub fn gemm<T: Scalar>(
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = GemmProblem::new(T::KIND, op_a, op_b, a.shape(), b.shape(), c.shape())?;
    let k = if op_a.transposes() { a.rows() } else { a.columns() };
    let work = operations(T::KIND, c.rows(), c.columns(), k);
    if let Some(set) = share::<T>(Family::Product, work, 0, &[&a, &b, &c])? {
        return set.gemm(op_a, op_b, alpha, a, b, beta, c).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    if let Some(event) = in_parts(&problem, [op_a, op_b], alpha, &a, &b, beta, &c)? {
        return Ok(event);
    }
    dispatch(
        Family::Product,
        operations(T::KIND, problem.m, problem.n, problem.k),
        (used(a, reads), used(b, reads), used(c, beta != T::ZERO)),
        |(a, b, c)| host::gemm(op_a, op_b, alpha, on_host(a), on_host(b), beta, on_host_mut(c)),
        |queue, (a, b, c)| gemm_on(queue, op_a, op_b, alpha, a, b, beta, c),
        |call, (a, b, c)| vendor::gemm(call, alpha, (op_a, (&a).into()), (op_b, (&b).into()), beta, (&c).into()),
    )
}

/// Bytes of a product's matrices below which nobody asks whether it should be done in parts.
const NEVER_IN_PARTS: u64 = 16 << 20;

/// A product of the host's matrices on a device in parts, where that is the way to do it.
fn in_parts<T: Scalar>(
    problem: &GemmProblem,
    ops: [Op; 2],
    alpha: T,
    a: &MatrixRef<'_, T>,
    b: &MatrixRef<'_, T>,
    beta: T,
    c: &MatrixMut<'_, T>,
) -> Result<Option<Event>> {
    let Some(starts) = host_starts(a, b, c).filter(|_| alpha != T::ZERO) else { return Ok(None) };
    let k = if ops[0].transposes() { a.rows() } else { a.columns() };
    let work = work(T::KIND, c.rows(), c.columns(), k);
    if problem.k == 0 || work.bytes_to < NEVER_IN_PARTS {
        return Ok(None);
    }
    let Route::Device(context) = decide(&work)? else { return Ok(None) };
    let size = [c.rows(), c.columns(), k];
    let Some(plan) = ProductPlan::choose(size, size_of::<T>(), context.transfers()) else { return Ok(None) };
    let c = MatrixMut::from_parts(c.memory(), *c.shape());
    // SAFETY: these are the views' own memories; C's is exclusive, and this the only view of it that is used.
    unsafe { Product { ops, alpha, a: *a, b: *b, beta, c, starts }.run(&context, &plan)? };
    Ok(Some(Event::Complete))
}

/// Starts of three matrices, if all of them are in host memory.
fn host_starts<T>(a: &MatrixRef<'_, T>, b: &MatrixRef<'_, T>, c: &MatrixMut<'_, T>) -> Option<[*mut T; 3]> {
    match (a.memory(), b.memory(), c.memory()) {
        (Memory::Host(a, _), Memory::Host(b, _), Memory::Host(c, _)) => Some([a, b, c]),
        _ => None,
    }
}

/// Route of a product of an m x k and a k x n matrix in host memory.
///
/// # Errors
/// The errors of [`decide`].
pub fn route_of_gemm(kind: ScalarKind, m: usize, n: usize, k: usize) -> Result<Route> {
    decide(&work(kind, m, n, k))
}

fn work(kind: ScalarKind, m: usize, n: usize, k: usize) -> Work {
    let [rows, columns, depth] = [m, n, k].map(|size| size as u64);
    // A and B go to the device, C there and back.
    let (c, size) = (rows.saturating_mul(columns), kind.bytes() as u64);
    let elements = rows.saturating_add(columns).saturating_mul(depth).saturating_add(c);
    Work {
        family: Family::Product,
        kind,
        operations: operations(kind, m, n, k),
        steps: 0,
        bytes_to: elements.saturating_mul(size),
        bytes_from: c.saturating_mul(size),
    }
}

pub(super) fn operations(kind: ScalarKind, m: usize, n: usize, k: usize) -> u64 {
    let [m, n, k] = [m, n, k].map(|size| size as u64);
    m.saturating_mul(n).saturating_mul(k).saturating_mul(kind.multiply_add_operations())
}
