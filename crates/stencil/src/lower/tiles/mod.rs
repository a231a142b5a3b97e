//! Tiles of groups that walk along the last axis: through one step, or through several, one behind the other.
//!
//! ```text
//!   stream        columns of neighbours in registers, each element loaded once from memory on the way
//!   stream-local  own columns in registers, neighbours in x and y through local memory
//!   overlap       step s of plane p, while step s - 1 is some planes ahead; neighbours through local memory
//! ```

mod local;
mod overlap;
mod rims;
mod shape;
mod stream;

use affinimath_array::lower::operations::V;
use affinimath_kernel::dynamic::{BinaryOp, Query};

use super::generator::Generator;
use super::{Abilities, Form};
use crate::bound::Bound;
use crate::definition::Sweep;
use crate::strategy::Tile;

/// The most groups in the second and the third dimension.
const MAX_GROUPS: usize = 65_535;

/// A stage's sweep fits a strategy of tiles.
pub(crate) fn streams(bound: &Bound, device: Abilities, stage: usize, tile: Tile) -> bool {
    let stencil = bound.stencil();
    device.form == Form::Points
        && matches!(stencil.dimension(), 2 | 3)
        && stencil.stages()[stage].sweep == Sweep::Jacobi
        && (stencil.dimension() == 3 || tile.items[1] * tile.points[1] == 1)
        && matches!(tile.points[0], 1 | 2 | 4)
        && (stencil.dimension() == 2 || bound.lengths()[1] >= tile.points[1])
        && groups(bound, tile, [0; 2]).is_some()
}

/// A stage's sweep fits tiles in local memory: it reads neighbours on x or y, and whole tiles fit the domain.
pub(crate) fn streams_locally(bound: &Bound, device: Abilities, stage: usize, tile: Tile) -> bool {
    let shared = local::shared_fields(bound.stencil(), stage);
    let bytes = shared.iter().map(|field| field.bytes(tile)).fold(0, usize::saturating_add);
    let across = 0..bound.stencil().dimension().saturating_sub(1);
    streams(bound, device, stage, tile)
        && !shared.is_empty()
        && bytes <= device.local_bytes
        && tile.items[0] * tile.items[1] <= device.max_items
        && across.into_iter().all(|axis| bound.lengths()[axis] >= tile.items[axis] * tile.points[axis])
}

/// Several steps of a stencil fit tiles.
pub(crate) fn overlaps(bound: &Bound, device: Abilities, steps: usize, tile: Tile) -> bool {
    let has_shape = || {
        let shape = shape::Shape::new(bound, tile)?;
        let rims = shape.rims(steps);
        (shape.local_bytes(steps) <= device.local_bytes).then_some(())?;
        groups(bound, tile, [rims[0][0] + rims[0][1], rims[1][0] + rims[1][1]])
    };
    device.form == Form::Points
        && tile.items[0] * tile.items[1] <= device.max_items
        && matches!(bound.stencil().dimension(), 2 | 3)
        && (bound.stencil().dimension() == 3 || tile.items[1] * tile.points[1] == 1)
        && has_shape().is_some()
}

/// Groups of a launch for several steps.
pub(crate) fn overlap_groups(bound: &Bound, steps: usize, tile: Tile) -> Option<[usize; 3]> {
    let rims = shape::Shape::new(bound, tile)?.rims(steps);
    groups(bound, tile, [rims[0][0] + rims[0][1], rims[1][0] + rims[1][1]])
}

/// Groups of a launch for one step.
pub(crate) fn stream_groups(bound: &Bound, tile: Tile) -> Option<[usize; 3]> {
    groups(bound, tile, [0; 2])
}

/// Levels of a component that a step reads, in all grids that it assigns, and in which of them.
pub(crate) fn read_levels(bound: &Bound) -> Vec<(usize, usize)> {
    let grids = bound.stencil().assigned_in(0);
    grids.into_iter().map(|grid| (grid, bound.levels(grid) - 1)).collect()
}

/// Groups of tiles that have points within rims; none if there are too many, or no such points.
fn groups(bound: &Bound, tile: Tile, rims: [usize; 2]) -> Option<[usize; 3]> {
    let dimension = bound.stencil().dimension();
    let mut groups = [1; 3];
    for axis in 0..dimension - 1 {
        let width = (tile.items[axis] * tile.points[axis]).checked_sub(rims[axis])?;
        (width > 0).then_some(())?;
        groups[axis] = bound.lengths()[axis].div_ceil(width);
    }
    groups[dimension - 1] = bound.lengths()[dimension - 1].div_ceil(tile.planes);
    (groups[1].max(groups[2]) <= MAX_GROUPS).then_some(groups)
}

impl<'k> Generator<'_, 'k> {
    /// A position in the launch, of the type of indices.
    pub(super) fn query_index(&self, query: Query, dimension: usize) -> V<'k> {
        self.e.convert(self.e.query(query, dimension), self.index_type())
    }

    /// The lesser of two indices.
    pub(super) fn min(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.select(self.less(a, b), a, b)
    }

    /// The greater of two indices.
    pub(super) fn max(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.select(self.less(a, b), b, a)
    }

    pub(super) fn equal(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Eq, a, b)
    }

    fn either(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Or, a, b)
    }

    /// A distance of `steps` along one of a grid's axes, as a distance of elements; none where it is 0.
    fn distance(&self, grid: usize, axis: usize, steps: i64) -> Option<V<'k>> {
        (steps != 0).then(|| self.scaled(grid, axis, self.index(steps)))
    }

    /// A number of steps along one of a grid's axes, as a number of elements.
    fn scaled(&self, grid: usize, axis: usize, steps: V<'k>) -> V<'k> {
        let axes = &self.stencil().grids()[grid].axes;
        let position = axes.iter().position(|&own| own == axis).expect("an axis of the grid");
        self.stride(grid, position).map_or(steps, |stride| self.multiply(steps, stride))
    }
}
