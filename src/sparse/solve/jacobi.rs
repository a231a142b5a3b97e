//! The diagonal of a matrix as a preconditioner.

use super::operator::LinearOperator;
use crate::division::reciprocal;
use crate::error::{Error, Result};
use crate::host;
use crate::memory::{Buffer, Context};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::sparse::convert::diagonal_on;
use crate::sparse::{CsrMatrix, RowPointer};
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
        // Of a device's matrix the diagonal alone comes to the host, which looks for zeros.
        let diagonal = match matrix.context().on_device() {
            Some(_) => diagonal_on(matrix)?.download()?,
            None => host::sparse::diagonal(&matrix.view()?),
        };
        if let Some(row) = diagonal.iter().position(|value| *value == T::ZERO) {
            return Err(Error::ZeroPivot { index: row + 1 });
        }
        let inverse: Vec<T> = diagonal.into_iter().map(reciprocal).collect();
        Ok(Jacobi { context: matrix.context().clone(), inverse: matrix.context().upload(&inverse)? })
    }
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
