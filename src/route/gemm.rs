//! gemm on any memory.

use faer::{MatMut, MatRef};

use super::{Route, Work, decide};
use crate::blas::level3::gemm::{GemmProblem, gemm_on};
use crate::context::{DeviceContext, Event, Queue};
use crate::error::{Error, Result};
use crate::host;
use crate::options::Op;
use crate::scalar::{Scalar, ScalarKind};
use crate::transfer::OnDevice;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, Memory};

/// C := alpha op(A) op(B) + beta C (BLAS: xGEMM), for m x k op(A), k x n op(B) and m x n C.
///
/// The memory of the views tells where it runs. In the host's memory, the route decides ([`crate::route::decide`]), and
/// the result is there on return. In a device's memory, it is enqueued on the context's own queue, and the event tells
/// when it is done.
///
/// As BLAS has it: with m or n = 0 nothing is changed; with alpha or k = 0 A and B are not read; with beta = 0 C is not
/// read, so that NaN in it vanishes.
///
/// # Errors
/// [`Error::ShapeMismatch`] when the sizes do not agree, [`Error::MixedMemory`] when the operands do not lie in one
/// memory, and what the device reports.
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
/// gemm(Op::Keep, Op::Transpose, 1.0, a.matrix(2, 2)?, b.matrix(2, 2)?, 0.0, c.matrix_mut(2, 2)?)?.wait()?;
/// assert_eq!(c.download()?, [4.0, 6.0, 3.0, 4.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
pub fn gemm<T: Scalar>(
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    match (a.memory, b.memory, c.memory) {
        (Memory::Host(a_start, _), Memory::Host(b_start, _), Memory::Host(c_start, _)) => {
            let problem = GemmProblem::new(T::KIND, op_a, op_b, &a.shape, &b.shape, &c.shape)?;
            let call = HostCall {
                op_a,
                op_b,
                alpha,
                a: (a_start, a.shape),
                b: (b_start, b.shape),
                beta,
                c: (c_start, c.shape),
            };
            match decide(&work(T::KIND, problem.m, problem.n, problem.k))? {
                Route::Host => call.on_host(),
                Route::Device(context) => call.on_device(&context)?,
            }
            Ok(Event::Complete)
        }
        (Memory::Device(_), Memory::Device(_), Memory::Device(buffer)) => {
            gemm_on(&Queue::of(buffer.context())?, op_a, op_b, alpha, a, b, beta, c)
        }
        _ => Err(Error::MixedMemory("some operands lie in the host's memory, some in a device's".to_owned())),
    }
}

/// Where a product of matrices in the host's memory runs: m x k times k x n.
///
/// # Errors
/// As [`decide`].
pub fn route_of_gemm(kind: ScalarKind, m: usize, n: usize, k: usize) -> Result<Route> {
    decide(&work(kind, m, n, k))
}

fn work(kind: ScalarKind, m: usize, n: usize, k: usize) -> Work {
    let [m, n, k] = [m, n, k].map(|size| size as u64);
    // A and B go to the device, C there and back.
    let elements = m.saturating_mul(k).saturating_add(k.saturating_mul(n)).saturating_add((2 * m).saturating_mul(n));
    let multiplications = m.saturating_mul(n).saturating_mul(k);
    Work {
        kind,
        operations: multiplications.saturating_mul(kind.multiply_add_operations()),
        bytes: elements.saturating_mul(kind.bytes() as u64),
    }
}

/// A call on the host's memory: each operand's first address and its shape, as the views had them.
struct HostCall<T> {
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: (*mut T, MatrixShape),
    b: (*mut T, MatrixShape),
    beta: T,
    c: (*mut T, MatrixShape),
}

impl<T: Scalar> HostCall<T> {
    fn on_host(&self) {
        let read = |(start, shape): (*mut T, MatrixShape)| {
            let (row_stride, column_stride) = shape.strides();
            let first = start.wrapping_add(shape.offset());
            // SAFETY: the views hold valid matrices of these shapes.
            unsafe {
                MatRef::from_raw_parts(
                    first,
                    shape.rows(),
                    shape.columns(),
                    row_stride as isize,
                    column_stride as isize,
                )
            }
        };
        let (start, shape) = self.c;
        let (row_stride, column_stride) = shape.strides();
        let first = start.wrapping_add(shape.offset());
        // SAFETY: C's view is exclusive and holds a valid matrix of this shape.
        let c = unsafe {
            MatMut::from_raw_parts_mut(
                first,
                shape.rows(),
                shape.columns(),
                row_stride as isize,
                column_stride as isize,
            )
        };
        host::gemm(self.op_a, self.op_b, self.alpha, read(self.a), read(self.b), self.beta, c);
    }

    fn on_device(&self, context: &std::sync::Arc<DeviceContext>) -> Result<()> {
        let queue = Queue::of(context)?;
        let product = self.alpha != T::ZERO;
        // SAFETY: the views hold valid matrices; they are borrowed until this function returns, and it returns, also on
        // an error, only after the queue is done with them.
        let operands = unsafe {
            let a = OnDevice::new(&queue, self.a.0, &self.a.1, product);
            let b = OnDevice::new(&queue, self.b.0, &self.b.1, product);
            let c = OnDevice::new(&queue, self.c.0, &self.c.1, self.beta != T::ZERO);
            a.and_then(|a| Ok((a, b?, c?)))
        };
        let result = operands.and_then(|(a, b, mut c)| {
            let views = (a.as_ref("A")?, b.as_ref("B")?, c.as_mut("C")?);
            gemm_on(&queue, self.op_a, self.op_b, self.alpha, views.0, views.1, self.beta, views.2)?.wait()?;
            c.write_back(&queue)
        });
        if result.is_err() {
            // The first error is the one to report.
            let _ = queue.finish();
        }
        result
    }
}
