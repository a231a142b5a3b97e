//! Joining of reduced values: the operations, and the halving of a team's accumulators.

use super::emit::{Buffer, V};
use super::generator::{Generator, stored};
use super::rows::Rows;
use crate::element::ElementType;
use crate::function::{Binary, Reduction};
use crate::fused::Slot;
use affinimath_kernel::ScalarType;
use affinimath_kernel::dynamic::{BinaryOp, UnaryOp};

/// A value under reduction; of `ArgMin` and `ArgMax` with its index.
#[derive(Clone, Copy)]
pub(super) struct Joined<'k> {
    pub(super) value: V<'k>,
    pub(super) index: Option<V<'k>>,
}

impl<'k> Joined<'k> {
    /// The slot's value.
    pub(super) fn result(&self) -> V<'k> {
        self.index.unwrap_or(self.value)
    }

    /// The same values, computed here.
    pub(super) fn held(self, generator: &Generator<'_, 'k>) -> Joined<'k> {
        let hold = |value| generator.e.get(generator.e.variable("joined", value));
        Joined { value: hold(self.value), index: self.index.map(hold) }
    }
}

impl<'k> Generator<'_, 'k> {
    /// The value that joins without changing a bit of the other.
    pub(super) fn identity(&self, slot: Slot, lanes: usize) -> Joined<'k> {
        let element = slot.element;
        let e = self.e;
        let value = match slot.reduction {
            // x + -0 is x for every x, also for -0.
            Reduction::Sum if element.is_real() => e.unary(UnaryOp::Neg, e.number(element, 0, lanes)),
            Reduction::Sum => e.number(element, 0, lanes),
            Reduction::Product => e.number(element, 1, lanes),
            Reduction::Any => e.truth(false, lanes),
            Reduction::All => e.truth(true, lanes),
            Reduction::Min | Reduction::ArgMin => e.extreme(element, true, lanes),
            Reduction::Max | Reduction::ArgMax => e.extreme(element, false, lanes),
        };
        let index = slot.reduction.is_arg().then(|| e.extreme(ElementType::I64, true, lanes));
        Joined { value, index }
    }

    /// Two values joined, lane by lane.
    pub(super) fn join_two(&self, slot: Slot, a: Joined<'k>, b: Joined<'k>) -> Joined<'k> {
        if let (Some(i), Some(j)) = (a.index, b.index) {
            let first = self.precedes(slot, (a.value, i), (b.value, j));
            let select = |a, b| self.e.select(first, a, b);
            return Joined { value: select(a.value, b.value), index: Some(select(i, j)) };
        }
        let function = match slot.reduction {
            Reduction::Sum => Binary::Add,
            Reduction::Product => Binary::Mul,
            Reduction::Min | Reduction::ArgMin => Binary::Min,
            Reduction::Max | Reduction::ArgMax => Binary::Max,
            Reduction::Any => Binary::Or,
            Reduction::All => Binary::And,
        };
        let value = self.e.exact_binary(function, slot.element, a.value, b.value).unwrap_or(a.value);
        Joined { value, index: None }
    }

    /// NaN comes first, then the less or greater value, then the lower index.
    fn precedes(&self, slot: Slot, a: (V<'k>, V<'k>), b: (V<'k>, V<'k>)) -> V<'k> {
        let e = self.e;
        let [and, or] = [BinaryOp::And, BinaryOp::Or].map(|op| move |a, b| e.binary(op, a, b));
        let better = if slot.reduction == Reduction::ArgMin { BinaryOp::Lt } else { BinaryOp::Gt };
        let better = e.binary(better, a.0, b.0);
        let is_equal = e.binary(BinaryOp::Eq, a.0, b.0);
        let is_earlier = self.less(a.1, b.1);
        if !slot.element.is_real() {
            return or(better, and(is_equal, is_earlier));
        }
        let (a_is_nan, b_is_nan) = (e.is_nan(a.0), e.is_nan(b.0));
        let is_tie = or(is_equal, and(a_is_nan, b_is_nan));
        let is_first = or(better, and(a_is_nan, e.unary(UnaryOp::Not, b_is_nan)));
        or(is_first, and(is_tie, is_earlier))
    }

    /// Joins the accumulators of a team by halving: over its work-items in local memory, then over the lanes of a
    /// vector. All work-items get the result.
    pub(super) fn halve(&self, rows: &Rows<'k>, slot: Slot, mut joined: Joined<'k>) -> Joined<'k> {
        let team = rows.team;
        if team.threads > 1 {
            joined = self.halve_threads(rows, slot, joined);
        }
        if !team.along.is_columns() {
            joined = self.halve_lanes(slot, joined);
        }
        if team.threads == 1 {
            return joined;
        }
        let width = team.rows();
        let arrays = self.local_arrays(slot, team.width);
        let first = self.mul(rows.local_of_team(self), self.index(team.width));
        if width < team.width {
            self.e.when(self.e.binary(BinaryOp::Eq, rows.thread, self.index(0)), || {
                self.store_joined(arrays, slot.element, first, joined);
            });
        }
        self.barrier(team);
        let result = self.load_joined(arrays, slot.element, first, width).held(self);
        self.barrier(team);
        result
    }

    fn local_arrays(&self, slot: Slot, width: usize) -> (Buffer<'k>, Option<Buffer<'k>>) {
        let array = |name: &str, scalar| self.array(name.to_owned(), scalar, super::variant::GROUP * width);
        let indices = slot.reduction.is_arg().then(|| array("indices", ScalarType::I64));
        (array("values", stored(slot.element)), indices)
    }

    fn halve_threads(&self, rows: &Rows<'k>, slot: Slot, joined: Joined<'k>) -> Joined<'k> {
        let (team, e) = (rows.team, self.e);
        let arrays = self.local_arrays(slot, team.width);
        let at = |beyond: usize| self.mul(rows.local_of_thread(self, beyond), self.index(team.width));
        let value = e.variable("sum", joined.value);
        let index = joined.index.map(|index| e.variable("sum_at", index));
        self.store_joined(arrays, slot.element, at(0), joined);
        let mut half = team.threads / 2;
        while half > 0 {
            self.barrier(team);
            e.when(self.less(rows.thread, self.index(half)), || {
                let own = Joined { value: e.get(value), index: index.map(|index| e.get(index)) };
                let other = self.load_joined(arrays, slot.element, at(half), team.width);
                let both = self.join_two(slot, own, other);
                e.set(value, both.value);
                if let (Some(variable), Some(index)) = (index, both.index) {
                    e.set(variable, index);
                }
                self.store_joined(arrays, slot.element, at(0), both);
            });
            half /= 2;
        }
        Joined { value: e.get(value), index: index.map(|index| e.get(index)) }
    }

    /// The sum of a vector's lanes, by halving.
    pub(super) fn sum_of_lanes(&self, value: V<'k>) -> V<'k> {
        let slot = Slot { reduction: Reduction::Sum, element: ElementType::F64 };
        self.halve_lanes(slot, Joined { value, index: None }).value
    }

    fn halve_lanes(&self, slot: Slot, mut joined: Joined<'k>) -> Joined<'k> {
        while self.e.lanes(joined.value) > 1 {
            let half = self.e.lanes(joined.value) / 2;
            let part = |value: V<'k>, first: usize| {
                self.e.gather(&(first..first + half).map(|lane| self.e.lane(value, lane)).collect::<Vec<_>>())
            };
            let of = |first: usize| Joined {
                value: part(joined.value, first),
                index: joined.index.map(|index| part(index, first)),
            };
            joined = self.join_two(slot, of(0), of(half));
        }
        joined
    }

    /// Stores to arrays of values and indices.
    pub(super) fn store_joined(
        &self,
        (values, indices): (Buffer<'k>, Option<Buffer<'k>>),
        element: ElementType,
        at: V<'k>,
        joined: Joined<'k>,
    ) {
        let value = if element == ElementType::Bool { self.e.byte_of(joined.value) } else { joined.value };
        self.e.store(values, at, value, false);
        if let (Some(indices), Some(index)) = (indices, joined.index) {
            self.e.store(indices, at, index, false);
        }
    }

    pub(super) fn load_joined(
        &self,
        (values, indices): (Buffer<'k>, Option<Buffer<'k>>),
        element: ElementType,
        at: V<'k>,
        width: usize,
    ) -> Joined<'k> {
        let value = self.e.load(values, at, width, false);
        let value = if element == ElementType::Bool { self.e.is_nonzero(value) } else { value };
        Joined { value, index: indices.map(|indices| self.e.load(indices, at, width, false)) }
    }
}
