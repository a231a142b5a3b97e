//! The diagonal of a matrix as a preconditioner.

use super::operator::LinearOperator;
use crate::division::reciprocal;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Context};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::sparse::{CsrArrays, CsrMatrix, RowPointer};
use crate::view::{VectorMut, VectorRef};

/// Jacobi's preconditioner: the inverse of a matrix's diagonal. Solvers multiply by it on the way.
///
/// ```
/// use affinimath::{Context, cg};
/// use affinimath::sparse::{CsrMatrix, Jacobi, SolveOptions};
///
/// // [ 4 1 ]
/// // [ 1 9 ]
/// let context = Context::host();
/// let a = CsrMatrix::new(&context, 2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0, 1.0, 1.0, 9.0])?;
/// let b = context.upload(&[5.0_f64, 10.0])?;
/// let mut x = context.zeros(2)?;
/// let jacobi = Jacobi::new(&a)?;
/// let outcome = cg(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new().preconditioner(&jacobi))?;
/// println!("{outcome}");
/// assert!(outcome.converged() && (x.download()?[0] - 1.0_f64).abs() < 1e-7);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[derive(Debug)]
pub struct Jacobi<T> {
    context: Context,
    inverse: Buffer<T>,
}

impl<T: Scalar> Jacobi<T> {
    /// That of a square matrix, where the matrix lies. Entries that stand more than once on the diagonal add up.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for a matrix that is not square, [`Error::ZeroPivot`] where an element of the diagonal
    /// is zero, and what the device reports.
    pub fn new<P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<Self> {
        matrix.order()?;
        let inverse = diagonal(&matrix.download()?)
            .into_iter()
            .enumerate()
            .map(
                |(index, value)| {
                    if value == T::ZERO { Err(Error::ZeroPivot { index: index + 1 }) } else { Ok(reciprocal(value)) }
                },
            )
            .collect::<Result<Vec<_>>>()?;
        Ok(Jacobi { context: matrix.context().clone(), inverse: matrix.context().upload(&inverse)? })
    }
}

/// A square matrix's diagonal.
pub(crate) fn diagonal<T: Scalar, P: RowPointer>(matrix: &CsrArrays<T, P>) -> Vec<T> {
    let row = |(row, pair): (usize, &[P])| {
        let entries = pair[0].count()..pair[1].count();
        let own = entries.filter(|&entry| matrix.col_indices[entry] as usize == row);
        own.fold(T::ZERO, |sum, entry| sum + matrix.values[entry])
    };
    matrix.row_ptr.windows(2).enumerate().map(row).collect()
}

impl<T: Scalar> LinearOperator<T> for Jacobi<T> {
    fn context(&self) -> &Context {
        &self.context
    }

    fn rows(&self) -> usize {
        self.inverse.len()
    }

    fn columns(&self) -> usize {
        self.inverse.len()
    }

    /// Solvers do it on the way, and do not call this.
    fn apply(&self, _: Op, _: VectorRef<'_, T>, _: VectorMut<'_, T>) -> Result<()> {
        Err(Error::Internal("a diagonal is multiplied by on the way".to_owned()))
    }

    fn diagonal(&self) -> Option<&Buffer<T>> {
        Some(&self.inverse)
    }
}
