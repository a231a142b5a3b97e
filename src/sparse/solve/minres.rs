//! Minimal residuals.
//!
//! An iteration is a product u = A v and three passes: it makes one launch for each on a GPU, and one more for the
//! product on a CPU. Beside what the product touches the passes read 10 vectors and write 5: 15 n elements; with a
//! diagonal preconditioner 19 n, and one more launch. Before a larger residual replaces the smallest so far, its d is
//! saved: n elements more.

use super::method::{Method, Preconditioning, status_after_iteration};
use super::options::Reason;
use super::range::{found, times_power};
use super::space::{D, OWN, R, Space};
use crate::error::Result;
use crate::options::Op;
use crate::scalar::Scalar;
use affinimath_core::sparse::formula::{Formula, Number, choice, finite, less, real, root, sum};
use affinimath_core::sparse::pass::{Operand::*, Pass, Term, scaled_term, term};

const fn own(index: usize) -> Number {
    Number(Number::OWN + index)
}

// The names are those of the paper and of its authors' program: the tridiagonal matrix has alpha on its diagonal and
// beta beside it.
const ALPHA: Number = own(0);
const BETA: Number = own(1);
const OLD_BETA: Number = own(2);
const COSINE: Number = own(3);
const SINE: Number = own(4);
const DBAR: Number = own(5);
const EPSLN: Number = own(6);
const OLD_EPS: Number = own(7);
const DELTA: Number = own(8);
const GBAR: Number = own(9);
const GAMMA: Number = own(10);
const PHI: Number = own(11);
const PHIBAR: Number = own(12);
/// The sum of the squares of the tridiagonal matrix's elements.
const SQUARES: Number = own(13);
/// The norm of A r over that of r, for the residual before.
const SLOPE: Number = own(14);
/// The precision's unit.
const UNIT: Number = own(15);
/// True if the residual is the smallest that there is.
const SMALLEST: Number = own(16);
/// The largest norm of a column of the tridiagonal matrix: at most that of A.
const NORM: Number = own(17);
/// Threshold below which an element of the tridiagonal matrix is rounding.
const NEGLIGIBLE: Number = own(18);
/// The largest norm over the smallest beta: as many times larger is the rounding that the last vectors have by division
/// by a small beta.
const GROWTH: Number = own(20);
/// True if the tridiagonal matrix is singular, but for rounding.
const SINGULAR: Number = own(19);
/// The least norm of A r over ||A|| ||r|| so far: of less than the root of eps. Whether there was one.
const LOWEST: Number = own(21);
const HELD: Number = own(22);

/// Rounding of an element of the tridiagonal matrix, in parts of eps ||A||: the Lanczos process makes it by three sums
/// of vectors.
const ROUNDING: i16 = 16;

/// The Lanczos vector, normalised and preconditioned.
const V: usize = OWN;
/// The d of the smallest residual.
const SAVED: usize = OWN + 5;
/// M's diagonal, or M u.
const Z: usize = OWN + 6;
/// The residual of the preconditioned recurrence: without a preconditioner its norm is phibar.
const RESIDUAL: usize = OWN + 7;

const START: usize = 0;
const NORMALISE: usize = 1;
const PROJECT: usize = 2;
const ORTHOGONALISE: usize = 3;
const ADVANCE: usize = 4;
const FINISH: usize = 5;
const PAIR: usize = 6;

/// The method of Paige and Saunders, *Solution of sparse indefinite systems of linear equations* (1975),
/// preconditioned.
pub(crate) struct Minres {
    kind: Preconditioning,
    /// The last Lanczos vector but one, the last one, and the next one; their norms are the betas.
    lanczos: [usize; 3],
    /// The last direction but one, and the last one.
    directions: [usize; 2],
    /// The norm of A as far as runs have found it.
    norm: f64,
}

impl Minres {
    pub(crate) const fn new(kind: Preconditioning) -> Self {
        Minres { kind, lanczos: [OWN + 1, R, OWN + 2], directions: [OWN + 3, OWN + 4], norm: 0.0 }
    }

    fn preconditioned(&self) -> bool {
        self.kind != Preconditioning::None
    }

    /// factor * M r, where z or M's diagonal is vector `vector` of the pass.
    fn term(&self, factor: impl Into<Formula>, vector: usize, r: usize) -> Term {
        match self.kind {
            Preconditioning::None => term(factor, Vector(r)),
            Preconditioning::Diagonal => scaled_term(factor, Some(Vector(vector)), Vector(r)),
            Preconditioning::Operator => term(factor, Vector(vector)),
        }
    }

    /// Vectors of a pass, and z or M's diagonal behind them.
    fn with_z(&self, own: &[usize]) -> Vec<usize> {
        let mut bound = own.to_vec();
        bound.extend(self.preconditioned().then_some(Z));
        bound
    }

    /// From the next Lanczos vector's norm: the rotation that makes the tridiagonal matrix triangular.
    fn rotate(pass: Pass) -> Pass {
        // The first beta is the norm of r.
        let later = less(0, Number::ITERATIONS);
        pass.set(OLD_BETA, BETA)
            .set(BETA, choice(less(sum(0), 0), 0, root(sum(0))))
            .set(SLOPE, root(ALPHA * ALPHA + BETA * BETA + OLD_BETA * OLD_BETA * later.clone()))
            .set(NORM, choice(less(NORM, SLOPE), SLOPE, NORM))
            .set(NEGLIGIBLE, UNIT * Formula::from(ROUNDING) * NORM)
            .set(GROWTH, choice(less(GROWTH * OLD_BETA, NORM * later.clone()), NORM / OLD_BETA, GROWTH))
            // The Lanczos process has ended: the next vector would be rounding.
            .set(BETA, choice(less(BETA, NEGLIGIBLE), 0, BETA))
            .set(SQUARES, SQUARES + ALPHA * ALPHA + BETA * BETA + OLD_BETA * OLD_BETA * later)
            .set(OLD_EPS, EPSLN)
            .set(DELTA, COSINE * DBAR + SINE * ALPHA)
            .set(GBAR, SINE * DBAR - COSINE * ALPHA)
            .set(EPSLN, SINE * BETA)
            .set(DBAR, -(COSINE * BETA))
            .set(SLOPE, root(GBAR * GBAR + DBAR * DBAR))
            .set(GAMMA, root(GBAR * GBAR + BETA * BETA))
            .set(SINGULAR, choice(less(NEGLIGIBLE * GROWTH, GAMMA), 0, finite(GAMMA)))
            .set(SINGULAR, choice(less(NEGLIGIBLE * GROWTH, SLOPE), 0, SINGULAR))
            .set(COSINE, choice(less(0, GAMMA), GBAR / GAMMA, 0))
            .set(SINE, choice(less(0, GAMMA), BETA / GAMMA, 1))
            // The last residual is as good as orthogonal to what A maps to, and the next one is no smaller: x stays.
            .set(SMALLEST, less(SLOPE * SLOPE, UNIT * SQUARES) * less(COSINE * COSINE, UNIT * Formula::from(32)))
            // It is orthogonal to that but for rounding, and what A maps the last direction to is rounding.
            .set(SMALLEST, choice(SINGULAR.into(), 1, SMALLEST))
            .set(PHI, choice(SMALLEST.into(), 0, COSINE * PHIBAR))
            .set(PHIBAR, choice(SMALLEST.into(), PHIBAR, SINE * PHIBAR))
            .set(PHIBAR, choice(finite(GAMMA), PHIBAR, GAMMA))
    }

    /// End of an iteration, once the norm of the residual is known.
    fn finish(pass: Pass) -> Pass {
        let stagnated =
            choice(less(0, BETA), SMALLEST * Formula::from(Reason::Stagnated.code()), Reason::Stagnated.code());
        pass.set(Number::ITERATIONS, Number::ITERATIONS + 1)
            .set(Number::STATUS, status_after_iteration())
            .set(Number::STATUS, choice(less(0, Number::STATUS), Number::STATUS, stagnated))
            .record(Number::RESIDUAL)
    }

    /// Saves d before it is changed, where its residual is the most orthogonal to the range of A so far and next to
    /// that: of a system without a solution it is the smallest, though rounding may have the recurrence go on. Until
    /// there is one, d is saved where the next residual is not smaller; with a preconditioner, where that is known
    /// later, once for each half.
    fn save(&self, pass: Pass) -> Pass {
        let worse = if self.preconditioned() {
            choice(less(Number::BEFORE * Formula::from(2), Number::BEST), 1, choice(finite(PHI), 0, 1))
        } else {
            choice(less(PHIBAR, Number::BEFORE), 0, 1)
        };
        let is_lowest = less(SLOPE, LOWEST * NORM);
        let is_best = choice(HELD.into(), 0, worse * less(Number::BEFORE, Number::BEST));
        pass.set(Number::SAVE, choice(is_lowest.clone(), 1, is_best))
            .set(HELD, choice(is_lowest.clone(), 1, HELD))
            .set(LOWEST, choice(is_lowest, SLOPE / NORM, LOWEST))
            .set(Number::BEST, choice(Number::SAVE.into(), Number::BEFORE, Number::BEST))
            .save(Number::SAVE, 0, 5)
    }

    /// d, the new direction and the next v.
    fn advance(&self) -> Pass {
        let [d, old_w, w, v, u] = [0, 1, 2, 3, 4].map(Vector);
        // d, two directions, v, u, where d is saved, and with a preconditioner r, and z or M's diagonal.
        let vectors = if self.preconditioned() { 8 } else { 6 };
        let pass = Pass::new("minres_advance", vectors, 1).set(Number::BEFORE, Number::RESIDUAL);
        let pass = self.save(Self::rotate(pass));
        let over_gamma = choice(less(0, GAMMA), Formula::from(1) / GAMMA, 0);
        let over_beta = choice(less(0, BETA), Formula::from(1) / BETA, 0);
        let direction =
            [term(over_gamma.clone(), v), term(-(OLD_EPS * over_gamma.clone()), old_w), term(-(DELTA * over_gamma), w)];
        let pass = pass.update(old_w, direction).update(d, [term(1, d), term(PHI, old_w)]);
        let pass = pass.update(v, [self.term(over_beta.clone(), 7, 4)]);
        if !self.preconditioned() {
            return Self::finish(pass.set(Number::RESIDUAL, PHIBAR));
        }
        // r_k = s_k^2 r_(k-1) - s_k phi_k / beta_(k+1) u.
        let r = Vector(6);
        let negative = choice(less(real(sum(0)), -(NEGLIGIBLE * NEGLIGIBLE)), Reason::NotPositiveDefinite.code(), 0);
        let factor = choice(SMALLEST.into(), 1, SINE * SINE);
        let pass = pass.update(r, [term(factor, r), term(-(PHI * SINE * over_beta), u)]);
        pass.set(Number::STATUS, negative).dot(r, r)
    }
}

impl<T: Scalar> Method<T> for Minres {
    fn passes(&self) -> Vec<Pass> {
        let extra = usize::from(self.preconditioned());
        let diagonal = usize::from(self.kind == Preconditioning::Diagonal);
        let start = Pass::new("minres_start", 2 + extra, 0).update(Vector(0), [self.term(1, 2, 1)]);
        let start = start.dot(Vector(1), Vector(0));
        let normalise = Pass::new("minres_normalise", 1, 0);
        let normalise = normalise.update(Vector(0), [term(Formula::from(1) / BETA, Vector(0))]);

        let [u, last, v] = [0, 1, 2].map(Vector);
        let share = choice(less(0, Number::ITERATIONS), BETA / OLD_BETA, 0);
        let project = Pass::new("minres_project", 3, 0).update(u, [term(1, u), term(-share, last)]).dot(v, u);

        let orthogonalise = Pass::new("minres_orthogonalise", 2 + diagonal, 1).set(ALPHA, real(sum(0)));
        let orthogonalise = orthogonalise.update(u, [term(1, u), term(-(ALPHA / BETA), last)]);
        let orthogonalise = match self.kind {
            Preconditioning::None => orthogonalise.dot(u, u),
            Preconditioning::Diagonal => {
                orthogonalise.update(Own(0), [scaled_term(1, Some(Vector(2)), u)]).dot(u, Own(0))
            }
            Preconditioning::Operator => orthogonalise,
        };
        let mut passes = vec![start, normalise, project, orthogonalise, self.advance()];
        if self.preconditioned() {
            let residual = choice(finite(PHIBAR), root(sum(0)), PHIBAR);
            passes.push(Self::finish(Pass::new("minres_finish", 0, 1).set(Number::RESIDUAL, residual)));
        }
        let pair = Pass::new("minres_pair", 2, 0).dot(Vector(0), Vector(1));
        passes.extend((self.kind == Preconditioning::Operator).then_some(pair));
        passes
    }

    fn preconditioning(&self) -> Preconditioning {
        self.kind
    }

    fn vectors(&self) -> usize {
        if self.preconditioned() { 8 } else { 6 }
    }

    fn saved(&self) -> Option<usize> {
        Some(SAVED)
    }

    fn begin(&mut self, space: &mut Space<'_, T>, scalars: &mut [T], _: f64) -> Result<()> {
        *self = Minres { norm: self.norm, ..Minres::new(self.kind) };
        // A run before this one may have left what is not finite, and zero times that is not zero.
        for vector in [self.lanczos[0], self.directions[0], self.directions[1]] {
            space.clear(vector)?;
        }
        match self.kind {
            Preconditioning::None => {}
            Preconditioning::Diagonal => space.load_diagonal(Z)?,
            Preconditioning::Operator => space.precondition(R, Z)?,
        }
        if self.preconditioned() {
            space.copy(R, RESIDUAL)?;
        }
        space.run(START, &self.with_z(&[V, R]), 0)?;
        let square = space.sums(1)?[0].re();
        let number = |value: f64| T::from_parts(value, 0.0);
        if square.is_nan() || square <= 0.0 {
            let reason = if square <= 0.0 { Reason::NotPositiveDefinite } else { Reason::Breakdown };
            scalars[Number::STATUS.0] = number(f64::from(reason.code()));
        }
        let beta = square.sqrt();
        let (unit, known) = (T::EPSILON, times_power(self.norm, space.operator_exponent()));
        for (scalar, value) in [
            (BETA, beta),
            (PHIBAR, beta),
            (COSINE, -1.0),
            (UNIT, unit),
            (NORM, known),
            (GROWTH, 1.0),
            (LOWEST, unit.sqrt()),
        ] {
            scalars[scalar.0] = number(value);
        }
        space.set_scalars(scalars)?;
        space.run(NORMALISE, &[V], 0)
    }

    fn iterate(&mut self, space: &mut Space<'_, T>, slot: usize) -> Result<()> {
        let ([last_but_one, last, u], [old_w, w]) = (self.lanczos, self.directions);
        space.apply(Op::NoTrans, V, u)?;
        space.run(PROJECT, &[u, last_but_one, V], slot)?;
        match self.kind {
            Preconditioning::Diagonal => space.run(ORTHOGONALISE, &[u, last, Z], slot)?,
            _ => space.run(ORTHOGONALISE, &[u, last], slot)?,
        }
        if self.kind == Preconditioning::Operator {
            space.precondition(u, Z)?;
            space.run(PAIR, &[u, Z], slot)?;
        }
        if self.preconditioned() {
            space.run(ADVANCE, &[D, old_w, w, V, u, SAVED, RESIDUAL, Z], slot)?;
            space.run(FINISH, &[], slot)?;
        } else {
            space.run(ADVANCE, &[D, old_w, w, V, u, SAVED], slot)?;
        }
        self.lanczos = [last, u, last_but_one];
        self.directions = [w, old_w];
        Ok(())
    }

    fn ended(&mut self, scalars: &[T], exponent: i32) {
        if let Some(norm) = found::<T>(scalars[NORM.0].re(), exponent) {
            self.norm = self.norm.max(norm);
        }
    }
}
