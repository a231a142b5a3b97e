//! The choice of a strategy for the host.

use affinimath_core::threads;

use super::tasks::second_cache;
use super::wavefront::{Shape, changing};
use crate::bound::Bound;
use crate::strategy::Strategy;

/// Steps at once that the model looks at.
const STEPS: [usize; 6] = [8, 6, 5, 4, 3, 2];
/// Second caches of all threads below whose size grids are as fast step by step.
const LEAST_CACHES: usize = 4;
/// The part of the second cache that a tile takes.
const TILE_PART: usize = 2;

/// Several steps at once fit a stencil and its sizes.
pub(crate) fn fits(bound: &Bound) -> bool {
    Shape::new(bound).is_some()
}

/// The strategy of the host.
pub(crate) fn strategy(bound: &Bound) -> Strategy {
    choose(bound, second_cache(), threads::available())
}

/// The strategy for some bytes of a core's second cache, and some threads: as many steps as leave tiles no narrower
/// than they shift from the first step to the last.
fn choose(bound: &Bound, cache: usize, threads: usize) -> Strategy {
    let grids = 0..bound.stencil().grids().len();
    let bytes = grids.map(|grid| bytes(bound, grid, usize::MAX)).fold(0, usize::saturating_add);
    let Some(shape) = Shape::new(bound).filter(|_| bytes > (LEAST_CACHES * cache).saturating_mul(threads)) else {
        return Strategy::Naive;
    };
    let rows = (shape.rows.1 - shape.rows.0) as usize;
    for steps in STEPS {
        let phases = steps * bound.stencil().stages().len();
        let shift = (phases - 1) * shape.skew as usize;
        let width = (cache / TILE_PART / row_bytes(bound, &shape, phases).max(1)).min((rows + shift).div_ceil(threads));
        if width > 1 && width >= shift {
            return Strategy::Wavefront { steps, width };
        }
    }
    Strategy::Naive
}

/// Bytes of one row of a tile, on all planes that its phases touch.
fn row_bytes(bound: &Bound, shape: &Shape, phases: usize) -> usize {
    let lag = shape.lag as usize;
    let (planes, changing) = ((phases - 1) * lag + 1, changing(bound.stencil()));
    let each = (0..bound.stencil().grids().len()).map(|grid| {
        let planes = if changing.contains(&grid) { planes + 2 * lag } else { planes };
        bytes(bound, grid, shape.across) * planes
    });
    each.sum()
}

/// Bytes of all levels of a grid, or of the axes before one of them. A grid without that axis and those behind has few.
fn bytes(bound: &Bound, grid: usize, before: usize) -> usize {
    let definition = &bound.stencil().grids()[grid];
    let Ok(layout) = bound.layout(grid) else { return usize::MAX };
    if before < usize::MAX && definition.axes.last().is_none_or(|&last| last < before) {
        return 0;
    }
    let lengths = definition.axes.iter().zip(&layout.lengths).filter(|(axis, _)| **axis < before);
    let points = lengths.fold(1usize, |points, (_, &length)| points.saturating_mul(length));
    points.saturating_mul(definition.kind.bytes() * definition.component_count() * bound.levels(grid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Stencil;

    /// The strategy of an example with 2 MiB of second cache.
    fn chosen(name: &str, kind: &str, n: i64, threads: usize) -> Strategy {
        let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("an example").replace("float", kind);
        let stencil = Stencil::parse(&text).expect("a stencil");
        let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|name| (name, n)).collect();
        choose(&Bound::new(&stencil, &sizes).expect("sizes"), 2 << 20, threads)
    }

    #[test]
    fn the_model_chooses_by_the_cache() {
        assert_eq!(chosen("laplacian", "float", 64, 2), Strategy::Naive);
        assert_eq!(chosen("laplacian", "float", 512, 2), Strategy::Wavefront { steps: 8, width: 25 });
        assert_eq!(chosen("laplacian", "double", 512, 2), Strategy::Wavefront { steps: 8, width: 12 });
        // Narrow tiles shift too far.
        assert_eq!(chosen("laplacian", "float", 512, 128), Strategy::Wavefront { steps: 6, width: 5 });
        assert!(chosen("wave", "float", 512, 2).steps() < 8);
        // A row is as long as the cache.
        assert_eq!(chosen("laplacian", "double", 30_000, 2), Strategy::Naive);
        // Filters follow each step.
        assert_eq!(chosen("fdtd", "double", 10_000, 2), Strategy::Naive);
    }
}
