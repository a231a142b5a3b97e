//! Matrix-vector products on a device: y := alpha op(A) x + beta y for every storage form of level 2, and in place for
//! triangles.
//!
//! A call becomes a [`ProductProblem`]. [`ProductPlan::choose`] picks its kernels and divides the work.

mod plan;
mod run;

#[cfg(test)]
mod tests;

pub(crate) use affinimath_core::problem::product::Product;
pub use affinimath_core::problem::product::{ProductProblem, Structure};
use affinimath_macros::instances;
pub use plan::{ProductFamily, ProductPlan};

use crate::blas::device_buffer;
use crate::blas::level1::Elementwise;
use crate::blas::level1::elementwise::enqueue;
use crate::context::{ContextParts, Event, Queue};
use crate::error::Result;
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{BandRef, MatrixRef, PackedRef, VectorMut, VectorRef};

/// y := alpha op(A) x + beta y on a device (BLAS: xGEMV).
///
/// It returns as soon as the work is enqueued; the event reports completion. BLAS: with an empty A nothing is changed;
/// with alpha = 0, A and x are not read; with beta = 0, y is not.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was
/// enqueued. [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: y is
/// undefined.
#[instances]
pub fn gemv_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product_on(queue, &Product::gemv(op, alpha, a, x, beta, y)?)
}

/// y := alpha op(A) x + beta y for a band matrix A on a device (BLAS: xGBMV).
///
/// # Errors
/// Those of [`gemv_on`].
#[instances]
pub fn gbmv_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    alpha: T,
    a: BandRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    product_on(queue, &Product::gbmv(op, alpha, a, x, beta, y)?)
}

/// The routines on symmetric and on Hermitian matrices, which differ in nothing but their symmetry.
macro_rules! symmetric_pair {
    ($symmetric:ident, $hermitian:ident, $constructor:ident, ($($triangle:ident: $ty:ty)?), $view:ident,
     $what:literal, $symmetric_source:literal, $hermitian_source:literal) => {
        #[doc = concat!(
            "y := alpha A x + beta y for a symmetric ", $what, " on a device (BLAS: ", $symmetric_source, ")."
        )]
        ///
        /// # Errors
        /// Those of [`gemv_on`].
        pub fn $symmetric<T: Scalar>(
            queue: &Queue,
            $($triangle: $ty,)?
            alpha: T,
            a: $view<'_, T>,
            x: VectorRef<'_, T>,
            beta: T,
            y: VectorMut<'_, T>,
        ) -> Result<Event> {
            product_on(queue, &Product::$constructor(Symmetry::Symmetric, $($triangle,)? alpha, a, x, beta, y)?)
        }

        #[doc = concat!(
            "y := alpha A x + beta y for a Hermitian ", $what, " on a device (BLAS: ", $hermitian_source, ")."
        )]
        /// Imaginary parts on the diagonal are not read.
        ///
        /// # Errors
        /// Those of [`gemv_on`].
        pub fn $hermitian<T: Scalar>(
            queue: &Queue,
            $($triangle: $ty,)?
            alpha: T,
            a: $view<'_, T>,
            x: VectorRef<'_, T>,
            beta: T,
            y: VectorMut<'_, T>,
        ) -> Result<Event> {
            product_on(queue, &Product::$constructor(Symmetry::Hermitian, $($triangle,)? alpha, a, x, beta, y)?)
        }
    };
}

symmetric_pair!(symv_on, hemv_on, symv, (triangle: Triangle), MatrixRef, "matrix", "xSYMV", "xHEMV");
symmetric_pair!(sbmv_on, hbmv_on, sbmv, (triangle: Triangle), BandRef, "band matrix", "xSBMV", "xHBMV");
symmetric_pair!(spmv_on, hpmv_on, spmv, (), PackedRef, "packed matrix", "xSPMV", "xHPMV");

/// x := op(A) x for a triangular A on a device (BLAS: xTRMV).
///
/// # Errors
/// Those of [`gemv_on`].
#[instances]
pub fn trmv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    product_on(queue, &Product::trmv(triangle, op, diagonal, a, x)?)
}

/// x := op(A) x for a triangular band matrix A on a device (BLAS: xTBMV).
///
/// # Errors
/// Those of [`gemv_on`].
#[instances]
pub fn tbmv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: BandRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    product_on(queue, &Product::tbmv(triangle, op, diagonal, a, x)?)
}

/// x := op(A) x for a packed triangular A on a device (BLAS: xTPMV).
///
/// # Errors
/// Those of [`gemv_on`].
#[instances]
pub fn tpmv_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    diagonal: Diag,
    a: PackedRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    product_on(queue, &Product::tpmv(op, diagonal, a, x)?)
}

/// Enqueues a product of operands in device memory of the queue's context.
pub(crate) fn product_on<T: Scalar>(queue: &Queue, product: &Product<'_, T>) -> Result<Event> {
    let problem = &product.problem;
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    for (memory, name) in [(product.a, "A"), (product.x, "x"), (product.y, "y")] {
        device_buffer(queue, memory, name)?;
    }
    if product.changes_nothing() {
        return Ok(Event::Complete);
    }
    if product.alpha == T::ZERO {
        // BLAS: A and x are not read.
        return match Elementwise::axpby(T::ZERO, product.beta) {
            Some(operation) => enqueue(queue, &operation, None, (product.y, problem.y)),
            None => Ok(Event::Complete),
        };
    }
    let plan = ProductPlan::choose(problem, device, queue.context().workspace_limit() / 2);
    tracing::debug!(?problem, ?plan, device = device.name, "level 2 product");
    run::execute(queue, product, &plan)
}
