//! Kernels of rows: reductions by teams of work-items, in the order that [`ReductionOrder`] fixes.
//!
//! ```text
//!   a row      | chunk 0                | chunk 1                | ...
//!   a chunk    element j joins accumulator j mod lanes
//!   halving    accumulators of a work-item -> work-items of a team (local memory) -> lanes of a vector
//!   results    one for each chunk: joined in the same group, or in a workspace by a later launch
//! ```
//!
//! Missing elements are replaced by the operation's identity, which joins without changing a bit.
//!
//! [`ReductionOrder`]: crate::fused::ReductionOrder

use super::accumulate::Source;
use super::emit::{Buffer, V};
use super::generator::{Generator, Partial, Point, Slots, stored};
use super::join::Joined;
use super::variant::{Count, Form, Parameter, Team, Uses, filled, kept_slots};
use crate::element::ElementType;
use crate::fused::{Phase, Slot};
use affinimath_kernel::ScalarType;
use affinimath_kernel::dynamic::BinaryOp;

/// The rows of a team, and the position of a work-item in it.
pub(super) struct Rows<'k> {
    pub(super) team: Team,
    /// The work-item's number in the team.
    pub(super) thread: V<'k>,
    /// The team's number in the group.
    number: V<'k>,
    /// Coordinates along the parallel axes.
    coordinates: Vec<Option<V<'k>>>,
    /// The number of the first row.
    pub(super) row: V<'k>,
    /// False for a team without rows; `None` if each team has some.
    is_active: Option<V<'k>>,
    /// Rows of vectors across rows.
    partial: Option<Partial<'k>>,
}

/// Elements `first` to `end` of a row.
#[derive(Clone, Copy)]
pub(super) struct Span<'k> {
    pub(super) first: V<'k>,
    pub(super) end: V<'k>,
}

impl<'k> Generator<'_, 'k> {
    /// Runs `body` for the rows and the chunk of each unit of this work-item: all chunks of a row are one unit without
    /// `chunks`.
    fn at_team(&self, team: Team, chunks: Option<V<'k>>, body: impl FnOnce(&Rows<'k>, V<'k>)) {
        let body = |unit: V<'k>| {
            if team.along.is_columns() {
                let (block, chunk) = self.chunk_of(unit, chunks);
                return body(&self.columns(team, block), chunk);
            }
            let per_group = team.per_group(self.lowered.device.kind);
            let number = self.member(1, per_group);
            let unit = self.add(self.mul(unit, self.index(per_group)), number);
            let (row, chunk) = self.chunk_of(unit, chunks);
            body(&self.row(team, number, row), chunk);
        };
        if self.is_cpu() { self.units(body) } else { body(self.group_id(0)) }
    }

    fn chunk_of(&self, unit: V<'k>, chunks: Option<V<'k>>) -> (V<'k>, V<'k>) {
        chunks.map_or_else(|| (unit, self.index(0)), |chunks| self.divide(unit, chunks))
    }

    /// The work-item's index along a part of the group.
    fn member(&self, dimension: usize, size: usize) -> V<'k> {
        if self.is_cpu() || size == 1 { self.index(0) } else { self.local_id(dimension) }
    }

    /// One row of a team.
    fn row(&self, team: Team, number: V<'k>, row: V<'k>) -> Rows<'k> {
        let parallel = self.lowered.structure.parallel;
        let is_active = (team.per_group(self.lowered.device.kind) > 1).then(|| self.less(row, self.count(Count::Rows)));
        let mut coordinates = vec![None; parallel];
        if parallel > 0 {
            self.coordinates(0..parallel, row, &mut coordinates);
        }
        Rows { team, thread: self.member(0, team.threads), number, coordinates, row, is_active, partial: None }
    }

    /// The rows of a block of teams that neighbour each other along the last parallel axis, for this work-item.
    fn columns(&self, team: Team, block: V<'k>) -> Rows<'k> {
        let per_group = team.per_group(self.lowered.device.kind);
        let (number, thread) = (self.member(0, per_group), self.member(1, team.threads));
        let axis = self.lowered.structure.parallel - 1;
        let across = self.extent(axis);
        let (outer, block) = self.divide(block, self.divide_up(across, team.width * per_group));
        let column = self.add(self.mul(block, self.index(per_group)), number);
        let column = self.mul(column, self.index(team.width));
        let mut coordinates = vec![None; axis + 1];
        self.coordinates(0..axis, outer, &mut coordinates);
        coordinates[axis] = Some(column);
        let row = self.add(self.mul(outer, across), column);
        let is_active = (per_group > 1).then(|| self.less(column, across));
        let partial = self.partial(team.width, column, across);
        Rows { team, thread, number, coordinates, row, is_active, partial }
    }

    /// Runs `body` in the first work-item of a team that has rows.
    fn once(&self, rows: &Rows<'k>, body: impl FnOnce()) {
        let is_first = (rows.team.threads > 1).then(|| self.e.binary(BinaryOp::Eq, rows.thread, self.index(0)));
        match (is_first, rows.is_active) {
            (Some(first), Some(active)) => self.e.when(self.e.binary(BinaryOp::And, first, active), body),
            (Some(condition), None) | (None, Some(condition)) => self.e.when(condition, body),
            (None, None) => body(),
        }
    }

    /// The point of a row itself.
    fn row_point(&self, rows: &Rows<'k>) -> Point<'k> {
        let lane_axis = self.lowered.structure.parallel.saturating_sub(1);
        self.point(rows.team.rows(), rows.coordinates.clone(), lane_axis, rows.partial)
    }

    /// The point of a row's element.
    /// Vectors along the row may reach beyond `end` if it is given.
    pub(super) fn element_point(&self, rows: &Rows<'k>, element: V<'k>, end: Option<V<'k>>) -> Point<'k> {
        let structure = &self.lowered.structure;
        let mut coordinates = rows.coordinates.clone();
        coordinates.resize(structure.rank, None);
        self.coordinates(structure.parallel..structure.rank, element, &mut coordinates);
        if rows.team.along.is_columns() {
            return self.point(rows.team.width, coordinates, structure.parallel - 1, rows.partial);
        }
        let partial = end.and_then(|end| self.partial(rows.team.width, element, end));
        self.point(rows.team.width, coordinates, structure.rank - 1, partial)
    }

    /// The kernel of whole rows.
    pub(super) fn whole_rows(&self, team: Team, has_chunks: bool) {
        let structure = &self.lowered.structure;
        self.at_team(team, None, |rows, _| {
            let mut slots = Slots::new();
            for (index, phase) in structure.phases.iter().enumerate() {
                if !phase.is_loop {
                    self.once(rows, || {
                        self.run(index, &self.row_point(rows), &slots);
                    });
                    continue;
                }
                let source = Source::Code { phase: index, slots: &slots };
                if filled(phase).next().is_none() {
                    self.each_element(rows, index, &slots);
                    continue;
                }
                let joined = self.reduce_row(rows, source, phase, has_chunks);
                for (slot, joined) in filled(phase).zip(joined) {
                    slots.insert(slot, joined.result());
                }
            }
        });
    }

    /// The kernel of a looping phase by chunks.
    pub(super) fn chunks(&self, phase: usize, team: Team) {
        let described = &self.lowered.structure.phases[phase];
        self.at_team(team, Some(self.count(Count::Chunks)), |rows, chunk| {
            let slots = Uses::of([described]).slots;
            let point = self.row_point(&rows.clamped(self));
            let slots = self.stored_slots(slots, &point);
            let span = self.span(rows, chunk);
            let joined = self.reduce_chunk(rows, Source::Code { phase, slots: &slots }, described, span);
            self.once(rows, || {
                let at = if team.along.is_columns() {
                    self.add(self.mul(chunk, self.count(Count::Rows)), rows.row)
                } else {
                    self.add(self.mul(rows.row, self.count(Count::Chunks)), chunk)
                };
                self.store_results(described, &joined, at, &self.row_point(rows));
            });
        });
    }

    /// The kernel that joins results of chunks.
    pub(super) fn join(&self, phase: usize, team: Team, to_rows: bool) {
        let structure = &self.lowered.structure;
        let described = &structure.phases[phase];
        if !to_rows {
            return self.at_team(team, Some(self.count(Count::Chunks)), |rows, chunk| {
                let joined = self.reduce_chunk(rows, Source::Workspace, described, self.span(rows, chunk));
                self.once(rows, || {
                    let at = self.add(self.mul(rows.row, self.count(Count::Chunks)), chunk);
                    self.store_results(described, &joined, at, &self.row_point(rows));
                });
            });
        }
        self.at_team(team, None, |rows, _| {
            let joined = self.reduce_row(rows, Source::Workspace, described, true);
            self.once(rows, || {
                let point = self.row_point(rows);
                let mut slots = Slots::new();
                for (slot, joined) in filled(described).zip(&joined) {
                    slots.insert(slot, joined.result());
                }
                for slot in kept_slots(structure, phase) {
                    let buffer = self.buffer(Parameter::Rows { slot, is_written: true });
                    self.store_at(buffer, self.slot_type(slot), rows.row, slots[&slot], &point);
                }
                let tail = self.variant.form.phases(structure);
                let earlier = Uses::of(&structure.phases[tail.clone()]).slots;
                let earlier: Vec<_> = earlier.into_iter().filter(|slot| !slots.contains_key(slot)).collect();
                slots.extend(self.stored_slots(earlier, &point));
                for index in tail {
                    self.run(index, &point, &slots);
                }
            });
        });
    }

    fn store_results(&self, phase: &Phase, joined: &[Joined<'k>], at: V<'k>, point: &Point<'k>) {
        for (slot, joined) in filled(phase).zip(joined) {
            let element = self.lowered.structure.slots[slot].element;
            let buffer = self.buffer(Parameter::Chunks { slot, is_written: true, is_index: false });
            self.store_at(buffer, element, at, joined.value, point);
            if let Some(index) = joined.index {
                let buffer = self.buffer(Parameter::Chunks { slot, is_written: true, is_index: true });
                self.store_at(buffer, ElementType::I64, at, index, point);
            }
        }
    }

    /// The elements of a chunk; none of a team without rows.
    fn span(&self, rows: &Rows<'k>, chunk: V<'k>) -> Span<'k> {
        let length = self.count(Count::Length);
        let size = self.index(self.lowered.order.chunk.min(MAX_CHUNK));
        let first = self.mul(chunk, size);
        self.active_span(rows, Span { first, end: self.min(self.add(first, size), length) })
    }

    fn active_span(&self, rows: &Rows<'k>, span: Span<'k>) -> Span<'k> {
        let end = rows.is_active.map_or(span.end, |is_active| self.e.select(is_active, span.end, span.first));
        Span { end, ..span }
    }

    /// The reductions of a whole row, in all work-items of a team.
    fn reduce_row(&self, rows: &Rows<'k>, source: Source<'_, 'k>, phase: &Phase, has_chunks: bool) -> Vec<Joined<'k>> {
        let length = self.count(Count::Length);
        if !has_chunks {
            let span = self.active_span(rows, Span { first: self.index(0), end: length });
            return self.reduce_chunk(rows, source, phase, span);
        }
        let chunks = self.divide_up(length, self.lowered.order.chunk.min(MAX_CHUNK));
        let results: Vec<_> =
            filled(phase).enumerate().map(|(number, slot)| self.results(rows, number, slot)).collect();
        self.e.for_each("chunk", self.index(0), chunks, self.index(1), |chunk| {
            let joined = self.reduce_chunk(rows, source, phase, self.span(rows, chunk));
            self.once_in_team(rows, || {
                for (results, joined) in results.iter().zip(joined) {
                    results.store(self, chunk, joined);
                }
            });
        });
        let slots: Vec<Slot> = filled(phase).map(|slot| self.lowered.structure.slots[slot]).collect();
        slots.iter().zip(&results).map(|(slot, results)| self.join_results(rows, *slot, results, chunks)).collect()
    }

    fn once_in_team(&self, rows: &Rows<'k>, body: impl FnOnce()) {
        if rows.team.threads == 1 {
            return body();
        }
        self.e.when(self.e.binary(BinaryOp::Eq, rows.thread, self.index(0)), body);
    }

    /// The results of a row's chunks in local or private memory.
    fn results(&self, rows: &Rows<'k>, number: usize, slot: usize) -> Results<'k> {
        let (team, lanes) = (rows.team, self.lowered.order.lanes);
        let slot = self.lowered.structure.slots[slot];
        let per_group = team.per_group(self.lowered.device.kind);
        let base = self.mul(rows.number, self.index(lanes));
        let array = |name, scalar| self.array(format!("{name}{number}"), scalar, per_group * lanes);
        Results {
            values: array("chunk_values", stored(slot.element)),
            indices: slot.reduction.is_arg().then(|| array("chunk_indices", ScalarType::I64)),
            element: slot.element,
            base,
        }
    }

    /// Joins the results of at most as many chunks as the order has lanes, by halving.
    fn join_results(&self, rows: &Rows<'k>, slot: Slot, results: &Results<'k>, chunks: V<'k>) -> Joined<'k> {
        let lanes = self.lowered.order.lanes;
        let threads = self.index(rows.team.threads);
        let identity = self.identity(slot, 1);
        self.e.for_each("rest", self.add(chunks, rows.thread), self.index(lanes), threads, |i| {
            results.store(self, i, identity);
        });
        self.barrier(rows.team);
        let mut half = lanes / 2;
        while half > 0 {
            self.e.for_each("i", rows.thread, self.index(half), threads, |i| {
                let other = results.load(self, self.add(i, self.index(half)));
                results.store(self, i, self.join_two(slot, results.load(self, i), other));
            });
            self.barrier(rows.team);
            half /= 2;
        }
        let joined = results.load(self, self.index(0)).held(self);
        self.barrier(rows.team);
        joined
    }

    pub(super) fn barrier(&self, team: Team) {
        if !self.is_cpu() && (team.threads > 1 || team.per_group(self.lowered.device.kind) > 1) {
            self.e.barrier(self.lowered.is_in_place && matches!(self.variant.form, Form::Rows { .. }));
        }
    }

    /// Runs a looping phase without reductions on all elements of the rows.
    fn each_element(&self, rows: &Rows<'k>, phase: usize, slots: &Slots<'k>) {
        let team = rows.team;
        let step = team.threads * if team.along.is_columns() { 1 } else { team.width };
        let span = self.active_span(rows, Span { first: self.index(0), end: self.count(Count::Length) });
        let first = self.mul(rows.thread, self.index(step / team.threads));
        let end = self.is_cpu().then_some(span.end);
        self.e.for_each("j", first, span.end, self.index(step), |j| {
            self.run(phase, &self.element_point(rows, j, end), slots);
        });
    }
}

/// Chunks as large as this are never reached.
const MAX_CHUNK: usize = 1 << 30;

impl<'k> Rows<'k> {
    /// The only row of a kernel, for a team that is a group.
    pub(super) fn of_group(generator: &Generator<'_, 'k>, team: Team, thread: V<'k>) -> Rows<'k> {
        let zero = generator.index(0);
        Rows { team, thread, number: zero, coordinates: Vec::new(), row: zero, is_active: None, partial: None }
    }

    /// The index in a local array of a work-item that follows this one in its team.
    pub(super) fn local_of_thread(&self, generator: &Generator<'_, 'k>, beyond: usize) -> V<'k> {
        self.local_at(generator, generator.add(self.thread, generator.index(beyond)))
    }

    /// The index in a local array of the team's first work-item.
    pub(super) fn local_of_team(&self, generator: &Generator<'_, 'k>) -> V<'k> {
        self.local_at(generator, generator.index(0))
    }

    fn local_at(&self, generator: &Generator<'_, 'k>, thread: V<'k>) -> V<'k> {
        let (team, number) = (self.team, self.number);
        let per_group = team.per_group(generator.lowered.device.kind);
        // Neighbouring work-items have neighbouring elements.
        let (slow, fast, stride) =
            if team.along.is_columns() { (thread, number, per_group) } else { (number, thread, team.threads) };
        generator.add(generator.mul(slow, generator.index(stride)), fast)
    }

    /// Rows that exist: those of a team without rows are the first one, whose memory may be read.
    fn clamped(&self, generator: &Generator<'_, 'k>) -> Rows<'k> {
        let zero = generator.index(0);
        let clamp = |value: V<'k>| match self.is_active {
            Some(is_active) => generator.e.select(is_active, value, zero),
            None => value,
        };
        let coordinates = self.coordinates.iter().map(|coordinate| coordinate.map(clamp)).collect();
        Rows { coordinates, row: clamp(self.row), ..*self }
    }
}

/// An array of results for the chunks of a row.
struct Results<'k> {
    values: Buffer<'k>,
    indices: Option<Buffer<'k>>,
    element: ElementType,
    base: V<'k>,
}

impl<'k> Results<'k> {
    fn store(&self, generator: &Generator<'_, 'k>, at: V<'k>, joined: Joined<'k>) {
        let at = generator.add(self.base, at);
        generator.store_joined((self.values, self.indices), self.element, at, joined);
    }

    fn load(&self, generator: &Generator<'_, 'k>, at: V<'k>) -> Joined<'k> {
        let at = generator.add(self.base, at);
        generator.load_joined((self.values, self.indices), self.element, at, 1)
    }
}
