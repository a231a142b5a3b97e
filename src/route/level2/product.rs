//! Products of matrices and vectors on any memory.
//!
//! The memory of the views tells where a product runs. In the host's memory, the route decides, and the result is there
//! on return. In a device's memory, it is enqueued on the context's own queue, and the event tells when it is done.

use affinimath_macros::instances;

use crate::blas::level2::product::{Product, ProductProblem, product_on};
use crate::context::Event;
use crate::error::Result;
use crate::host;
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::route::Family;
use crate::route::dispatch::{dispatch, used};
use crate::scalar::Scalar;
use crate::vendor::level2 as vendor;
use crate::view::{BandRef, MatrixRef, PackedRef, VectorMut, VectorRef, View};

/// y := alpha op(A) x + beta y. The constructor of [`Product`] and its first arguments, then the operands.
macro_rules! product {
    ($constructor:ident($($option:expr),*; $alpha:expr, $a:expr, $x:expr, $beta:expr, $y:expr)) => {{
        let (alpha, a, x, beta, y) = ($alpha, $a, $x, $beta, $y);
        let again = VectorMut::from_parts(y.memory(), *y.shape());
        let product = Product::$constructor($($option,)* alpha, a, x, beta, again)?;
        if product.changes_nothing() {
            return Ok(Event::Complete);
        }
        let reads = alpha != T::ZERO;
        dispatch(
            Family::MatrixVector,
            operations(&product.problem),
            (used(a, reads), used(x, reads), used(y, beta != T::ZERO)),
            |(a, x, y)| {
                let product = Product::$constructor($($option,)* alpha, a, x, beta, y);
                host::level2::product(&product.expect("the sizes agree, as they did before"));
            },
            |queue, (a, x, y)| product_on(queue, &Product::$constructor($($option,)* alpha, a, x, beta, y)?),
            |call, (a, x, y)| vendor::$constructor(call, $($option,)* alpha, a, x, beta, y),
        )
    }};
}

/// x := op(A) x, in the same way.
macro_rules! in_place {
    ($constructor:ident($($option:expr),*; $a:expr, $x:expr)) => {{
        let (a, x) = ($a, $x);
        let again = VectorMut::from_parts(x.memory(), *x.shape());
        let product = Product::$constructor($($option,)* a, again)?;
        if product.changes_nothing() {
            return Ok(Event::Complete);
        }
        dispatch(
            Family::MatrixVector,
            operations(&product.problem),
            (a, x),
            |(a, x)| {
                let product = Product::$constructor($($option,)* a, x);
                host::level2::product(&product.expect("the sizes agree, as they did before"));
            },
            |queue, (a, x)| product_on(queue, &Product::$constructor($($option,)* a, x)?),
            |call, (a, x)| vendor::$constructor(call, $($option,)* a, x),
        )
    }};
}

fn operations(problem: &ProductProblem) -> u64 {
    // A stored element of a symmetric matrix is multiplied twice.
    let uses = if matches!(problem.structure, crate::blas::level2::product::Structure::Symmetric(_)) { 2 } else { 1 };
    (problem.elements() as u64).saturating_mul(uses * problem.kind.multiply_add_operations())
}

/// y := alpha op(A) x + beta y (BLAS: xGEMV).
///
/// BLAS: with an empty A nothing is changed; with alpha = 0, A and x are not read; with beta = 0, y is not, so that NaN
/// in it vanishes.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when the operands do not
/// lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, Op, gemv};
///
/// let context = Context::preferred()?;
/// let a = context.upload(&[1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0])?; // columns (1, 2), (3, 4) and (5, 6)
/// let x = context.upload(&[1.0, 0.0, -1.0])?;
/// let mut y = context.upload(&[1.0, 1.0])?;
/// gemv(Op::NoTrans, 2.0, a.matrix(2, 3)?, x.vector()?, 1.0, y.vector_mut()?)?.wait()?;
/// assert_eq!(y.download()?, [-7.0, -7.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gemv<T: Scalar>(
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(gemv(op; alpha, a, x, beta, y))
}

/// y := alpha op(A) x + beta y for a band matrix A (BLAS: xGBMV). As [`gemv`] otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn gbmv<T: Scalar>(
    op: Op,
    alpha: T,
    a: BandRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(gbmv(op; alpha, a, x, beta, y))
}

/// y := alpha A x + beta y for a symmetric A, of which one triangle is read (BLAS: xSYMV). As [`gemv`] otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn symv<T: Scalar>(
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(symv(Symmetry::Symmetric, triangle; alpha, a, x, beta, y))
}

/// y := alpha A x + beta y for a Hermitian A, of which one triangle is read, and of its diagonal the real parts (BLAS:
/// xHEMV). As [`gemv`] otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn hemv<T: Scalar>(
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(symv(Symmetry::Hermitian, triangle; alpha, a, x, beta, y))
}

/// y := alpha A x + beta y for a symmetric band matrix A, of which one triangle is read (BLAS: xSBMV). As [`gemv`]
/// otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn sbmv<T: Scalar>(
    triangle: Triangle,
    alpha: T,
    a: BandRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(sbmv(Symmetry::Symmetric, triangle; alpha, a, x, beta, y))
}

/// y := alpha A x + beta y for a Hermitian band matrix A, of which one triangle is read (BLAS: xHBMV). As [`hemv`]
/// otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn hbmv<T: Scalar>(
    triangle: Triangle,
    alpha: T,
    a: BandRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(sbmv(Symmetry::Hermitian, triangle; alpha, a, x, beta, y))
}

/// y := alpha A x + beta y for a packed symmetric A (BLAS: xSPMV). As [`gemv`] otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn spmv<T: Scalar>(
    alpha: T,
    a: PackedRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(spmv(Symmetry::Symmetric; alpha, a, x, beta, y))
}

/// y := alpha A x + beta y for a packed Hermitian A (BLAS: xHPMV). As [`hemv`] otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn hpmv<T: Scalar>(
    alpha: T,
    a: PackedRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product!(spmv(Symmetry::Hermitian; alpha, a, x, beta, y))
}

/// x := op(A) x for a triangular A; with [`Diag::Unit`] its diagonal is not read (BLAS: xTRMV).
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn trmv<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    in_place!(trmv(triangle, op, diagonal; a, x))
}

/// x := op(A) x for a triangular band matrix A (BLAS: xTBMV). As [`trmv`] otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn tbmv<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: BandRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    in_place!(tbmv(triangle, op, diagonal; a, x))
}

/// x := op(A) x for a packed triangular A (BLAS: xTPMV). As [`trmv`] otherwise.
///
/// # Errors
/// The errors of [`gemv`].
#[instances]
pub fn tpmv<T: Scalar>(op: Op, diagonal: Diag, a: PackedRef<'_, T>, x: VectorMut<'_, T>) -> Result<Event> {
    in_place!(tpmv(op, diagonal; a, x))
}
