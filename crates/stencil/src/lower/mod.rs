//! Lowering of passes to the kernel language: naive kernels for GPUs, rows with vectors for CPUs.
//!
//! Each pass of a run ([`Passes`](crate::run::Passes)) is a kernel, or two. Sizes, strides, offsets and parameters are
//! arguments: a kernel of a stencil is compiled once.
//!
//! ```text
//!   Points   a work-item for each point: x, y, and the other axes in the third dimension
//!   Rows     a work-item for a chunk of a row: a loop of vectors along x, then of single points
//! ```

mod boxes;
mod generator;
mod loops;
mod nodes;
mod passes;
mod reduce;
#[cfg(test)]
mod tests;
mod tiles;

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use affinimath_array::lower::operations::{Emit, Rounding};
use affinimath_kernel::Kernel;
use affinimath_kernel::dynamic::Builder;
use affinimath_opencl::program::Program;

use crate::bound::Bound;
use crate::definition::{Boundary, Side, Statement, Stencil, Sweep, Type};
use crate::error::{Error, Result};
use crate::run::Colour;
use crate::schedule::Tree;
use crate::strategy::Tile;
use generator::Generator;

pub(crate) use boxes::{CHUNK, launch_size};
pub(crate) use loops::loop_groups;
pub(crate) use reduce::TREE_LEVELS;
pub(crate) use tiles::{overlap_groups, overlaps, read_levels, stream_groups, streams, streams_locally};

/// Abilities of a device that kernels depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Abilities {
    /// The form of kernels.
    pub(crate) form: Form,
    /// It has double precision.
    pub(crate) has_doubles: bool,
    /// Quotients and roots of `float` are rounded correctly, with an option of its compiler where it needs one.
    pub(crate) rounds_divisions: bool,
    /// Bytes of a group's local memory.
    pub(crate) local_bytes: usize,
    /// The most work-items of a group.
    pub(crate) max_items: usize,
    /// Compute units.
    pub(crate) units: usize,
}

/// The points of a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// One point.
    Points,
    /// A chunk of a row, in vectors along x.
    Rows,
}

/// Properties of memory that kernels depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// Indices have 64 bits.
    pub(crate) is_wide: bool,
    /// Neighbours along x are neighbours in memory, in all grids that have the axis.
    pub(crate) is_unit: bool,
    /// The domain's first point of each row is a multiple of as many elements, in all grids that have the axis: 1, 2
    /// or 4.
    pub(crate) alignment: usize,
}

/// A kernel's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// A rule for initial values.
    Initial { rule: usize },
    /// Both faces of a component on one of its grid's axes. Values that are kept come from the level before, or are
    /// there already.
    Faces { grid: usize, component: usize, position: usize, keeps: bool },
    /// A component's new level as the level before.
    CarryOver { grid: usize, component: usize },
    /// The statements of a stage. Values of reductions are stored where results are wanted.
    Sweep { stage: usize, colour: Option<Colour>, reduces: bool },
    /// The statements of a stage, by work-items that walk along the last axis, with neighbours on the other ones in
    /// local memory or not.
    Stream { stage: usize, tile: Tile, is_local: bool },
    /// Several steps of a stencil with one stage.
    Overlap { steps: usize, tile: Tile },
    /// A parallel loop of a strategy, on the statements of a stage.
    Loops { stage: usize, colour: Option<Colour>, number: usize },
    /// A filter.
    Filter { filter: usize },
    /// The strips of a reduction.
    Strips { result: usize },
    /// Levels of a reduction's tree of strips.
    Tree { result: usize },
}

/// The level of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Relative to `t`.
    At(i32),
    /// The one that the pass sets.
    Own,
    /// The one before it.
    Before,
    /// A level after all steps of a launch: the newest, or as many before it.
    After(usize),
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KernelArgument {
    /// The memory of a component's level.
    Slice { grid: usize, component: usize, level: Level },
    /// The elements of a parameter with indices, or of a table.
    Elements(usize),
    /// Values of a reduction at all points.
    Values(usize),
    /// Values of a reduction's strips.
    Partials(usize),
    /// The code of the first pass that read outside a range.
    Flag,
    /// The code of this pass: `int`.
    Code,
    /// The element of the domain's first point in a slice: an index.
    Origin { grid: usize, component: usize, level: Level },
    /// Elements from a point to the next on one of a grid's axes: an index.
    Stride(usize, usize),
    /// The first coordinate in memory on one of a grid's axes: `long`.
    First(usize, usize),
    /// The last coordinate in memory on one of a grid's axes: `long`.
    Last(usize, usize),
    /// The first point of the pass on an axis, relative to the domain's: an index.
    Start(usize),
    /// Points of the pass on an axis: an index.
    Length(usize),
    /// Points of a chunk of a row: an index.
    Chunk,
    /// Points in memory before the first face: an index.
    BeforeLower,
    /// Points in memory behind the last face: an index.
    BehindUpper,
    /// Points that taps reach before the first face (0) or behind the last one (1): an index.
    Reach(usize),
    /// The first coordinate of the domain: `long`.
    Lower(usize),
    /// Points of the domain on an axis: an index.
    Extent(usize),
    /// A size: `long`.
    Size(String),
    /// The time `t` of the pass: `long`.
    Time,
    /// A parameter without indices, of its type.
    Scalar(usize),
    /// The first index of a parameter's range: `long`.
    RangeFirst(usize, usize),
    /// The length of a parameter's range: `long`.
    RangeLength(usize, usize),
    /// The number of strips of a row, or of all rows: an index.
    Strips,
    /// The distance of neighbours in a tree: an index.
    Distance,
    /// A variable of loops around the launch: an index.
    Loop(usize),
}

/// A kernel with its arguments in their order.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) kernel: Kernel,
    pub(crate) arguments: Vec<KernelArgument>,
    /// The program on the plan's device, from its first launch on.
    pub(crate) program: OnceLock<Arc<Program>>,
}

/// A stage computes results.
pub(crate) fn has_reductions(stencil: &Stencil, stage: usize) -> bool {
    let statements = &stencil.stages()[stage].statements;
    statements.iter().any(|statement| matches!(statement, Statement::Reduce { .. }))
}

/// All passes of a stencil.
pub(crate) fn passes(bound: &Bound) -> Vec<Pass> {
    let stencil = bound.stencil();
    let mut passes: Vec<Pass> = (0..stencil.initial().len()).map(|rule| Pass::Initial { rule }).collect();
    for (stage, definition) in stencil.stages().iter().enumerate() {
        let colours: &[Option<Colour>] = match definition.sweep {
            Sweep::Jacobi => &[None],
            Sweep::RedBlack => {
                let components = |grid: usize| 0..stencil.grids()[grid].component_count();
                for grid in stencil.assigned_in(stage) {
                    passes.extend(components(grid).map(|component| Pass::CarryOver { grid, component }));
                }
                &[Some(Colour::Red), Some(Colour::Black)]
            }
        };
        for &colour in colours {
            passes.push(Pass::Sweep { stage, colour, reduces: false });
            passes.extend(has_reductions(stencil, stage).then_some(Pass::Sweep { stage, colour, reduces: true }));
        }
    }
    for (grid, definition) in stencil.grids().iter().enumerate() {
        for component in 0..definition.component_count() {
            for (position, &axis) in definition.axes.iter().enumerate() {
                let face = |keeps| Pass::Faces { grid, component, position, keeps };
                let has_rule = [Side::Lower, Side::Upper]
                    .into_iter()
                    .any(|side| stencil.boundary(grid, component, axis, side) != Boundary::Keep);
                passes.extend(has_rule.then(|| face(false)));
                passes.extend((bound.levels(grid) > 1).then(|| face(true)));
            }
        }
    }
    passes.extend((0..stencil.filter().len()).map(|filter| Pass::Filter { filter }));
    let results = 0..stencil.results().len();
    passes.extend(results.flat_map(|result| [Pass::Strips { result }, Pass::Tree { result }]));
    passes
}

/// The kernel of a pass.
///
/// # Errors
/// The device has no double precision and the kernel needs it, or the lowering is at fault.
pub(crate) fn lower(
    bound: &Bound,
    pass: Pass,
    variant: Variant,
    (device, schedule): (Abilities, Option<&Tree>),
) -> Result<Lowered> {
    let name = kernel_name(bound, pass);
    let error = RefCell::new(None);
    let mut arguments = Vec::new();
    let kernel = Kernel::build_dynamic(&name, |k: Builder<'_>| {
        let needs_doubles = !device.rounds_divisions && device.has_doubles;
        let rounding = if needs_doubles { Rounding::Doubles } else { Rounding::Native };
        let emit = Emit::new(k, &error, rounding);
        let generator = Generator::new(emit, bound, pass, variant, (device, schedule));
        generator.emit();
        arguments = generator.arguments();
        Ok(())
    });
    let internal = |error: affinimath_kernel::BuildError| Error::new(format!("the kernel '{name}': {error}"));
    if let Some(error) = error.into_inner() {
        return Err(internal(error));
    }
    let kernel = kernel.map_err(internal)?;
    if kernel.needs_doubles() && !device.has_doubles {
        return Err(Error::new(format!(
            "the device has no double precision, and '{}' needs it",
            bound.stencil().name()
        )));
    }
    Ok(Lowered { kernel, arguments, program: OnceLock::new() })
}

const fn suffix(colour: Option<Colour>) -> &'static str {
    match colour {
        None => "",
        Some(Colour::Red) => "_red",
        Some(Colour::Black) => "_black",
    }
}

fn kernel_name(bound: &Bound, pass: Pass) -> String {
    let stencil = bound.stencil().name();
    match pass {
        Pass::Initial { rule } => format!("{stencil}_initial_{rule}"),
        Pass::Faces { grid, component, position, keeps } => {
            let kind = if keeps { "faces" } else { "new_faces" };
            format!("{stencil}_{kind}_{grid}_{component}_{position}")
        }
        Pass::CarryOver { grid, component } => format!("{stencil}_carry_over_{grid}_{component}"),
        Pass::Sweep { stage, colour, reduces } => {
            let results = if reduces { "_results" } else { "" };
            format!("{stencil}_stage_{stage}{}{results}", suffix(colour))
        }
        Pass::Loops { stage, colour, number } => {
            format!("{stencil}_stage_{stage}{}_loops_{number}", suffix(colour))
        }
        Pass::Stream { stage, is_local: false, .. } => format!("{stencil}_stage_{stage}_stream"),
        Pass::Stream { stage, is_local: true, .. } => format!("{stencil}_stage_{stage}_stream_local"),
        Pass::Overlap { steps, .. } => format!("{stencil}_{steps}_steps"),
        Pass::Filter { filter } => format!("{stencil}_filter_{filter}"),
        Pass::Strips { result } => format!("{stencil}_strips_{result}"),
        Pass::Tree { result } => format!("{stencil}_tree_{result}"),
    }
}

/// The type of arrays' elements that is a type of grids.
pub(crate) const fn element(kind: Type) -> affinimath_array::ElementType {
    use affinimath_array::ElementType;
    match kind {
        Type::Bool => ElementType::Bool,
        Type::I32 => ElementType::I32,
        Type::I64 => ElementType::I64,
        Type::F32 => ElementType::F32,
        Type::F64 => ElementType::F64,
    }
}
