//! Conjugate gradients.
//!
//! An iteration is a product q = A p and three passes: it makes one launch for each on a GPU, and one more for the
//! product on a CPU. Beside what the product touches the passes read 7 vectors and write 3: 10 n elements; with a
//! diagonal preconditioner 12 n. Before a larger residual replaces the smallest so far, its d is saved: n elements
//! more.

use super::method::{Method, Preconditioning, save_on, status_after_iteration};
use super::options::Reason;
use super::space::{D, OWN, R, Space};
use crate::error::Result;
use crate::options::Op;
use crate::scalar::Scalar;
use affinimath_core::sparse::formula::{Number, choice, finite, less, real, root, sum};
use affinimath_core::sparse::pass::{Operand::*, Pass, scaled_term, term};

/// r^H z of the residual and the preconditioned one.
const RHO: Number = Number(Number::OWN);
const ALPHA: Number = Number(Number::OWN + 1);
const BETA: Number = Number(Number::OWN + 2);
const CURVATURE: Number = Number(Number::OWN + 3);
const SQUARE: Number = Number(Number::OWN + 4);

const P: usize = OWN;
const Q: usize = OWN + 1;
/// M r where M is an operator, or the diagonal of M.
const Z: usize = OWN + 2;
/// The d of the smallest residual. It comes after the others, where [`Z`] would be if there is no preconditioner.
const fn saved(kind: Preconditioning) -> usize {
    if matches!(kind, Preconditioning::None) { Z } else { Z + 1 }
}

const START: usize = 0;
const CURVE: usize = 1;
const DESCEND: usize = 2;
const TURN: usize = 3;
const PAIR: usize = 4;

/// The method of Hestenes and Stiefel (1952), preconditioned.
pub(crate) struct Cg {
    kind: Preconditioning,
}

impl Cg {
    pub(crate) const fn new(kind: Preconditioning) -> Self {
        Cg { kind }
    }

    /// Vectors of a pass with M r or M's diagonal appended.
    fn with_z(&self, own: &[usize]) -> Vec<usize> {
        let mut bound = own.to_vec();
        bound.extend((self.kind != Preconditioning::None).then_some(Z));
        bound
    }
}

impl<T: Scalar> Method<T> for Cg {
    fn passes(&self) -> Vec<Pass> {
        let extra = usize::from(self.kind != Preconditioning::None);
        // M r as a term, where z or the diagonal is vector `vector` of the pass, and r another.
        let preconditioned = |factor, vector, r| match self.kind {
            Preconditioning::None => term(factor, Vector(r)),
            Preconditioning::Diagonal => scaled_term(factor, Some(Vector(vector)), Vector(r)),
            Preconditioning::Operator => term(factor, Vector(vector)),
        };
        let start =
            Pass::new("cg_start", 2 + extra, 0).update(Vector(0), [preconditioned(1, 2, 1)]).dot(Vector(0), Vector(1));

        let curve = Pass::new("cg_curve", 2, 0).dot(Vector(0), Vector(1));

        let ended = choice(finite(CURVATURE), Reason::NotPositiveDefinite.code(), Reason::Breakdown.code());
        let descend = Pass::new("cg_descend", if self.kind == Preconditioning::Diagonal { 3 } else { 2 }, 1)
            .set(CURVATURE, real(sum(0)))
            .set(
                Number::STATUS,
                choice(less(0, CURVATURE), choice(finite(CURVATURE), 0, Reason::Breakdown.code()), ended),
            )
            .set(ALPHA, choice(less(0, CURVATURE), RHO / CURVATURE, 0))
            .update(Vector(0), [term(1, Vector(0)), term(-ALPHA, Vector(1))])
            .dot(Vector(0), Vector(0));
        let descend = match self.kind {
            Preconditioning::Diagonal => {
                descend.update(Own(0), [scaled_term(1, Some(Vector(2)), Vector(0))]).dot(Vector(0), Own(0))
            }
            _ => descend,
        };
        let pair = Pass::new("cg_pair", 2, 1).set(SQUARE, real(sum(0))).dot(Vector(0), Vector(1));

        let (saved, z) = (3, 4);
        let turn = match self.kind {
            Preconditioning::None => Pass::new("cg_turn", 4, 1).set(SQUARE, real(sum(0))).set(BETA, SQUARE / RHO),
            Preconditioning::Diagonal => {
                Pass::new("cg_turn", 5, 2).set(SQUARE, real(sum(0))).set(BETA, real(sum(1)) / RHO)
            }
            Preconditioning::Operator => Pass::new("cg_turn", 5, 1).set(BETA, real(sum(0)) / RHO),
        };
        let indefinite = choice(less(0, RHO), Number::STATUS, Reason::NotPositiveDefinite.code());
        let turn = turn
            .set(RHO, BETA * RHO)
            .set(Number::BEFORE, Number::RESIDUAL)
            .set(Number::RESIDUAL, root(SQUARE))
            .set(Number::ITERATIONS, Number::ITERATIONS + 1)
            .set(Number::STATUS, status_after_iteration())
            .set(Number::STATUS, choice(less(0, Number::STATUS), Number::STATUS, indefinite));
        let worse = choice(less(Number::RESIDUAL, Number::BEFORE), 0, 1);
        let turn = save_on(turn, worse, 0, saved)
            .update(Vector(0), [term(1, Vector(0)), term(ALPHA, Vector(1))])
            .update(Vector(1), [preconditioned(1, z, 2), term(BETA, Vector(1))])
            .record(Number::RESIDUAL);
        let mut passes = vec![start, curve, descend, turn];
        passes.extend((self.kind == Preconditioning::Operator).then_some(pair));
        passes
    }

    fn preconditioning(&self) -> Preconditioning {
        self.kind
    }

    fn vectors(&self) -> usize {
        saved(self.kind) + 1 - OWN
    }

    fn saved(&self) -> Option<usize> {
        Some(saved(self.kind))
    }

    fn begin(&mut self, space: &mut Space<'_, T>, scalars: &mut [T], _: f64) -> Result<()> {
        match self.kind {
            Preconditioning::None => {}
            Preconditioning::Diagonal => space.load_diagonal(Z)?,
            Preconditioning::Operator => space.precondition(R, Z)?,
        }
        space.run(START, &self.with_z(&[P, R]), 0)?;
        let rho = space.sums(1)?[0].re();
        scalars[RHO.0] = T::from_parts(rho, 0.0);
        if rho.is_nan() || rho <= 0.0 {
            let reason = if rho <= 0.0 { Reason::NotPositiveDefinite } else { Reason::Breakdown };
            scalars[Number::STATUS.0] = T::from_parts(f64::from(reason.code()), 0.0);
        }
        space.set_scalars(scalars)
    }

    fn iterate(&mut self, space: &mut Space<'_, T>, slot: usize) -> Result<()> {
        space.apply(Op::NoTrans, P, Q)?;
        space.run(CURVE, &[P, Q], slot)?;
        match self.kind {
            Preconditioning::Diagonal => space.run(DESCEND, &[R, Q, Z], slot)?,
            _ => space.run(DESCEND, &[R, Q], slot)?,
        }
        if self.kind == Preconditioning::Operator {
            space.precondition(R, Z)?;
            space.run(PAIR, &[R, Z], slot)?;
        }
        space.run(TURN, &self.with_z(&[D, P, R, saved(self.kind)]), slot)
    }
}
