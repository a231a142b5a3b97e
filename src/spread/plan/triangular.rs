//! Plans of trmm and trsm: the result overwrites B, and a chain is a column of tiles of B, or a row where A stands
//! on the right.

use super::{A, B, Chain, Job, Plan, Step, of, tile};
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::spread::tile::{TileIndex, Tiled};

/// A product or system with a triangular matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangular<T> {
    pub(crate) side: Side,
    pub(crate) triangle: Triangle,
    pub(crate) op: Op,
    pub(crate) diagonal: Diag,
    pub(crate) alpha: T,
}

impl<T: Scalar> Triangular<T> {
    /// True if tile `own` of B along A's order needs tiles before it: op(A) is lower on the left, or upper on the
    /// right.
    fn needs_earlier(&self) -> bool {
        let lower = (self.triangle == Triangle::Lower) != self.op.transposes();
        lower == (self.side == Side::Left)
    }

    /// The tiles of B along A's order that tile `own` needs.
    fn others(&self, own: usize, order: usize) -> std::ops::Range<usize> {
        if self.needs_earlier() { 0..own } else { own + 1..order }
    }

    /// Tile `index` along A's order of chain `chain`.
    fn of_b(&self, chain: usize, index: usize) -> TileIndex {
        if self.side == Side::Left { tile(B, index, chain) } else { tile(B, chain, index) }
    }

    /// B_own := alpha op(A) B_other + beta B_own, or with op(A) on the right.
    fn product(&self, chain: usize, own: usize, other: usize, alpha: T, beta: T) -> Step<T> {
        let b = (Op::NoTrans, self.of_b(chain, other));
        match self.side {
            Side::Left => Step::Gemm { alpha, a: of(self.op, A, own, other), b, beta },
            Side::Right => Step::Gemm { alpha, a: b, b: of(self.op, A, other, own), beta },
        }
    }

    /// Chains of B with a job for each tile along A's order, in the order of `backward`.
    fn plan(&self, a: Tiled<T>, b: Tiled<T>, backward: bool, job: impl Fn(usize, usize) -> Job<T>) -> Plan<T> {
        let order = a.grid()[0];
        let chains = if self.side == Side::Left { b.grid()[1] } else { b.grid()[0] };
        let chain = |chain: usize| -> Chain<T> {
            let at = |index: usize| if backward { order - 1 - index } else { index };
            (0..order).map(|index| job(chain, at(index))).collect()
        };
        Plan::new([a, b, b], (0..chains).map(|index| [chain(index)].into()).collect())
    }

    const fn options(&self) -> (Side, Triangle, Op, Diag) {
        (self.side, self.triangle, self.op, self.diagonal)
    }
}

/// B := alpha op(A) B or alpha B op(A). Each tile is made while those that it needs are still the old ones.
pub(crate) fn trmm<T: Scalar>(product: &Triangular<T>, a: Tiled<T>, b: Tiled<T>) -> Plan<T> {
    let order = a.grid()[0];
    let alpha = product.alpha;
    product.plan(a, b, product.needs_earlier(), |chain, own| {
        let first = Step::Trmm { of: product.options(), alpha, a: tile(A, own, own) };
        let others = product.others(own, order).map(|other| product.product(chain, own, other, alpha, T::ONE));
        let steps = std::iter::once(first).chain(others).collect();
        Job { target: product.of_b(chain, own), read: true, is_operand: false, steps }
    })
}

/// op(A) X = alpha B or X op(A) = alpha B by substitution: X_own := A_own⁻¹ (alpha B_own - sum of op(A) X_other).
pub(crate) fn trsm<T: Scalar>(system: &Triangular<T>, a: Tiled<T>, b: Tiled<T>) -> Plan<T> {
    let order = a.grid()[0];
    let minus = T::from_parts(-1.0, 0.0);
    system.plan(a, b, !system.needs_earlier(), |chain, own| {
        let mut alpha = system.alpha;
        let mut steps: Vec<_> = system
            .others(own, order)
            .map(|other| system.product(chain, own, other, minus, std::mem::replace(&mut alpha, T::ONE)))
            .collect();
        steps.push(Step::Trsm { of: system.options(), alpha, a: tile(A, own, own) });
        Job { target: system.of_b(chain, own), read: true, is_operand: true, steps }
    })
}
