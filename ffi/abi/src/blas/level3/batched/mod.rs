//! Batches: many products or triangular systems of one shape in one call.

pub mod gemm_batched;
pub mod gemm_strided;
mod spacing;
pub mod trsm_batched;
pub mod trsm_strided;

use affinimath::{BatchMut, BatchRef, Diag, Event, Layout, MatrixShape, Op, Result, Scalar, Side, Triangle};

use crate::form::{Form, Opened, Operand, Session};
pub(crate) use spacing::Spaced;

/// A batch whose arguments were checked.
type Batch<T, F> = Spaced<Operand<<F as Form>::Location<T>, MatrixShape>>;

/// Arguments that all products of a batch share.
struct Product<T> {
    op_a: Op,
    op_b: Op,
    alpha: T,
    beta: T,
}

impl<T: Scalar> Product<T> {
    /// # Safety
    /// Memory must be null or have the matrices of each batch. Nothing else may access those that are written.
    unsafe fn run<F: Form>(self, session: &Session, a: Batch<T, F>, b: Batch<T, F>, c: Batch<T, F>) -> Result<Event> {
        let Product { op_a, op_b, alpha, beta } = self;
        // SAFETY: this function requires memory that is null or has the matrices of each batch.
        let memories =
            unsafe { (a.first.open::<T>(session)?, b.first.open::<T>(session)?, c.first.open::<T>(session)?) };
        let (a, b, c) = (read(&memories.0, &a)?, read(&memories.1, &b)?, write(&memories.2, &c)?);
        match session.queue() {
            None => affinimath::gemm_batched(op_a, op_b, alpha, a, b, beta, c),
            Some(queue) => affinimath::gemm_batched_on(queue, op_a, op_b, alpha, a, b, beta, c),
        }
    }
}

/// Arguments that all systems of a batch share.
struct System<T> {
    layout: Layout,
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    m: usize,
    n: usize,
    alpha: T,
}

impl<T: Scalar> System<T> {
    const fn order(&self) -> usize {
        if matches!(self.side, Side::Left) { self.m } else { self.n }
    }

    /// # Safety
    /// Memory must be null or have the matrices of each batch. Nothing else may access those that are written.
    unsafe fn run<F: Form>(self, session: &Session, a: Batch<T, F>, b: Batch<T, F>) -> Result<Event> {
        let System { side, triangle, op, diagonal, alpha, .. } = self;
        // SAFETY: this function requires memory that is null or has the matrices of each batch.
        let memories = unsafe { (a.first.open::<T>(session)?, b.first.open::<T>(session)?) };
        let (a, b) = (read(&memories.0, &a)?, write(&memories.1, &b)?);
        match session.queue() {
            None => affinimath::trsm_batched(side, triangle, op, diagonal, alpha, a, b),
            Some(queue) => affinimath::trsm_batched_on(queue, side, triangle, op, diagonal, alpha, a, b),
        }
    }
}

pub(crate) fn read<'o, T: Scalar, P>(
    memory: &'o Opened<T, MatrixShape>,
    batch: &'o Spaced<Operand<P, MatrixShape>>,
) -> Result<BatchRef<'o, T>> {
    memory.read_batch(|matrix| batch.shape(matrix))
}

pub(crate) fn write<'o, T: Scalar, P>(
    memory: &'o Opened<T, MatrixShape>,
    batch: &'o Spaced<Operand<P, MatrixShape>>,
) -> Result<BatchMut<'o, T>> {
    memory.write_batch(|matrix| batch.shape(matrix))
}
