//! What methods are, and how every one of them is driven to its end.

use super::formula::{Formula, Number, choice, finite, less};
use super::looks::Looks;
use super::operator::LinearOperator;
use super::options::{Outcome, Reason, SolveOptions};
use super::pass::Pass;
use super::runner::{MOST_BETWEEN_POLLS, Runner};
use super::space::{B, Space, X, common_passes};
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef};

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
    /// What the options ask for.
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
    /// The norm of A^H r, less what damping adds to it.
    pub(super) normal: f64,
    /// Where it is to come to.
    pub(super) target: f64,
    /// The norm of r with that of the damping.
    pub(super) damped: f64,
}

/// An iteration, in passes over vectors and products between them.
pub(crate) trait Method<T: Scalar> {
    /// Its passes.
    fn passes(&self) -> Vec<Pass>;

    /// How many vectors it needs beside those of all methods.
    fn vectors(&self) -> usize;

    /// Their lengths.
    fn lengths(&self, rows: usize, _columns: usize) -> Vec<usize> {
        vec![rows; self.vectors()]
    }

    /// Whether it is for least squares, and A may have any shape.
    fn least_squares(&self) -> bool {
        false
    }

    /// Whether it may begin anew from the x that it has come to.
    fn begins_anew(&self) -> bool {
        true
    }

    /// How near x is to a least-squares solution, of a method for those, where r = b - A x has this norm.
    fn optimality(&mut self, _space: &mut Space<'_, T>, _residual: f64) -> Result<Option<Optimality>> {
        Ok(None)
    }

    /// Begins where r = b - A x, with numbers that are set but for its own. `norm` is ||r||.
    fn begin(&mut self, space: &mut Space<'_, T>, numbers: &mut [T], norm: f64) -> Result<()>;

    /// After how many iterations, at the most, the numbers are looked at.
    fn most_between_polls(&self) -> usize {
        MOST_BETWEEN_POLLS
    }

    /// Enqueues an iteration.
    fn iterate(&mut self, space: &mut Space<'_, T>, slot: usize) -> Result<()>;

    /// Has stopped, with these numbers.
    fn ended(&mut self, _numbers: &[T]) {}
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

/// Refuses operands whose sizes do not fit.
fn check_sizes<T: Scalar>(
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

/// The power of two that brings a norm near 1, so that squares neither overflow nor underflow.
fn scale_for(norm: f64) -> f64 {
    let exponent = -norm.log2().floor().clamp(-120.0, 120.0);
    exponent.exp2()
}

/// Solves A x = b by a method, from the x that there is.
///
/// The method's recurrence is believed only where the residual computed from x agrees; where it does not, the method begins anew from x
/// as long as that makes the residual half as large or less.
pub(crate) fn solve<T: Scalar>(
    runner: &mut dyn Runner<T>,
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &SolveOptions<'_, T>,
    method: &mut dyn Method<T>,
) -> Result<Outcome> {
    check_sizes(operator, &b, &x, options, method.least_squares())?;
    if !(0.0 <= options.damping && options.damping.is_finite()) {
        return Err(Error::argument("damping", format!("{} is not a number from 0 on", options.damping)));
    }
    let norm = runner.norm(b)?;
    if !norm.is_finite() {
        let normal_residual = method.least_squares().then_some(f64::NAN);
        let (reason, relative_residual) = (Reason::Breakdown, f64::NAN);
        return Ok(Outcome { reason, iterations: 0, residual: norm, relative_residual, normal_residual });
    }
    let scale = scale_for(if norm == 0.0 { 1.0 } else { norm });
    let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
    let (rows, columns) = (operator.rows(), operator.columns());
    let lengths = [vec![columns, rows, rows], method.lengths(rows, columns)].concat();
    let mut space = Space::new(runner, operator, options.preconditioner, lengths)?;
    let normal_residual = method.least_squares().then_some(0.0);
    let (reason, residual) = (Reason::Converged, 0.0);
    let mut outcome = Outcome { reason, iterations: 0, residual, relative_residual: 0.0, normal_residual };
    // Zeros solve it; a method that does not begin anew keeps near to the x that there is.
    if norm == 0.0 && method.begins_anew() {
        space.store(X, T::RealScalar::ONE, x)?;
        return Ok(outcome);
    }
    space.load(b, real(scale), B)?;
    space.load(VectorRef { memory: x.memory, shape: x.shape }, real(scale), X)?;
    let tolerance = (options.rtol * norm).max(options.atol) * scale;
    let mut driver = Driver { space, options, method, tolerance, scale };
    driver.drive(&mut outcome)?;
    outcome.residual /= scale;
    outcome.relative_residual = if norm == 0.0 { 0.0 } else { outcome.residual / norm };
    outcome.normal_residual = outcome.normal_residual.map(|normal| normal / scale);
    driver.space.store(X, real(1.0 / scale), x)?;
    Ok(outcome)
}

/// How far a method has come.
#[derive(Clone, Copy, Debug)]
struct Judgement {
    /// The residual's norm.
    residual: f64,
    /// Whether x is a solution of least squares.
    optimal: bool,
    /// What is to become smaller.
    measure: f64,
}

struct Driver<'a, 'o, T: Scalar> {
    space: Space<'a, T>,
    options: &'a SolveOptions<'o, T>,
    method: &'a mut dyn Method<T>,
    tolerance: f64,
    /// What b and x are multiplied by.
    scale: f64,
}

impl<T: Scalar> Driver<'_, '_, T> {
    /// Runs the method, as often as that helps. The outcome's residual is then that of the scaled x.
    fn drive(&mut self, outcome: &mut Outcome) -> Result<()> {
        let unknowns = self.space.length();
        let limit = self.options.max_iterations.unwrap_or(10 * unknowns.max(1));
        let mut now = self.judge(outcome)?;
        loop {
            outcome.reason = match now {
                now if now.residual.is_nan() => Reason::Breakdown,
                now if now.residual <= self.tolerance => Reason::Converged,
                _ if outcome.iterations >= limit => Reason::Limit,
                before => {
                    let claim = self.run(outcome, limit)?;
                    now = self.judge(outcome)?;
                    match claim {
                        _ if now.residual <= self.tolerance => Reason::Converged,
                        _ if now.optimal => Reason::LeastSquares,
                        Reason::Limit | Reason::NotPositiveDefinite => claim,
                        _ if now.measure <= before.measure / 2.0 && self.method.begins_anew() => continue,
                        Reason::Breakdown => claim,
                        _ => Reason::Stagnated,
                    }
                }
            };
            return Ok(());
        }
    }

    /// Where x has come to, computed from it.
    fn judge(&mut self, outcome: &mut Outcome) -> Result<Judgement> {
        self.space.set_numbers(&[T::ZERO; Number::COUNT])?;
        outcome.residual = self.space.residual()?;
        let plain = Judgement { residual: outcome.residual, optimal: false, measure: outcome.residual };
        let optimality = self.method.optimality(&mut self.space, outcome.residual)?;
        outcome.normal_residual = optimality.map(|optimality| optimality.normal);
        Ok(optimality.map_or(plain, |Optimality { normal, target, damped }| Judgement {
            residual: damped,
            optimal: normal <= target,
            measure: normal,
        }))
    }

    /// Runs the method once, until it stops by itself: the reason that it has for that.
    fn run(&mut self, outcome: &mut Outcome, limit: usize) -> Result<Reason> {
        let number = |value: f64| T::from_parts(value, 0.0);
        let mut numbers = vec![T::ZERO; Number::COUNT];
        let start = outcome.iterations;
        numbers[Number::TARGET.0] = number(self.tolerance);
        numbers[Number::LIMIT.0] = number((limit - start) as f64);
        self.method.begin(&mut self.space, &mut numbers, outcome.residual)?;
        let most = self.options.poll.clamp(1, self.method.most_between_polls().min(self.space.most_between_polls()));
        let mut looks = Looks::new(most);
        let mut done = 0;
        loop {
            let numbers = looks.next(&mut self.space, |space, slot| self.method.iterate(space, slot))?;
            let now = numbers[Number::ITERATIONS.0].re() as usize;
            if let Some(report) = self.options.history.filter(|_| now > done) {
                let norms = match now - done {
                    1 => vec![numbers[Number::RESIDUAL.0]],
                    several => looks.history(&mut self.space, several)?,
                };
                let report_one = |(index, norm): (usize, &T)| report(start + done + index + 1, norm.re() / self.scale);
                norms.iter().enumerate().for_each(report_one);
            }
            done = now;
            outcome.iterations = start + done;
            if let Some(reason) = Reason::of_code(numbers[Number::STATUS.0].re()) {
                self.method.ended(&numbers);
                return Ok(reason);
            }
        }
    }
}
