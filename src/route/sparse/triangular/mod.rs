//! Triangular systems with sparse matrices.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{check_memory, check_queue};
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, Levels, PreparedTriangle, RowPointer, TriangleSolve, solve_on};
use crate::view::{VectorMut, View};

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// x := op(T)⁻¹ x for the upper or the lower triangle T of a square matrix, of which entries on the other side are
    /// not used. Singularity is not tested (BLAS's xTRSV): a zero on the diagonal gives infinities or NaN.
    ///
    /// On a device, rows that do not need each other are solved at the same time. Which those are is found out on the
    /// host at the first solution, and kept, also for other values of the same entries.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the matrix is not square or x has another length, [`Error::MixedMemory`] when x
    /// lies elsewhere, and what the device reports.
    pub fn solve_triangle(&self, triangle: Triangle, op: Op, diagonal: Diag, x: VectorMut<'_, T>) -> Result<Event> {
        if let Some(context) = self.context().on_device() {
            return self.solve_triangle_on(&Queue::new(context)?, triangle, op, diagonal, x);
        }
        let (operand, triangle) = self.triangle_of(triangle, op)?;
        let solve = operand.system(triangle, op, diagonal, x)?;
        if self.rows() > 0 {
            host::on_living_thread(|| host::sparse::solve(&solve));
        }
        Ok(Event::Complete)
    }

    /// [`CsrMatrix::solve_triangle`] on an application's queue, for a matrix and a vector in its context's memory.
    ///
    /// # Errors
    /// The same errors; [`Error::MixedMemory`] also when the matrix lies elsewhere.
    pub fn solve_triangle_on(
        &self,
        queue: &Queue,
        triangle: Triangle,
        op: Op,
        diagonal: Diag,
        x: VectorMut<'_, T>,
    ) -> Result<Event> {
        check_queue(self.context(), queue)?;
        let (operand, triangle) = self.triangle_of(triangle, op)?;
        let solve = operand.system(triangle, op, diagonal, x)?;
        if self.rows() == 0 {
            return Ok(Event::Complete);
        }
        solve_on(queue, &solve, operand.prepared_triangle(triangle)?)
    }

    /// The matrix that has op(T) as one of its triangles, but for conjugation, and which one that is.
    fn triangle_of(&self, triangle: Triangle, op: Op) -> Result<(&Self, Triangle)> {
        if op.transposes() { Ok((self.transposed()?, triangle.transposed())) } else { Ok((self, triangle)) }
    }

    /// A system with what [`CsrMatrix::triangle_of`] gave.
    fn system<'a>(
        &'a self,
        triangle: Triangle,
        op: Op,
        diagonal: Diag,
        x: VectorMut<'a, T>,
    ) -> Result<TriangleSolve<'a, T, P>> {
        let (rows, columns) = (self.rows(), self.columns());
        if rows != columns || x.length() != rows {
            return Err(Error::ShapeMismatch(format!("A is {rows} x {columns}, x has {} elements", x.length())));
        }
        check_memory(self.context(), x.memory(), "x")?;
        Ok(TriangleSolve { matrix: self.view()?, triangle, diagonal, conjugate: op.conjugates(), x })
    }

    /// The levels of one of its triangles, on its device.
    pub(in crate::route::sparse) fn prepared_triangle(&self, triangle: Triangle) -> Result<&Arc<PreparedTriangle>> {
        self.cached_triangle(triangle, || {
            let (row_ptr, col_indices) = (self.row_ptr().download()?, self.col_indices().download()?);
            PreparedTriangle::new(self.context(), Levels::of(triangle, &row_ptr, &col_indices))
        })
    }
}
