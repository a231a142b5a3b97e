//! Stabilised biconjugate gradients.
//!
//! An iteration is two products and five passes: it makes one launch for each on a GPU, and one more for each product
//! on a CPU. Beside what the products touch the passes read 14 vectors and write 4: 18 n elements; with a diagonal
//! preconditioner 23 n. Before a larger residual replaces the smallest so far, its d is saved: n elements more.

use super::method::{Method, Preconditioning, save_on, status_after_iteration};
use super::options::Reason;
use super::space::{D, OWN, R, Space};
use crate::error::Result;
use crate::options::Op;
use crate::scalar::Scalar;
use affinimath_core::sparse::formula::{Number, choice, conjugate, finite, less, real, root, sum};
use affinimath_core::sparse::pass::{Operand::*, Pass, scaled_term, term};

/// The shadow's product with the residual.
const RHO: Number = Number(Number::OWN);
const ALPHA: Number = Number(Number::OWN + 1);
const OMEGA: Number = Number(Number::OWN + 2);
const BETA: Number = Number(Number::OWN + 3);
const NEW_RHO: Number = Number(Number::OWN + 4);
/// The square of the next residual's norm, which cancellation leaves inexact where it is much smaller than that of s.
const EXPECTED: Number = Number(Number::OWN + 5);

/// The residual that the method began with.
const SHADOW: usize = OWN;
const P: usize = OWN + 1;
/// A M p.
const V: usize = OWN + 2;
/// A M s, where s = r - alpha v takes r's place.
const IMAGE: usize = OWN + 3;
/// The d of the smallest residual.
const SAVED: usize = OWN + 4;
const PRECONDITIONED_P: usize = OWN + 5;
const PRECONDITIONED_S: usize = OWN + 6;
const DIAGONAL: usize = OWN + 7;

const START: usize = 0;
const SHADE: usize = 1;
const HALVE: usize = 2;
const PAIR: usize = 3;
const STABILISE: usize = 4;
const TURN: usize = 5;

/// The method of van der Vorst (1992), preconditioned from the right: its residual is that of x.
pub(crate) struct BiCgStab {
    kind: Preconditioning,
}

impl BiCgStab {
    pub(crate) const fn new(kind: Preconditioning) -> Self {
        BiCgStab { kind }
    }

    /// A pass's vectors, and what it writes M times one of them to, on the way.
    fn on_the_way(&self, own: &[usize], target: usize) -> Vec<usize> {
        let mut bound = own.to_vec();
        if self.kind == Preconditioning::Diagonal {
            bound.extend([target, DIAGONAL]);
        }
        bound
    }

    /// The same of the pass as data: M times the vector `from`.
    fn with_diagonal(&self, mut pass: Pass, from: usize) -> Pass {
        if self.kind != Preconditioning::Diagonal {
            return pass;
        }
        let (target, diagonal) = (Vector(pass.vectors), Vector(pass.vectors + 1));
        pass.vectors += 2;
        pass.update(target, [scaled_term(1, Some(diagonal), Vector(from))])
    }

    /// Indices of M p and M s.
    fn preconditioned(&self) -> [usize; 2] {
        match self.kind {
            Preconditioning::None => [P, R],
            _ => [PRECONDITIONED_P, PRECONDITIONED_S],
        }
    }
}

impl<T: Scalar> Method<T> for BiCgStab {
    fn passes(&self) -> Vec<Pass> {
        let breakdown = Reason::Breakdown.code();
        let start = Pass::new("bicgstab_start", 3, 0);
        let start = start.update(Vector(0), [term(1, Vector(2))]).update(Vector(1), [term(1, Vector(2))]);
        let shade = Pass::new("bicgstab_shade", 2, 0).dot(Vector(0), Vector(1));
        let halve = Pass::new("bicgstab_halve", 2, 1)
            .set(ALPHA, RHO / sum(0))
            .set(Number::STATUS, choice(finite(ALPHA), 0, breakdown))
            .set(ALPHA, choice(finite(ALPHA), ALPHA, 0))
            .update(Vector(0), [term(1, Vector(0)), term(-ALPHA, Vector(1))]);
        let pair = Pass::new("bicgstab_pair", 2, 0).dot(Vector(0), Vector(1)).dot(Vector(0), Vector(0));
        let pair = pair.dot(Vector(1), Vector(1));

        // d, r, t, the shadow, M p, where d is saved, and M s where it is not s.
        let [d, r, t, shadow, p] = [0, 1, 2, 3, 4].map(Vector);
        let (vectors, s) = if self.kind == Preconditioning::None { (6, r) } else { (7, Vector(6)) };
        let stabilise = Pass::new("bicgstab_stabilise", vectors, 3)
            .set(OMEGA, choice(less(0, real(sum(1))), sum(0) / sum(1), 0))
            .set(EXPECTED, real(sum(2)) - real(conjugate(OMEGA) * sum(0)))
            .set(Number::BEFORE, Number::RESIDUAL);
        let worse = choice(less(EXPECTED, Number::BEFORE * Number::BEFORE), 0, 1);
        let stabilise = save_on(stabilise, worse, 0, 5)
            .update(d, [term(1, d), term(ALPHA, p), term(OMEGA, s)])
            .update(r, [term(1, r), term(-OMEGA, t)])
            .dot(shadow, r)
            .dot(r, r);

        let goes_on = finite(BETA) * less(0, real(conjugate(RHO) * RHO));
        let turn = Pass::new("bicgstab_turn", 3, 2)
            .set(NEW_RHO, sum(0))
            .set(BETA, (NEW_RHO / RHO) * (ALPHA / OMEGA))
            .set(RHO, NEW_RHO)
            .set(Number::RESIDUAL, root(sum(1)))
            .set(Number::ITERATIONS, Number::ITERATIONS + 1)
            .set(Number::STATUS, status_after_iteration())
            .set(Number::STATUS, choice(less(0, Number::STATUS), Number::STATUS, choice(goes_on, 0, breakdown)))
            .update(Vector(0), [term(1, Vector(1)), term(BETA, Vector(0)), term(-(BETA * OMEGA), Vector(2))])
            .record(Number::RESIDUAL);
        vec![
            self.with_diagonal(start, 1),
            shade,
            self.with_diagonal(halve, 0),
            pair,
            stabilise,
            self.with_diagonal(turn, 0),
        ]
    }

    fn preconditioning(&self) -> Preconditioning {
        self.kind
    }

    fn saved(&self) -> Option<usize> {
        Some(SAVED)
    }

    fn vectors(&self) -> usize {
        match self.kind {
            Preconditioning::None => 5,
            Preconditioning::Diagonal => 8,
            Preconditioning::Operator => 7,
        }
    }

    fn begin(&mut self, space: &mut Space<'_, T>, scalars: &mut [T], norm: f64) -> Result<()> {
        if self.kind == Preconditioning::Diagonal {
            space.load_diagonal(DIAGONAL)?;
        }
        scalars[RHO.0] = T::from_parts(norm * norm, 0.0);
        space.set_scalars(scalars)?;
        space.run(START, &self.on_the_way(&[SHADOW, P, R], PRECONDITIONED_P), 0)
    }

    fn iterate(&mut self, space: &mut Space<'_, T>, slot: usize) -> Result<()> {
        let [p, s] = self.preconditioned();
        if self.kind == Preconditioning::Operator {
            space.precondition(P, p)?;
        }
        space.apply(Op::NoTrans, p, V)?;
        space.run(SHADE, &[SHADOW, V], slot)?;
        space.run(HALVE, &self.on_the_way(&[R, V], PRECONDITIONED_S), slot)?;
        if self.kind == Preconditioning::Operator {
            space.precondition(R, s)?;
        }
        space.apply(Op::NoTrans, s, IMAGE)?;
        space.run(PAIR, &[IMAGE, R], slot)?;
        match self.kind {
            Preconditioning::None => space.run(STABILISE, &[D, R, IMAGE, SHADOW, p, SAVED], slot)?,
            _ => space.run(STABILISE, &[D, R, IMAGE, SHADOW, p, SAVED, s], slot)?,
        }
        space.run(TURN, &self.on_the_way(&[P, R, V], PRECONDITIONED_P), slot)
    }
}
