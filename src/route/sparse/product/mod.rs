//! Products of a sparse matrix with dense ones.

#[cfg(test)]
mod tests;

use super::check_memory;
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::host;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::sparse::{
    CsrDenseProduct, CsrMatrix, CsrProduct, PreparedProduct, RowPointer, dense_product_on, product_on,
};
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef};

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// y := alpha op(A) x + beta y, computed where the matrix lies. The vectors lie there too.
    ///
    /// With alpha = 0, A and x are not read; with beta = 0, y is not, so that NaN in it vanishes. Every sum is made in an
    /// order that depends on the matrix and the device alone: the result is the same bits in every run. The first product with the
    /// transpose or the adjoint makes a transposed copy of the matrix, which is kept for the next ones.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the sizes do not agree, [`Error::MixedMemory`] when the vectors lie elsewhere, and what the
    /// device reports.
    pub fn multiply(&self, op: Op, alpha: T, x: VectorRef<'_, T>, beta: T, y: VectorMut<'_, T>) -> Result<Event> {
        let matrix = if op.transposes() { self.transposed()? } else { self };
        let product = CsrProduct::new(matrix.view()?, op.conjugates(), alpha, x, beta, y)?;
        check_memory(self.context(), product.x.memory, "x")?;
        check_memory(self.context(), product.y.memory, "y")?;
        if product.changes_nothing() {
            return Ok(Event::Complete);
        }
        match self.context().on_device() {
            None => {
                host::on_living_thread(|| host::sparse::product(&product));
                Ok(Event::Complete)
            }
            Some(context) => {
                let queue = Queue::of(context)?;
                product_on(&queue, &product, matrix.prepared(&queue)?)
            }
        }
    }
}

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// C := alpha op(A) B + beta C for dense matrices B and C in any layout, computed where the matrix lies. As
    /// [`CsrMatrix::multiply`] otherwise.
    ///
    /// # Errors
    /// As [`CsrMatrix::multiply`].
    pub fn multiply_dense(&self, op: Op, alpha: T, b: MatrixRef<'_, T>, beta: T, c: MatrixMut<'_, T>) -> Result<Event> {
        let matrix = if op.transposes() { self.transposed()? } else { self };
        let product = CsrDenseProduct::new(matrix.view()?, op.conjugates(), alpha, b, beta, c)?;
        check_memory(self.context(), product.b.memory, "B")?;
        check_memory(self.context(), product.c.memory, "C")?;
        if product.changes_nothing() {
            return Ok(Event::Complete);
        }
        match self.context().on_device() {
            None => {
                host::on_living_thread(|| host::sparse::dense_product(&product));
                Ok(Event::Complete)
            }
            Some(context) => dense_product_on(&Queue::of(context)?, &product),
        }
    }

    /// How products with the matrix are computed on its device.
    fn prepared(&self, queue: &Queue) -> Result<&PreparedProduct> {
        self.kept_product(|| PreparedProduct::new(queue, &self.view()?, &self.row_statistics()?))
    }
}
