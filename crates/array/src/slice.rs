//! Slices of arrays, with NumPy's meaning of negative indices and steps.

use super::error::ErrorKind;
use super::shape::Shape;
use super::view::{AxisMap, ViewMap};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// The part of one axis that a view takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slice {
    /// One index; the axis disappears. Negative ones count from the end. One outside the axis is an error.
    Index(i64),
    /// Indices from `start` to before `end`, `step` apart. Negative bounds count from the end; bounds outside the axis
    /// are moved to its ends. A negative step walks down from `start`.
    Range {
        /// The first index; without it the first element, of a negative step the last one.
        start: Option<i64>,
        /// The index that is not reached; without it all are taken.
        end: Option<i64>,
        /// Elements between neighbours; not 0.
        step: i64,
    },
    /// A new axis of extent 1.
    NewAxis,
    /// Whole axes, as many as the other slices leave. Without it they stand at the end.
    Ellipsis,
}

/// A new axis of extent 1, for [`s!`](crate::s).
pub use Slice::NewAxis;

/// Whole axes, as many as the other slices leave, for [`s!`](crate::s).
pub use Slice::Ellipsis;

impl Slice {
    /// The whole axis.
    pub const FULL: Slice = Slice::Range { start: None, end: None, step: 1 };

    /// The range with another step: `..` by 2 is every second element, `..` by -1 the reverse. Other slices stay.
    #[must_use]
    pub const fn by(self, step: i64) -> Slice {
        match self {
            Slice::Range { start, end, .. } => Slice::Range { start, end, step },
            other => other,
        }
    }
}

/// A list of slices, one for each axis: `s![1..-1, .., ..;2, ..;-1, 3, NewAxis]`.
///
/// | slice | elements |
/// |---|---|
/// | `3`, `-1` | one index; the axis disappears |
/// | `1..-1` | all but the first and the last |
/// | `..;2` | every second one |
/// | `..;-1` | all, in reverse |
/// | `NewAxis` | a new axis of extent 1 |
/// | `Ellipsis` | whole axes, as many as are left |
///
/// ```
/// use affinimath_array::slice::{NewAxis, Slice};
/// use affinimath_array::s;
///
/// let n = 10usize;
/// let list = s![1..-1, ..n;2, -1, NewAxis];
/// assert_eq!(list[0], Slice::Range { start: Some(1), end: Some(-1), step: 1 });
/// assert_eq!(list[1], Slice::Range { start: None, end: Some(10), step: 2 });
/// assert_eq!(list[2], Slice::Index(-1));
/// assert_eq!(list[3], NewAxis);
/// ```
#[macro_export]
macro_rules! s {
    ($($slice:expr $(; $step:expr)?),* $(,)?) => {{
        // The range from 1 to -1 is not empty here.
        #[allow(clippy::reversed_empty_ranges)]
        let slices = [$($crate::slice::Slice::from($slice)$(.by(($step) as i64))?),*];
        slices
    }};
}

/// The map of a view, and its shape.
pub fn view(shape: &Shape, slices: &[Slice]) -> Result<(ViewMap, Shape), ErrorKind> {
    let rank = shape.rank();
    let count = slices.iter().filter(|slice| matches!(slice, Slice::Index(_) | Slice::Range { .. })).count();
    if count > rank {
        return Err(ErrorKind::TooManySlices { count, rank });
    }
    let (mut maps, mut extents) = (Vec::with_capacity(rank), Vec::with_capacity(rank));
    let whole = |maps: &mut Vec<AxisMap>, extents: &mut Vec<usize>| {
        for _ in count..rank {
            maps.push(AxisMap::along(extents.len()));
            extents.push(shape[maps.len() - 1]);
        }
    };
    let mut ellipses = 0;
    for slice in slices {
        match *slice {
            Slice::NewAxis => extents.push(1),
            Slice::Ellipsis if ellipses > 0 => {
                let reason = "more than one `Ellipsis`".into();
                return Err(ErrorKind::Argument { operation: "slice", reason });
            }
            Slice::Ellipsis => {
                ellipses += 1;
                whole(&mut maps, &mut extents);
            }
            Slice::Index(index) => {
                let axis = maps.len();
                maps.push(AxisMap::fixed(checked_index(index, axis, shape[axis])?));
            }
            Slice::Range { start, end, step } => {
                let (start, len) = range(shape[maps.len()], start, end, step)?;
                maps.push(AxisMap { start, step, axis: Some(extents.len()) });
                extents.push(len);
            }
        }
    }
    if ellipses == 0 {
        whole(&mut maps, &mut extents);
    }
    let view = Shape::new(&extents)?;
    Ok((ViewMap::new(maps, &view), view))
}

/// True if two parts of an array of the shape have an element in common. Slices that are not legal have none.
pub fn intersect(shape: &Shape, a: &[Slice], b: &[Slice]) -> bool {
    let (Ok((a, a_shape)), Ok((b, b_shape))) = (view(shape, a), view(shape, b)) else { return false };
    let line = |map: &AxisMap, shape: &Shape| {
        let reach = map.axis.map_or(0, |axis| (shape[axis] as i64 - 1) * map.step);
        let (first, last) = (map.start as i64, map.start as i64 + reach);
        (first.min(last), first.max(last), map.step.abs())
    };
    let meet = |(a, b): (&AxisMap, &AxisMap)| {
        let (mut coarse, mut fine) = (line(a, &a_shape), line(b, &b_shape));
        if coarse.2 < fine.2 {
            std::mem::swap(&mut coarse, &mut fine);
        }
        let ((low, high, step), (fine_low, fine_high, fine_step)) = (coarse, fine);
        // The coarse indices from the first one within the fine line on. After `fine_step` of them remainders repeat.
        let first = low + ((fine_low - low).max(0) as u64).div_ceil(step as u64) as i64 * step;
        let end = high.min(fine_high);
        let mut indices = (0..fine_step).map(|turn| first + turn * step).take_while(|index| *index <= end);
        indices.any(|index| (index - fine_low) % fine_step == 0)
    };
    !a_shape.is_empty() && !b_shape.is_empty() && a.axes().iter().zip(b.axes()).all(meet)
}

/// The index from the start of an axis.
fn checked_index(index: i64, axis: usize, extent: usize) -> Result<usize, ErrorKind> {
    let from_start = if index < 0 { index.saturating_add(extent as i64) } else { index };
    match usize::try_from(from_start) {
        Ok(index) if index < extent => Ok(index),
        _ => Err(ErrorKind::Index { index, axis, extent }),
    }
}

/// The first index and the count of a range, as Python's `slice.indices`.
fn range(extent: usize, start: Option<i64>, end: Option<i64>, step: i64) -> Result<(usize, usize), ErrorKind> {
    if step == 0 {
        return Err(ErrorKind::ZeroStep);
    }
    let extent = extent as i64;
    // Of a negative step the end -1 is before the first element.
    let (low, high) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let bound = |bound: i64| {
        let from_start = if bound < 0 { bound.saturating_add(extent) } else { bound };
        from_start.clamp(low, high)
    };
    let start = start.map_or(if step > 0 { low } else { high }, bound);
    let end = end.map_or(if step > 0 { high } else { low }, bound);
    let distance = if step > 0 { end - start } else { start - end };
    let len = if distance <= 0 { 0 } else { (distance as u64).div_ceil(step.unsigned_abs()) as usize };
    Ok((if len == 0 { 0 } else { start as usize }, len))
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Self {
        Slice::FULL
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Slice {
            fn from(index: $integer) -> Self {
                Slice::Index(index as i64)
            }
        }

        impl From<Range<$integer>> for Slice {
            fn from(range: Range<$integer>) -> Self {
                Slice::Range { start: Some(range.start as i64), end: Some(range.end as i64), step: 1 }
            }
        }

        impl From<RangeFrom<$integer>> for Slice {
            fn from(range: RangeFrom<$integer>) -> Self {
                Slice::Range { start: Some(range.start as i64), end: None, step: 1 }
            }
        }

        impl From<RangeTo<$integer>> for Slice {
            fn from(range: RangeTo<$integer>) -> Self {
                Slice::Range { start: None, end: Some(range.end as i64), step: 1 }
            }
        }

        impl From<RangeInclusive<$integer>> for Slice {
            fn from(range: RangeInclusive<$integer>) -> Self {
                let (start, end) = range.into_inner();
                Slice::Range { start: Some(start as i64), end: after(end as i64), step: 1 }
            }
        }

        impl From<RangeToInclusive<$integer>> for Slice {
            fn from(range: RangeToInclusive<$integer>) -> Self {
                Slice::Range { start: None, end: after(range.end as i64), step: 1 }
            }
        }
    )*};
}

// Literals are `i32` where nothing else tells their type.
from_integers!(i32 i64 isize usize);

/// The bound behind an index; behind -1 there is none.
fn after(index: i64) -> Option<i64> {
    if index == -1 { None } else { index.checked_add(1) }
}
