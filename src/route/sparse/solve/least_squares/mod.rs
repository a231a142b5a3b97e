//! Solvers of least squares.

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use super::run;
use crate::error::Result;
use crate::scalar::Scalar;
use crate::sparse::solve::{Kind, LeastSquares};
use crate::sparse::{LinearOperator, Outcome, SolveOptions};
use crate::view::{VectorMut, VectorRef};

/// Minimises ||b - A x|| for an A of any shape by LSQR, from the x that there is (Paige and Saunders, *LSQR: an
/// algorithm for sparse linear equations and sparse least squares*, 1982); with [`SolveOptions::damping`] ||b - A
/// x||² + damping² ||x - x₀||², x₀ being the x that there is. Of several solutions it comes to the one that is
/// nearest to x₀: from zeros, that of the smallest norm.
///
/// Stops at ||b - A x|| <= max(rtol ||b||, atol), which systems with a solution come to, with
/// [`crate::sparse::Reason::Converged`], or at ||Aᴴ (b - A x)|| <= rtol ||A|| ||b - A x||, where x is a least-squares
/// solution, with [`crate::sparse::Reason::LeastSquares`]. The norms are computed from x, as [`Outcome::residual`] and
/// [`Outcome::normal_residual`] tell: where the recurrence's have become smaller than those, the method begins anew
/// from x, as long as that helps and there is no damping; where rounding leaves no smaller ones, the reason is
/// [`crate::sparse::Reason::Stagnated`]. ||A|| is the largest ||A v|| of the vectors v of norm 1 that the iterations
/// have made: a lower bound of the 2-norm. With damping, A and b - A x are those of the damped system. x is never worse
/// than the one that is given.
///
/// The iterations are as many as of conjugate gradients for AᴴA: columns that are scaled to the same norm need fewer
/// (`CsrMatrix::scale_columns`). There are no preconditioners.
///
/// Three vectors of b's length are needed beside b, and five of x's beside x, with damping six. On a device an
/// iteration is five launches (seven on a CPU); for an m x n matrix it moves 3 m + 8 n elements beside what the
/// products with A and Aᴴ do.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, Reason, SolveOptions};
/// use affinimath::{Context, lsqr};
///
/// // A line through (0, 1), (1, 3), (2, 5) and (3, 8).
/// let context = Context::host();
/// let (row_ptr, col_indices) = ([0, 1, 3, 5, 7], [0, 0, 1, 0, 1, 0, 1]);
/// let a = CsrMatrix::new(&context, 4, 2, &row_ptr, &col_indices, &[1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 3.0])?;
/// let b = context.upload(&[1.0, 3.0, 5.0, 8.0])?;
/// let mut x = context.zeros(2)?;
/// let outcome = lsqr(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new())?;
/// println!("{outcome}");
/// assert_eq!(outcome.reason, Reason::LeastSquares);
/// let line: Vec<f64> = x.download()?;
/// assert!((line[0] - 0.8).abs() < 1e-7 && (line[1] - 2.3).abs() < 1e-7);
/// # Ok::<(), affinimath::Error>(())
/// ```
///
/// # Errors
/// The errors of [`super::cg`]; [`crate::Error::InvalidArgument`] for a preconditioner, and for a damping that is
/// negative or not finite.
#[instances]
pub fn lsqr<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    run(operator, b, x, options, &mut LeastSquares::new(Kind::Lsqr, options))
}

/// Minimises ||b - A x|| for an A of any shape by LSMR, from the x that there is (Fong and Saunders, *LSMR: an
/// iterative algorithm for sparse least-squares problems*, 2011). As [`lsqr`] in everything else; ||Aᴴ (b - A x)||
/// decreases in each iteration, so that it is safer to end LSMR early.
///
/// Three vectors of b's length are needed beside b, and six of x's beside x, with damping seven. On a device an
/// iteration is five launches (seven on a CPU); for an m x n matrix it moves 3 m + 10 n elements beside what the
/// products with A and Aᴴ do.
///
/// # Errors
/// The errors of [`lsqr`].
#[instances]
pub fn lsmr<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    run(operator, b, x, options, &mut LeastSquares::new(Kind::Lsmr, options))
}
