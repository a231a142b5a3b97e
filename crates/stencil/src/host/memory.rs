//! Addresses of grids during a run.

use crate::data::{GridSlices, Slice};
use crate::definition::{MAX_AXES, Stencil};
use crate::run::Levels;

use super::lower::{Access, Bounds};

/// The memory of one grid.
struct Grid {
    bytes: usize,
    bounds: Bounds,
    /// Elements from a coordinate to the next on the stencil's axes; 0 on those that the grid has not.
    strides: [isize; MAX_AXES],
    /// The element of the coordinates 0, which may lie outside.
    origin: isize,
    /// The first elements, by component and slice.
    slices: Vec<Vec<*mut u8>>,
}

/// The memory of all grids, borrowed for a run.
pub(super) struct Memory {
    grids: Vec<Grid>,
    bytes: usize,
}

// SAFETY: passes access elements through raw pointers alone; tasks of a pass write different elements, and read none
// that another task writes.
unsafe impl Sync for Memory {}

/// An access with addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    /// The address for the point at the coordinates 0, which may lie outside.
    origin: *mut u8,
    /// Bytes from a point to the next on each axis.
    pub(super) strides: [isize; MAX_AXES],
    /// The first point and the number of points of which the access is within memory.
    bounds: Bounds,
    has_axis: [bool; MAX_AXES],
    /// Axes up to the last one that the grid has.
    axes: usize,
}

impl Memory {
    /// The memory of grids that were checked.
    pub(super) fn new(stencil: &Stencil, grids: &mut [GridSlices<'_>]) -> Self {
        let mut bytes = 0;
        let each = grids.iter_mut().zip(stencil.grids()).map(|(data, definition)| {
            let mut grid = Grid {
                bytes: definition.kind.bytes(),
                bounds: [(0, 0); MAX_AXES],
                strides: [0; MAX_AXES],
                origin: data.layout.offset as isize,
                slices: Vec::new(),
            };
            for (position, &axis) in definition.axes.iter().enumerate() {
                let layout = &data.layout;
                grid.bounds[axis] = (layout.lower[position], layout.lengths[position] as i64);
                // A stride of an axis with one coordinate may be any number.
                grid.strides[axis] = layout.strides[position] as isize;
                let first = (layout.lower[position] as isize).wrapping_mul(grid.strides[axis]);
                grid.origin = grid.origin.wrapping_sub(first);
            }
            grid.slices = data.slices.iter_mut().map(|levels| levels.iter_mut().map(Slice::start).collect()).collect();
            bytes += data.layout.points() * grid.bytes * grid.slices.iter().map(Vec::len).sum::<usize>();
            grid
        });
        let grids = each.collect();
        Memory { grids, bytes }
    }

    /// Bytes of all levels of all grids.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory of each grid.
    pub(super) fn bounds(&self) -> Vec<Bounds> {
        self.grids.iter().map(|grid| grid.bounds).collect()
    }

    /// Elements from a point to the next on an axis.
    pub(super) fn stride(&self, grid: usize, axis: usize) -> isize {
        self.grids[grid].strides[axis]
    }

    /// Rows along an axis begin at the same place of a line of the cache.
    pub(super) fn has_whole_lines(&self, grid: usize, axis: usize) -> bool {
        let grid = &self.grids[grid];
        (0..MAX_AXES).all(|other| other == axis || (grid.strides[other] * grid.bytes as isize) % 64 == 0)
    }

    pub(super) fn bind(&self, access: &Access, levels: &Levels) -> Binding {
        let grid = &self.grids[access.grid];
        let slice = grid.slices[access.component][levels.slot(access.grid, access.time)];
        let bytes = grid.bytes as isize;
        let (mut origin, mut bounds) = (grid.origin, grid.bounds);
        let mut has_axis = [false; MAX_AXES];
        for axis in 0..MAX_AXES {
            let offset = access.offsets[axis];
            origin = origin.wrapping_add((offset as isize).wrapping_mul(grid.strides[axis]));
            has_axis[axis] = bounds[axis].1 > 0;
            bounds[axis].0 -= i64::from(offset);
        }
        let strides = grid.strides.map(|stride| stride.wrapping_mul(bytes));
        let axes = has_axis.iter().rposition(|&has_axis| has_axis).map_or(0, |last| last + 1);
        Binding { origin: slice.wrapping_offset(origin.wrapping_mul(bytes)), strides, bounds, has_axis, axes }
    }
}

impl Binding {
    /// The address for a point; within memory if the access is there.
    #[inline]
    pub(super) fn address(&self, cell: &[i64; MAX_AXES]) -> *mut u8 {
        let mut offset = 0isize;
        for (&coordinate, &stride) in cell.iter().zip(&self.strides).take(self.axes) {
            offset = offset.wrapping_add((coordinate as isize).wrapping_mul(stride));
        }
        self.origin.wrapping_offset(offset)
    }

    /// The access is within memory.
    pub(super) fn is_inside(&self, cell: &[i64; MAX_AXES]) -> bool {
        (0..MAX_AXES).all(|axis| {
            let (first, count) = self.bounds[axis];
            !self.has_axis[axis] || (cell[axis] >= first && cell[axis] - first < count)
        })
    }
}
