//! Iterative refinement: what becomes of a solution by factors in single precision, and when it is good enough.
//!
//! J. Langou, J. Langou, P. Luszczek, J. Kurzak, A. Buttari and J. Dongarra, *Exploiting the performance of 32 bit
//! floating point arithmetic in obtaining 64 bit accuracy*, Proceedings of Supercomputing 2006; LAPACK's xSGESV and
//! xCGESV.

use crate::scalar::Double;

/// How a system was solved in mixed precision: LAPACK's ITER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// By factors in single precision: after so many refinements the solution was as good as one by factors in double
    /// precision.
    Converged {
        /// From 0 to [`Refinement::MAX_ITERATIONS`].
        steps: usize,
    },
    /// By factors in double precision: a number of A, of B or of a residual is beyond single precision, or the solution
    /// was.
    Overflow,
    /// By factors in double precision: in single precision a pivot is zero, or a leading minor not positive.
    NotFactorised,
    /// By factors in double precision: after [`Refinement::MAX_ITERATIONS`] refinements the solution was not good
    /// enough.
    NotConverged,
}

impl Default for Refinement {
    fn default() -> Self {
        Refinement::Converged { steps: 0 }
    }
}

impl Refinement {
    /// Refinements, at most.
    pub const MAX_ITERATIONS: usize = 30;

    /// LAPACK's ITER: the refinements, or -2, -3 or -31 for the reasons to do without.
    pub const fn iter(self) -> i32 {
        match self {
            Refinement::Converged { steps } => steps as i32,
            Refinement::Overflow => -2,
            Refinement::NotFactorised => -3,
            Refinement::NotConverged => -31,
        }
    }

    /// True if the factors in single precision sufficed.
    pub const fn converged(self) -> bool {
        matches!(self, Refinement::Converged { .. })
    }
}

/// Result of the test of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Good enough.
    Good,
    /// To be refined.
    Coarse,
    /// A number is beyond single precision.
    Overflow,
    /// There are no factors in single precision.
    NotFactorised,
}

/// Calls `attempt` with 0, for the first solution, and then with the numbers of refinements, as long as the solution is
/// coarse.
pub fn refine<E>(mut attempt: impl FnMut(usize) -> Result<Verdict, E>) -> Result<Refinement, E> {
    for steps in 0..=Refinement::MAX_ITERATIONS {
        match attempt(steps)? {
            Verdict::Good => return Ok(Refinement::Converged { steps }),
            Verdict::Coarse => {}
            Verdict::Overflow => return Ok(Refinement::Overflow),
            Verdict::NotFactorised => return Ok(Refinement::NotFactorised),
        }
    }
    Ok(Refinement::NotConverged)
}

/// Bound of a good solution's residual, relative to the norms of the matrix and the solution: sqrt(n) times the unit
/// roundoff (LAPACK's dsgesv).
pub fn tolerance<T: Double>(n: usize) -> f64 {
    (n as f64).sqrt() * T::EPSILON / 2.0
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn after(verdicts: &[Verdict]) -> (Refinement, usize) {
        let mut calls = 0;
        let attempt = |step: usize| -> Result<_, Infallible> {
            calls += 1;
            Ok(*verdicts.get(step).unwrap_or(&Verdict::Coarse))
        };
        let Ok(refinement) = refine(attempt);
        (refinement, calls)
    }

    #[test]
    fn a_coarse_solution_is_refined_thirty_times_at_most() {
        use Verdict::{Coarse, Good, NotFactorised, Overflow};
        assert_eq!(after(&[Good]), (Refinement::Converged { steps: 0 }, 1));
        assert_eq!(after(&[Coarse, Coarse, Good]), (Refinement::Converged { steps: 2 }, 3));
        assert_eq!(after(&[NotFactorised]), (Refinement::NotFactorised, 1));
        assert_eq!(after(&[Coarse, Overflow]), (Refinement::Overflow, 2));
        assert_eq!(after(&[]), (Refinement::NotConverged, 31));
        assert_eq!(after(&[]).0.iter(), -31);
    }
}
