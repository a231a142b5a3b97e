//! C := alpha A B + beta C or alpha B A + beta C on a device, for a symmetric or Hermitian A.

use affinimath_macros::instances;

use super::gemm::{GemmCall, GemmProblem, Structure, Target, Trapezoid, multiply};
use super::square;
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::options::{Op, Side, Symmetry, Triangle};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};

/// C := alpha A B + beta C (left) or alpha B A + beta C (right) for a symmetric A, all matrices in device memory (BLAS:
/// xSYMM). Only one triangle of A is read.
///
/// It returns as soon as the work is enqueued; the event reports completion. BLAS: with m or n = 0 nothing is changed;
/// with alpha = 0 A and B are not read; with beta = 0 C is not read.
///
/// # Errors
/// Those of [`gemm_on`](super::gemm::gemm_on).
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's symm")]
#[instances]
pub fn symm_on<T: Scalar>(
    queue: &Queue,
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    run(queue, Symmetry::Symmetric, (side, triangle), alpha, a, b, beta, c)
}

/// C := alpha A B + beta C (left) or alpha B A + beta C (right) for a Hermitian A (BLAS: xHEMM); see [`symm_on`].
/// Imaginary parts on the diagonal of A are not read.
///
/// # Errors
/// Those of [`gemm_on`](super::gemm::gemm_on).
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's hemm")]
#[instances]
pub fn hemm_on<T: Scalar>(
    queue: &Queue,
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    run(queue, Symmetry::Hermitian, (side, triangle), alpha, a, b, beta, c)
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's symm")]
fn run<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    (side, triangle): (Side, Triangle),
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = problem(T::KIND, symmetry, side, triangle, [a.shape(), b.shape(), c.shape()])?;
    let (a, b) = (device_buffer(queue, a.memory(), "A")?, device_buffer(queue, b.memory(), "B")?);
    let (left, right) = if side == Side::Left { (a, b) } else { (b, a) };
    let call = GemmCall { queue, alpha, a: left, b: right, beta, c: device_buffer(queue, c.memory(), "C")? };
    multiply(&call, &problem)
}

/// The product that it is.
///
/// # Errors
/// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) when A is not square or the sizes do not agree.
pub(crate) fn problem(
    kind: ScalarKind,
    symmetry: Symmetry,
    side: Side,
    triangle: Triangle,
    [a, b, c]: [&MatrixShape; 3],
) -> Result<GemmProblem> {
    square(a, "A")?;
    let a = (Op::NoTrans, a, Structure::Mirrored(Trapezoid::of(triangle), symmetry));
    let b = (Op::NoTrans, b, Structure::General);
    let (left, right) = if side == Side::Left { (a, b) } else { (b, a) };
    GemmProblem::structured(kind, left, right, (c, Target::Whole))
}
