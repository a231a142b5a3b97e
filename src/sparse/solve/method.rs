//! Krylov methods as passes: their common trait.

use super::operator::LinearOperator;
use super::options::{Reason, SolveOptions};
use super::runner::MAX_BETWEEN_POLLS;
use super::space::{Space, common_passes};
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef};
use affinimath_core::sparse::formula::{Formula, Number, choice, finite, less};
use affinimath_core::sparse::pass::Pass;

/// How a method is preconditioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preconditioning {
    None,
    /// By a diagonal matrix, on the way.
    Diagonal,
    /// By an operator.
    Operator,
}

impl Preconditioning {
    /// Kind of the preconditioner in the options.
    pub(crate) fn of<T: Scalar>(options: &SolveOptions<'_, T>) -> Self {
        match options.preconditioner {
            None => Preconditioning::None,
            Some(operator) if operator.diagonal().is_some() => Preconditioning::Diagonal,
            Some(_) => Preconditioning::Operator,
        }
    }
}

/// How near x is to a least-squares solution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Optimality {
    /// The norm of A^H r, less what damping adds to it, over `damped`.
    pub(super) slope: f64,
    /// Target: rtol ||A||, with a lower bound of ||A||.
    pub(super) target: f64,
    /// The norm of r with that of the damping.
    pub(super) damped: f64,
}

/// The status of a method that has come to the end of a cycle, and goes on from the x that it has; no [`Reason`] has
/// this code.
pub(super) const CYCLE: i16 = 7;

/// An iteration, in passes over vectors and products between them.
///
/// A run solves A d = r from d = 0, where d is the vector [`super::space::D`], and r = b - A x is [`super::space::R`].
pub(crate) trait Method<T: Scalar> {
    /// Its passes.
    fn passes(&self) -> Vec<Pass>;

    /// How it is preconditioned.
    fn preconditioning(&self) -> Preconditioning {
        Preconditioning::None
    }

    /// How many vectors it needs beside those of all methods: at least two, and three with a diagonal preconditioner.
    /// The first two of a method for least squares have as many elements as A has rows, and columns.
    fn vectors(&self) -> usize;

    /// Their lengths.
    fn lengths(&self, rows: usize, _columns: usize) -> Vec<usize> {
        vec![rows; self.vectors()]
    }

    /// The vector where it saves the d of the smallest residual, before a larger one or one that is not finite replaces
    /// it.
    fn saved(&self) -> Option<usize> {
        None
    }

    /// The vector whose elements outlive a run.
    fn persistent(&self) -> Option<usize> {
        self.saved()
    }

    /// True if it is for least squares, and A may have any shape.
    fn least_squares(&self) -> bool {
        false
    }

    /// True if it may begin anew from the x that it has come to.
    fn begins_anew(&self) -> bool {
        true
    }

    /// How near a vector, taken as x, is to a least-squares solution, of a method for those, where r = b - A x has this
    /// norm.
    fn optimality(&mut self, _space: &mut Space<'_, T>, _x: usize, _residual: f64) -> Result<Option<Optimality>> {
        Ok(None)
    }

    /// Begins where r = b - A x, with numbers that are set but for its own. `norm` is ||r||.
    fn begin(&mut self, space: &mut Space<'_, T>, scalars: &mut [T], norm: f64) -> Result<()>;

    /// After how many iterations, at the most, the numbers are looked at.
    fn max_between_polls(&self) -> usize {
        MAX_BETWEEN_POLLS
    }

    /// Enqueues an iteration.
    fn iterate(&mut self, space: &mut Space<'_, T>, slot: usize) -> Result<()>;

    /// b and x have been multiplied by 2^exponent, between runs.
    fn scaled(&mut self, _space: &mut Space<'_, T>, _exponent: i32) -> Result<()> {
        Ok(())
    }

    /// Has stopped, with these numbers, where A was multiplied by 2^exponent.
    fn ended(&mut self, _numbers: &[T], _exponent: i32) {}
}

/// All passes of a method.
pub(crate) fn passes<T: Scalar>(method: &dyn Method<T>) -> Vec<Pass> {
    let mut passes = common_passes();
    passes.extend(method.passes());
    passes
}

/// The status after an iteration whose residual's norm is known: converged, at the limit, or running.
pub(super) fn status_after_iteration() -> Formula {
    let limit = choice(less(Number::ITERATIONS, Number::LIMIT), 0, Reason::Limit.code());
    let running = choice(less(Number::TARGET, Number::RESIDUAL), limit, Reason::Converged.code());
    choice(finite(Number::RESIDUAL), running, Reason::Breakdown.code())
}

/// A pass that changes d saves it first, where a condition holds and no better one has been saved. `BEFORE` is its
/// residual's norm.
pub(super) fn save_on(pass: Pass, condition: Formula, d: usize, saved: usize) -> Pass {
    pass.set(Number::SAVE, condition * less(Number::BEFORE, Number::BEST))
        .set(Number::BEST, choice(Number::SAVE.into(), Number::BEFORE, Number::BEST))
        .save(Number::SAVE, d, saved)
}

/// Refuses operands whose sizes do not fit.
pub(super) fn check_sizes<T: Scalar>(
    operator: &dyn LinearOperator<T>,
    b: &VectorRef<'_, T>,
    x: &VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
    least_squares: bool,
) -> Result<()> {
    let (rows, columns) = (operator.rows(), operator.columns());
    let suits = least_squares || rows == columns;
    if !suits || b.length() != rows || x.length() != columns {
        let needed = if least_squares { "" } else { ": the method needs a square A" };
        let (b, x) = (b.length(), x.length());
        return Err(Error::ShapeMismatch(format!("A is {rows} x {columns}, b has {b} elements, x has {x}{needed}")));
    }
    match options.preconditioner {
        Some(_) if least_squares => {
            let reason = "methods for least squares take none: scaled columns serve (CsrMatrix::scale_columns)";
            Err(Error::argument("preconditioner", reason))
        }
        Some(other) if (other.rows(), other.columns()) != (rows, columns) => {
            let (height, width) = (other.rows(), other.columns());
            Err(Error::ShapeMismatch(format!("A is {rows} x {columns}, and the preconditioner {height} x {width}")))
        }
        _ => Ok(()),
    }
}
