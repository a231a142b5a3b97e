//! Symmetric successive over-relaxation as a preconditioner.

use super::triangles::{Triangles, filtered, precondition_by_triangles};
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, LinearOperator, RowPointer};
use crate::view::{VectorMut, VectorRef};

/// A step of symmetric successive over-relaxation from zeros as a preconditioner: M = (D + omega L) D⁻¹ (D + omega U) /
/// (omega (2 - omega)) for a matrix A = L + D + U (Saad, *Iterative methods for sparse linear systems*, 2003, section
/// 10.2). With omega = 1 it is the symmetric Gauss-Seidel method. For a Hermitian positive definite matrix it is
/// Hermitian positive definite.
///
/// It needs nothing but the matrix's own entries, and cannot fail where the diagonal has no zeros. The two triangles
/// are made on the host and lie where the matrix does; applying them is two triangular systems, level by level on a
/// device (as [`CsrMatrix::solve_triangle`]). The levels are the matrix's own, which are found out once on the host.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, SolveOptions};
/// use affinimath::{Context, Ssor, cg};
///
/// let context = Context::host();
/// let (row_ptr, col_indices) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = CsrMatrix::new(&context, 3, 3, &row_ptr, &col_indices, &[2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0])?;
/// let b = context.upload(&[1.0, 0.0, 1.0])?;
/// let mut x = context.zeros(3)?;
/// let ssor = Ssor::new(&a, 1.2)?;
/// let outcome = cg(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new().preconditioner(&ssor))?;
/// assert!(outcome.converged() && x.download()?.iter().all(|x: &f64| (x - 1.0).abs() < 1e-7));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[derive(Debug)]
pub struct Ssor<T, P = i32> {
    triangles: Triangles<T, P>,
}

impl<T: Scalar, P: RowPointer> Ssor<T, P> {
    /// That of a square matrix, with a relaxation between 0 and 2.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless 0 < omega < 2, [`Error::ShapeMismatch`] for a matrix that is not square,
    /// [`Error::ZeroPivot`] with the row, counted from 1, whose element on the diagonal is zero, and what the device
    /// reports.
    pub fn new(matrix: &CsrMatrix<T, P>, omega: f64) -> Result<Self> {
        matrix.order()?;
        if !(0.0 < omega && omega < 2.0) {
            return Err(Error::argument("omega", format!("{omega} is not between 0 and 2")));
        }
        let arrays = matrix.download()?;
        let diagonal = matrix.diagonal()?.download()?;
        if let Some(row) = diagonal.iter().position(|value| *value == T::ZERO) {
            return Err(Error::ZeroPivot { index: row + 1 });
        }
        // M = L' U' with L' = (D + omega L) / (omega (2 - omega)) and U' = I + omega D^-1 U: the solution with D is on
        // the way.
        let number = |value: f64| T::from_parts(value, 0.0);
        let (on_diagonal, below, above) =
            (number(1.0 / (omega * (2.0 - omega))), number(1.0 / (2.0 - omega)), number(omega));
        let lower = filtered(&arrays, |row, column, value| match column {
            column if column < row => Some(value * below),
            column if column == row => Some(value * on_diagonal),
            _ => None,
        });
        let upper = filtered(&arrays, |row, column, value| (column > row).then(|| value * above / diagonal[row]));
        let diagonals = [Diag::NonUnit, Diag::Unit];
        let triangles = Triangles::new(CsrMatrix::context(matrix), [lower, upper], diagonals, false)?;
        Ok(Ssor { triangles: triangles.with_levels_of(matrix, Triangle::ALL)? })
    }
}

precondition_by_triangles!(Ssor);
