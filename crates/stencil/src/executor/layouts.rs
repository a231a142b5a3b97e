//! Facts about the memory of a run that kernels depend on.

use super::{Launcher, MAX_ALIGNMENT, MAX_NARROW};
use crate::bound::Bound;
use crate::data::Layout;
use crate::lower::{TREE_LEVELS, Variant};
use crate::reduce::STRIP;

/// The element of the domain's first point.
pub(super) fn origin(bound: &Bound, grid: usize, layout: &Layout) -> i64 {
    let axes = &bound.stencil().grids()[grid].axes;
    let distances = axes.iter().zip(&layout.lower).map(|(&axis, &lower)| bound.lower()[axis] - lower);
    layout.offset as i64
        + distances.zip(&layout.strides).map(|(distance, &stride)| distance * stride as i64).sum::<i64>()
}

/// The kernels that memory needs, whose slices begin at elements up to an offset.
pub(crate) fn variant(bound: &Bound, layouts: &[Layout], offset: usize) -> Variant {
    let extents = layouts.iter().map(|layout| layout.extent().unwrap_or(usize::MAX).saturating_add(offset));
    let strips = (bound.points() / bound.lengths()[0]).saturating_mul(bound.lengths()[0].div_ceil(STRIP));
    let largest = extents.chain([bound.points(), strips.saturating_mul(1 << TREE_LEVELS)]).max().unwrap_or(0);
    // A distance of strips and its multiples are indices as well.
    let is_wide = largest >= MAX_NARROW;
    let is_unit = layouts
        .iter()
        .zip(bound.stencil().grids())
        .all(|(layout, grid)| grid.axes[0] != 0 || layout.strides[0] == 1 || layout.lengths[0] == 1);
    Variant { is_wide, is_unit, alignment: 1 }
}

/// The alignment of rows in all grids with x, in elements.
pub(super) fn alignment<L: Launcher>(bound: &Bound, layouts: &[Layout], launcher: &L) -> usize {
    let mut all = MAX_ALIGNMENT;
    let mut align = |elements: usize| {
        while !elements.is_multiple_of(all) {
            all /= 2;
        }
    };
    for (grid, definition) in bound.stencil().grids().iter().enumerate().filter(|(_, grid)| grid.axes[0] == 0) {
        let origin = origin(bound, grid, &layouts[grid]) as usize;
        layouts[grid].strides.iter().skip(1).chain([&origin]).for_each(|&elements| align(elements));
        for component in 0..definition.component_count() {
            (0..bound.levels(grid)).for_each(|slot| align(launcher.offset(grid, component, slot)));
        }
    }
    all
}
