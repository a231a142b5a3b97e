//! Memory of grids: levels with shapes and strides, in the host's memory or in memory objects.

use affinimath::stencil::{GridSlices, Layout, Plan, Slice, Type};
use affinimath::{Error, Result};
use affinimath_abi::arguments::not_null;

use super::names::{Names, lengths};
use super::{ArrayOperand, code};

fn wrong(reason: String) -> Error {
    Error::argument("operands", reason)
}

/// A level's place in memory: the layout of its components, and the elements from one component to the next.
struct Place {
    layout: Layout,
    components: Vec<usize>,
}

/// What both kinds of operands have.
struct Described<'a> {
    rank: std::ffi::c_int,
    element: std::ffi::c_int,
    shape: &'a [i64; 8],
    strides: &'a [i64; 8],
}

fn place(plan: &Plan, grid: usize, operand: &Described<'_>) -> Result<Place> {
    let stencil = plan.stencil();
    let definition = &stencil.grids()[grid];
    let name = &definition.name;
    if operand.element != code(definition.kind) {
        return Err(wrong(format!("{name:?} is a grid of {}, and an operand has another type", definition.kind)));
    }
    let lengths = lengths(stencil, grid, operand.rank, operand.shape)?;
    let own = plan.layout(grid)?;
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
    Ok(Place { layout, components })
}

/// The number of operands that a grid has is that of its levels.
fn check_levels(plan: &Plan, grid: usize, places: &[usize]) -> Result<()> {
    let (levels, given) = (plan.levels(grid), places.len());
    if given != levels {
        let name = &plan.stencil().grids()[grid].name;
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
    plan: &Plan,
    names: &Names,
    operands: &[(&str, &ArrayOperand)],
) -> Result<Vec<GridSlices<'a>>> {
    let mut layouts = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for (grid, places) in names.grids.iter().enumerate() {
        check_levels(plan, grid, places)?;
        let (layout, own) = parts_of(plan, grid, places, operands)?;
        layouts.push(layout);
        parts.extend(own);
    }
    check_apart(plan, &parts)?;
    let mut parts = parts.into_iter();
    let grids = layouts.into_iter().enumerate().map(|(grid, layout)| {
        let definition = &plan.stencil().grids()[grid];
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
    plan: &Plan,
    grid: usize,
    places: &[usize],
    operands: &[(&str, &ArrayOperand)],
) -> Result<(Layout, Vec<Part>)> {
    let definition = &plan.stencil().grids()[grid];
    let (name, bytes) = (&definition.name, definition.kind.bytes());
    let mut parts = Vec::new();
    let mut layout = None;
    for &index in places {
        let operand = operands[index].1;
        let (shape, strides) = (&operand.shape, &operand.strides);
        let place = place(plan, grid, &Described { rank: operand.rank, element: operand.element, shape, strides })?;
        not_null("operands", operand.data)?;
        if operand.data.addr() % bytes != 0 {
            return Err(wrong(format!("{name:?} is not aligned to its elements")));
        }
        if layout.as_ref().is_some_and(|layout| *layout != place.layout) {
            return Err(wrong(format!("levels of {name:?} have different strides")));
        }
        let extent = place.layout.extent().ok_or_else(|| wrong(format!("{name:?} is beyond the address space")))?;
        for &offset in &place.components {
            let start = operand.data.cast::<u8>().wrapping_add(offset * bytes);
            parts.push(Part { grid, start, extent, bytes });
        }
        layout = Some(place.layout);
    }
    let layout = layout.ok_or_else(|| wrong(format!("{name:?} is missing")))?;
    Ok((layout, parts))
}

/// No two parts share memory.
fn check_apart(plan: &Plan, parts: &[Part]) -> Result<()> {
    let mut sorted: Vec<&Part> = parts.iter().collect();
    sorted.sort_unstable_by_key(|part| part.start.addr());
    let shared = sorted.windows(2).find(|pair| pair[1].start.addr() < pair[0].start.addr() + pair[0].extent * pair[0].bytes);
    let Some(pair) = shared else { return Ok(()) };
    let name = |part: &Part| &plan.stencil().grids()[part.grid].name;
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
