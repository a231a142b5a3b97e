//! The launches of a lowered structure for given arguments, as plain data.

use super::Lowered;
use super::device::DeviceKind;
use super::shape::{Shape, Teams};
use super::variant::{Count, Form, Parameter, TILE, TILE_ROWS, Team, Variant, filled, kept_slots, tail};
use crate::element::{ElementType, Value};
use crate::function::Reduction;
use crate::fused::Arguments;
use std::collections::HashMap;

/// Launches in order, and the workspaces that they share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipe {
    /// Launches, each after the one before.
    pub launches: Vec<KernelLaunch>,
    /// Memory that later launches read what earlier ones wrote to.
    pub workspaces: Vec<Workspace>,
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLaunch {
    /// The kernel.
    pub variant: Variant,
    /// Work-groups, for each dimension.
    pub groups: [usize; 3],
    /// Work-items of a group, for each dimension.
    pub items: [usize; 3],
    /// Arguments in the kernel's order.
    pub arguments: Vec<KernelArgument>,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KernelArgument {
    /// The buffer of an access.
    Access(usize),
    /// A workspace of the recipe.
    Workspace(usize),
    /// A number of the kernel's index type.
    I32(i32),
    /// A number of the kernel's index type.
    I64(i64),
    /// A scalar argument; a `bool` is a `u8`, 0 or 1.
    Scalar(Value),
}

/// Uninitialised memory for the duration of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// The type of its elements.
    pub element: ElementType,
    /// Their number.
    pub length: usize,
}

impl Workspace {
    /// Its size.
    pub const fn bytes(self) -> usize {
        self.length * self.element.bytes()
    }
}

impl Recipe {
    /// Bytes of all workspaces.
    pub fn workspace_bytes(&self) -> usize {
        self.workspaces.iter().map(|workspace| workspace.bytes()).sum()
    }
}

/// Results in a workspace: values, and of `ArgMin` and `ArgMax` indices.
#[derive(Clone, Copy)]
struct Results {
    values: usize,
    indices: Option<usize>,
}

/// Strides of a workspace that a join reads.
#[derive(Clone, Copy)]
struct Layout {
    count: usize,
    row_stride: usize,
    chunk_stride: usize,
}

/// The values of the parameters of one launch.
#[derive(Default)]
struct Meanings {
    counts: HashMap<Count, usize>,
    read: HashMap<usize, Results>,
    written: HashMap<usize, Results>,
}

pub(super) struct Planner<'a> {
    lowered: &'a Lowered,
    arguments: &'a Arguments,
    shape: Shape<'a>,
    recipe: Recipe,
    /// Workspaces of rows, by slot.
    rows: HashMap<usize, usize>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(lowered: &'a Lowered, arguments: &'a Arguments) -> Self {
        let shape = Shape::new(lowered, arguments);
        Planner { lowered, arguments, shape, recipe: Recipe::default(), rows: HashMap::new() }
    }

    pub(super) fn plan(mut self) -> Recipe {
        if self.arguments.extents.contains(&0) {
            return self.recipe;
        }
        let structure = &self.lowered.structure;
        if structure.parallel == structure.rank {
            self.map(0);
        } else if let Some((team, has_chunks)) = self.shape.whole_rows() {
            self.whole_rows(team, has_chunks);
        } else {
            self.split_rows();
        }
        self.recipe
    }

    fn push(&mut self, form: Form, groups: [usize; 3], items: [usize; 3], meanings: &Meanings) {
        let variant = Variant { form, is_wide: self.shape.is_wide };
        let parameters = variant.parameters(&self.lowered.structure, self.lowered.device.kind);
        let arguments = parameters.into_iter().map(|parameter| self.argument(parameter, meanings)).collect();
        self.recipe.launches.push(KernelLaunch { variant, groups, items, arguments });
    }

    fn argument(&self, parameter: Parameter, meanings: &Meanings) -> KernelArgument {
        let index = |number: i64| match i32::try_from(number) {
            Ok(number) if !self.shape.is_wide => KernelArgument::I32(number),
            _ => KernelArgument::I64(number),
        };
        let views = &self.arguments.views;
        let workspace = |results: Option<&Results>, is_index: bool| {
            let results = results.map(|results| if is_index { results.indices } else { Some(results.values) });
            KernelArgument::Workspace(results.flatten().unwrap_or(usize::MAX))
        };
        match parameter {
            Parameter::Access(access) => KernelArgument::Access(access),
            Parameter::Offset(access) => index(views[access].offset as i64),
            Parameter::Stride(access, axis) => index(views[access].strides[axis]),
            Parameter::IndexedExtent(access, axis) => index(views[access].extents[axis] as i64),
            Parameter::Extent(axis) => index(self.arguments.extents[axis] as i64),
            Parameter::Scalar(scalar) => KernelArgument::Scalar(self.arguments.scalars[scalar]),
            Parameter::Chunks { slot, is_written, is_index } => {
                workspace(if is_written { &meanings.written } else { &meanings.read }.get(&slot), is_index)
            }
            Parameter::Rows { slot, .. } => KernelArgument::Workspace(self.rows[&slot]),
            Parameter::Count(count) => index(meanings.counts[&count] as i64),
        }
    }

    /// An elementwise phase, or one that runs once a row.
    fn map(&mut self, phase: usize) {
        let structure = &self.lowered.structure;
        let axes = Form::Map { phase, width: 1, step: 1 }.axes(structure);
        let extents = &self.arguments.extents[..axes];
        if let Some((axis, transposed)) = self.shape.tiles(phase) {
            let form = Form::Tiles { axis, transposed };
            if self.lowered.device.kind == DeviceKind::Cpu {
                let (groups, counts) = self.shape.blocks(phase, axis);
                return self.push(
                    form,
                    [groups, 1, 1],
                    [1; 3],
                    &Meanings { counts: counts.into(), ..Meanings::default() },
                );
            }
            let last = extents.len() - 1;
            let outer: usize = extents[..last].iter().enumerate().filter(|(k, _)| *k != axis).map(|(_, n)| n).product();
            let groups = [extents[last].div_ceil(TILE) * extents[axis].div_ceil(TILE) * outer, 1, 1];
            return self.push(form, groups, [TILE, TILE_ROWS, 1], &Meanings::default());
        }
        let (width, step) = self.shape.map_lanes(phase);
        let form = Form::Map { phase, width, step };
        match self.lowered.device.kind {
            DeviceKind::Gpu => {
                let (groups, items) = grid(extents, width, step);
                self.push(form, groups, items, &Meanings::default());
            }
            DeviceKind::Cpu => {
                let (groups, counts) = self.shape.segments(extents, width);
                self.push(form, [groups, 1, 1], [1; 3], &Meanings { counts, ..Meanings::default() });
            }
        }
    }

    fn whole_rows(&mut self, team: Team, has_chunks: bool) {
        let teams = self.shape.teams(team, 1);
        let counts = [(Count::Rows, self.shape.rows), (Count::Length, self.shape.length)];
        let meanings = Meanings { counts: with_units(&counts, &teams), ..Meanings::default() };
        self.push(Form::Rows { team, has_chunks }, teams.groups, teams.items, &meanings);
    }

    /// Rows by their chunks, with workspaces between the launches.
    fn split_rows(&mut self) {
        let structure = &self.lowered.structure;
        let mut phase = 0;
        while phase < structure.phases.len() {
            if filled(&structure.phases[phase]).next().is_some() {
                self.reduce(phase);
                phase = tail(structure, phase).end;
            } else {
                self.map(phase);
                phase += 1;
            }
        }
    }

    fn workspace(&mut self, element: ElementType, length: usize) -> usize {
        self.recipe.workspaces.push(Workspace { element, length });
        self.recipe.workspaces.len() - 1
    }

    /// Workspaces of as many results for each row, for the slots of a phase.
    fn results(&mut self, phase: usize, count: usize) -> HashMap<usize, Results> {
        let structure = &self.lowered.structure;
        let length = count * self.shape.rows;
        filled(&structure.phases[phase])
            .map(|slot| {
                let described = structure.slots[slot];
                let values = self.workspace(described.element, length);
                let indices = described.reduction.is_arg().then(|| self.workspace(ElementType::I64, length));
                (slot, Results { values, indices })
            })
            .collect()
    }

    fn reduce(&mut self, phase: usize) {
        let structure = &self.lowered.structure;
        let order = self.lowered.order;
        let chunks = self.shape.chunks();
        let team = self.shape.chunk_team(phase);
        let written = self.results(phase, chunks);
        let teams = self.shape.teams(team, chunks);
        let counts = [(Count::Rows, self.shape.rows), (Count::Length, self.shape.length), (Count::Chunks, chunks)];
        let meanings = Meanings { counts: with_units(&counts, &teams), written: written.clone(), read: HashMap::new() };
        self.push(Form::Chunks { phase, team }, teams.groups, teams.items, &meanings);
        let mut layout = if team.along.is_columns() {
            Layout { count: chunks, row_stride: 1, chunk_stride: self.shape.rows }
        } else {
            Layout { count: chunks, row_stride: chunks, chunk_stride: 1 }
        };
        let mut read = written;
        while layout.count.div_ceil(order.chunk) > order.lanes {
            let fewer = layout.count.div_ceil(order.chunk);
            let written = self.results(phase, fewer);
            self.join(phase, layout, read, Some((fewer, written.clone())));
            (read, layout) = (written, Layout { count: fewer, row_stride: fewer, chunk_stride: 1 });
        }
        for slot in kept_slots(structure, phase) {
            let element = structure.slots[slot];
            let element = if element.reduction.is_arg() { ElementType::I64 } else { element.element };
            let rows = self.workspace(element, self.shape.rows);
            self.rows.insert(slot, rows);
        }
        self.join(phase, layout, read, None);
    }

    /// Joins results to those of fewer chunks, or to those of rows.
    fn join(
        &mut self,
        phase: usize,
        layout: Layout,
        read: HashMap<usize, Results>,
        fewer: Option<(usize, HashMap<usize, Results>)>,
    ) {
        let (to_rows, (chunks, written)) = (fewer.is_none(), fewer.unwrap_or_default());
        let team = self.shape.join_team(layout.count);
        let teams = self.shape.teams(team, chunks.max(1));
        let counts = [
            (Count::Rows, self.shape.rows),
            (Count::Length, layout.count),
            (Count::RowStride, layout.row_stride),
            (Count::ChunkStride, layout.chunk_stride),
            (Count::Chunks, chunks),
        ];
        let meanings = Meanings { counts: with_units(&counts, &teams), read, written };
        self.push(Form::Join { phase, team, to_rows }, teams.groups, teams.items, &meanings);
    }
}

fn with_units(counts: &[(Count, usize)], teams: &Teams) -> HashMap<Count, usize> {
    counts.iter().copied().chain(teams.counts()).collect()
}

/// Groups of a dimension: CUDA's grids have no more in the second and the third one.
const MAX_GROUPS: usize = 65_535;

/// Groups and work-items of points in vectors along the last axis: a dimension for each of the last two axes, and one
/// for the others.
fn grid(extents: &[usize], width: usize, step: usize) -> ([usize; 3], [usize; 3]) {
    let axes = extents.len();
    let along = |back: usize| if axes > back { extents[axes - 1 - back] } else { 1 };
    let outer: usize = extents[..axes.saturating_sub(2)].iter().product();
    let blocks = [along(0).div_ceil(width * step) * step, along(1), outer];
    let mut items = [1; 3];
    let mut left = super::variant::GROUP;
    for (items, blocks) in items.iter_mut().zip(blocks) {
        *items = blocks.next_power_of_two().min(left);
        left /= *items;
    }
    // Small problems have groups of a warp at least.
    items[0] = items[0].max(32.min(left * items[0]));
    let groups: [usize; 3] = std::array::from_fn(|d| blocks[d].div_ceil(items[d]));
    ([groups[0], groups[1].min(MAX_GROUPS), groups[2].min(MAX_GROUPS)], items)
}

impl Reduction {
    /// True for `ArgMin` and `ArgMax`, which carry an index.
    pub const fn is_arg(self) -> bool {
        matches!(self, Reduction::ArgMin | Reduction::ArgMax)
    }
}
