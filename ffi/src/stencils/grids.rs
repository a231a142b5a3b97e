//! Memory of grids: levels with shapes and strides, in the host's memory or in memory objects.

use affinimath::stencil::{Bound, DeviceGrid, DeviceSlice, GridSlices, Layout, Slice, Type};
use affinimath::{DeviceBuffer, Error, Queue, Result};
use affinimath_abi::arguments::{not_null, size};
use affinimath_abi::opencl;

use super::names::{Names, lengths};
use super::{ArrayOperand, OperandCl, code};

fn wrong(reason: String) -> Error {
    Error::argument("operands", reason)
}

/// A level's location in memory: the layout of its components, and the elements from one component to the next.
struct Location {
    layout: Layout,
    components: Vec<usize>,
}

/// The shape of either kind of operand.
struct Described<'a> {
    rank: std::ffi::c_int,
    element: std::ffi::c_int,
    shape: &'a [i64; 8],
    strides: &'a [i64; 8],
}

fn location(bound: &Bound, grid: usize, operand: &Described<'_>) -> Result<Location> {
    let stencil = bound.stencil();
    let definition = &stencil.grids()[grid];
    let name = &definition.name;
    if operand.element != code(definition.kind) {
        return Err(wrong(format!("{name:?} is a grid of {}, and an operand has another type", definition.kind)));
    }
    let lengths = lengths(stencil, grid, operand.rank, operand.shape)?;
    let own = bound.layout(grid).map_err(|error| error.of_argument("plan"))?;
    if lengths != own.lengths {
        let shape = |lengths: &[usize]| lengths.iter().rev().copied().collect::<Vec<_>>();
        let (wanted, given) = (shape(&own.lengths), shape(&lengths));
        return Err(wrong(format!("the memory of {name:?} has shape {wanted:?}, and an operand has {given:?}")));
    }
    let count = definition.components.len();
    let all = operand.strides[..count + lengths.len()].iter().map(|&stride| {
        usize::try_from(stride).map_err(|_| wrong(format!("{name:?} has a negative stride: copy the array")))
    });
    let all = all.collect::<Result<Vec<usize>>>()?;
    let layout = Layout { lower: own.lower, lengths, strides: all[count..].iter().rev().copied().collect(), offset: 0 };
    let mut components = vec![0_usize];
    for (&length, &stride) in definition.components.iter().zip(&all) {
        components = components.iter().flat_map(|&offset| (0..length).map(move |i| offset + i * stride)).collect();
    }
    Ok(Location { layout, components })
}

/// The number of operands that a grid has is that of its levels.
fn check_levels(bound: &Bound, grid: usize, indices: &[usize]) -> Result<()> {
    let (levels, given) = (bound.levels(grid), indices.len());
    if given != levels {
        let name = &bound.stencil().grids()[grid].name;
        return Err(wrong(format!("{name:?} has {levels} levels, the oldest first, and {given} operands are given")));
    }
    Ok(())
}

/// A component of a level in the host's memory.
struct Part {
    grid: usize,
    start: *mut u8,
    extent: usize,
    bytes: usize,
}

/// The grids of a run in the host's memory.
///
/// # Safety
/// Operands must have their elements, which are nobody else's meanwhile.
pub(super) unsafe fn slices<'a>(
    bound: &Bound,
    names: &Names,
    operands: &[(&str, &ArrayOperand)],
) -> Result<Vec<GridSlices<'a>>> {
    let mut layouts = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for (grid, indices) in names.grids.iter().enumerate() {
        check_levels(bound, grid, indices)?;
        let (layout, own) = parts_of(bound, grid, indices, operands)?;
        layouts.push(layout);
        parts.extend(own);
    }
    check_apart(bound, &parts)?;
    let mut parts = parts.into_iter();
    let grids = layouts.into_iter().enumerate().map(|(grid, layout)| {
        let definition = &bound.stencil().grids()[grid];
        let mut slices: Vec<Vec<Slice<'a>>> = Vec::new();
        slices.resize_with(definition.component_count(), Vec::new);
        for _ in &names.grids[grid] {
            for (component, part) in slices.iter_mut().zip(&mut parts) {
                // SAFETY: the operand has its elements, which no other part has.
                component.push(unsafe { slice(definition.kind, part.start, part.extent) });
            }
        }
        GridSlices { layout, slices }
    });
    Ok(grids.collect())
}

/// The layout of a grid's components, and all components of all levels.
fn parts_of(
    bound: &Bound,
    grid: usize,
    indices: &[usize],
    operands: &[(&str, &ArrayOperand)],
) -> Result<(Layout, Vec<Part>)> {
    let definition = &bound.stencil().grids()[grid];
    let (name, bytes) = (&definition.name, definition.kind.bytes());
    let mut parts = Vec::new();
    let mut layout = None;
    for &index in indices {
        let operand = operands[index].1;
        let (shape, strides) = (&operand.shape, &operand.strides);
        let location =
            location(bound, grid, &Described { rank: operand.rank, element: operand.element, shape, strides })?;
        not_null("operands", operand.data)?;
        if !operand.data.addr().is_multiple_of(bytes) {
            return Err(wrong(format!("{name:?} is not aligned to its elements")));
        }
        if layout.as_ref().is_some_and(|layout| *layout != location.layout) {
            return Err(wrong(format!("levels of {name:?} have different strides")));
        }
        let extent = location.layout.extent().ok_or_else(|| wrong(format!("{name:?} is beyond the address space")))?;
        for &offset in &location.components {
            let start = operand.data.cast::<u8>().wrapping_add(offset * bytes);
            parts.push(Part { grid, start, extent, bytes });
        }
        layout = Some(location.layout);
    }
    let layout = layout.ok_or_else(|| wrong(format!("{name:?} is missing")))?;
    Ok((layout, parts))
}

/// No two parts share memory.
fn check_apart(bound: &Bound, parts: &[Part]) -> Result<()> {
    let mut sorted: Vec<&Part> = parts.iter().collect();
    sorted.sort_unstable_by_key(|part| part.start.addr());
    let shared =
        sorted.windows(2).find(|pair| pair[1].start.addr() < pair[0].start.addr() + pair[0].extent * pair[0].bytes);
    let Some(pair) = shared else { return Ok(()) };
    let name = |part: &Part| &bound.stencil().grids()[part.grid].name;
    let reason = match pair[0].grid == pair[1].grid {
        true => format!("levels or components of {:?} share memory", name(pair[0])),
        false => format!("{:?} and {:?} share memory", name(pair[0]), name(pair[1])),
    };
    Err(wrong(reason))
}

/// # Safety
/// The elements must be valid, and nobody else's for the lifetime.
unsafe fn slice<'a>(kind: Type, start: *mut u8, extent: usize) -> Slice<'a> {
    // SAFETY: this function's condition.
    unsafe {
        match kind {
            Type::I32 | Type::Bool => Slice::I32(std::slice::from_raw_parts_mut(start.cast(), extent)),
            Type::I64 => Slice::I64(std::slice::from_raw_parts_mut(start.cast(), extent)),
            Type::F32 => Slice::F32(std::slice::from_raw_parts_mut(start.cast(), extent)),
            Type::F64 => Slice::F64(std::slice::from_raw_parts_mut(start.cast(), extent)),
        }
    }
}

/// The memory objects of levels.
///
/// # Safety
/// Memory objects must be null or live.
pub(super) unsafe fn memories(queue: &Queue, levels: &[(&str, &OperandCl)]) -> Result<Vec<DeviceBuffer>> {
    let memory = |(_, operand): &(&str, &OperandCl)| {
        not_null("grids", operand.memory)?;
        // SAFETY: `not_null` refused null; this function requires live memory objects.
        unsafe { opencl::memory(queue, "grids", operand.memory) }
    };
    levels.iter().map(memory).collect()
}

/// A level in a device's memory.
pub(super) struct Level<'a> {
    memory: &'a DeviceBuffer,
    offset: i64,
    described: Described<'a>,
}

impl<'a> Level<'a> {
    /// An operand of C's, in its memory object.
    pub(super) fn of(operand: &'a OperandCl, memory: &'a DeviceBuffer) -> Self {
        let OperandCl { rank, element, shape, strides, offset, .. } = operand;
        let described = Described { rank: *rank, element: *element, shape, strides };
        Level { memory, offset: *offset, described }
    }

    /// An array, which fills its memory from the first element on.
    pub(super) fn of_array(operand: &'a ArrayOperand, memory: &'a DeviceBuffer) -> Self {
        let ArrayOperand { rank, element, shape, strides, .. } = operand;
        let described = Described { rank: *rank, element: *element, shape, strides };
        Level { memory, offset: 0, described }
    }
}

/// The grids of a run in memory objects. Levels have the indices that `names` has found.
pub(super) fn on_device<'a>(bound: &Bound, names: &Names, levels: &[Option<Level<'a>>]) -> Result<Vec<DeviceGrid<'a>>> {
    let mut grids = Vec::new();
    for (grid, indices) in names.grids.iter().enumerate() {
        check_levels(bound, grid, indices)?;
        let definition = &bound.stencil().grids()[grid];
        let mut slices: Vec<Vec<DeviceSlice<'a>>> = Vec::new();
        slices.resize_with(definition.component_count(), Vec::new);
        let mut layout = None;
        for &index in indices {
            let level = levels[index].as_ref();
            let level = level.ok_or_else(|| wrong(format!("a level of {:?} has no memory", definition.name)))?;
            let location = location(bound, grid, &level.described)?;
            if layout.as_ref().is_some_and(|layout| *layout != location.layout) {
                return Err(wrong(format!("levels of {:?} have different strides", definition.name)));
            }
            let first = size("grids", level.offset)?;
            for (component, offset) in slices.iter_mut().zip(&location.components) {
                component.push(DeviceSlice { buffer: level.memory, offset: first + offset });
            }
            layout = Some(location.layout);
        }
        let layout = layout.ok_or_else(|| wrong(format!("{:?} is missing", definition.name)))?;
        grids.push(DeviceGrid { layout, slices });
    }
    Ok(grids)
}
