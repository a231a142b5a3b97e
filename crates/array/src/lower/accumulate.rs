//! Accumulation of a chunk's elements by the work-items of a team.

use super::emit::{Buffer, V};
use super::generator::{Generator, Slots, stored};
use super::join::Joined;
use super::rows::{Rows, Span};
use super::variant::{Along, Count, Parameter, filled};
use crate::element::ElementType;
use crate::fused::{Effect, Phase, Slot};
use affinimath_kernel::ScalarType;

/// The loop's elements: those of the code, or results in a workspace.
#[derive(Clone, Copy)]
pub(super) enum Source<'s, 'k> {
    Code { phase: usize, slots: &'s Slots<'k> },
    Workspace,
}

/// Vectors of accumulators in private memory.
struct Accumulators<'k> {
    values: Buffer<'k>,
    indices: Option<Buffer<'k>>,
    element: ElementType,
    width: usize,
}

impl<'k> Accumulators<'k> {
    fn store(&self, generator: &Generator<'_, 'k>, at: V<'k>, joined: Joined<'k>) {
        let at = generator.mul(at, generator.index(self.width));
        generator.store_joined((self.values, self.indices), self.element, at, joined);
    }

    fn load(&self, generator: &Generator<'_, 'k>, at: V<'k>) -> Joined<'k> {
        let at = generator.mul(at, generator.index(self.width));
        generator.load_joined((self.values, self.indices), self.element, at, self.width)
    }
}

impl<'k> Generator<'_, 'k> {
    /// The reductions of a chunk, in all work-items of a team.
    pub(super) fn reduce_chunk(
        &self,
        rows: &Rows<'k>,
        source: Source<'_, 'k>,
        phase: &Phase,
        span: Span<'k>,
    ) -> Vec<Joined<'k>> {
        let team = rows.team;
        let slots: Vec<Slot> = filled(phase).map(|slot| self.lowered.structure.slots[slot]).collect();
        let accumulators = if team.rounds() == 1 {
            self.accumulate(rows, source, phase, span, self.index(0))
        } else {
            self.accumulate_rounds(rows, source, phase, span, &slots)
        };
        slots.iter().zip(accumulators).map(|(slot, joined)| self.halve(rows, *slot, joined)).collect()
    }

    /// Accumulators of one work-item in turn, joined by halving.
    fn accumulate_rounds(
        &self,
        rows: &Rows<'k>,
        source: Source<'_, 'k>,
        phase: &Phase,
        span: Span<'k>,
        slots: &[Slot],
    ) -> Vec<Joined<'k>> {
        let (rounds, width) = (rows.team.rounds(), rows.team.width);
        let arrays: Vec<_> = slots
            .iter()
            .enumerate()
            .map(|(number, slot)| {
                let array = |name, scalar| self.private(format!("{name}{number}_"), scalar, rounds * width);
                Accumulators {
                    values: array("acc", stored(slot.element)),
                    indices: slot.reduction.is_arg().then(|| array("at", ScalarType::I64)),
                    element: slot.element,
                    width,
                }
            })
            .collect();
        self.e.for_each("round", self.index(0), self.index(rounds), self.index(1), |round| {
            let joined = self.accumulate(rows, source, phase, span, round);
            arrays.iter().zip(joined).for_each(|(array, joined)| array.store(self, round, joined));
        });
        let mut half = rounds / 2;
        while half > 0 {
            self.e.for_each("i", self.index(0), self.index(half), self.index(1), |i| {
                for (array, slot) in arrays.iter().zip(slots) {
                    let other = array.load(self, self.add(i, self.index(half)));
                    array.store(self, i, self.join_two(*slot, array.load(self, i), other));
                }
            });
            half /= 2;
        }
        arrays.iter().map(|array| array.load(self, self.index(0)).held(self)).collect()
    }

    /// One vector of accumulators: joins each element that falls to it.
    fn accumulate(
        &self,
        rows: &Rows<'k>,
        source: Source<'_, 'k>,
        phase: &Phase,
        span: Span<'k>,
        round: V<'k>,
    ) -> Vec<Joined<'k>> {
        let team = rows.team;
        let slots: Vec<Slot> = filled(phase).map(|slot| self.lowered.structure.slots[slot]).collect();
        let variables: Vec<_> = slots
            .iter()
            .map(|slot| {
                let identity = self.identity(*slot, team.width);
                (self.e.variable("acc", identity.value), identity.index.map(|index| self.e.variable("at", index)))
            })
            .collect();
        let own = self.add(self.mul(round, self.index(team.threads)), rows.thread);
        let own = if team.along.is_columns() { own } else { self.mul(own, self.index(team.width)) };
        let first = self.add(span.first, own);
        self.e.for_each("j", first, span.end, self.index(team.lanes), |j| {
            let values = self.elements(rows, source, phase, j, span.end);
            for ((slot, (value, index)), element) in slots.iter().zip(&variables).zip(values) {
                let before = Joined { value: self.e.get(*value), index: index.map(|index| self.e.get(index)) };
                let joined = self.join_two(*slot, before, element);
                self.e.set(*value, joined.value);
                if let (Some(variable), Some(index)) = (index, joined.index) {
                    self.e.set(*variable, index);
                }
            }
        });
        let get = |(value, index): &(_, Option<_>)| Joined {
            value: self.e.get(*value),
            index: index.map(|index| self.e.get(index)),
        };
        variables.iter().map(get).collect()
    }

    /// The elements to be joined at a place of a row, for each reduction of the phase.
    fn elements(
        &self,
        rows: &Rows<'k>,
        source: Source<'_, 'k>,
        phase: &Phase,
        j: V<'k>,
        end: V<'k>,
    ) -> Vec<Joined<'k>> {
        let width = rows.team.width;
        let Source::Code { phase: index, slots } = source else {
            return filled(phase).map(|slot| self.stored_result(rows, slot, j)).collect();
        };
        let has_tail = self.is_cpu() && matches!(rows.team.along, Along::Row);
        let point = self.element_point(rows, j, end, has_tail);
        let registers = self.run(index, &point, slots);
        let missing = if has_tail { point.partial } else { None };
        let reductions = phase.effects.iter().filter_map(|effect| match *effect {
            Effect::Reduce { slot, value } => Some((self.lowered.structure.slots[slot], registers[value])),
            Effect::Store { .. } => None,
        });
        let joined = reductions.map(|(slot, value)| {
            let mut value = self.e.widen(value, width);
            if let Some(partial) = missing {
                let lanes = self.e.gather(&(0..width).map(|lane| self.index(lane)).collect::<Vec<_>>());
                value = self.e.select(self.less(lanes, partial.count), value, self.identity(slot, width).value);
            }
            let index = slot.reduction.is_arg().then(|| self.row_index(rows, j));
            Joined { value, index }
        });
        joined.collect()
    }

    /// The index within the row, in each lane.
    fn row_index(&self, rows: &Rows<'k>, j: V<'k>) -> V<'k> {
        let width = rows.team.width;
        let j = self.e.convert(j, ScalarType::I64);
        if rows.team.along.is_columns() || width == 1 {
            return self.e.widen(j, width);
        }
        let lanes: Vec<_> = (0..width).map(|lane| self.e.whole(ScalarType::I64, lane as i64, 1)).collect();
        self.add(j, self.e.gather(&lanes))
    }

    fn stored_result(&self, rows: &Rows<'k>, slot: usize, j: V<'k>) -> Joined<'k> {
        let row = self.mul(rows.row, self.count(Count::RowStride));
        let at = self.add(row, self.mul(j, self.count(Count::ChunkStride)));
        let load =
            |is_index| self.e.load(self.buffer(Parameter::Chunks { slot, is_written: false, is_index }), at, 1, false);
        let slot = self.lowered.structure.slots[slot];
        let value = load(false);
        let value = if slot.element == ElementType::Bool { self.e.is_nonzero(value) } else { value };
        Joined { value, index: slot.reduction.is_arg().then(|| load(true)) }
    }
}
