//! A triangle of C := alpha op(A) op(B) + beta C on a device.

use affinimath_macros::instances;

use super::gemm::{GemmCall, GemmProblem, Structure, Target, Trapezoid, multiply};
use super::square;
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::options::{Op, Symmetry, Triangle};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};

/// The triangle named of C := alpha op(A) op(B) + beta C (xGEMMT of MKL and OpenBLAS), all three in device memory of the
/// queue's context. The other triangle of C is neither read nor written.
///
/// Returns as soon as the work is enqueued; the event tells when it is done. With n = 0 nothing is changed; with alpha or
/// k = 0 A and B are not read; with beta = 0 C is not read.
///
/// # Errors
/// As [`gemm_on`](super::gemm::gemm_on).
#[allow(clippy::too_many_arguments, reason = "the operands of gemmt")]
#[instances]
pub fn gemmt_on<T: Scalar>(
    queue: &Queue,
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
    let problem = problem(T::KIND, target, (op_a, a.shape()), (op_b, b.shape()), c.shape())?;
    let call = GemmCall {
        queue,
        alpha,
        a: device_buffer(queue, a.memory(), "A")?,
        b: device_buffer(queue, b.memory(), "B")?,
        beta,
        c: device_buffer(queue, c.memory(), "C")?,
    };
    multiply(&call, &problem)
}

/// The product of which a triangle is computed; a Hermitian one has a real diagonal.
///
/// # Errors
/// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) when C is not square or the sizes do not agree.
pub(crate) fn problem(
    kind: ScalarKind,
    (triangle, symmetry): (Triangle, Symmetry),
    (op_a, a): (Op, &MatrixShape),
    (op_b, b): (Op, &MatrixShape),
    c: &MatrixShape,
) -> Result<GemmProblem> {
    square(c, "C")?;
    let general = Structure::General;
    let target = Target::Triangle(Trapezoid::of(triangle), symmetry);
    GemmProblem::structured(kind, (op_a, a, general), (op_b, b, general), (c, target))
}
