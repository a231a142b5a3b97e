//! Strided maps between the axes of an array and those of its view.

use super::shape::{MAX_RANK, Shape, Strides};

/// The index along one axis of the source: `start + step * i[axis]`, or `start` without an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AxisMap {
    /// The index at the view's first element.
    pub start: usize,
    /// Elements of the source between neighbours in the view; not 0.
    pub step: i64,
    /// The axis of the view that the index follows.
    pub axis: Option<usize>,
}

impl AxisMap {
    /// The same index for all elements of the view.
    pub const fn fixed(start: usize) -> Self {
        AxisMap { start, step: 1, axis: None }
    }

    /// An index that follows an axis of the view.
    pub const fn along(axis: usize) -> Self {
        AxisMap { start: 0, step: 1, axis: Some(axis) }
    }
}

/// A strided map from the indices of a view to those of its source: slices, permutations, reversals, new axes and
/// repetitions are such maps, and so are their compositions.
///
/// There is one [`AxisMap`] for each axis of the source. An axis of the view that none follows repeats the elements.
/// Maps are in one form: an axis of the view whose extent is 0 or 1 is followed by none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ViewMap {
    axes: Vec<AxisMap>,
}

impl ViewMap {
    /// A map to a view of the shape.
    pub(crate) fn new(mut axes: Vec<AxisMap>, view: &Shape) -> Self {
        for map in &mut axes {
            if map.axis.is_some_and(|axis| view[axis] <= 1) {
                *map = AxisMap::fixed(map.start);
            }
        }
        ViewMap { axes }
    }

    /// One map for each axis of the source.
    pub fn axes(&self) -> &[AxisMap] {
        &self.axes
    }

    /// The repetition of an array, aligned at the last axes. `from` must broadcast to `to`.
    pub fn broadcast(from: &Shape, to: &Shape) -> Self {
        let missing = to.rank() - from.rank();
        let axes = from.iter().enumerate().map(|(axis, &extent)| match extent {
            1 => AxisMap::fixed(0),
            _ => AxisMap::along(axis + missing),
        });
        ViewMap::new(axes.collect(), to)
    }

    /// True if it changes nothing: the view of the source has the same shape and elements.
    pub fn is_identity(&self, source: &Shape, view: &Shape) -> bool {
        source == view
            && self
                .axes
                .iter()
                .enumerate()
                .all(|(axis, map)| map.start == 0 && map.step == 1 && (map.axis == Some(axis) || source[axis] <= 1))
    }

    /// The map to a view of the shape, which `outer` takes from the view that this map gives.
    #[must_use]
    pub fn then(&self, outer: &ViewMap, view: &Shape) -> ViewMap {
        let axes = self.axes.iter().map(|inner| {
            let Some(middle) = inner.axis else { return *inner };
            let outer = outer.axes[middle];
            let start = (inner.start as i64 + inner.step * outer.start as i64) as usize;
            match outer.axis {
                None => AxisMap::fixed(start),
                Some(axis) => AxisMap { start, step: inner.step * outer.step, axis: Some(axis) },
            }
        });
        ViewMap::new(axes.collect(), view)
    }

    /// Offset and strides of a view of `rank` axes of memory with this offset and these strides.
    pub fn strided(&self, offset: usize, strides: &Strides, rank: usize) -> (usize, Strides) {
        let (mut first, mut result) = (offset as i64, [0i64; MAX_RANK]);
        for (map, &stride) in self.axes.iter().zip(strides.iter()) {
            first += map.start as i64 * stride;
            if let Some(axis) = map.axis {
                result[axis] += map.step * stride;
            }
        }
        let strides = Strides::new(&result[..rank]).expect("a view has at most as many axes as a shape can have");
        (first as usize, strides)
    }
}
