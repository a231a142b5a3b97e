//! Grids in a plan's own memory: padded rows, and copies from and to the host in any layout.

use affinimath_core::scalar::Element;
use affinimath_opencl::context::{BufferParts, DeviceBuffer, Queue};

use crate::bound::Bound;
use crate::data::{Field, GridSlices, Layout, Slice, for_each_point};
use crate::definition::Type;
use crate::device::{DeviceGrid, DeviceSlice};
use crate::error::{Error, Result};
use crate::plan::{Plan, Target};
use crate::value::Value;

/// The alignment of rows in padded grids, in bytes.
const ROW_BYTES: usize = 128;

/// The grids of a plan, in the memory of its target.
#[derive(Debug)]
pub struct Grids {
    layouts: Vec<Layout>,
    kinds: Vec<Type>,
    /// Slices from the oldest level to the newest, by grid.
    order: Vec<Vec<usize>>,
    written: Vec<bool>,
    pub(crate) memory: Memory,
}

/// Memory of grids.
#[derive(Debug)]
pub(crate) enum Memory {
    Host(Vec<Field>),
    /// `[grid][component][slot]`
    Device(Vec<Vec<Vec<DeviceBuffer>>>),
}

/// A layout of the same points with padded rows: the domain's first point of each row begins a multiple of 128 bytes.
///
/// # Errors
/// The memory is beyond the address space.
pub(crate) fn padded(bound: &Bound, grid: usize, mut layout: Layout) -> Result<Layout> {
    let definition = &bound.stencil().grids()[grid];
    layout = Layout::contiguous(layout.lower, layout.lengths);
    if definition.axes[0] == 0 {
        let row = ROW_BYTES / definition.kind.bytes();
        let before = (bound.lower()[0] - layout.lower[0]) as usize;
        layout.offset = (row - before % row) % row;
        let mut stride = layout.lengths[0].div_ceil(row).saturating_mul(row);
        for (own, &length) in layout.strides.iter_mut().zip(&layout.lengths).skip(1) {
            *own = stride;
            stride = stride.saturating_mul(length);
        }
    }
    match layout.extent() {
        Some(_) => Ok(layout),
        None => Err(Error::new(format!("the memory of '{}' is beyond the address space", definition.name))),
    }
}

impl Grids {
    /// Grids of zeros with the points of some layouts.
    pub(crate) fn new(plan: &Plan, layouts: &[Layout]) -> Result<Self> {
        let bound = plan.bound();
        let definitions = bound.stencil().grids();
        let layouts = layouts.iter().enumerate().map(|(grid, layout)| padded(bound, grid, layout.clone()));
        let layouts = layouts.collect::<Result<Vec<_>>>()?;
        let memory = match plan.target() {
            Target::Host => {
                let field = |(grid, layout): (usize, &Layout)| {
                    let definition = &definitions[grid];
                    Field::zeros(definition.kind, layout.clone(), definition.component_count(), bound.levels(grid))
                };
                Memory::Host(layouts.iter().enumerate().map(field).collect::<Result<_>>()?)
            }
            Target::Device(context) => {
                let slices = |(grid, layout): (usize, &Layout)| {
                    let bytes = layout.extent().unwrap_or(usize::MAX).saturating_mul(definitions[grid].kind.bytes());
                    let level = || DeviceBuffer::zeros(context, bytes, "a grid of a stencil").map_err(Error::device);
                    let component = || (0..bound.levels(grid)).map(|_| level()).collect::<Result<Vec<_>>>();
                    (0..definitions[grid].component_count()).map(|_| component()).collect::<Result<Vec<_>>>()
                };
                Memory::Device(layouts.iter().enumerate().map(slices).collect::<Result<_>>()?)
            }
        };
        Ok(Grids {
            kinds: definitions.iter().map(|definition| definition.kind).collect(),
            order: (0..definitions.len()).map(|grid| (0..bound.levels(grid)).collect()).collect(),
            written: bound.facts().grids.iter().map(|facts| facts.is_written).collect(),
            layouts,
            memory,
        })
    }

    /// The memory's layout of a grid.
    pub fn layout(&self, grid: usize) -> &Layout {
        &self.layouts[grid]
    }

    /// The index of the newest level between runs: the last but one of grids that steps assign with several levels.
    pub fn newest(&self, grid: usize) -> usize {
        let levels = self.order[grid].len();
        if self.written[grid] && levels > 1 { levels - 2 } else { levels - 1 }
    }

    /// Copies all levels of all grids from the host's memory.
    pub(crate) fn upload_all(&mut self, grids: &[GridSlices<'_>]) -> Result<()> {
        for (grid, data) in grids.iter().enumerate() {
            for (component, levels) in data.slices.iter().enumerate() {
                for (level, slice) in levels.iter().enumerate() {
                    self.upload(grid, component, level, &data.layout, slice)?;
                }
            }
        }
        Ok(())
    }

    /// Copies all levels of some grids to the host's memory.
    pub(crate) fn download_all(&mut self, grids: &mut [GridSlices<'_>], wanted: &[bool]) -> Result<()> {
        for (grid, data) in grids.iter_mut().enumerate().filter(|(grid, _)| wanted[*grid]) {
            for (component, levels) in data.slices.iter_mut().enumerate() {
                for (level, slice) in levels.iter_mut().enumerate() {
                    self.download(grid, component, level, &data.layout, slice)?;
                }
            }
        }
        Ok(())
    }

    /// The levels after some steps are those of the next run, from the oldest to the newest.
    pub(crate) fn rotate(&mut self, bound: &Bound, steps: u64) {
        for grid in 0..self.order.len() {
            let levels = self.order[grid].len();
            if !bound.facts().grids[grid].is_written {
                continue;
            }
            let by = (steps % levels as u64) as usize;
            self.order[grid].rotate_left(by);
            if let Memory::Host(fields) = &mut self.memory {
                fields[grid].rotate(by);
            }
        }
    }

    /// Grids of this plan's shape.
    pub(crate) fn fit(&self, plan: &Plan) -> Result<()> {
        let bound = plan.bound();
        let definitions = bound.stencil().grids();
        let is_alike = definitions.len() == self.layouts.len()
            && (0..definitions.len()).all(|grid| {
                bound.layout(grid).and_then(|layout| padded(bound, grid, layout)).ok().as_ref()
                    == Some(&self.layouts[grid])
                    && definitions[grid].kind == self.kinds[grid]
                    && bound.levels(grid) == self.order[grid].len()
            });
        let is_near = match (&self.memory, plan.target()) {
            (Memory::Host(_), Target::Host) => true,
            (Memory::Device(grids), Target::Device(context)) => {
                let mut buffers = grids.iter().flatten().flatten();
                buffers.all(|buffer| std::sync::Arc::ptr_eq(buffer.context(), context))
            }
            _ => false,
        };
        if is_alike && is_near { Ok(()) } else { Err(Error::new("the grids are those of another plan")) }
    }

    /// The slices of a device's grids.
    pub(crate) fn slices(&self) -> Vec<DeviceGrid<'_>> {
        let Memory::Device(grids) = &self.memory else { return Vec::new() };
        let each = grids.iter().enumerate().map(|(grid, components)| {
            let slices = components.iter().map(|levels| {
                self.order[grid].iter().map(|&slot| DeviceSlice { buffer: &levels[slot], offset: 0 }).collect()
            });
            DeviceGrid { layout: self.layouts[grid].clone(), slices: slices.collect() }
        });
        each.collect()
    }

    /// Copies all points of a level from the host's memory, which has a layout of its own.
    ///
    /// # Errors
    /// The layout does not hold the grid's points, the slice is too short or of another type, or the device fails.
    pub fn upload(
        &mut self,
        grid: usize,
        component: usize,
        level: usize,
        layout: &Layout,
        from: &Slice<'_>,
    ) -> Result<()> {
        self.check(grid, component, level, layout, from)?;
        let own = &self.layouts[grid];
        match &mut self.memory {
            Memory::Host(fields) => {
                let mut slices = fields[grid].slices();
                copy(own, &mut slices.slices[component][level], layout, from);
                Ok(())
            }
            Memory::Device(grids) => {
                let buffer = &grids[grid][component][self.order[grid][level]];
                match from {
                    Slice::I32(from) => write(buffer, own, layout, from),
                    Slice::I64(from) => write(buffer, own, layout, from),
                    Slice::F32(from) => write(buffer, own, layout, from),
                    Slice::F64(from) => write(buffer, own, layout, from),
                }
            }
        }
    }

    /// Copies all points of a level to the host's memory, which has a layout of its own.
    ///
    /// # Errors
    /// Those of [`Grids::upload`].
    pub fn download(
        &mut self,
        grid: usize,
        component: usize,
        level: usize,
        layout: &Layout,
        to: &mut Slice<'_>,
    ) -> Result<()> {
        self.check(grid, component, level, layout, to)?;
        let own = &self.layouts[grid];
        match &mut self.memory {
            Memory::Host(fields) => {
                let slices = fields[grid].slices();
                copy_from(own, &slices.slices[component][level], layout, to);
                Ok(())
            }
            Memory::Device(grids) => {
                let buffer = &grids[grid][component][self.order[grid][level]];
                match to {
                    Slice::I32(to) => read(buffer, own, layout, to),
                    Slice::I64(to) => read(buffer, own, layout, to),
                    Slice::F32(to) => read(buffer, own, layout, to),
                    Slice::F64(to) => read(buffer, own, layout, to),
                }
            }
        }
    }

    /// The values of a level at some points.
    ///
    /// # Errors
    /// A point is not in memory, there is no such level, or the device fails.
    pub fn values_at(
        &mut self,
        grid: usize,
        component: usize,
        level: usize,
        points: &[Vec<i64>],
    ) -> Result<Vec<Value>> {
        self.check_level(grid, component, level)?;
        let (own, kind) = (&self.layouts[grid], self.kinds[grid]);
        let index = |point: &Vec<i64>| {
            let is_alike = point.len() == own.lengths.len();
            let index = if is_alike { own.index(point) } else { None };
            index.ok_or_else(|| Error::new(format!("the point {point:?} is not in memory")))
        };
        let indices = points.iter().map(index).collect::<Result<Vec<usize>>>()?;
        match &mut self.memory {
            Memory::Host(fields) => {
                let slices = fields[grid].slices();
                let slice = &slices.slices[component][level];
                Ok(indices.into_iter().map(|index| slice.get(index)).collect())
            }
            Memory::Device(grids) => {
                let buffer = &grids[grid][component][self.order[grid][level]];
                let queue = queue_of(buffer)?;
                let read = |index: usize| match kind {
                    Type::I64 => element(buffer, &queue, index).map(Value::I64),
                    Type::F32 => element(buffer, &queue, index).map(Value::F32),
                    Type::F64 => element(buffer, &queue, index).map(Value::F64),
                    Type::I32 | Type::Bool => element(buffer, &queue, index).map(Value::I32),
                };
                indices.into_iter().map(read).collect()
            }
        }
    }

    fn check_level(&self, grid: usize, component: usize, level: usize) -> Result<()> {
        let components = match &self.memory {
            Memory::Host(fields) => fields.get(grid).map(Field::components),
            Memory::Device(grids) => grids.get(grid).map(Vec::len),
        };
        let levels = self.order.get(grid).map_or(0, Vec::len);
        if components.is_none_or(|count| component >= count) || level >= levels {
            return Err(Error::new(format!("there is no level {level} of component {component} of grid {grid}")));
        }
        Ok(())
    }

    fn check(&self, grid: usize, component: usize, level: usize, layout: &Layout, slice: &Slice<'_>) -> Result<()> {
        self.check_level(grid, component, level)?;
        let own = &self.layouts[grid];
        let axes = own.lengths.len();
        if [layout.lower.len(), layout.lengths.len(), layout.strides.len()] != [axes; 3] {
            return Err(Error::new(format!("the layout has not {axes} axes")));
        }
        if (layout.lower != own.lower) || (layout.lengths != own.lengths) {
            return Err(Error::new("the layout has other coordinates than the grid"));
        }
        if slice.kind() != self.kinds[grid] {
            let (wanted, given) = (self.kinds[grid], slice.kind());
            return Err(Error::new(format!("the grid is of {wanted}, and a slice of {given} is given")));
        }
        let extent = layout.extent().unwrap_or(usize::MAX);
        if slice.len() < extent {
            return Err(Error::new(format!("the layout needs {extent} elements, and a slice has {}", slice.len())));
        }
        Ok(())
    }
}

/// Copies points between two layouts with the same coordinates.
fn copied<T: Copy>(to: &Layout, target: &mut [T], from: &Layout, source: &[T]) {
    let rest = (&to.lower[1..], &to.lengths[1..]);
    let mut row = |cell: &[i64]| {
        let first: Vec<i64> = [&to.lower[..1], cell].concat();
        let (Some(own), Some(other)) = (to.index(&first), from.index(&first)) else { return };
        let length = to.lengths[0];
        if to.strides[0] == 1 && from.strides[0] == 1 {
            target[own..own + length].copy_from_slice(&source[other..other + length]);
            return;
        }
        for x in 0..length {
            target[own + x * to.strides[0]] = source[other + x * from.strides[0]];
        }
    };
    if rest.0.is_empty() { row(&[]) } else { for_each_point(rest.0, rest.1, row) }
}

fn copy(to: &Layout, target: &mut Slice<'_>, from: &Layout, source: &Slice<'_>) {
    match (target, source) {
        (Slice::I32(target), Slice::I32(source)) => copied(to, target, from, source),
        (Slice::I64(target), Slice::I64(source)) => copied(to, target, from, source),
        (Slice::F32(target), Slice::F32(source)) => copied(to, target, from, source),
        (Slice::F64(target), Slice::F64(source)) => copied(to, target, from, source),
        (target, source) => unreachable!("a slice of {} from one of {}", target.kind(), source.kind()),
    }
}

fn copy_from(own: &Layout, source: &Slice<'_>, to: &Layout, target: &mut Slice<'_>) {
    copy(to, target, own, source);
}

fn queue_of(buffer: &DeviceBuffer) -> Result<Queue> {
    Queue::new(buffer.context()).map_err(Error::device)
}

fn write<T: Element>(buffer: &DeviceBuffer, own: &Layout, layout: &Layout, from: &[T]) -> Result<()> {
    let queue = queue_of(buffer)?;
    let mut staged = staging(own)?;
    copied(own, &mut staged, layout, from);
    buffer.write(&queue, &staged).map_err(Error::device)
}

fn read<T: Element>(buffer: &DeviceBuffer, own: &Layout, layout: &Layout, to: &mut [T]) -> Result<()> {
    let queue = queue_of(buffer)?;
    let mut staged = staging(own)?;
    buffer.read(&queue, &mut staged).map_err(Error::device)?;
    copied(layout, to, own, &staged);
    Ok(())
}

/// One element of a buffer.
fn element<T: Element>(buffer: &DeviceBuffer, queue: &Queue, index: usize) -> Result<T> {
    let mut value = [T::default()];
    buffer.read_at(queue, index, &mut value).map_err(Error::device)?;
    Ok(value[0])
}

/// Elements of a slice on their way.
fn staging<T: Element>(own: &Layout) -> Result<Vec<T>> {
    let extent = own.extent().unwrap_or(usize::MAX);
    let mut staged = Vec::new();
    let reserved = staged.try_reserve_exact(extent);
    reserved.map_err(|_| Error::new(format!("a copy of {extent} elements is beyond the memory")))?;
    staged.resize(extent, T::default());
    Ok(staged)
}
