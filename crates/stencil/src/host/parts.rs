//! Passes on parts of a domain, for programs that exchange what lies between parts themselves.

use std::marker::PhantomData;

use super::lower::value_of;
use super::passes::Machine;
use crate::bound::{Bound, Parameters};
use crate::data::{GridSlices, Layout, Slice};
use crate::definition::{AXES, Boundary, Side};
use crate::error::{Error, Result};
use crate::run::{Colour, Moment, Passes};
use crate::value::Value;

/// A box of points that sweeps compute, and the memory that the other passes set.
#[derive(Clone, Debug)]
pub struct Part {
    bound: Bound,
    owned: Vec<Layout>,
}

/// The passes of several parts on memory that they share.
///
/// Memory may hold a box of a grid's coordinates alone. A face of a part lies where its own memory goes on beyond its
/// points: there passes follow the boundary conditions of the domain.
pub struct Parts<'g> {
    arrays: Vec<Array>,
    machines: Vec<Machine<'g>>,
    parts: &'g [Part],
    grids: PhantomData<&'g mut ()>,
}

/// The memory of a grid: an address by component and slice.
struct Array {
    layout: Layout,
    bytes: usize,
    slices: Vec<Vec<*mut u8>>,
}

impl Part {
    /// The points from `lower` on, of a stencil with its sizes. `owned` has a box for each grid, whose strides do not
    /// matter: passes complete it, and set initial values there.
    ///
    /// # Errors
    /// The box has another number of axes, or no point; boxes of grids are missing.
    pub fn new(bound: &Bound, lower: &[i64], lengths: &[usize], owned: Vec<Layout>) -> Result<Self> {
        let bound = bound.part(lower, lengths)?;
        let (wanted, given) = (bound.stencil().grids().len(), owned.len());
        if wanted != given {
            return Err(Error::new(format!("{wanted} grids are wanted, and memory of {given} is given")));
        }
        Ok(Part { bound, owned })
    }

    /// The first point.
    pub fn lower(&self) -> &[i64] {
        self.bound.lower()
    }

    /// The number of points on each axis.
    pub fn lengths(&self) -> &[usize] {
        self.bound.lengths()
    }

    /// Passes stay within memory of these layouts.
    fn check(&self, layouts: &[&Layout]) -> Result<()> {
        let stencil = self.bound.stencil();
        for (grid, definition) in stencil.grids().iter().enumerate() {
            let (memory, owned, name) = (layouts[grid], &self.owned[grid], &definition.name);
            let axes = definition.axes.len();
            let counts = [&memory.lengths, &owned.lengths].map(Vec::len);
            if counts != [axes; 2] || [&memory.lower, &owned.lower].map(Vec::len) != [axes; 2] {
                return Err(Error::new(format!("the layout of '{name}' has not {axes} axes")));
            }
            for (position, &axis) in definition.axes.iter().enumerate() {
                let end = |layout: &Layout| layout.lower[position] + layout.lengths[position] as i64;
                let (first, last) = (self.lower()[axis], self.lower()[axis] + self.lengths()[axis] as i64 - 1);
                let beyond = [first - owned.lower[position], end(owned) - 1 - last];
                let sides = [Side::Lower, Side::Upper].into_iter().zip(beyond);
                // A condition of a face reads points within, the farthest one as far as the face's own points lie out.
                let inward = sides.clone().map(|(side, beyond)| {
                    let mirrors = (0..definition.component_count()).any(|component| {
                        let boundary = stencil.boundary(grid, component, axis, side);
                        !matches!(boundary, Boundary::Keep | Boundary::Periodic | Boundary::Value(_))
                    });
                    if mirrors { self.bound.reach(grid, axis, side).min(beyond) } else { 0 }
                });
                let inward: Vec<i64> = inward.collect();
                let needed = [
                    (first - self.bound.reach(grid, axis, Side::Lower))
                        .min(owned.lower[position])
                        .min(last - inward[1]),
                    (last + self.bound.reach(grid, axis, Side::Upper)).max(end(owned) - 1).max(first + inward[0]),
                ];
                if beyond.iter().any(|&beyond| beyond < 0)
                    || needed[0] < memory.lower[position]
                    || needed[1] >= end(memory)
                {
                    return Err(Error::new(format!(
                        "the memory of '{name}' is {} .. {} on {}, and a part needs {} .. {}",
                        memory.lower[position],
                        end(memory) - 1,
                        AXES[axis],
                        needed[0],
                        needed[1]
                    )));
                }
            }
        }
        Ok(())
    }
}

impl<'g> Parts<'g> {
    /// Parts of one bound stencil, on memory that holds what their passes need.
    ///
    /// # Errors
    /// Memory does not fit: levels, components, types, lengths, or what taps and boundary conditions reach.
    pub fn new(parts: &'g [Part], grids: &'g mut [GridSlices<'_>], parameters: &'g Parameters) -> Result<Self> {
        if let Some(part) = parts.first() {
            check_slices(&part.bound, grids)?;
        }
        let layouts: Vec<&Layout> = grids.iter().map(|grid| &grid.layout).collect();
        parts.iter().try_for_each(|part| part.check(&layouts))?;
        let machine = |part: &'g Part| {
            let mut machine = Machine::new(&part.bound, grids, parameters);
            machine.layouts.clone_from(&part.owned);
            machine
        };
        let machines = parts.iter().map(machine).collect();
        let arrays = grids.iter_mut().map(|grid| Array {
            layout: grid.layout.clone(),
            bytes: grid.slices.iter().flatten().next().map_or(0, |slice| slice.kind().bytes()),
            slices: grid.slices.iter_mut().map(|levels| levels.iter_mut().map(Slice::start).collect()).collect(),
        });
        Ok(Parts { arrays: arrays.collect(), machines, parts, grids: PhantomData })
    }

    /// The passes of a part. A filter's point that lies outside is another part's.
    pub fn passes(&mut self, part: usize) -> PartPasses<'_, 'g> {
        PartPasses { machine: &mut self.machines[part], part: &self.parts[part] }
    }

    /// The results of the strips of a part's points after a sweep of a stage, by result: row by row, and along the
    /// first axis within a row.
    pub fn strips(&mut self, part: usize, stage: usize) -> Vec<(usize, Vec<Value>)> {
        let partials = self.machines[part].partials(stage).into_iter();
        let values = partials.map(|(reduced, partial)| {
            (reduced.result, partial.into_iter().map(|bits| value_of(bits, reduced.kind)).collect())
        });
        values.collect()
    }

    /// Bytes of an element of a grid.
    pub fn element_bytes(&self, grid: usize) -> usize {
        self.arrays[grid].bytes
    }

    /// Copies the elements of a box of a grid's memory to bytes, the first axis fastest, and returns those behind.
    ///
    /// # Panics
    /// The box, the component or the slice is not in memory, or there are too few bytes.
    pub fn read<'b>(
        &self,
        (grid, component, slot): (usize, usize, usize),
        block: &Layout,
        mut to: &'b mut [u8],
    ) -> &'b mut [u8] {
        let array = &self.arrays[grid];
        let start = array.slices[component][slot].cast_const();
        array.for_each_run(block, |offset, count| {
            let (own, rest) = std::mem::take(&mut to).split_at_mut(count * array.bytes);
            // SAFETY: the run lies in the slice, which is borrowed; no pass is under way.
            unsafe {
                std::ptr::copy_nonoverlapping(start.wrapping_add(offset * array.bytes), own.as_mut_ptr(), own.len())
            };
            to = rest;
        });
        to
    }

    /// Sets the elements of a box of a grid's memory from bytes, and returns those that are left.
    ///
    /// # Panics
    /// The box, the component or the slice is not in memory, or there are too few bytes.
    pub fn write<'b>(
        &mut self,
        (grid, component, slot): (usize, usize, usize),
        block: &Layout,
        mut from: &'b [u8],
    ) -> &'b [u8] {
        let array = &self.arrays[grid];
        let start = array.slices[component][slot];
        array.for_each_run(block, |offset, count| {
            let (own, rest) = from.split_at(count * array.bytes);
            // SAFETY: the run lies in the slice, which is borrowed mutably; no pass is under way.
            unsafe { std::ptr::copy_nonoverlapping(own.as_ptr(), start.wrapping_add(offset * array.bytes), own.len()) };
            from = rest;
        });
        from
    }
}

impl Array {
    /// Calls back for runs of adjacent elements of a box: the first one's index and their number.
    fn for_each_run(&self, block: &Layout, mut visit: impl FnMut(usize, usize)) {
        let last: Vec<i64> = block.lower.iter().zip(&block.lengths).map(|(lower, &n)| lower + n as i64 - 1).collect();
        if block.lengths.contains(&0) {
            return;
        }
        assert!(self.layout.index(&block.lower).is_some() && self.layout.index(&last).is_some(), "a box in memory");
        let is_dense = self.layout.strides[0] == 1;
        let mut rows = block.lengths.clone();
        let run = if is_dense { std::mem::replace(&mut rows[0], 1) } else { 1 };
        crate::data::for_each_point(&block.lower, &rows, |cell| {
            visit(self.layout.index(cell).expect("a cell of the box"), run);
        });
    }
}

/// The passes of one part.
pub struct PartPasses<'p, 'g> {
    machine: &'p mut Machine<'g>,
    part: &'p Part,
}

impl Passes for PartPasses<'_, '_> {
    fn initial(&mut self, rule: usize, time: i32, moment: Moment<'_>) -> Result<()> {
        self.machine.initial(rule, time, moment)
    }

    fn complete(&mut self, grid: usize, time: i32, is_initial: bool, moment: Moment<'_>) -> Result<()> {
        self.machine.complete(grid, time, is_initial, moment)
    }

    fn carry_over(&mut self, grid: usize, moment: Moment<'_>) -> Result<()> {
        self.machine.carry_over(grid, moment)
    }

    fn sweep(&mut self, stage: usize, colour: Option<Colour>, moment: Moment<'_>) -> Result<()> {
        self.machine.sweep(stage, colour, moment)
    }

    fn reduce(&mut self, stage: usize, moment: Moment<'_>) -> Result<()> {
        self.machine.reduce(stage, moment)
    }

    fn filter(&mut self, filter: usize, point: Option<&[i64]>, moment: Moment<'_>) -> Result<()> {
        let sides = self.part.lower().iter().zip(self.part.lengths());
        let is_inside = |point: &[i64]| {
            let mut sides = sides.clone().zip(point);
            sides.all(|((&lower, &length), point)| (lower..lower + length as i64).contains(point))
        };
        if point.is_some_and(|point| !is_inside(point)) {
            return Ok(());
        }
        self.machine.filter(filter, point, moment)
    }

    fn results(&mut self) -> Result<Vec<Option<Value>>> {
        self.machine.results()
    }
}

/// Slices are those that the stencil needs, and as long as their layouts say.
fn check_slices(bound: &Bound, grids: &[GridSlices<'_>]) -> Result<()> {
    let wanted = bound.stencil().grids().len();
    if grids.len() != wanted {
        return Err(Error::new(format!("{wanted} grids are wanted, and {} are given", grids.len())));
    }
    for (grid, data) in grids.iter().enumerate() {
        let definition = &bound.stencil().grids()[grid];
        let (name, components, levels) = (&definition.name, definition.component_count(), bound.levels(grid));
        if data.slices.len() != components || data.slices.iter().any(|slices| slices.len() != levels) {
            return Err(Error::new(format!("'{name}' has {components} components with {levels} levels each")));
        }
        let extent = data.layout.extent().unwrap_or(usize::MAX);
        let fits = |slice: &Slice<'_>| slice.kind() == definition.kind && slice.len() >= extent;
        if !data.layout.is_injective() || !data.slices.iter().flatten().all(fits) {
            return Err(Error::new(format!("'{name}' needs {extent} elements of {}", definition.kind)));
        }
    }
    Ok(())
}
