//! Incomplete LU factors as a preconditioner.

use super::triangles::{Triangles, filtered, precondition_by_triangles};
use crate::error::Result;
use crate::host;
use crate::memory::Context;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, LinearOperator, RowPointer};
use crate::view::{VectorMut, VectorRef};

/// Incomplete LU factors without fill, ILU(0): L and U have entries where the matrix has some, and (L U)_ij = a_ij
/// there (Meijerink and van der Vorst, *An iterative solution method for linear systems of which the coefficient matrix
/// is a symmetric M-matrix*, 1977; Saad, *Iterative methods for sparse linear systems*, 2003, algorithm 10.4). For any
/// square matrix with a full diagonal; rows are not exchanged.
///
/// The factors are computed on the host, row by row, and lie where the matrix does; applying them is two triangular
/// systems, level by level on a device (as [`CsrMatrix::solve_triangle`]). The levels are the matrix's own, which are
/// found out once on the host.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, SolveOptions};
/// use affinimath::{Context, Ilu0, bicgstab};
///
/// // [ 2 -1  0 ]
/// // [-2  3 -1 ]
/// // [ 0 -2  3 ]
/// let context = Context::host();
/// let (row_ptr, col_indices) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = CsrMatrix::new(&context, 3, 3, &row_ptr, &col_indices, &[2.0, -1.0, -2.0, 3.0, -1.0, -2.0, 3.0])?;
/// let b = context.upload(&[1.0, 0.0, 1.0])?;
/// let mut x = context.zeros(3)?;
/// // Nothing is left out of the factors of a tridiagonal matrix: the first step is the last.
/// let ilu = Ilu0::new(&a)?;
/// let outcome = bicgstab(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new().preconditioner(&ilu))?;
/// assert!(outcome.converged() && x.download()?.iter().all(|x: &f64| (x - 1.0).abs() < 1e-7));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[derive(Debug)]
pub struct Ilu0<T, P = i32> {
    triangles: Triangles<T, P>,
}

impl<T: Scalar, P: RowPointer> Ilu0<T, P> {
    /// Those of a square matrix. Entries that stand more than once in a place add up.
    ///
    /// # Errors
    /// [`crate::Error::ShapeMismatch`] for a matrix that is not square, [`crate::Error::InvalidArgument`] with the row
    /// that has no entry on the diagonal, [`crate::Error::ZeroPivot`] with the row, counted from 1, whose pivot is
    /// zero, and what the device reports.
    pub fn new(matrix: &CsrMatrix<T, P>) -> Result<Self> {
        matrix.order()?;
        let mut factors = matrix.sorted()?.download()?;
        host::sparse::incomplete_lu(&mut factors)?;
        let lower = filtered(&factors, |row, column, value| (column < row).then_some(value));
        let upper = filtered(&factors, |row, column, value| (column >= row).then_some(value));
        let diagonals = [Diag::Unit, Diag::NonUnit];
        let triangles = Triangles::new(CsrMatrix::context(matrix), [lower, upper], diagonals, false)?;
        Ok(Ilu0 { triangles: triangles.with_levels_of(matrix, Triangle::ALL)? })
    }
}

precondition_by_triangles!(Ilu0);
