//! Level 3 beyond gemm on any memory.
//!
//! The memory of the views tells where a routine runs. In the host's memory, the route decides, and the result is there
//! on return. In a device's memory, it is enqueued on the context's own queue, and the event tells when it is done.

use affinimath_macros::instances;

use super::Family;
use super::dispatch::{dispatch, on_host, on_host_mut, used};
use super::set::share;
use crate::blas::level3::gemm::GemmProblem;
use crate::blas::level3::rank_k::{check_same_size, real};
use crate::blas::level3::{
    gemmt, gemmt_on, hemm_on, her2k_on, herk_on, symm, symm_on, syr2k_on, syrk_on, trmm, trmm_on,
};
use crate::context::Event;
use crate::error::Result;
use crate::host::level3 as host;
use crate::options::{Diag, Op, Side, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::vendor::{Routine, level3 as vendor};
use crate::view::{MatrixMut, MatrixRef};

/// Multiplications and additions of a problem: half of them where only a triangle counts.
fn operations(problem: &GemmProblem, half: bool) -> u64 {
    let [m, n, k] = [problem.m, problem.n, problem.k].map(|size| size as u64);
    let all = m.saturating_mul(n).saturating_mul(k).saturating_mul(problem.kind.multiply_add_operations());
    if half { all / 2 } else { all }
}

/// C := alpha A B + beta C with a symmetric A on the left, alpha B A + beta C with it on the right (BLAS: xSYMM). Of A,
/// only the triangle named is read.
///
/// Quick returns are those of BLAS. With m or n = 0 nothing is changed; with alpha = 0 A and B are not read; with beta
/// = 0 C is not read, so that NaN in it vanishes.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when the operands do not
/// lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, Side, Triangle, symm};
///
/// let context = Context::preferred()?;
/// let a = context.upload(&[2.0_f64, f64::NAN, 1.0, 3.0])?; // the upper triangle of (2, 1; 1, 3)
/// let b = context.upload(&[1.0, 0.0, 1.0, 1.0])?;
/// let mut c = context.zeros::<f64>(4)?;
/// symm(Side::Left, Triangle::Upper, 1.0, a.matrix(2, 2)?, b.matrix(2, 2)?, 0.0, c.matrix_mut(2, 2)?)?.wait()?;
/// assert_eq!(c.download()?, [2.0, 1.0, 3.0, 4.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn symm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = symm::problem(T::KIND, Symmetry::Symmetric, side, triangle, [a.shape(), b.shape(), c.shape()])?;
    if let Some(set) = share::<T>(Family::Product, operations(&problem, false), 0, &[&a, &b, &c])? {
        return set.symm(side, triangle, alpha, a, b, beta, c).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    let operands = (used(a, reads), used(b, reads), used(c, beta != T::ZERO));
    let on_this_host = |(a, b, c): (MatrixRef<'_, T>, MatrixRef<'_, T>, MatrixMut<'_, T>)| {
        host::symm(Symmetry::Symmetric, side, triangle, alpha, on_host(a), on_host(b), beta, on_host_mut(c));
    };
    dispatch(
        Family::Product,
        operations(&problem, false),
        operands,
        on_this_host,
        |queue, (a, b, c)| symm_on(queue, side, triangle, alpha, a, b, beta, c),
        |call, (a, b, c)| {
            let (a, b, c) = ((&a).into(), (&b).into(), (&c).into());
            vendor::symm(call, Symmetry::Symmetric, side, triangle, alpha, a, b, beta, c)
        },
    )
}

/// The same with a Hermitian A (BLAS: xHEMM), whose diagonal's imaginary parts are not read.
///
/// # Errors
/// The errors of [`symm()`].
#[instances]
pub fn hemm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = symm::problem(T::KIND, Symmetry::Hermitian, side, triangle, [a.shape(), b.shape(), c.shape()])?;
    if let Some(set) = share::<T>(Family::Product, operations(&problem, false), 0, &[&a, &b, &c])? {
        return set.hemm(side, triangle, alpha, a, b, beta, c).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    let operands = (used(a, reads), used(b, reads), used(c, beta != T::ZERO));
    let on_this_host = |(a, b, c): (MatrixRef<'_, T>, MatrixRef<'_, T>, MatrixMut<'_, T>)| {
        host::symm(Symmetry::Hermitian, side, triangle, alpha, on_host(a), on_host(b), beta, on_host_mut(c));
    };
    dispatch(
        Family::Product,
        operations(&problem, false),
        operands,
        on_this_host,
        |queue, (a, b, c)| hemm_on(queue, side, triangle, alpha, a, b, beta, c),
        |call, (a, b, c)| {
            let (a, b, c) = ((&a).into(), (&b).into(), (&c).into());
            vendor::symm(call, Symmetry::Hermitian, side, triangle, alpha, a, b, beta, c)
        },
    )
}

/// C := alpha op(A) op(A)ᵀ + beta C for a symmetric C (BLAS: xSYRK), of which only the triangle named is read and
/// written.
///
/// Quick returns are those of BLAS. With n = 0 nothing is changed; with alpha or k = 0 A is not read; with beta = 0 C
/// is not read.
///
/// # Errors
/// The errors of [`symm()`].
#[instances]
pub fn syrk<T: Scalar>(
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let target = (triangle, Symmetry::Symmetric);
    let turned = Symmetry::Symmetric.turned(op);
    let problem = gemmt::problem(T::KIND, target, (op, a.shape()), (turned, a.shape()), c.shape())?;
    if let Some(set) = share::<T>(Family::RankUpdate, operations(&problem, true), 0, &[&a, &c])? {
        return set.syrk(triangle, op, alpha, a, beta, c).map(|()| Event::Complete);
    }
    dispatch(
        Family::RankUpdate,
        operations(&problem, true),
        // The whole of C comes back from a device, so C is copied there even with beta = 0.
        (used(a, alpha != T::ZERO), c),
        |(a, c)| host::gemmt(target, (op, on_host(a)), (turned, on_host(a)), alpha, beta, on_host_mut(c)),
        |queue, (a, c)| syrk_on(queue, triangle, op, alpha, a, beta, c),
        |call, (a, c)| vendor::rank_k(call, target, op, alpha, (&a).into(), None, beta, (&c).into()),
    )
}

/// C := alpha op(A) op(A)ᴴ + beta C for a Hermitian C and real factors (BLAS: xHERK). As [`syrk`] otherwise; imaginary
/// parts on the diagonal of C are not read, and written as zeros.
///
/// # Errors
/// The errors of [`symm()`].
#[instances]
pub fn herk<T: Scalar>(
    triangle: Triangle,
    op: Op,
    alpha: T::RealScalar,
    a: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let target = (triangle, Symmetry::Hermitian);
    let turned = Symmetry::Hermitian.turned(op);
    let problem = gemmt::problem(T::KIND, target, (op, a.shape()), (turned, a.shape()), c.shape())?;
    if let Some(set) = share::<T>(Family::RankUpdate, operations(&problem, true), 0, &[&a, &c])? {
        return set.herk(triangle, op, alpha, a, beta, c).map(|()| Event::Complete);
    }
    dispatch(
        Family::RankUpdate,
        operations(&problem, true),
        (used(a, alpha != T::RealScalar::ZERO), c),
        |(a, c)| host::gemmt(target, (op, on_host(a)), (turned, on_host(a)), real(alpha), real(beta), on_host_mut(c)),
        |queue, (a, c)| herk_on(queue, triangle, op, alpha, a, beta, c),
        |call, (a, c)| vendor::rank_k(call, target, op, real(alpha), (&a).into(), None, real(beta), (&c).into()),
    )
}

/// C := alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C for a symmetric C (BLAS: xSYR2K), of which only the triangle
/// named is read and written.
///
/// Quick returns are those of BLAS. With n = 0 nothing is changed; with alpha or k = 0 A and B are not read; with beta
/// = 0 C is not read.
///
/// # Errors
/// The errors of [`symm()`].
#[instances]
pub fn syr2k<T: Scalar>(
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let target = (triangle, Symmetry::Symmetric);
    check_same_size(a.shape(), b.shape())?;
    let problem = gemmt::problem(T::KIND, target, (op, a.shape()), (op.transposed(), b.shape()), c.shape())?;
    if let Some(set) = share::<T>(Family::RankUpdate, operations(&problem, false), 0, &[&a, &b, &c])? {
        return set.syr2k(triangle, op, alpha, a, b, beta, c).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    dispatch(
        Family::RankUpdate,
        operations(&problem, false),
        (used(a, reads), used(b, reads), c),
        |(a, b, c)| host::rank_2k(target, op, alpha, (on_host(a), on_host(b)), beta, on_host_mut(c)),
        |queue, (a, b, c)| syr2k_on(queue, triangle, op, alpha, a, b, beta, c),
        |call, (a, b, c)| vendor::rank_k(call, target, op, alpha, (&a).into(), Some((&b).into()), beta, (&c).into()),
    )
}

/// C := alpha op(A) op(B)ᴴ + conj(alpha) op(B) op(A)ᴴ + beta C for a Hermitian C and a real beta (BLAS: xHER2K). As
/// [`syr2k`] otherwise; imaginary parts on the diagonal of C are not read, and written as zeros.
///
/// # Errors
/// The errors of [`symm()`].
#[instances]
pub fn her2k<T: Scalar>(
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let target = (triangle, Symmetry::Hermitian);
    check_same_size(a.shape(), b.shape())?;
    let problem = gemmt::problem(T::KIND, target, (op, a.shape()), (op.adjoint(), b.shape()), c.shape())?;
    if let Some(set) = share::<T>(Family::RankUpdate, operations(&problem, false), 0, &[&a, &b, &c])? {
        return set.her2k(triangle, op, alpha, a, b, beta, c).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    dispatch(
        Family::RankUpdate,
        operations(&problem, false),
        (used(a, reads), used(b, reads), c),
        |(a, b, c)| host::rank_2k(target, op, alpha, (on_host(a), on_host(b)), real(beta), on_host_mut(c)),
        |queue, (a, b, c)| her2k_on(queue, triangle, op, alpha, a, b, beta, c),
        |call, (a, b, c)| {
            vendor::rank_k(call, target, op, alpha, (&a).into(), Some((&b).into()), real(beta), (&c).into())
        },
    )
}

/// B := alpha op(A) B with a triangular A on the left, alpha B op(A) with it on the right (BLAS: xTRMM). Of A, only the
/// triangle named is read, and not its diagonal if that is all ones.
///
/// Quick returns are those of BLAS. With m or n = 0 nothing is changed; with alpha = 0 neither A nor B is read, and B
/// becomes zero.
///
/// # Errors
/// The errors of [`symm()`].
///
/// # Example
/// ```
/// use affinimath::{Context, Diag, Op, Side, Triangle, trmm};
///
/// let context = Context::preferred()?;
/// let a = context.upload(&[2.0_f32, 5.0, f32::NAN, 3.0])?; // the lower triangle of (2, 0; 5, 3)
/// let mut b = context.upload(&[1.0, 1.0])?;
/// trmm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, 1.0, a.matrix(2, 2)?, b.matrix_mut(2, 1)?)?.wait()?;
/// assert_eq!(b.download()?, [2.0, 8.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn trmm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = trmm::problem(T::KIND, side, (triangle, op, diagonal), a.shape(), b.shape())?;
    if let Some(set) = share::<T>(Family::TriangularProduct, operations(&problem, true), 0, &[&a, &b])? {
        return set.trmm(side, triangle, op, diagonal, alpha, a, b).map(|()| Event::Complete);
    }
    let reads = alpha != T::ZERO;
    dispatch(
        Family::TriangularProduct,
        operations(&problem, true),
        (used(a, reads), used(b, reads)),
        |(a, b)| host::trmm(side, triangle, op, diagonal, alpha, on_host(a), on_host_mut(b)),
        |queue, (a, b)| trmm_on(queue, side, triangle, op, diagonal, alpha, a, b),
        |call, (a, b)| {
            let options = (triangle, op, diagonal);
            vendor::triangular(call, Routine::Trmm, side, options, alpha, (&a).into(), (&b).into())
        },
    )
}

/// The triangle named of C := alpha op(A) op(B) + beta C (xGEMMT of MKL and OpenBLAS). The other triangle of C is
/// neither read nor written.
///
/// With n = 0 nothing is changed; with alpha or k = 0 A and B are not read; with beta = 0 C is not read.
///
/// # Errors
/// The errors of [`symm()`].
#[allow(clippy::too_many_arguments, reason = "the operands of gemmt")]
#[instances]
pub fn gemmt<T: Scalar>(
    triangle: Triangle,
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let target = (triangle, Symmetry::Symmetric);
    let problem = gemmt::problem(T::KIND, target, (op_a, a.shape()), (op_b, b.shape()), c.shape())?;
    let reads = alpha != T::ZERO;
    dispatch(
        Family::RankUpdate,
        operations(&problem, true),
        (used(a, reads), used(b, reads), c),
        |(a, b, c)| host::gemmt(target, (op_a, on_host(a)), (op_b, on_host(b)), alpha, beta, on_host_mut(c)),
        |queue, (a, b, c)| gemmt_on(queue, triangle, op_a, op_b, alpha, a, b, beta, c),
        |call, (a, b, c)| {
            let (a, b) = ((op_a, (&a).into()), (op_b, (&b).into()));
            vendor::gemmt(call, triangle, alpha, a, b, beta, (&c).into())
        },
    )
}
