//! Products of a sparse matrix with dense ones.

#[cfg(test)]
mod tests;

use super::{check_memory, check_queue};
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::host;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::sparse::{
    CsrDenseProduct, CsrMatrix, CsrProduct, PreparedProduct, RowPointer, Segments, dense_product_on, product_on,
    product_step_on,
};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef, VectorShape, View};

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// y := alpha op(A) x + beta y, computed where the matrix lies. The vectors lie there too.
    ///
    /// With alpha = 0, A and x are not read; with beta = 0, y is not, so that NaN in it vanishes. Every sum is made in
    /// an order that depends on the matrix and the device alone: the result is the same bits in every run. The first
    /// product with the transpose or the adjoint makes a transposed copy of the matrix, which is kept for the next
    /// ones.
    ///
    /// # Errors
    /// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when the vectors lie
    /// elsewhere, and what the device reports.
    pub fn multiply(&self, op: Op, alpha: T, x: VectorRef<'_, T>, beta: T, y: VectorMut<'_, T>) -> Result<Event> {
        if let Some(context) = self.context().on_device() {
            return self.multiply_on(&Queue::new(context)?.unsignaled(), op, alpha, x, beta, y);
        }
        let product = self.operand(op)?.product(op, alpha, x, beta, y)?;
        if !product.changes_nothing() {
            host::on_living_thread(|| host::sparse::product(&product));
        }
        Ok(Event::Complete)
    }

    /// [`CsrMatrix::multiply`] on an application's queue, for a matrix and vectors in its context's memory.
    ///
    /// # Errors
    /// The same errors; [`crate::Error::MixedMemory`] also when the matrix lies elsewhere.
    pub fn multiply_on(
        &self,
        queue: &Queue,
        op: Op,
        alpha: T,
        x: VectorRef<'_, T>,
        beta: T,
        y: VectorMut<'_, T>,
    ) -> Result<Event> {
        check_queue(self.context(), queue)?;
        let operand = self.operand(op)?;
        let product = operand.product(op, alpha, x, beta, y)?;
        if product.changes_nothing() {
            return Ok(Event::Complete);
        }
        product_on(queue, &product, operand.prepared()?)
    }

    /// y := op(A) x as a step of a solver, computed where the matrix lies: on a device it is enqueued on the context's
    /// queue, and commands that follow hand it to the device.
    pub(super) fn multiply_step(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        let Some(context) = self.context().on_device() else {
            return self.multiply(op, T::ONE, x, T::ZERO, y).map(drop);
        };
        let operand = self.operand(op)?;
        let product = operand.product(op, T::ONE, x, T::ZERO, y)?;
        if product.changes_nothing() {
            return Ok(());
        }
        product_step_on(&Queue::new(context)?, &product, operand.prepared()?)
    }

    /// C := alpha op(A) B + beta C for dense matrices B and C in any layout, computed where the matrix lies. As
    /// [`CsrMatrix::multiply`] otherwise.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::multiply`].
    pub fn multiply_dense(&self, op: Op, alpha: T, b: MatrixRef<'_, T>, beta: T, c: MatrixMut<'_, T>) -> Result<Event> {
        if let Some(context) = self.context().on_device() {
            return self.multiply_dense_on(&Queue::new(context)?.unsignaled(), op, alpha, b, beta, c);
        }
        let product = self.operand(op)?.dense_product(op, alpha, b, beta, c)?;
        if let Some((x, y)) = only_column(&product)? {
            return self.multiply(op, alpha, x, beta, y);
        }
        if !product.changes_nothing() {
            host::on_living_thread(|| host::sparse::dense_product(&product));
        }
        Ok(Event::Complete)
    }

    /// [`CsrMatrix::multiply_dense`] on an application's queue, for matrices in its context's memory.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::multiply_on`].
    pub fn multiply_dense_on(
        &self,
        queue: &Queue,
        op: Op,
        alpha: T,
        b: MatrixRef<'_, T>,
        beta: T,
        c: MatrixMut<'_, T>,
    ) -> Result<Event> {
        check_queue(self.context(), queue)?;
        let operand = self.operand(op)?;
        let product = operand.dense_product(op, alpha, b, beta, c)?;
        if let Some((x, y)) = only_column(&product)? {
            return self.multiply_on(queue, op, alpha, x, beta, y);
        }
        if product.changes_nothing() {
            return Ok(Event::Complete);
        }
        dense_product_on(queue, &product, &operand.row_statistics()?, || operand.segments())
    }

    /// The matrix whose rows are those of op(A), but for conjugation.
    fn operand(&self, op: Op) -> Result<&Self> {
        if op.transposes() { self.transposed() } else { Ok(self) }
    }

    /// A product with what [`CsrMatrix::operand`] gave.
    fn product<'a>(
        &'a self,
        op: Op,
        alpha: T,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<CsrProduct<'a, T, P>> {
        let product = CsrProduct::new(self.view()?, op.conjugates(), alpha, x, beta, y)?;
        check_memory(self.context(), product.x.memory(), "x")?;
        check_memory(self.context(), product.y.memory(), "y")?;
        Ok(product)
    }

    /// The same with dense matrices.
    fn dense_product<'a>(
        &'a self,
        op: Op,
        alpha: T,
        b: MatrixRef<'a, T>,
        beta: T,
        c: MatrixMut<'a, T>,
    ) -> Result<CsrDenseProduct<'a, T, P>> {
        let product = CsrDenseProduct::new(self.view()?, op.conjugates(), alpha, b, beta, c)?;
        check_memory(self.context(), product.b.memory(), "B")?;
        check_memory(self.context(), product.c.memory(), "C")?;
        Ok(product)
    }

    /// Starts of the matrix's segments on its device.
    fn segments(&self) -> Result<&Segments> {
        self.cached_segments(|| {
            let queue = Queue::new(self.context().on_device().expect("the matrix lies on a device"))?;
            let segments = Segments::new(&queue, &self.view()?)?;
            // The cache serves other queues, too.
            queue.marker()?.wait()?;
            Ok(segments)
        })
    }

    /// How products with the matrix are computed on its device.
    fn prepared(&self) -> Result<&PreparedProduct> {
        self.cached_product(|| {
            let queue = Queue::new(self.context().on_device().expect("the matrix lies on a device"))?;
            let prepared = PreparedProduct::new(&queue, &self.view()?, &self.row_statistics()?)?;
            // The cache serves other queues, too.
            queue.marker()?.wait()?;
            Ok(prepared)
        })
    }
}

/// The operands as vectors where each is one column: such a product is one with a vector.
fn only_column<'v, T: Scalar, P: RowPointer>(
    product: &CsrDenseProduct<'v, T, P>,
) -> Result<Option<(VectorRef<'v, T>, VectorMut<'v, T>)>> {
    if product.c.columns() != 1 {
        return Ok(None);
    }
    let column = |shape: &MatrixShape| VectorShape::new(shape.rows(), shape.offset(), shape.strides().0 as isize);
    let x = VectorRef::from_parts(product.b.memory(), column(product.b.shape())?);
    let y = VectorMut::from_parts(product.c.memory(), column(product.c.shape())?);
    Ok(Some((x, y)))
}
