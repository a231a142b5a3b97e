//! Accumulation of a chunk's elements by the work-items of a team.

use super::emit::{Buffer, V};
use super::generator::{Generator, Slots, stored};
use super::join::Joined;
use super::rows::{Rows, Span};
use super::variant::{Along, Count, Parameter, filled};
use crate::element::ElementType;
use crate::fused::{Effect, Phase, Slot};
use affinimath_kernel::ScalarType;
use affinimath_kernel::dynamic::{BinaryOp, Variable};

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

/// The accumulators of a reduction in registers.
#[derive(Clone, Copy)]
struct Running<'k> {
    value: Variable<'k>,
    index: Option<Variable<'k>>,
}

impl<'k> Running<'k> {
    fn get(self, generator: &Generator<'_, 'k>) -> Joined<'k> {
        let get = |variable| generator.e.get(variable);
        Joined { value: get(self.value), index: self.index.map(get) }
    }
}

/// Rounds of accumulators that are under way at once, and instructions of a phase that are repeated for them.
const MAX_TOGETHER: usize = 16;
const MAX_REPEATED: usize = 64;

/// As many rounds as keep the memory busy, of phases with little code.
fn rounds_together(rounds: usize, phase: &Phase) -> usize {
    let mut together = MAX_TOGETHER;
    while together > 1 && (!rounds.is_multiple_of(together) || together * phase.code.len() > MAX_REPEATED) {
        together /= 2;
    }
    together
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
            self.accumulate(rows, source, phase, span)
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
        let together = rounds_together(rounds, phase);
        self.e.for_each("round", self.index(0), self.index(rounds), self.index(together), |round| {
            let all = self.accumulate_together(rows, source, phase, span, round, together);
            for (number, joined) in all.into_iter().enumerate() {
                let round = self.add(round, self.index(number));
                arrays.iter().zip(joined).for_each(|(array, joined)| array.store(self, round, joined));
            }
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

    /// The accumulators of a span's elements in the first phase.
    pub(super) fn accumulate_span(&self, rows: &Rows<'k>, span: Span<'k>) -> Vec<V<'k>> {
        let slots = Slots::new();
        let source = Source::Code { phase: 0, slots: &slots };
        let joined = self.accumulate(rows, source, &self.lowered.structure.phases[0], span);
        joined.into_iter().map(|joined| joined.value).collect()
    }

    /// One vector of accumulators: joins each element that falls to it.
    fn accumulate(&self, rows: &Rows<'k>, source: Source<'_, 'k>, phase: &Phase, span: Span<'k>) -> Vec<Joined<'k>> {
        let team = rows.team;
        let (variables, has_tail) = (self.running(phase, team.width), self.has_tail(rows));
        let unit = if team.along.is_columns() { 1 } else { team.width };
        let first = self.add(span.first, self.mul(rows.thread, self.index(unit)));
        self.e.for_each("j", first, span.end, self.index(team.lanes), |j| {
            let values = self.elements(rows, source, phase, j, has_tail.then_some(span.end));
            self.join_running(phase, &variables, values);
        });
        variables.into_iter().map(|running| running.get(self)).collect()
    }

    /// The vectors of accumulators of several rounds: an element of each after the other, so that loads overlap.
    fn accumulate_together(
        &self,
        rows: &Rows<'k>,
        source: Source<'_, 'k>,
        phase: &Phase,
        span: Span<'k>,
        round: V<'k>,
        together: usize,
    ) -> Vec<Vec<Joined<'k>>> {
        let (e, team, has_tail) = (self.e, rows.team, self.has_tail(rows));
        let variables: Vec<_> = (0..together).map(|_| self.running(phase, team.width)).collect();
        let width = if team.along.is_columns() { 1 } else { team.width };
        let own = self.add(self.mul(round, self.index(team.threads)), rows.thread);
        let first = self.add(span.first, self.mul(own, self.index(width)));
        let at = |j: V<'k>, number: usize| self.add(j, self.index(number * team.threads * width));
        // The last element of a step; of a vector with a tail, its last lane.
        let reach = (together - 1) * team.threads * width + if has_tail { width - 1 } else { 0 };
        let sub = |a, b| e.binary(BinaryOp::Sub, a, b);
        let end = e.binary(BinaryOp::Max, sub(span.end, self.index(reach)), first);
        let lanes = self.index(team.lanes);
        e.for_each("j", first, end, lanes, |j| {
            let values: Vec<_> =
                (0..together).map(|number| self.elements(rows, source, phase, at(j, number), None)).collect();
            variables.iter().zip(values).for_each(|(running, values)| self.join_running(phase, running, values));
        });
        let steps = self.divide_up(sub(end, first), team.lanes);
        let rest = self.add(first, self.mul(steps, lanes));
        for (number, running) in variables.iter().enumerate() {
            let j = at(rest, number);
            e.when(self.less(j, span.end), || {
                let values = self.elements(rows, source, phase, j, has_tail.then_some(span.end));
                self.join_running(phase, running, values);
            });
        }
        variables.into_iter().map(|all| all.into_iter().map(|running| running.get(self)).collect()).collect()
    }

    /// True if vectors may reach beyond the row.
    fn has_tail(&self, rows: &Rows<'k>) -> bool {
        self.is_cpu() && !self.is_padded && matches!(rows.team.along, Along::Row)
    }

    /// Accumulators of a phase's reductions that nothing has joined yet.
    fn running(&self, phase: &Phase, width: usize) -> Vec<Running<'k>> {
        let start = |slot: usize| {
            let identity = self.identity(self.lowered.structure.slots[slot], width);
            let index = identity.index.map(|index| self.e.variable("at", index));
            Running { value: self.e.variable("acc", identity.value), index }
        };
        filled(phase).map(start).collect()
    }

    fn join_running(&self, phase: &Phase, variables: &[Running<'k>], elements: Vec<Joined<'k>>) {
        for ((slot, running), element) in filled(phase).zip(variables).zip(elements) {
            let joined = self.join_two(self.lowered.structure.slots[slot], running.get(self), element);
            self.e.set(running.value, joined.value);
            if let (Some(variable), Some(index)) = (running.index, joined.index) {
                self.e.set(variable, index);
            }
        }
    }

    /// The elements to be joined at a place of a row, for each reduction of the phase. Vectors reach beyond `end` only
    /// where it is given.
    fn elements(
        &self,
        rows: &Rows<'k>,
        source: Source<'_, 'k>,
        phase: &Phase,
        j: V<'k>,
        end: Option<V<'k>>,
    ) -> Vec<Joined<'k>> {
        let width = rows.team.width;
        let Source::Code { phase: index, slots } = source else {
            return filled(phase).map(|slot| self.stored_result(rows, slot, j)).collect();
        };
        let point = self.element_point(rows, j, end);
        let registers = self.run(index, &point, slots);
        let missing = end.and(point.partial);
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
