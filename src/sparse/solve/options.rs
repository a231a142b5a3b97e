//! Options and outcomes of iterative solves.

use std::fmt;

use super::operator::LinearOperator;
use super::runner::MAX_BETWEEN_POLLS;
use crate::scalar::Scalar;

/// When to stop, and how to get there: set by methods that can be chained.
///
/// ```
/// use affinimath::sparse::SolveOptions;
///
/// let report = |iteration: usize, residual: f64| println!("{iteration}: {residual:e}");
/// let options = SolveOptions::<f64>::new().rtol(1e-10).max_iterations(500).history(&report);
/// ```
#[derive(Clone, Copy)]
pub struct SolveOptions<'a, T> {
    pub(crate) rtol: f64,
    pub(crate) atol: f64,
    pub(crate) max_iterations: Option<usize>,
    pub(crate) poll: usize,
    pub(crate) restart: usize,
    pub(crate) damping: f64,
    pub(crate) history: Option<&'a dyn Fn(usize, f64)>,
    pub(crate) preconditioner: Option<&'a dyn LinearOperator<T>>,
}

impl<T: Scalar> Default for SolveOptions<'_, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, T: Scalar> SolveOptions<'a, T> {
    /// ||b - A x|| <= 1e-8 ||b|| (1e-5 in single precision), within ten times as many iterations as there are unknowns.
    pub const fn new() -> Self {
        let rtol = if T::KIND.is_double() { 1e-8 } else { 1e-5 };
        SolveOptions {
            rtol,
            atol: 0.0,
            max_iterations: None,
            poll: MAX_BETWEEN_POLLS,
            restart: 30,
            damping: 0.0,
            history: None,
            preconditioner: None,
        }
    }

    /// Stops at ||b - A x|| <= max(rtol ||b||, atol). Methods for least squares stop at ||Aᴴ (b - A x)|| <= rtol ||A||
    /// ||b - A x||, too.
    #[must_use]
    pub const fn rtol(self, rtol: f64) -> Self {
        SolveOptions { rtol, ..self }
    }

    /// Stops at ||b - A x|| <= max(rtol ||b||, atol).
    #[must_use]
    pub const fn atol(self, atol: f64) -> Self {
        SolveOptions { atol, ..self }
    }

    /// The most iterations.
    #[must_use]
    pub const fn max_iterations(self, iterations: usize) -> Self {
        SolveOptions { max_iterations: Some(iterations), ..self }
    }

    /// After how many iterations, at the most, the host looks at what a device has done: from 1 to 16, which is what it
    /// is without this. The result does not depend on it.
    #[must_use]
    pub const fn poll(self, iterations: usize) -> Self {
        SolveOptions { poll: iterations, ..self }
    }

    /// How many vectors GMRES keeps before it begins anew: from 1 to 62, 30 without this.
    #[must_use]
    pub const fn restart(self, vectors: usize) -> Self {
        SolveOptions { restart: vectors, ..self }
    }

    /// Methods for least squares minimise ||b - A x||² + damping² ||x - x₀||², where x₀ is the x that they are given; 0
    /// without this.
    #[must_use]
    pub const fn damping(self, damping: f64) -> Self {
        SolveOptions { damping, ..self }
    }

    /// Calls a function with each iteration, from 1, and the norm of the residual after it as the recurrence has it. On
    /// a device, a few iterations at a time.
    #[must_use]
    pub const fn history(self, report: &'a dyn Fn(usize, f64)) -> Self {
        SolveOptions { history: Some(report), ..self }
    }

    /// An approximation of A's inverse that iterations are made with, such as [`super::Jacobi`]. For CG and MINRES it
    /// must be Hermitian positive definite.
    #[must_use]
    pub const fn preconditioner(self, preconditioner: &'a dyn LinearOperator<T>) -> Self {
        SolveOptions { preconditioner: Some(preconditioner), ..self }
    }
}

impl<T> fmt::Debug for SolveOptions<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolveOptions")
            .field("rtol", &self.rtol)
            .field("atol", &self.atol)
            .field("max_iterations", &self.max_iterations)
            .field("poll", &self.poll)
            .field("restart", &self.restart)
            .field("damping", &self.damping)
            .field("history", &self.history.is_some())
            .field("preconditioner", &self.preconditioner.is_some())
            .finish()
    }
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The residual is as small as was asked for.
    Converged,
    /// The method finds that it has converged, and has not: the residual does not become smaller in this precision.
    Stagnated,
    /// Numbers that are not finite, or a division by zero that the method cannot go around. x is the best finite one
    /// before that, or as it was.
    Breakdown,
    /// The matrix, or the preconditioner, is not positive definite, and the method needs that.
    NotPositiveDefinite,
    /// The iterations were used up.
    Limit,
    /// No x has a residual as small as was asked for, and that of this one is smallest: it is as good as orthogonal to
    /// the columns of A.
    LeastSquares,
}

impl Reason {
    /// Its number among the numbers of a solver; 0 is none.
    pub(crate) const fn code(self) -> i16 {
        match self {
            Reason::Converged => 1,
            Reason::Stagnated => 2,
            Reason::Breakdown => 3,
            Reason::NotPositiveDefinite => 4,
            Reason::Limit => 5,
            Reason::LeastSquares => 6,
        }
    }

    /// The reason of a number.
    pub(crate) fn of_code(code: f64) -> Option<Self> {
        use Reason::{Breakdown, Converged, LeastSquares, Limit, NotPositiveDefinite, Stagnated};
        let all = [Converged, Stagnated, Breakdown, NotPositiveDefinite, Limit, LeastSquares];
        all.into_iter().find(|reason| f64::from(reason.code()) == code)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Converged => "converged",
            Reason::Stagnated => "stagnated",
            Reason::Breakdown => "broke down",
            Reason::NotPositiveDefinite => "found no positive definite matrix",
            Reason::Limit => "reached the limit of iterations",
            Reason::LeastSquares => "came to the least squares",
        })
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub reason: Reason,
    /// How many iterations were made.
    pub iterations: usize,
    /// ||b - A x||, computed from x at the end.
    pub residual: f64,
    /// The same over ||b||; 0 where both are 0.
    pub relative_residual: f64,
    /// ||Aᴴ (b - A x)||, computed from x at the end by methods for least squares; with damping ||Aᴴ (b - A x) -
    /// damping² (x - x₀)||.
    pub normal_residual: Option<f64>,
}

impl Outcome {
    /// True if x is what was asked for: a solution, or of methods for least squares one of those.
    pub const fn converged(&self) -> bool {
        matches!(self.reason, Reason::Converged | Reason::LeastSquares)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { reason, iterations, residual, relative_residual, normal_residual } = self;
        let plural = if *iterations == 1 { "" } else { "s" };
        write!(
            f,
            "{reason} after {iterations} iteration{plural}: ||b - A x|| = {residual:.3e}, {relative_residual:.3e} of \
             ||b||"
        )?;
        normal_residual.map_or(Ok(()), |normal| write!(f, "; ||A^H (b - A x)|| = {normal:.3e}"))
    }
}
