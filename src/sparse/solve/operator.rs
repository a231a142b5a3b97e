//! Linear operators: a solver's view of a matrix and of a preconditioner.

use crate::error::Result;
use crate::memory::{Buffer, Context};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef};

/// A linear map between vectors in the memory of a [`Context`]: a matrix, or whatever can be applied to a vector.
///
/// ```
/// use affinimath::sparse::{LinearOperator, SolveOptions};
/// use affinimath::{Context, Op, Result, VectorMut, VectorRef, cg};
///
/// /// 2 I, without a matrix.
/// struct Double(Context);
///
/// impl LinearOperator<f64> for Double {
///     fn context(&self) -> &Context {
///         &self.0
///     }
///     fn rows(&self) -> usize {
///         3
///     }
///     fn columns(&self) -> usize {
///         3
///     }
///     fn apply(&self, _: Op, x: VectorRef<'_, f64>, mut y: VectorMut<'_, f64>) -> Result<()> {
///         for (y, x) in y.as_slice_mut().unwrap().iter_mut().zip(x.as_slice().unwrap()) {
///             *y = 2.0 * x;
///         }
///         Ok(())
///     }
/// }
///
/// let context = Context::host();
/// let b = context.upload(&[2.0, 4.0, 6.0])?;
/// let mut x = context.zeros(3)?;
/// let outcome = cg(&Double(context), b.vector()?, x.vector_mut()?, &SolveOptions::new())?;
/// assert!(outcome.converged());
/// assert_eq!(x.download()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
pub trait LinearOperator<T: Scalar> {
    /// Context of the vectors.
    fn context(&self) -> &Context;

    /// The number of rows: elements of y in y := A x.
    fn rows(&self) -> usize;

    /// The number of columns: elements of x in y := A x.
    fn columns(&self) -> usize;

    /// y := op(A) x, where nothing of the old y is read. On a device it may return when the work is enqueued on the
    /// context's queue, before the queue is flushed. Solvers for square matrices ask for [`Op::NoTrans`] only, those
    /// for rectangular ones for [`Op::ConjTrans`] too.
    ///
    /// # Errors
    /// An error of the operator ends the solve, which returns it.
    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()>;

    /// The elements of A, where it is a diagonal matrix whose diagonal is known: solvers then multiply by it on the
    /// way.
    fn diagonal(&self) -> Option<&Buffer<T>> {
        None
    }

    /// Reductions over all processes, where each of them has a part of the rows, and its parts of b and of x. `rows`
    /// and `columns` are those of this process then, and solvers make their sums and norms over all parts.
    ///
    /// All processes call one solver with the same options; the limit of iterations has to be set, as it follows from
    /// the number of columns. Preconditioners of all processes are of one kind, either all diagonals or none.
    fn all_reduce(&self) -> Option<&dyn AllReduce> {
        None
    }
}

/// Reductions over the processes that share a system. All of them make the same calls, and get the same bits.
pub trait AllReduce {
    /// Each value := the sum of the processes' values.
    ///
    /// # Errors
    /// An error ends the solve, which returns it.
    fn sum(&self, values: &mut [f64]) -> Result<()>;

    /// Each value := the largest of the processes' values, none of which is NaN.
    ///
    /// # Errors
    /// Those of [`AllReduce::sum`].
    fn maximum(&self, values: &mut [f64]) -> Result<()>;
}
