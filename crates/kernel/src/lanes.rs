//! Lanes of vectors, and vectors of scalars.

use super::expr::Expr;
use super::ir::Op;
use super::types::{Pair, Real, ScalarKind, Vector};

impl<'k, T: ScalarKind, const N: usize> Expr<'k, Vector<T, N>> {
    /// A lane of a vector.
    ///
    /// # Panics
    /// For a lane that the vector does not have.
    pub fn lane(self, lane: usize) -> Expr<'k, T> {
        assert!(lane < N, "a vector of {N} has no lane {lane}");
        self.builder.emit(Op::Lane(self.id, lane))
    }

    /// A vector of scalars.
    pub fn from_lanes(lanes: [Expr<'k, T>; N]) -> Self {
        lanes[0].builder.emit(Op::Gather(lanes.iter().map(|lane| lane.id).collect()))
    }

    /// A shuffle: lane i is lane `pick(i)` of this vector.
    pub fn shuffle<const M: usize>(self, pick: impl Fn(usize) -> usize) -> Expr<'k, Vector<T, M>> {
        Expr::from_lanes(std::array::from_fn(|lane| self.lane(pick(lane))))
    }

    /// Interleaves the lanes of two vectors.
    pub fn interleave<const M: usize>(self, other: Self) -> Expr<'k, Vector<T, M>> {
        const { assert!(M == 2 * N, "a vector of both has twice the lanes") };
        Expr::from_lanes(std::array::from_fn(|lane| if lane % 2 == 0 { self } else { other }.lane(lane / 2)))
    }
}

impl<'k, R: Real> Expr<'k, Pair<R>> {
    /// Its first lane.
    pub fn x(self) -> Expr<'k, R> {
        self.lane(0)
    }

    /// Its second lane.
    pub fn y(self) -> Expr<'k, R> {
        self.lane(1)
    }
}
