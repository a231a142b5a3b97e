//! Updates of a symmetric or Hermitian C by products of rank k and 2k, on a device.

use affinimath_macros::instances;

use super::gemm::{GemmCall, multiply};
use super::gemmt::problem;
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::options::{Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};

/// C := alpha op(A) op(A)ᵀ + beta C for a symmetric C in device memory (BLAS: xSYRK). Only one triangle of C is read
/// and written.
///
/// It returns as soon as the work is enqueued; the event reports completion. BLAS: with n = 0 nothing is changed; with
/// alpha or k = 0 A is not read; with beta = 0 C is not read.
///
/// # Errors
/// Those of [`gemm_on`](super::gemm::gemm_on).
#[instances]
pub fn syrk_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    rank_k(queue, (triangle, Symmetry::Symmetric), op, alpha, a, beta, c)
}

/// C := alpha op(A) op(A)ᴴ + beta C for a Hermitian C and real factors (BLAS: xHERK); see [`syrk_on`]. Imaginary
/// parts on the diagonal of C are not read, and written as zeros.
///
/// # Errors
/// Those of [`gemm_on`](super::gemm::gemm_on).
#[instances]
pub fn herk_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    alpha: T::RealScalar,
    a: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    rank_k(queue, (triangle, Symmetry::Hermitian), op, real(alpha), a, real(beta), c)
}

/// C := alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C for a symmetric C in device memory (BLAS: xSYR2K). Only
/// one triangle of C is read and written.
///
/// It returns as soon as the work is enqueued; the event reports completion. BLAS: with n = 0 nothing is changed; with
/// alpha or k = 0 A and B are not read; with beta = 0 C is not read.
///
/// # Errors
/// Those of [`gemm_on`](super::gemm::gemm_on).
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's syr2k")]
#[instances]
pub fn syr2k_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    rank_2k(queue, (triangle, Symmetry::Symmetric), op, alpha, a, b, beta, c)
}

/// C := alpha op(A) op(B)ᴴ + conj(alpha) op(B) op(A)ᴴ + beta C for a Hermitian C and a real beta (BLAS: xHER2K);
/// see [`syr2k_on`]. Imaginary parts on the diagonal of C are not read, and written as zeros.
///
/// # Errors
/// Those of [`gemm_on`](super::gemm::gemm_on).
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's her2k")]
#[instances]
pub fn her2k_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    rank_2k(queue, (triangle, Symmetry::Hermitian), op, alpha, a, b, real(beta), c)
}

fn rank_k<T: Scalar>(
    queue: &Queue,
    target: (Triangle, Symmetry),
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = problem(T::KIND, target, (op, a.shape()), (target.1.turned(op), a.shape()), c.shape())?;
    let a = device_buffer(queue, a.memory(), "A")?;
    multiply(&GemmCall { queue, alpha, a, b: a, beta, c: device_buffer(queue, c.memory(), "C")? }, &problem)
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's syr2k")]
fn rank_2k<T: Scalar>(
    queue: &Queue,
    target: (Triangle, Symmetry),
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    check_same_size(a.shape(), b.shape())?;
    let turned = target.1.turned(op);
    let first = problem(T::KIND, target, (op, a.shape()), (turned, b.shape()), c.shape())?;
    let second = problem(T::KIND, target, (op, b.shape()), (turned, a.shape()), c.shape())?;
    let (a, b) = (device_buffer(queue, a.memory(), "A")?, device_buffer(queue, b.memory(), "B")?);
    let c = device_buffer(queue, c.memory(), "C")?;
    let event = multiply(&GemmCall { queue, alpha, a, b, beta, c }, &first)?;
    if alpha == T::ZERO || first.k == 0 {
        return Ok(event); // C is scaled.
    }
    let alpha = if target.1 == Symmetry::Hermitian { alpha.conjugate() } else { alpha };
    multiply(&GemmCall { queue, alpha, a: b, b: a, beta: T::ONE, c }, &second)
}

/// # Errors
/// [`Error::ShapeMismatch`] when A and B differ in size.
pub(crate) fn check_same_size(a: &MatrixShape, b: &MatrixShape) -> Result<()> {
    if (a.rows(), a.columns()) == (b.rows(), b.columns()) {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("A is {} x {}, B is {} x {}", a.rows(), a.columns(), b.rows(), b.columns())))
}

pub(crate) fn real<T: Scalar>(factor: T::RealScalar) -> T {
    T::from_parts(factor.into(), 0.0)
}
