//! How every method is driven to its end.
//!
//! A run of a method solves A d = r from d = 0, where r = b - A x, and x := x + d where that has the smaller residual,
//! computed from it. So x is never worse than before, whatever a run has come to. Next to nothing is done for numbers
//! near the ends of a precision's range until they are met: b, x and r are multiplied by powers of two where their
//! norms are far from 1, A and the preconditioner where a run has failed and theirs are.

use super::method::{CYCLE, Method, Optimality, check_sizes};
use super::operator::LinearOperator;
use super::options::{Outcome, Reason, SolveOptions};
use super::polling::Polling;
use super::range::{Range, balancing, bounded, times_power};
use super::runner::Runner;
use super::space::{B, D, Exponents, OWN, R, Space, X};
use crate::error::{Error, Result};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, View};
use affinimath_core::sparse::formula::Number;

/// Solves A x = b by a method, from the x that there is.
///
/// The method's recurrence is believed only where the residual computed from x agrees; where it does not, the method
/// begins anew from x as long as that makes the residual half as large or less.
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
    let start = VectorRef::from_parts(x.memory(), *x.shape());
    let norm = runner.norm(b)?;
    let (rows, columns) = (operator.rows(), operator.columns());
    let lengths = [vec![columns, rows, rows, columns], method.lengths(rows, columns)].concat();
    let space = Space::new(runner, operator, options.preconditioner, lengths)?;
    let limit = options.max_iterations.unwrap_or(10 * columns.max(1));
    let mut driver = Driver {
        space,
        options,
        method,
        b,
        exponent: 0,
        norm,
        tolerance: 0.0,
        iterations: 0,
        limit,
        claimed: false,
        shorter: None,
        measured: false,
        moved: false,
        fresh: true,
    };
    // Zeros solve it; a method that does not begin anew keeps near to the x that there is.
    if norm == 0.0 && driver.method.begins_anew() {
        driver.space.store(X, x)?;
        let zero = Judgement { slope: driver.method.least_squares().then_some(0.0), ..Judgement::default() };
        return Ok(driver.outcome(Reason::Converged, &zero));
    }
    let first = driver.begin(start)?;
    if !first.is_finite() {
        return Ok(driver.outcome(Reason::Breakdown, &first));
    }
    let exponent = driver.exponent;
    let (reason, last) = driver.drive(first)?;
    driver.finish(reason, last, (first, exponent), x)
}

/// How far an x has come.
#[derive(Clone, Copy, Debug, Default)]
struct Judgement {
    /// ||b - A x||.
    plain: f64,
    /// The same, with what damping adds to it.
    residual: f64,
    /// ||A^H (b - A x)||, less what damping adds to it, over the residual, of a method for least squares.
    slope: Option<f64>,
    /// True if x is a solution of least squares.
    optimal: bool,
}

impl Judgement {
    fn is_finite(&self) -> bool {
        self.residual.is_finite() && self.slope.is_none_or(f64::is_finite)
    }

    /// Value that the iteration reduces.
    fn measure(&self) -> f64 {
        self.slope.map_or(self.residual, |slope| slope * self.residual)
    }

    /// True if it is better than another: where residuals are the same but for rounding, by the optimality.
    fn improves(&self, other: &Judgement, epsilon: f64) -> bool {
        match (self.slope, other.slope) {
            (Some(own), Some(others)) if self.residual <= other.residual * (1.0 + 4.0 * epsilon) => {
                own < others || self.residual < other.residual
            }
            (Some(_), _) => false,
            _ => self.residual < other.residual,
        }
    }

    fn times_power(self, exponent: i32) -> Self {
        let times = |value| times_power(value, exponent);
        Judgement { plain: times(self.plain), residual: times(self.residual), ..self }
    }
}

/// State of a run.
struct Run {
    /// Why it has stopped; without a reason a cycle is complete.
    claim: Option<Reason>,
    iterations: usize,
    /// The residual's norms as the recurrence has them, of d and of the saved one where there is one, in x's scale.
    residual: f64,
    saved: Option<f64>,
    /// Exponent of the power of two that scales d.
    exponent: i32,
}

struct Driver<'a, 'o, T: Scalar> {
    space: Space<'a, T>,
    options: &'a SolveOptions<'o, T>,
    method: &'a mut dyn Method<T>,
    b: VectorRef<'a, T>,
    /// b and x are multiplied by 2^exponent.
    exponent: i32,
    /// ||b||, and where the residual is to come to, in that scale.
    norm: f64,
    tolerance: f64,
    iterations: usize,
    limit: usize,
    /// True if a run has ended with the residual that was asked for, by its recurrence.
    claimed: bool,
    /// The most iterations of the next run, where the one before has come to an x that is not what its recurrence told.
    shorter: Option<usize>,
    /// True if the operators' sizes are known.
    measured: bool,
    /// True if x is another one than at the beginning.
    moved: bool,
    /// True if r is the residual of x.
    fresh: bool,
}

impl<T: Scalar> Driver<'_, '_, T> {
    /// Loads b and the x that there is, and judges x.
    fn begin(&mut self, start: VectorRef<'_, T>) -> Result<Judgement> {
        self.space.load(start, 0, X)?;
        let length = self.space.norm(X)?;
        self.set_exponent(self.suitable(self.norm, length))?;
        if !length.is_finite() {
            let exponent = Range::of::<T>().half;
            self.space.scale(X, -exponent)?;
            if !self.space.norm(X)?.is_finite() {
                let slope = self.method.least_squares().then_some(f64::NAN);
                return Ok(Judgement { plain: f64::NAN, residual: f64::NAN, slope, optimal: false });
            }
            self.space.scale(X, exponent)?;
        }
        let mut judgement = self.judge(X)?;
        // A x may overflow where neither x nor b - A x for a better x does.
        for _ in 0..2 {
            if judgement.is_finite() || !self.norm.is_finite() {
                break;
            }
            self.set_exponent(self.exponent - Range::of::<T>().half)?;
            judgement = self.judge(X)?;
        }
        Ok(judgement)
    }

    /// The scale for a b and an x of these norms: that of b where x does not overflow in it.
    fn suitable(&self, b: f64, x: f64) -> i32 {
        let range = Range::of::<T>();
        let (b, x) = (bounded::<T>(b), bounded::<T>(x));
        let exponent = balancing(if b == 0.0 { x } else { b }, range.vector);
        if x > 0.0 { exponent.min(range.largest + balancing(x, 0)) } else { exponent }
    }

    /// Multiplies b and x by 2^exponent.
    fn set_exponent(&mut self, exponent: i32) -> Result<()> {
        self.space.load(self.b, exponent, B)?;
        self.space.scale(X, exponent - self.exponent)?;
        self.method.scaled(&mut self.space, exponent - self.exponent)?;
        self.norm = self.space.norm(B)?;
        self.exponent = exponent;
        self.tolerance = (self.options.rtol * self.norm).max(times_power(self.options.atol, exponent));
        Ok(())
    }

    /// Chooses another exponent where x has become much smaller or larger.
    fn update_exponent(&mut self, now: Judgement) -> Result<Judgement> {
        let (old, range) = (self.exponent, Range::of::<T>());
        // b as the caller has it: here it may have underflowed, where x began much larger.
        self.space.load(self.b, 0, B)?;
        let b = self.space.norm(B)?;
        let x = times_power(self.space.norm(X)?, -old);
        let exponent = self.suitable(b, x);
        if (exponent - old).abs() <= range.vector {
            self.set_exponent(old)?;
            return Ok(now);
        }
        self.set_exponent(exponent)?;
        let judgement = self.judge(X)?;
        if judgement.is_finite() {
            return Ok(judgement);
        }
        self.set_exponent(old)?;
        self.judge(X)
    }

    /// Runs the method, as often as that helps.
    fn drive(&mut self, first: Judgement) -> Result<(Reason, Judgement)> {
        let mut now = first;
        loop {
            let reason = match now {
                now if !now.is_finite() => Reason::Breakdown,
                now if now.residual <= self.tolerance => Reason::Converged,
                now if now.optimal => Reason::LeastSquares,
                _ if self.iterations >= self.limit => Reason::Limit,
                before => {
                    let run = self.run(before)?;
                    now = self.accept(before, &run)?;
                    if now.slope.is_some() && !now.optimal && now.measure() == before.measure() {
                        // The run may have told more of ||A||, by which the same x is optimal.
                        now = self.judge(X)?;
                        self.fresh = true;
                    }
                    let Some(reason) = self.reason(&run, &before, &now)? else {
                        if !self.fresh {
                            now = self.judge(X)?;
                            self.fresh = true;
                        }
                        if self.exponent != 0 {
                            now = self.update_exponent(now)?;
                        }
                        continue;
                    };
                    reason
                }
            };
            return Ok((reason, now));
        }
    }

    /// Why the solve ends after a run, if it does.
    fn reason(&mut self, run: &Run, before: &Judgement, now: &Judgement) -> Result<Option<Reason>> {
        let halved = now.measure() <= before.measure() / 2.0;
        let unchanged = now.residual == before.residual && now.measure() == before.measure();
        let misled = unchanged && run.residual < before.residual && run.iterations > 1;
        let less = if run.claim.is_none() { now.measure() < 0.9999 * before.measure() } else { halved };
        Ok(match run.claim {
            // Once more, as b and x may have another scale now.
            _ if self.exponent != 0 && now.residual <= self.tolerance => None,
            _ if now.residual <= self.tolerance => Some(Reason::Converged),
            _ if now.optimal => Some(Reason::LeastSquares),
            Some(Reason::Converged | Reason::Stagnated | Reason::LeastSquares | Reason::Limit) | None
                if self.iterations >= self.limit =>
            {
                Some(Reason::Limit)
            }
            _ if !halved && self.iterations < self.limit && self.measure()? => None,
            // The useful iterations came before rounding took over.
            _ if misled && !self.claimed && self.iterations < self.limit => {
                self.shorter = Some(run.iterations / 2);
                None
            }
            // Rounding: the solution has been reached before, as exactly as it can be.
            Some(Reason::NotPositiveDefinite | Reason::Breakdown) if self.claimed && !halved => Some(Reason::Stagnated),
            Some(Reason::NotPositiveDefinite) => run.claim,
            _ if less && run.iterations > 0 && self.method.begins_anew() => {
                self.claimed |= run.claim == Some(Reason::Converged);
                None
            }
            Some(Reason::Breakdown) => run.claim,
            _ => Some(Reason::Stagnated),
        })
    }

    /// How far a vector has come, taken as x and computed from it. R is its residual then.
    fn judge(&mut self, x: usize) -> Result<Judgement> {
        let plain = self.space.residual(x)?;
        let optimality = self.method.optimality(&mut self.space, x, plain)?;
        let judgement = Judgement { plain, residual: plain, slope: None, optimal: false };
        Ok(optimality.map_or(judgement, |Optimality { slope, target, damped }| Judgement {
            residual: damped,
            slope: Some(slope),
            optimal: slope <= target,
            ..judgement
        }))
    }

    /// Runs the method once, until it stops by itself, where r is the residual of x.
    fn run(&mut self, before: Judgement) -> Result<Run> {
        let number = |value: f64| T::from_parts(value, 0.0);
        let scale = balancing(before.plain, Range::of::<T>().residual);
        self.space.scale(R, scale)?;
        self.space.clear(D)?;
        let norm = times_power(before.plain, scale);
        let mut scalars = vec![T::ZERO; Number::COUNT];
        let start = self.iterations;
        // Numbers count exactly up to 1/eps.
        let limit = (self.limit - start).min((1.0 / T::EPSILON) as usize);
        let limit = self.shorter.take().map_or(limit, |shorter| limit.min(shorter));
        // Less than a rounding of what it begins with is not to be had in one run.
        let target = times_power(self.tolerance, scale).max(norm * T::EPSILON / 2.0);
        for (scalar, value) in
            [(Number::TARGET, target), (Number::LIMIT, limit as f64), (Number::RESIDUAL, norm), (Number::BEST, norm)]
        {
            scalars[scalar.0] = number(value);
        }
        self.method.begin(&mut self.space, &mut scalars, norm)?;
        let max_interval = self.method.max_between_polls().min(self.space.max_between_polls());
        let mut polling = Polling::new(self.options.poll.clamp(1, max_interval));
        let units = -(self.exponent + scale);
        let mut done = 0;
        loop {
            let scalars = polling.next(&mut self.space, |space, slot| self.method.iterate(space, slot))?;
            let now = scalars[Number::ITERATIONS.0].re() as usize;
            if let Some(report) = self.options.history.filter(|_| now > done) {
                let norms = match now - done {
                    1 => vec![scalars[Number::RESIDUAL.0]],
                    several => polling.history(&mut self.space, several)?,
                };
                norms.iter().zip(start + done + 1..).for_each(|(norm, iteration)| {
                    report(iteration, times_power(norm.re(), units));
                });
            }
            done = now;
            self.iterations = start + done;
            let status = scalars[Number::STATUS.0].re();
            if status != 0.0 {
                let exponent = self.space.operator_exponent();
                self.method.ended(&scalars, exponent);
                let [residual, best] = [Number::RESIDUAL, Number::BEST].map(|number| scalars[number.0].re());
                let is_cycle = status == f64::from(CYCLE);
                return Ok(Run {
                    claim: if is_cycle { None } else { Reason::of_code(status).or(Some(Reason::Breakdown)) },
                    iterations: done,
                    residual: times_power(residual, -scale),
                    saved: (best < norm).then(|| times_power(best, -scale)),
                    exponent: exponent - scale,
                });
            }
        }
    }

    /// x := the best of x, x + d and x + the saved d, computed from them.
    fn accept(&mut self, before: Judgement, run: &Run) -> Result<Judgement> {
        let mut candidates = Vec::new();
        let saves = self.method.saved();
        if run.claim == Some(Reason::Breakdown) {
            // Zeros that vectors have behind their ends on a device may be NaN now.
            self.space.clear_others(&[X, B, D, self.method.persistent().unwrap_or(D)])?;
        }
        if run.iterations > 0 && (saves.is_none() || run.residual.is_finite()) {
            candidates.push((D, run.residual));
        }
        candidates.extend(saves.zip(run.saved));
        candidates.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let (mut best, mut chosen, mut judged) = (before, None, None);
        for (vector, expected) in candidates {
            // The recurrence was right before: this one is worse.
            if best.optimal || chosen.is_some() && (best.residual <= expected || best.residual <= self.tolerance) {
                break;
            }
            self.space.join(vector, run.exponent)?;
            let judgement = self.judge(vector)?;
            judged = Some(vector);
            if judgement.is_finite() && judgement.improves(&best, T::EPSILON) {
                (best, chosen) = (judgement, Some(vector));
            }
        }
        self.fresh = judged == chosen && chosen.is_some();
        if let Some(vector) = chosen {
            self.space.exchange_x(vector);
            self.moved = true;
        }
        Ok(best)
    }

    /// Estimates the norms of A and of the preconditioner, once. True if a power of two multiplies one of them from
    /// then on.
    fn measure(&mut self) -> Result<bool> {
        let anew = self.method.begins_anew() || !self.moved;
        if std::mem::replace(&mut self.measured, true) || !anew {
            return Ok(false);
        }
        self.fresh = false;
        let mut exponents = Exponents::default();
        let safe = Range::of::<T>().operator;
        let residual = self.space.residual(X)?;
        self.space.scale(R, balancing(residual, 0))?;
        let (from, to) = if self.method.least_squares() {
            self.image_norm(R, OWN + 1, |space| space.apply_unscaled(Op::ConjTrans, R, OWN + 1))?;
            (OWN + 1, OWN)
        } else {
            let kind = self.method.preconditioning();
            let size = self.image_norm(R, OWN, |space| space.precondition_by(kind, R, OWN, OWN + 2))?;
            exponents.preconditioner = balancing(size, safe);
            (OWN, OWN + 1)
        };
        let length = self.space.norm(from)?;
        self.space.scale(from, balancing(length, 0))?;
        let size = self.image_norm(from, to, |space| space.apply_unscaled(Op::NoTrans, from, to))?;
        exponents.operator = balancing(size.max(self.options.damping), safe);
        self.space.set_exponents(exponents);
        Ok(exponents != Exponents::default())
    }

    /// The norm of the image of a vector of norm 1, which is multiplied by a power of two where the image overflows or
    /// underflows.
    fn image_norm(&mut self, from: usize, to: usize, apply: impl Fn(&mut Space<'_, T>) -> Result<()>) -> Result<f64> {
        let half = Range::of::<T>().half;
        apply(&mut self.space)?;
        let size = self.space.norm(to)?;
        if size != 0.0 && size.is_finite() {
            return Ok(size);
        }
        let exponent = if size == 0.0 { half } else { -half };
        self.space.scale(from, exponent)?;
        apply(&mut self.space)?;
        Ok(times_power(self.space.norm(to)?, -exponent))
    }

    /// Gives x to the caller. Where its scale is another one it is judged as the caller's precision has it.
    fn finish(
        mut self,
        reason: Reason,
        mut last: Judgement,
        (first, exponent): (Judgement, i32),
        x: VectorMut<'_, T>,
    ) -> Result<Outcome> {
        if !self.moved {
            return Ok(self.outcome(reason, &last));
        }
        if self.exponent != 0 {
            last = self.update_exponent(last)?;
        }
        self.space.scale(X, -self.exponent)?;
        let is_finite = self.space.norm(X)?.is_finite();
        if self.exponent == 0 && is_finite {
            self.space.store(X, x)?;
            return Ok(self.outcome(self.confirmed(reason, &last), &last));
        }
        self.space.copy(X, D)?;
        self.space.scale(X, self.exponent)?;
        let stored = self.judge(X)?;
        let is_worse = times_power(stored.residual, exponent - self.exponent) > first.residual;
        if !is_finite || !stored.is_finite() || is_worse {
            // The solution is not a number of the precision: the x that was given stays.
            let reason = if is_finite { Reason::Stagnated } else { Reason::Breakdown };
            self.set_exponent(exponent)?;
            return Ok(self.outcome(reason, &first));
        }
        self.space.store(D, x)?;
        Ok(self.outcome(self.confirmed(reason, &stored), &stored))
    }

    /// The reason, where what it claims is so of the x that the caller gets.
    fn confirmed(&self, reason: Reason, last: &Judgement) -> Reason {
        match reason {
            Reason::Converged if last.residual > self.tolerance => Reason::Stagnated,
            Reason::LeastSquares if !last.optimal && last.residual > self.tolerance => Reason::Stagnated,
            _ => reason,
        }
    }

    /// Outcome for the caller.
    fn outcome(&self, reason: Reason, last: &Judgement) -> Outcome {
        let relative_residual = if self.norm == 0.0 { 0.0 } else { last.plain / self.norm };
        let Judgement { plain: residual, residual: damped, slope, .. } = last.times_power(-self.exponent);
        let normal_residual = slope.map(|slope| slope * damped);
        Outcome { reason, iterations: self.iterations, residual, relative_residual, normal_residual }
    }
}
