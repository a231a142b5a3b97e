//! Incomplete Cholesky factors as a preconditioner.

use super::triangles::{Triangles, filtered, precondition_by_triangles};
use crate::error::{Error, Result};
use crate::host;
use crate::memory::Context;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::sparse::{CsrArrays, CsrMatrix, LinearOperator, RowPointer};
use crate::view::{VectorMut, VectorRef};

/// Incomplete Cholesky factors without fill, IC(0), of a Hermitian positive definite matrix: L has entries where the
/// matrix's lower triangle has some, and (L Lᴴ)_ij = a_ij there (Meijerink and van der Vorst, *An iterative solution
/// method for linear systems of which the coefficient matrix is a symmetric M-matrix*, 1977). L Lᴴ is Hermitian
/// positive definite.
///
/// The factors of M-matrices and of diagonally dominant ones always exist, those of other positive definite ones may
/// not: a pivot is then not positive. A diagonal that is larger by a shift, (1 + shift) a_ii, helps (Manteuffel, *An
/// incomplete factorization technique for positive definite linear systems*, 1980): [`Ic0::new`] looks for one, as
/// PETSc does, and [`Ic0::shift`] tells it.
///
/// The factor is computed on the host, row by row, and lies where the matrix does; applying it is two triangular
/// systems, level by level on a device (as [`CsrMatrix::solve_triangle`]). The levels are found out on the host.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, SolveOptions};
/// use affinimath::{Context, Ic0, cg};
///
/// let context = Context::host();
/// let (row_ptr, col_indices) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = CsrMatrix::new(&context, 3, 3, &row_ptr, &col_indices, &[2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0])?;
/// let b = context.upload(&[1.0, 0.0, 1.0])?;
/// let mut x = context.zeros(3)?;
/// let ic = Ic0::new(&a)?;
/// let outcome = cg(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new().preconditioner(&ic))?;
/// assert!(outcome.converged() && x.download()?.iter().all(|x: &f64| (x - 1.0).abs() < 1e-7));
/// assert_eq!(ic.shift(), 0.0);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[derive(Debug)]
pub struct Ic0<T, P = i32> {
    triangles: Triangles<T, P>,
    shift: f64,
}

/// The first shift that is tried where none does not do, and the last one, at which a diagonal as good as rules (Lin
/// and Moré, *Incomplete Cholesky factorizations with limited memory*, 1999, who double it in between).
const FIRST_SHIFT: f64 = 1e-3;
const LAST_SHIFT: f64 = 1e3;

impl<T: Scalar, P: RowPointer> Ic0<T, P> {
    /// Those of a square matrix, of which the lower triangle is used; where a pivot is not positive, with a shift of
    /// 0.001, which is doubled until all are. Entries that stand more than once in a place add up.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for a matrix that is not square, [`Error::InvalidArgument`] with the row that has no
    /// entry on the diagonal, [`Error::IncompletePivot`] with the row, counted from 1, whose pivot no shift makes
    /// positive, as where the diagonal is not positive itself; and what the device reports.
    pub fn new(matrix: &CsrMatrix<T, P>) -> Result<Self> {
        let lower = lower_triangle(matrix)?;
        let mut shift = 0.0;
        loop {
            let mut factor = lower.clone();
            match host::sparse::incomplete_cholesky(&mut factor, shift) {
                Err(Error::IncompletePivot { index }) if shift < LAST_SHIFT && is_positive(&lower, index - 1) => {
                    shift = FIRST_SHIFT.max(2.0 * shift);
                }
                Err(error) => return Err(error),
                Ok(()) => return Self::of_factor(matrix, factor, shift),
            }
        }
    }

    /// The same with a shift that is given, from 0 on: with 0 the factors of the matrix itself, or none.
    ///
    /// # Errors
    /// The errors of [`Ic0::new`]; [`Error::InvalidArgument`] for a shift that is negative or not finite.
    pub fn shifted(matrix: &CsrMatrix<T, P>, shift: f64) -> Result<Self> {
        if !(0.0 <= shift && shift.is_finite()) {
            return Err(Error::argument("shift", format!("{shift} is not a number from 0 on")));
        }
        let mut factor = lower_triangle(matrix)?;
        host::sparse::incomplete_cholesky(&mut factor, shift)?;
        Self::of_factor(matrix, factor, shift)
    }

    /// By which part the diagonal is larger than the matrix's.
    pub const fn shift(&self) -> f64 {
        self.shift
    }

    fn of_factor(matrix: &CsrMatrix<T, P>, lower: CsrArrays<T, P>, shift: f64) -> Result<Self> {
        let order = lower.row_ptr.len() - 1;
        let on_host = CsrMatrix::from_arrays(order, order, lower.clone());
        let mut upper = host::sparse::transpose(&on_host.view()?);
        upper.values.iter_mut().for_each(|value| *value = value.conjugate());
        let diagonals = [Diag::NonUnit; 2];
        let triangles = Triangles::new(CsrMatrix::context(matrix), [lower, upper], diagonals, true)?;
        // The matrix's upper triangle may have other entries than the lower one's mirror image.
        Ok(Ic0 { triangles: triangles.with_levels_of(matrix, &[Triangle::Lower])?, shift })
    }
}

/// The lower triangle with its diagonal, sorted, on the host.
fn lower_triangle<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<CsrArrays<T, P>> {
    matrix.order()?;
    let sorted = matrix.sorted()?.download()?;
    Ok(filtered(&sorted, |row, column, value| (column <= row).then_some(value)))
}

/// True if a row of a lower triangle has finite entries, and a positive one on the diagonal, which is its last.
fn is_positive<T: Scalar, P: RowPointer>(lower: &CsrArrays<T, P>, row: usize) -> bool {
    let own = &lower.values[lower.row_ptr[row].count()..lower.row_ptr[row + 1].count()];
    own.iter().all(|value| value.finite()) && own.last().is_some_and(|diagonal| diagonal.re() > 0.0)
}

precondition_by_triangles!(Ic0);
