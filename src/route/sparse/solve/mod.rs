//! Iterative solvers, where the matrix lies.

#[cfg(test)]
mod bench;
mod chebyshev;
#[cfg(test)]
mod hostile;
mod least_squares;
#[cfg(test)]
pub(super) mod problems;
#[cfg(test)]
mod tests;

use affinimath_macros::instances;
pub use chebyshev::Chebyshev;
pub use least_squares::{lsmr, lsqr};

use crate::error::Result;
use crate::memory::Context;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::sparse::solve::{
    AllReduced, BiCgStab, Cg, DeviceRunner, Gmres, HostRunner, Method, Minres, Preconditioning, Runner, dots_of,
    passes, solve,
};
use crate::sparse::{CsrMatrix, LinearOperator, Outcome, RowPointer, SolveOptions};
use crate::view::{VectorMut, VectorRef, View};

use super::check_memory;

impl<T: Scalar, P: RowPointer> LinearOperator<T> for CsrMatrix<T, P> {
    fn context(&self) -> &Context {
        CsrMatrix::context(self)
    }

    fn rows(&self) -> usize {
        CsrMatrix::rows(self)
    }

    fn columns(&self) -> usize {
        CsrMatrix::columns(self)
    }

    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        self.multiply_step(op, x, y)
    }
}

/// Solves A x = b for a Hermitian positive definite A by conjugate gradients, from the x that there is (Hestenes and
/// Stiefel, *Methods of conjugate gradients for solving linear systems*, 1952).
///
/// Stops at ||b - A x|| <= max(rtol ||b||, atol), which is computed from x: where the recurrence's residual has become
/// smaller than the true one, the method begins anew from x, as long as that helps. A matrix that is only semidefinite
/// does where b is in its range. That A is Hermitian is not looked at; a direction p with p^H A p <= 0 ends the solve
/// with [`crate::sparse::Reason::NotPositiveDefinite`].
///
/// x is never worse than the one that is given, and the best of the iterations where the residual grows again.
///
/// Seven vectors of b's length are needed beside b and x (with a preconditioner eight). On a device an iteration is
/// four launches (five on a CPU), and moves 10 n elements beside what the product with A does.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, SolveOptions};
/// use affinimath::{Context, cg};
///
/// // [ 2 -1  0 ]
/// // [-1  2 -1 ]
/// // [ 0 -1  2 ]
/// let context = Context::host();
/// let (row_ptr, col_indices) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = CsrMatrix::new(&context, 3, 3, &row_ptr, &col_indices, &[2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0])?;
/// let b = context.upload(&[1.0, 0.0, 1.0])?;
/// let mut x = context.zeros(3)?;
/// let outcome = cg(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new().rtol(1e-12))?;
/// println!("{outcome}");
/// assert!(outcome.converged() && x.download()?.iter().all(|x: &f64| (x - 1.0).abs() < 1e-10));
/// # Ok::<(), affinimath::Error>(())
/// ```
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when vectors or the
/// preconditioner lie elsewhere than A, and what the device or an operator of the caller's reports. That it does not
/// converge is no error: the outcome says so.
#[instances]
pub fn cg<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    run(operator, b, x, options, &mut Cg::new(Preconditioning::of(options)))
}

/// Solves A x = b for a Hermitian A, which may be indefinite, by minimal residuals, from the x that there is (Paige and
/// Saunders, *Solution of sparse indefinite systems of linear equations*, 1975). A preconditioner is Hermitian positive
/// definite.
///
/// Stops at ||b - A x|| <= max(rtol ||b||, atol), which is computed from x; with a preconditioner, too, whose own norm
/// is not used. For a singular A whose range does not have b the residual comes to its minimum, and the reason is
/// [`crate::sparse::Reason::Stagnated`]. x is never worse than the one that is given.
///
/// Ten vectors of b's length are needed beside b and x (with a preconditioner twelve). On a device an iteration is four
/// launches (five on a CPU, one more with a preconditioner), and moves 15 n elements beside what the product with A
/// does.
///
/// # Errors
/// The errors of [`cg`].
#[instances]
pub fn minres<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    run(operator, b, x, options, &mut Minres::new(Preconditioning::of(options)))
}

/// Solves A x = b for any square A by stabilised biconjugate gradients, from the x that there is (van der Vorst,
/// *Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of nonsymmetric linear systems*, 1992).
/// Preconditioned from the right.
///
/// Stops at ||b - A x|| <= max(rtol ||b||, atol), which is computed from x. An iteration has two products with A. Where
/// it breaks down it begins anew, as long as that helps. x is never worse than the one that is given, and the best of
/// the iterations where the residual grows again.
///
/// Nine vectors of b's length are needed beside b and x (with a preconditioner up to twelve). On a device an iteration
/// is seven launches (nine on a CPU), and moves 18 n elements beside what the products with A do.
///
/// # Errors
/// The errors of [`cg`].
#[instances]
pub fn bicgstab<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    run(operator, b, x, options, &mut BiCgStab::new(Preconditioning::of(options)))
}

/// Solves A x = b for any square A by generalised minimal residuals, from the x that there is, restarted after
/// [`SolveOptions::restart`] iterations (Saad and Schultz, *GMRES: a generalized minimal residual algorithm for solving
/// nonsymmetric linear systems*, 1986). Preconditioned from the right.
///
/// Stops at ||b - A x|| <= max(rtol ||b||, atol), which is computed from x at each restart and at the end. Where a
/// restart makes the residual hardly smaller, the reason is [`crate::sparse::Reason::Stagnated`], and so it is where A,
/// or A times the preconditioner, is singular and b is not in its range. x is never worse than the one that is given.
///
/// Eight vectors of b's length are needed beside b and x, and as many as a restart has iterations. The k-th iteration
/// since a restart is k + 3 launches on a device, moves 4 k n elements beside what the product with A does, and ends
/// with a look of the host's at it.
///
/// # Errors
/// The errors of [`cg`].
#[instances]
pub fn gmres<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    run(operator, b, x, options, &mut Gmres::new(Preconditioning::of(options), options.restart))
}

/// Any solver.
#[cfg(test)]
type Solver<T> =
    fn(&dyn LinearOperator<T>, VectorRef<'_, T>, VectorMut<'_, T>, &SolveOptions<'_, T>) -> Result<Outcome>;

/// Runs a method where the operator is.
fn run<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
    method: &mut dyn Method<T>,
) -> Result<Outcome> {
    let context = operator.context();
    check_memory(context, b.memory(), "b")?;
    check_memory(context, x.memory(), "x")?;
    if let Some(diagonal) = options.preconditioner.and_then(LinearOperator::diagonal) {
        check_memory(context, diagonal.vector()?.memory(), "the preconditioner")?;
    }
    let passes = passes(method);
    let dots = dots_of(&passes);
    let (mut host, mut device);
    let runner: &mut dyn Runner<T> = match context.on_device() {
        None => {
            host = HostRunner::new(passes);
            &mut host
        }
        Some(own) => {
            device = DeviceRunner::new::<T>(context, own, passes)?;
            &mut device
        }
    };
    match operator.all_reduce() {
        None => solve(runner, operator, b, x, options, method),
        Some(processes) => solve(&mut AllReduced::new(runner, processes, dots), operator, b, x, options, method),
    }
}
