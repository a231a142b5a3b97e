//! Least squares by bidiagonalisation: what LSQR and LSMR have in common.
//!
//! Golub and Kahan's process makes orthonormal u_k and v_k with A v_k = alpha_k u_k + beta_(k+1) u_(k+1) and A^H u_k =
//! beta_k v_(k-1) + alpha_k v_k. Vectors are kept times their alphas and betas, which are then norms that the next pass
//! has for nothing. An iteration is a product with A, one with A^H and three passes: it makes one launch for each on a
//! GPU, and one more for each product on a CPU.

use super::lsmr;
use super::lsqr;
use super::method::{Method, Optimality};
use super::options::{Reason, SolveOptions};
use super::range::{Range, balancing, found, times_power};
use super::space::{D, OWN, R, Space, X};
use crate::error::Result;
use crate::options::Op;
use crate::scalar::Scalar;
use affinimath_core::sparse::formula::{Formula, Number, choice, finite, less, root, sum};
use affinimath_core::sparse::pass::{Operand::*, Pass, term};

// Numbers of both methods.
pub(super) const ALPHA: Number = Number(Number::OWN);
pub(super) const BETA: Number = Number(Number::OWN + 1);
pub(super) const DAMPING: Number = Number(Number::OWN + 2);
/// The norm of a column of the bidiagonal matrix with its damping, ||A v||, and the largest so far: a lower bound of
/// ||A||.
const COLUMN: Number = Number(Number::OWN + 3);
const NORM: Number = Number(Number::OWN + 4);
/// ||A^H r|| of the damped system, as the recurrence has it, and which part of ||A|| ||r|| it is to come to.
pub(super) const NORMAL: Number = Number(Number::OWN + 5);
const TOLERANCE: Number = Number(Number::OWN + 6);
/// The methods' own numbers come behind them.
pub(super) const THEIRS: usize = Number::OWN + 7;

/// beta u is in r's place.
const U: usize = R;
/// A v.
const IMAGE: usize = OWN;
/// alpha v.
const V: usize = OWN + 1;
/// A^H u.
const BACK: usize = OWN + 2;
/// The methods' directions.
const DIRECTION: usize = OWN + 3;

const MEASURE: usize = 0;
const BEGIN: usize = 1;
const LEFT: usize = 2;
const RIGHT: usize = 3;
const DISTANCE: usize = 4;
const GRADIENT: usize = 5;
const ADVANCE: usize = 6;

/// Which of the two methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Paige and Saunders (1982).
    Lsqr,
    /// Fong and Saunders (2011).
    Lsmr,
}

/// min ||b - A x||^2 + damping^2 ||x - x_0||^2, for the x_0 that the method begins with.
pub(crate) struct LeastSquares {
    kind: Kind,
    damping: f64,
    /// Which part of ||A|| ||r|| the norm of A^H r is to come to.
    tolerance: f64,
    /// The largest ||A v|| of a v of norm 1, as far as it is known, with the damping.
    norm: f64,
    /// True if the x of the beginning is there: with damping alone.
    begun: bool,
}

/// The least tolerance of the recurrence, in parts of eps: rounding of A v and A^H u.
const ROUNDING: f64 = 4.0;

/// 1 / x, or 0 for 0.
pub(super) fn inverse(x: impl Into<Formula> + Clone) -> Formula {
    choice(less(0, x.clone()), Formula::from(1) / x.into(), 0)
}

/// |x|.
pub(super) fn size(x: Number) -> Formula {
    choice(less(x, 0), -x, x)
}

/// The root of x^2 + y^2.
pub(super) fn length(x: impl Into<Formula> + Clone, y: impl Into<Formula> + Clone) -> Formula {
    root(x.clone().into() * x.into() + y.clone().into() * y.into())
}

impl LeastSquares {
    pub(crate) fn new<T: Scalar>(kind: Kind, options: &SolveOptions<'_, T>) -> Self {
        LeastSquares { kind, damping: options.damping, tolerance: options.rtol, norm: 0.0, begun: false }
    }

    /// Common part of LSQR and LSMR in a pass that gets alpha from the sums.
    fn measured(pass: Pass) -> Pass {
        // A v_k is alpha_k u_k + beta_(k+1) u_(k+1); alpha_k is the iteration's before. Each ||A v|| is a lower bound
        // of ||A||, also where v is no longer orthogonal to all others, where the Frobenius norm of the bidiagonal
        // matrix counts directions again.
        let norm = choice(less(NORM, COLUMN), COLUMN, NORM);
        pass.set(COLUMN, length(length(ALPHA, BETA), DAMPING)).set(NORM, norm).set(ALPHA, root(sum(0)))
    }

    /// And after them, once the norms of r and of A^H r are known.
    fn finished(pass: Pass) -> Pass {
        let limit = choice(less(Number::ITERATIONS, Number::LIMIT), 0, Reason::Limit.code());
        let optimal = less(TOLERANCE * NORM * Number::RESIDUAL, NORMAL);
        let running = choice(optimal, limit, Reason::LeastSquares.code());
        let running = choice(less(Number::TARGET, Number::RESIDUAL), running, Reason::Converged.code());
        let known = finite(Number::RESIDUAL) * finite(NORMAL);
        pass.set(Number::ITERATIONS, Number::ITERATIONS + 1)
            .set(Number::STATUS, choice(known, running, Reason::Breakdown.code()))
            .record(Number::RESIDUAL)
    }

    /// The vectors of the pass that advances x, which takes alpha v last.
    fn advanced(&self) -> Vec<usize> {
        match self.kind {
            Kind::Lsqr => vec![D, DIRECTION, V],
            Kind::Lsmr => vec![D, DIRECTION, DIRECTION + 1, V],
        }
    }

    /// The norm of A^H r - damping^2 (x - x_0) over that of r, which is `norm` with the damping. V is damping (x -
    /// x_0); it and r are multiplied by 2^exponent on the way.
    fn slope<T: Scalar>(&self, space: &mut Space<'_, T>, norm: f64, exponent: i32) -> Result<f64> {
        space.scale(R, exponent)?;
        space.apply_unscaled(Op::ConjTrans, R, BACK)?;
        if self.damping > 0.0 {
            space.scale(V, exponent)?;
            space.run(GRADIENT, &[BACK, V], 0)?;
            space.scale(V, -exponent)?;
        }
        space.scale(R, -exponent)?;
        Ok(space.norm(BACK)? / times_power(norm, exponent))
    }

    /// x at the beginning, where there is damping.
    fn origin(&self) -> usize {
        DIRECTION + if self.kind == Kind::Lsqr { 1 } else { 2 }
    }
}

impl<T: Scalar> Method<T> for LeastSquares {
    fn passes(&self) -> Vec<Pass> {
        let [first, second] = [0, 1].map(Vector);
        let measure =
            Pass::new("bidiagonal_measure", 1, 0).update(first, [term(inverse(BETA), first)]).dot(first, first);
        let begin = Pass::new("bidiagonal_begin", 2, 0).update(first, [term(inverse(ALPHA), second)]);
        let left = Pass::new("bidiagonal_left", 2, 0)
            .update(first, [term(inverse(ALPHA), second), term(-(ALPHA * inverse(BETA)), first)])
            .dot(first, first);
        let right = Pass::new("bidiagonal_right", 2, 1)
            .set(BETA, root(sum(0)))
            .update(first, [term(inverse(BETA), second), term(-(BETA * inverse(ALPHA)), first)])
            .dot(first, first);
        // How far x has come, and A^H r less what the damping adds to it.
        let distance = Pass::new("bidiagonal_distance", 2, 0);
        let distance =
            distance.update(Own(0), [term(1, second), term(-1, first)]).update(first, [term(DAMPING, Own(0))]);
        let gradient = Pass::new("bidiagonal_gradient", 2, 0);
        let gradient = gradient.update(first, [term(1, first), term(-DAMPING, second)]);
        let advance = match self.kind {
            Kind::Lsqr => lsqr::advance(Self::measured(Pass::new("lsqr_advance", 3, 1))),
            Kind::Lsmr => lsmr::advance(Self::measured(Pass::new("lsmr_advance", 4, 1))),
        };
        vec![measure, begin, left, right, distance, gradient, Self::finished(advance)]
    }

    fn vectors(&self) -> usize {
        self.origin() - OWN + usize::from(self.damping > 0.0)
    }

    fn lengths(&self, rows: usize, columns: usize) -> Vec<usize> {
        let own = <Self as Method<T>>::vectors(self);
        (0..own).map(|vector| if OWN + vector == IMAGE { rows } else { columns }).collect()
    }

    fn least_squares(&self) -> bool {
        true
    }

    fn begins_anew(&self) -> bool {
        // The damping is of the distance from where it began.
        self.damping == 0.0
    }

    fn optimality(&mut self, space: &mut Space<'_, T>, x: usize, residual: f64) -> Result<Option<Optimality>> {
        let mut damped = residual;
        if self.damping > 0.0 {
            let origin = self.origin();
            if !std::mem::replace(&mut self.begun, true) {
                space.copy(X, origin)?;
            }
            // V := damping (x - x_0).
            let mut scalars = [T::ZERO; Number::COUNT];
            scalars[DAMPING.0] = T::from_parts(self.damping, 0.0);
            space.set_scalars(&scalars)?;
            space.copy(origin, V)?;
            space.run(DISTANCE, &[V, x], 0)?;
            damped = residual.hypot(space.norm(V)?);
        }
        let target = self.tolerance * self.norm;
        if damped == 0.0 || !damped.is_finite() {
            return Ok(Some(Optimality { slope: damped, target, damped }));
        }
        let range = Range::of::<T>();
        let exponent = balancing(damped, range.residual);
        let mut slope = self.slope(space, damped, exponent)?;
        if !slope.is_finite() {
            // A^H r may overflow where r and x do not.
            slope = self.slope(space, damped, exponent - range.half)?;
        }
        Ok(Some(Optimality { slope, target, damped }))
    }

    fn begin(&mut self, space: &mut Space<'_, T>, scalars: &mut [T], norm: f64) -> Result<()> {
        let number = |value: f64| T::from_parts(value, 0.0);
        scalars[BETA.0] = number(norm);
        space.set_scalars(scalars)?;
        space.apply(Op::ConjTrans, U, V)?;
        space.run(MEASURE, &[V], 0)?;
        let alpha = space.sums(1)?[0].re().sqrt();
        let [damping, known] = [self.damping, self.norm].map(|size| times_power(size, space.operator_exponent()));
        // ||A^H u|| is a lower bound, too.
        let known = known.max(alpha);
        let tolerance = self.tolerance.max(ROUNDING * T::EPSILON);
        for (scalar, value) in [(ALPHA, alpha), (DAMPING, damping), (NORM, known), (TOLERANCE, tolerance)] {
            scalars[scalar.0] = number(value);
        }
        let own = match self.kind {
            Kind::Lsqr => lsqr::scalars(alpha, norm).to_vec(),
            Kind::Lsmr => lsmr::scalars(alpha, norm).to_vec(),
        };
        own.iter().for_each(|&(scalar, value)| scalars[scalar.0] = number(value));
        if alpha == 0.0 || !alpha.is_finite() {
            let reason = if alpha == 0.0 { Reason::LeastSquares } else { Reason::Breakdown };
            scalars[Number::STATUS.0] = number(f64::from(reason.code()));
        }
        space.set_scalars(scalars)?;
        let directions = self.advanced();
        space.run(BEGIN, &[directions[directions.len() - 2], V], 0)?;
        if self.kind == Kind::Lsmr {
            space.clear(DIRECTION)?;
        }
        Ok(())
    }

    fn iterate(&mut self, space: &mut Space<'_, T>, slot: usize) -> Result<()> {
        space.apply(Op::NoTrans, V, IMAGE)?;
        space.run(LEFT, &[U, IMAGE], slot)?;
        space.apply(Op::ConjTrans, U, BACK)?;
        space.run(RIGHT, &[V, BACK], slot)?;
        space.run(ADVANCE, &self.advanced(), slot)
    }

    fn persistent(&self) -> Option<usize> {
        self.begun.then_some(self.origin())
    }

    fn scaled(&mut self, space: &mut Space<'_, T>, exponent: i32) -> Result<()> {
        if self.begun { space.scale(self.origin(), exponent) } else { Ok(()) }
    }

    fn ended(&mut self, scalars: &[T], exponent: i32) {
        if let Some(norm) = found::<T>(scalars[NORM.0].re(), exponent) {
            self.norm = self.norm.max(norm);
        }
    }
}
