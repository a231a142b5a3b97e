//! Runs of devices that share the host's memory: memory objects over the caller's elements, without a copy.

use std::sync::Arc;

use affinimath_opencl::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Queue};

use crate::bound::Bound;
use crate::data::{GridSlices, Layout, Slice};
use crate::device::{DeviceGrid, DeviceSlice};
use crate::error::{Error, Result};

/// The device reads and writes the host's memory, and rows along x have no gaps between their points: sparse rows are
/// worth a copy.
pub(crate) fn is_shared(context: &Arc<DeviceContext>, bound: &Bound, grids: &[GridSlices<'_>]) -> bool {
    let has_rows = grids.iter().zip(bound.stencil().grids()).all(|(data, grid)| {
        let layout = &data.layout;
        grid.axes[0] != 0 || layout.strides[0] == 1 || layout.lengths[0] == 1
    });
    has_rows && context.transfers().zero_copy
}

/// Memory objects over grids that a caller lends for a run.
pub(crate) struct SharedGrids {
    layouts: Vec<Layout>,
    /// `[grid][component][level]`
    buffers: Vec<Vec<Vec<DeviceBuffer>>>,
}

impl SharedGrids {
    /// # Safety
    /// The grids stay borrowed until every command on the memory objects is done.
    pub(crate) unsafe fn new(context: &Arc<DeviceContext>, grids: &mut [GridSlices<'_>]) -> Result<Self> {
        let (mut layouts, mut buffers) = (Vec::new(), Vec::new());
        for data in grids {
            let extent = data.layout.extent().unwrap_or(usize::MAX);
            let buffer = |slice: &mut Slice<'_>| {
                let bytes = slice.kind().bytes().saturating_mul(extent.min(slice.len()));
                let start = slice.start().cast();
                // SAFETY: the slice has as many elements, which this function's caller keeps borrowed.
                unsafe { DeviceBuffer::over_host_memory(context, start, bytes) }.map_err(Error::device)
            };
            let component = |levels: &mut Vec<Slice<'_>>| levels.iter_mut().map(buffer).collect::<Result<Vec<_>>>();
            buffers.push(data.slices.iter_mut().map(component).collect::<Result<Vec<_>>>()?);
            layouts.push(data.layout.clone());
        }
        Ok(SharedGrids { layouts, buffers })
    }

    /// The grids for a run.
    pub(crate) fn grids(&self) -> Vec<DeviceGrid<'_>> {
        let slice = |buffer| DeviceSlice { buffer, offset: 0 };
        let each = self.layouts.iter().zip(&self.buffers).map(|(layout, components)| DeviceGrid {
            layout: layout.clone(),
            slices: components.iter().map(|levels| levels.iter().map(slice).collect()).collect(),
        });
        each.collect()
    }

    /// Makes what a run wrote visible to the host. OpenCL has a read for it, which copies nothing: the memory is the
    /// object's own.
    pub(crate) fn give_back(&self, queue: &Queue, grids: &mut [GridSlices<'_>], changed: &[bool]) -> Result<()> {
        for (grid, data) in grids.iter_mut().enumerate().filter(|(grid, _)| changed[*grid]) {
            let slices = data.slices.iter_mut().flatten();
            for (slice, buffer) in slices.zip(self.buffers[grid].iter().flatten()) {
                read(buffer, queue, slice)?;
            }
        }
        Ok(())
    }
}

fn read(buffer: &DeviceBuffer, queue: &Queue, slice: &mut Slice<'_>) -> Result<()> {
    let elements = buffer.bytes() / slice.kind().bytes();
    let read = match slice {
        Slice::I32(slice) => buffer.read(queue, &mut slice[..elements]),
        Slice::I64(slice) => buffer.read(queue, &mut slice[..elements]),
        Slice::F32(slice) => buffer.read(queue, &mut slice[..elements]),
        Slice::F64(slice) => buffer.read(queue, &mut slice[..elements]),
    };
    read.map_err(Error::device)
}
