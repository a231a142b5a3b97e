//! The distribution of a launch's work: a pure function of its arguments.

use super::Lowered;
use super::blocks::BLOCK;
use super::device::DeviceKind;
use super::variant::{Along, Count, Form, GROUP, TILE, Team, Uses, WARP};
use crate::element::ElementType;
use crate::fused::{AccessClass, Arguments, View};
use std::collections::HashMap;

pub(super) struct Shape<'a> {
    lowered: &'a Lowered,
    arguments: &'a Arguments,
    /// Points of the parallel axes.
    pub(super) rows: usize,
    /// Points of the reduced axes.
    pub(super) length: usize,
    /// True if indices need 64 bits.
    pub(super) is_wide: bool,
}

/// Indices and sizes up to here are computed in 32 bits: groups and vectors may reach beyond the last point.
const MAX_NARROW: u128 = (1 << 31) - (1 << 20);

/// Fewer elements of a row than these make a small team.
const SHORT_ROW: usize = 32;

/// Points below which a CPU's work-item gets no smaller part.
const MIN_SEGMENT: usize = 4096;

/// Rows of teams that keep a GPU's compute unit, or a CPU's core, busy.
const ROWS_PER_UNIT: usize = 2;

impl<'a> Shape<'a> {
    pub(super) fn new(lowered: &'a Lowered, arguments: &'a Arguments) -> Self {
        let (parallel, reduced) = arguments.extents.split_at(lowered.structure.parallel);
        let (rows, length) = (parallel.iter().product(), reduced.iter().product());
        let mut shape = Shape { lowered, arguments, rows, length, is_wide: true };
        // A CPU's addresses have 64 bits, and conversions cost instructions.
        shape.is_wide = lowered.device.kind == DeviceKind::Cpu || !shape.is_narrow();
        shape
    }

    fn is_narrow(&self) -> bool {
        let points = self.arguments.extents.iter().map(|n| *n as u128).product::<u128>();
        let reach = |view: &View, is_complex: bool| {
            let steps = view.strides.iter().zip(&view.extents);
            let span: u128 = steps.map(|(s, n)| u128::from(s.unsigned_abs()) * (*n as u128)).sum();
            (span + view.offset as u128) * if is_complex { 2 } else { 1 }
        };
        let accesses = self.lowered.structure.accesses.iter().zip(&self.arguments.views);
        points <= MAX_NARROW
            && accesses.into_iter().all(|(access, view)| reach(view, access.element.is_complex()) <= MAX_NARROW)
    }

    fn kind(&self) -> DeviceKind {
        self.lowered.device.kind
    }

    fn stride(&self, access: usize, axis: usize) -> i64 {
        self.arguments.views[access].strides[axis]
    }

    /// Accesses at the points of a phase.
    fn accesses(&self, phase: usize) -> impl Iterator<Item = usize> + '_ {
        let structure = &self.lowered.structure;
        let uses = Uses::of([&structure.phases[phase]]);
        uses.accesses.into_iter().filter(|access| structure.accesses[*access].class != AccessClass::Indexed)
    }

    /// Points for each vector of a map, and the points between its lanes. A GPU's vectors are aligned; where accesses
    /// are not, lanes are a warp apart, so that as many bytes are in flight.
    pub(super) fn map_lanes(&self, phase: usize) -> (usize, usize) {
        let structure = &self.lowered.structure;
        let axes = Form::Map { phase, width: 1, step: 1 }.axes(structure);
        let is_loop = structure.phases[phase].is_loop;
        if axes == 0 || (!is_loop && self.kind() == DeviceKind::Gpu) {
            return (1, 1);
        }
        let width = self.lowered.width(phase);
        let last = self.arguments.extents[axes - 1];
        match self.kind() {
            DeviceKind::Cpu => (width, 1),
            DeviceKind::Gpu if self.is_vector(phase, width) && last >= 2 * width => (width, 1),
            DeviceKind::Gpu if last >= width * WARP => (width, WARP),
            DeviceKind::Gpu => (1, 1),
        }
    }

    /// True if the vectors of all contiguous accesses begin at multiples of their size.
    fn is_aligned(&self, phase: usize, width: usize) -> bool {
        let structure = &self.lowered.structure;
        let width = width as i64;
        self.accesses(phase).all(|access| {
            let view = &self.arguments.views[access];
            let last = structure.rank - 1;
            let outer = view.strides[..last].iter().zip(&view.extents).filter(|(_, n)| **n > 1);
            match structure.accesses[access].class {
                AccessClass::Contiguous | AccessClass::InnerContiguous => {
                    view.offset as i64 % width == 0 && outer.into_iter().all(|(stride, _)| stride % width == 0)
                }
                _ => true,
            }
        })
    }

    /// The other axis of tiles, and the accesses with stride 1 along it.
    pub(super) fn tiles(&self, phase: usize) -> Option<(usize, u32)> {
        let structure = &self.lowered.structure;
        let is_elementwise = structure.parallel == structure.rank;
        if !is_elementwise || structure.rank < 2 {
            return None;
        }
        let is_cpu = self.kind() == DeviceKind::Cpu;
        let size = if is_cpu { self.lowered.width(phase) } else { TILE };
        // A CPU's vectors run upwards, and its tiles are in private memory.
        let (is_unit, most) = if is_cpu { (1..=1, 32) } else { (-1..=1, MAX_TILES) };
        let last = structure.rank - 1;
        let is_transposed = |access: usize, axis: usize| {
            let described = structure.accesses[access];
            described.class == AccessClass::Strided
                && !described.is_written
                && is_unit.contains(&self.stride(access, axis))
                && self.stride(access, axis) != 0
                && self.stride(access, last).abs() > 1
                && access < 32
        };
        let axis = (0..last).rev().find(|axis| {
            let is_long = self.arguments.extents[*axis] >= size && self.arguments.extents[last] >= size;
            is_long && self.accesses(phase).any(|access| is_transposed(access, *axis))
        })?;
        let transposed = self.accesses(phase).filter(|access| is_transposed(*access, axis));
        Some((axis, transposed.take(most).fold(0, |bits, access| bits | 1 << access)))
    }

    /// Work-items of a CPU's tiles, and their counts.
    pub(super) fn blocks(&self, phase: usize, axis: usize) -> (usize, [(Count, usize); 2]) {
        let extents = &self.arguments.extents;
        let size = BLOCK * self.lowered.width(phase);
        let last = extents.len() - 1;
        let along = |(k, n): (usize, &usize)| if k == axis || k == last { n.div_ceil(size) } else { *n };
        let units: usize = extents.iter().enumerate().map(along).product();
        let items = ITEMS_PER_UNIT * self.lowered.device.compute_units.max(1);
        let per_item = units.div_ceil(items).max(MIN_SEGMENT.div_ceil(size * size));
        (units.div_ceil(per_item), [(Count::Units, units), (Count::UnitsPerItem, per_item)])
    }

    /// Work-items of a CPU's map, and its counts.
    pub(super) fn segments(&self, extents: &[usize], width: usize) -> (usize, HashMap<Count, usize>) {
        let items = ITEMS_PER_UNIT * self.lowered.device.compute_units.max(1);
        let (last, outer) = extents.split_last().map_or((1, &[][..]), |(last, outer)| (*last, outer));
        let rows: usize = outer.iter().product();
        let points = rows.saturating_mul(last);
        let part = points.div_ceil(items).max(MIN_SEGMENT);
        let segment = part.min(last).next_multiple_of(width);
        let segments = last.div_ceil(segment);
        let units = rows * segments;
        let per_item = (part / segment.min(last)).max(1);
        let groups = units.div_ceil(per_item);
        let counts = [
            (Count::Segment, segment),
            (Count::Segments, segments),
            (Count::Units, units),
            (Count::UnitsPerItem, per_item),
        ];
        (groups, counts.into())
    }

    /// Chunks of a row.
    pub(super) fn chunks(&self) -> usize {
        self.length.div_ceil(self.lowered.order.chunk)
    }

    /// The team of whole rows, and true if they have several chunks; `None` if chunks are to be distributed.
    pub(super) fn whole_rows(&self) -> Option<(Team, bool)> {
        let (chunks, order) = (self.chunks(), self.lowered.order);
        let phases = 0..self.lowered.structure.phases.len();
        let is_enough = self.rows >= ROWS_PER_UNIT * self.lowered.device.compute_units;
        if chunks == 1 {
            return Some((self.team(phases), false));
        }
        let team = self.team(phases);
        let fits = chunks <= order.lanes && is_enough && !team.along.is_columns();
        fits.then_some((team, true))
    }

    /// The team of chunks of a phase.
    pub(super) fn chunk_team(&self, phase: usize) -> Team {
        self.team(phase..phase + 1)
    }

    /// The team that joins results.
    pub(super) fn join_team(&self, count: usize) -> Team {
        let lanes = self.lanes(count, 1);
        Team { along: Along::Row, lanes, threads: self.threads(lanes, 1), width: 1 }
    }

    /// Accumulators that a row of this length needs.
    fn lanes(&self, count: usize, width: usize) -> usize {
        let order = self.lowered.order;
        let few = match self.kind() {
            DeviceKind::Gpu => SHORT_ROW.max(width),
            DeviceKind::Cpu => width,
        };
        if count <= few { order.lanes.min(few) } else { order.lanes }
    }

    fn threads(&self, lanes: usize, width: usize) -> usize {
        match self.kind() {
            DeviceKind::Gpu => (lanes / width).min(GROUP),
            DeviceKind::Cpu => 1,
        }
    }

    /// True if neighbouring rows are neighbours in memory, and neighbouring elements are not.
    fn is_across(&self, phases: std::ops::Range<usize>) -> bool {
        let structure = &self.lowered.structure;
        let (parallel, last) = (structure.parallel, structure.rank - 1);
        if parallel == 0 || self.arguments.extents[parallel - 1] < MIN_COLUMNS {
            return false;
        }
        let mut bytes = [0, 0];
        for phase in phases.filter(|phase| structure.phases[*phase].is_loop) {
            for access in self.accesses(phase) {
                let element = structure.accesses[access].element.bytes();
                bytes[0] += if self.stride(access, last) == 1 { element } else { 0 };
                bytes[1] += if self.stride(access, parallel - 1) == 1 { element } else { 0 };
            }
        }
        self.length > 1 && bytes[1] > bytes[0]
    }

    fn team(&self, phases: std::ops::Range<usize>) -> Team {
        let structure = &self.lowered.structure;
        let width = phases.clone().map(|phase| self.lowered.width(phase)).min().unwrap_or(1);
        if self.is_across(phases.clone()) {
            return self.columns(width);
        }
        // Vectors of elements along several axes would have no common stride.
        let is_flat = structure.rank - structure.parallel == 1;
        let is_aligned = |width| {
            let loops = phases.clone().filter(|phase| structure.phases[*phase].is_loop);
            self.length.is_multiple_of(width) && loops.into_iter().all(|phase| self.is_vector(phase, width))
        };
        let width = match self.kind() {
            DeviceKind::Gpu if is_flat && is_aligned(width) => width,
            DeviceKind::Cpu if is_flat => width,
            _ => 1,
        };
        let width = width.min(self.lowered.order.lanes);
        let lanes = self.lanes(self.length, width);
        Team { along: Along::Row, lanes, threads: self.threads(lanes, width), width }
    }

    fn is_vector(&self, phase: usize, width: usize) -> bool {
        let is_strided = |access: usize| self.lowered.structure.accesses[access].class == AccessClass::Strided;
        self.is_aligned(phase, width) && !self.accesses(phase).any(is_strided)
    }

    fn columns(&self, width: usize) -> Team {
        let structure = &self.lowered.structure;
        let lanes = self.lanes(self.length, 1);
        let with_stride = |stride: i64| {
            let accesses = (0..structure.accesses.len().min(32)).filter(|access| {
                let is_point = structure.accesses[*access].class != AccessClass::Indexed;
                is_point && self.stride(*access, structure.parallel - 1) == stride
            });
            accesses.fold(0, |bits, access| bits | 1 << access)
        };
        match self.kind() {
            // Work-items are the lanes: the hardware joins their accesses.
            DeviceKind::Gpu => {
                let along = Along::Columns { contiguous: 0, uniform: 0 };
                Team { along, lanes, threads: lanes.min(COLUMN_THREADS), width: 1 }
            }
            DeviceKind::Cpu => {
                let along = Along::Columns { contiguous: with_stride(1), uniform: with_stride(0) };
                Team { along, lanes, threads: 1, width }
            }
        }
    }

    /// The groups of teams for all rows and chunks.
    pub(super) fn teams(&self, team: Team, chunks: usize) -> Teams {
        let per_group = team.per_group(self.kind());
        let units = if team.along.is_columns() {
            let across = self.arguments.extents[self.lowered.structure.parallel - 1];
            self.rows / across * across.div_ceil(team.width * per_group) * chunks
        } else {
            (self.rows * chunks).div_ceil(per_group)
        };
        let (groups, items, per_item) = match self.kind() {
            DeviceKind::Gpu if team.along.is_columns() => (units, [per_group, team.threads, 1], 1),
            DeviceKind::Gpu => (units, [team.threads, per_group, 1], 1),
            DeviceKind::Cpu => {
                let items = ITEMS_PER_UNIT * self.lowered.device.compute_units.max(1);
                let points = self.length.min(self.lowered.order.chunk).max(1) * team.rows();
                let per_item = units.div_ceil(items).max(MIN_SEGMENT.div_ceil(points)).min(units);
                (units.div_ceil(per_item), [1; 3], per_item)
            }
        };
        Teams { groups: [groups, 1, 1], items, units, per_item }
    }
}

/// The distribution of teams over groups.
pub(super) struct Teams {
    pub(super) groups: [usize; 3],
    pub(super) items: [usize; 3],
    /// Chunks of a team's rows, and those of a CPU's work-item.
    units: usize,
    per_item: usize,
}

impl Teams {
    pub(super) fn counts(&self) -> [(Count, usize); 2] {
        [(Count::Units, self.units), (Count::UnitsPerItem, self.per_item)]
    }
}

/// Work-items of a CPU's core, so that cores finish together.
const ITEMS_PER_UNIT: usize = 4;

/// Tiles of doubles that fit into 48 KiB of local memory.
const MAX_TILES: usize = 5;

/// Work-items of a column of a GPU.
const COLUMN_THREADS: usize = 8;

/// Rows below which vectors across rows do not pay.
const MIN_COLUMNS: usize = 16;

impl Lowered {
    /// Points of a vector, by the types that a phase works with.
    pub(super) fn width(&self, phase: usize) -> usize {
        let structure = &self.structure;
        let uses = Uses::of([&structure.phases[phase]]);
        let bytes = uses.accesses.iter().map(|access| structure.accesses[*access].element.bytes());
        let widest = bytes.clone().max().unwrap_or(4);
        match self.device.kind {
            DeviceKind::Gpu => {
                let narrowest = bytes.min().unwrap_or(4);
                (16 / narrowest).min(32 / widest).max(1)
            }
            DeviceKind::Cpu => {
                let has_doubles = self.types[phase].contains(&ElementType::F64);
                let widest = if has_doubles { widest.max(8) } else { widest.max(4) };
                64 / widest
            }
        }
    }
}
