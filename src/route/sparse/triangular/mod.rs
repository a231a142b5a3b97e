//! Triangular systems with sparse matrices.

#[cfg(test)]
mod tests;

use super::check_memory;
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host;
use crate::options::{Diagonal, Op, Triangle};
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, Levels, PreparedTriangle, RowPointer, TriangleSolve, solve_on};
use crate::view::VectorMut;

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// x := op(T)⁻¹ x for the upper or the lower triangle T of a square matrix, of which entries on the other side are not used.
    /// As in BLAS's xTRSV nothing is tested: with a zero on the diagonal the result is infinite or NaN.
    ///
    /// On a device, rows that do not need each other are solved at the same time. Which those are is found out on the host at the
    /// first solution, and kept, also for other values of the same entries.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the matrix is not square or x has another length, [`Error::MixedMemory`] when x lies elsewhere, and
    /// what the device reports.
    pub fn solve_triangle(&self, triangle: Triangle, op: Op, diagonal: Diagonal, x: VectorMut<'_, T>) -> Result<Event> {
        let (rows, columns) = (self.rows(), self.columns());
        if rows != columns || x.length() != rows {
            return Err(Error::ShapeMismatch(format!("A is {rows} x {columns}, x has {} elements", x.length())));
        }
        check_memory(self.context(), x.memory, "x")?;
        if rows == 0 {
            return Ok(Event::Complete);
        }
        let (matrix, triangle) =
            if op.transposes() { (self.transposed()?, triangle.transposed()) } else { (self, triangle) };
        let solve = TriangleSolve { matrix: matrix.view()?, triangle, diagonal, conjugate: op.conjugates(), x };
        match self.context().on_device() {
            None => {
                host::on_living_thread(|| host::sparse::solve(&solve));
                Ok(Event::Complete)
            }
            Some(context) => solve_on(&Queue::of(context)?, &solve, matrix.prepared_triangle(triangle)?),
        }
    }

    /// The levels of one of its triangles, on its device.
    fn prepared_triangle(&self, triangle: Triangle) -> Result<&PreparedTriangle> {
        self.kept_triangle(triangle, || {
            let (pointers, indices) = (self.pointers().download()?, self.indices().download()?);
            PreparedTriangle::new(self.context(), Levels::of(triangle, &pointers, &indices))
        })
    }
}
