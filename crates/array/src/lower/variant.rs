//! Variants of a structure's kernels, and their parameters.

use super::device::DeviceKind;
use crate::fused::{Access, AccessClass, Effect, Instruction, Phase, Structure};
use std::collections::BTreeSet;

/// One kernel of a lowered structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The part of the work, and its distribution.
    pub form: Form,
    /// True if indices have 64 bits, else 32.
    pub is_wide: bool,
}

/// The part of the work that a kernel does, and its distribution over work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A phase at each of its points. Slots are read from a workspace.
    Map {
        /// The phase.
        phase: usize,
        /// Points along the last axis for each vector.
        width: usize,
        /// Points between the lanes of a vector: 1, or a warp's work-items, which are neighbours in memory then.
        step: usize,
    },
    /// An elementwise phase over tiles of the last axis and of another one, along which some accesses have stride 1.
    /// They pass through local memory, or a CPU's private one.
    Tiles {
        /// The other axis.
        axis: usize,
        /// Bit `i` is set if access `i` has stride 1 along the other axis.
        transposed: u32,
    },
    /// All phases of whole rows.
    Rows {
        /// The distribution of a row.
        team: Team,
        /// True if rows have more than one chunk, and at most as many as the order has lanes.
        has_chunks: bool,
    },
    /// A looping phase of chunks, whose reductions go to a workspace.
    Chunks {
        /// The phase.
        phase: usize,
        /// The distribution of a chunk.
        team: Team,
    },
    /// Joins the reductions of a phase's chunks: to those of fewer chunks, or to those of rows. Rows then run the
    /// phases up to the next loop.
    Join {
        /// The phase.
        phase: usize,
        /// The distribution of a chunk of results.
        team: Team,
        /// True if whole rows are joined.
        to_rows: bool,
    },
}

/// Work-items that reduce the chunks of a row, or of several neighbouring rows, together.
///
/// Accumulator `(a threads + t) width + lane` of a row belongs to work-item `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Team {
    /// The direction of vectors and of neighbouring work-items.
    pub along: Along,
    /// Accumulators of a row; fewer than the order's where a row has fewer elements.
    pub lanes: usize,
    /// Work-items of a row.
    pub threads: usize,
    /// Lanes of a vector.
    pub width: usize,
}

/// The direction of vectors and of neighbouring work-items in a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// Along a row's elements.
    Row,
    /// Across rows, along the last parallel axis.
    Columns {
        /// Bit `i` is set if access `i` has stride 1 across rows.
        contiguous: u32,
        /// Bit `i` is set if access `i` has stride 0 across rows.
        uniform: u32,
    },
}

impl Along {
    /// True for [`Along::Columns`].
    pub const fn is_columns(self) -> bool {
        matches!(self, Along::Columns { .. })
    }
}

/// Work-items of a group, where it is not smaller for lack of work.
pub(super) const GROUP: usize = 256;

/// Work-items whose accesses a GPU joins.
pub(super) const WARP: usize = 32;

/// Width and height of a tile, and the rows of work-items that move it.
pub(super) const TILE: usize = 32;
pub(super) const TILE_ROWS: usize = 8;

impl Team {
    /// The accesses with strides 1 and 0 across rows, of vectors across rows.
    pub(super) const fn columns(self) -> Option<(u32, u32)> {
        match self.along {
            Along::Columns { contiguous, uniform } => Some((contiguous, uniform)),
            Along::Row => None,
        }
    }

    /// Teams of a group.
    pub(super) const fn per_group(self, kind: DeviceKind) -> usize {
        match kind {
            DeviceKind::Gpu => GROUP / self.threads,
            DeviceKind::Cpu => 1,
        }
    }

    /// Rows of a team.
    pub(super) const fn rows(self) -> usize {
        if self.along.is_columns() { self.width } else { 1 }
    }

    /// Vectors of accumulators of a work-item.
    pub(super) const fn rounds(self) -> usize {
        let covered = if self.along.is_columns() { self.threads } else { self.threads * self.width };
        self.lanes / covered
    }
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Parameter {
    /// The memory of an access.
    Access(usize),
    /// The elements before an access's first one.
    Offset(usize),
    /// The stride of an access along an axis.
    Stride(usize, usize),
    /// The length of an axis of an indexed access.
    IndexedExtent(usize, usize),
    /// The length of an axis of the iteration space.
    Extent(usize),
    Scalar(usize),
    /// Reductions of chunks, by slot: read or written; the values or the indices of `ArgMin` and `ArgMax`.
    Chunks {
        slot: usize,
        is_written: bool,
        is_index: bool,
    },
    /// Reductions of rows, by slot.
    Rows {
        slot: usize,
        is_written: bool,
    },
    Count(Count),
}

/// A number that a launch's shape gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Count {
    Rows,
    /// Elements of a row, or results to be joined.
    Length,
    /// Chunks of a row.
    Chunks,
    /// Elements between rows and between chunks in the workspace that is read.
    RowStride,
    ChunkStride,
    /// Points of a segment of the last axis, segments of a row, all segments, and segments of a work-item.
    Segment,
    Segments,
    Units,
    UnitsPerItem,
}

impl Count {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Count::Rows => "rows",
            Count::Length => "length",
            Count::Chunks => "chunks",
            Count::RowStride => "row_stride",
            Count::ChunkStride => "chunk_stride",
            Count::Segment => "segment",
            Count::Segments => "segments",
            Count::Units => "units",
            Count::UnitsPerItem => "units_per_item",
        }
    }
}

/// Accesses, scalars and slots that phases use.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) accesses: BTreeSet<usize>,
    pub(super) scalars: BTreeSet<usize>,
    pub(super) slots: BTreeSet<usize>,
    pub(super) has_coordinates: bool,
}

impl Uses {
    pub(super) fn of<'a>(phases: impl IntoIterator<Item = &'a Phase>) -> Self {
        let mut uses = Uses::default();
        for phase in phases {
            for instruction in &phase.code {
                match *instruction {
                    Instruction::Load(access)
                    | Instruction::LoadImaginary(access)
                    | Instruction::LoadAt { access, .. } => {
                        uses.accesses.insert(access);
                    }
                    Instruction::Scalar(scalar) => {
                        uses.scalars.insert(scalar);
                    }
                    Instruction::Slot(slot) => {
                        uses.slots.insert(slot);
                    }
                    Instruction::Coordinate(_) => uses.has_coordinates = true,
                    _ => {}
                }
            }
            for effect in &phase.effects {
                if let Effect::Store { access, .. } = *effect {
                    uses.accesses.insert(access);
                }
            }
        }
        uses
    }
}

/// The slots that a phase fills, in the order of its effects.
pub(super) fn filled(phase: &Phase) -> impl Iterator<Item = usize> + '_ {
    phase.effects.iter().filter_map(|effect| match *effect {
        Effect::Reduce { slot, .. } => Some(slot),
        Effect::Store { .. } => None,
    })
}

/// The phases that follow a loop, up to the next one.
pub(super) fn tail(structure: &Structure, phase: usize) -> std::ops::Range<usize> {
    let rest = structure.phases[phase + 1..].iter().take_while(|phase| !phase.is_loop).count();
    phase + 1..phase + 1 + rest
}

/// True if a phase from `from` on reads the slot.
fn is_read_from(structure: &Structure, slot: usize, from: usize) -> bool {
    Uses::of(&structure.phases[from..]).slots.contains(&slot)
}

impl Form {
    /// The phases that the kernel runs.
    pub(super) fn phases(self, structure: &Structure) -> std::ops::Range<usize> {
        match self {
            Form::Map { phase, .. } | Form::Chunks { phase, .. } => phase..phase + 1,
            Form::Tiles { .. } => 0..1,
            Form::Rows { .. } => 0..structure.phases.len(),
            Form::Join { phase, to_rows: true, .. } => tail(structure, phase),
            Form::Join { to_rows: false, .. } => 0..0,
        }
    }

    /// Axes of the kernel's points.
    pub(super) fn axes(self, structure: &Structure) -> usize {
        match self {
            Form::Map { phase, .. } if !structure.phases[phase].is_loop => structure.parallel,
            _ => structure.rank,
        }
    }
}

/// The slots of a join whose rows a later launch reads.
pub(super) fn kept_slots(structure: &Structure, phase: usize) -> Vec<usize> {
    let after = tail(structure, phase).end;
    filled(&structure.phases[phase]).filter(|slot| is_read_from(structure, *slot, after)).collect()
}

/// The axes along which an access needs a stride as an argument.
pub(super) fn strided_axes(access: Access, rank: usize) -> std::ops::Range<usize> {
    match access.class {
        AccessClass::Uniform | AccessClass::Indexed => 0..0,
        AccessClass::Contiguous | AccessClass::InnerContiguous | AccessClass::InnerUniform => 0..rank - 1,
        AccessClass::Strided => 0..rank,
    }
}

/// The number of axes of an indexed access.
fn indexed_axes(structure: &Structure, access: usize) -> usize {
    let code = structure.phases.iter().flat_map(|phase| &phase.code);
    code.filter_map(|instruction| match instruction {
        Instruction::LoadAt { access: of, indices, .. } if *of == access => Some(indices.len()),
        _ => None,
    })
    .next()
    .unwrap_or(0)
}

impl Variant {
    /// The parameters of the kernel in order.
    pub(super) fn parameters(self, structure: &Structure, kind: DeviceKind) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let uses = Uses::of(&structure.phases[self.form.phases(structure)]);
        for &access in &uses.accesses {
            parameters.extend([Parameter::Access(access), Parameter::Offset(access)]);
            let described = structure.accesses[access];
            parameters.extend(strided_axes(described, structure.rank).map(|axis| Parameter::Stride(access, axis)));
            if described.class == AccessClass::Indexed {
                for axis in 0..indexed_axes(structure, access) {
                    parameters.extend([Parameter::Stride(access, axis), Parameter::IndexedExtent(access, axis)]);
                }
            }
        }
        parameters.extend(uses.scalars.iter().map(|scalar| Parameter::Scalar(*scalar)));
        parameters.extend(self.workspaces(structure, &uses));
        parameters.extend((0..self.form.axes(structure)).map(Parameter::Extent));
        parameters.extend(self.counts(structure, kind).into_iter().map(Parameter::Count));
        parameters
    }

    fn workspaces(self, structure: &Structure, uses: &Uses) -> Vec<Parameter> {
        let is_arg = |slot: usize| structure.slots[slot].reduction.is_arg();
        let mut parameters = Vec::new();
        let mut chunks = |slot: usize, is_written: bool| {
            parameters.push(Parameter::Chunks { slot, is_written, is_index: false });
            if is_arg(slot) {
                parameters.push(Parameter::Chunks { slot, is_written, is_index: true });
            }
        };
        match self.form {
            Form::Map { .. } | Form::Tiles { .. } | Form::Rows { .. } => {}
            Form::Chunks { phase, .. } => filled(&structure.phases[phase]).for_each(|slot| chunks(slot, true)),
            Form::Join { phase, to_rows, .. } => {
                for slot in filled(&structure.phases[phase]) {
                    chunks(slot, false);
                    if !to_rows {
                        chunks(slot, true);
                    }
                }
            }
        }
        let own: Vec<usize> = match self.form {
            Form::Rows { .. } => return parameters,
            Form::Join { phase, .. } => filled(&structure.phases[phase]).collect(),
            _ => Vec::new(),
        };
        let earlier = uses.slots.iter().filter(|slot| !own.contains(slot));
        parameters.extend(earlier.map(|slot| Parameter::Rows { slot: *slot, is_written: false }));
        if let Form::Join { phase, to_rows: true, .. } = self.form {
            let rows = kept_slots(structure, phase).into_iter();
            parameters.extend(rows.map(|slot| Parameter::Rows { slot, is_written: true }));
        }
        parameters
    }

    fn counts(self, structure: &Structure, kind: DeviceKind) -> Vec<Count> {
        let is_flat = self.form.axes(structure) <= 1;
        let mut counts = match self.form {
            Form::Map { .. } if kind == DeviceKind::Gpu => return Vec::new(),
            Form::Map { .. } if is_flat => return vec![Count::Segment],
            Form::Map { .. } => vec![Count::Segment, Count::Segments],
            Form::Tiles { .. } => Vec::new(),
            Form::Rows { .. } => vec![Count::Rows, Count::Length],
            Form::Chunks { .. } => vec![Count::Rows, Count::Length, Count::Chunks],
            Form::Join { to_rows: true, .. } => {
                vec![Count::Rows, Count::Length, Count::RowStride, Count::ChunkStride]
            }
            Form::Join { to_rows: false, .. } => {
                vec![Count::Rows, Count::Length, Count::RowStride, Count::ChunkStride, Count::Chunks]
            }
        };
        if kind == DeviceKind::Cpu {
            counts.extend([Count::Units, Count::UnitsPerItem]);
        }
        counts
    }
}
