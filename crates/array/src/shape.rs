//! Shapes, strides and axes.

use super::error::ErrorKind;
use affinimath_core::Layout;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Axes that an array can have.
pub const MAX_RANK: usize = 8;

/// Elements that an array can have: their bytes fit an `isize` for each type.
pub const MAX_LEN: usize = isize::MAX as usize / 16;

/// The extents of an array's axes; rank 0 is a single element.
///
/// It is a slice of extents by `Deref`, but for [`len`](Shape::len) and
/// [`is_empty`](Shape::is_empty), which count elements.
#[derive(Clone, Copy)]
pub struct Shape {
    // Those from `rank` on are 0.
    extents: [usize; MAX_RANK],
    rank: u8,
}

impl Shape {
    /// The shape of a single element.
    pub const SCALAR: Shape = Shape { extents: [0; MAX_RANK], rank: 0 };

    /// A shape with these extents: at most [`MAX_RANK`], whose product (without zeros) is at most [`MAX_LEN`].
    pub fn new(extents: &[usize]) -> Result<Self, ErrorKind> {
        if extents.len() > MAX_RANK {
            return Err(ErrorKind::Rank { rank: extents.len() });
        }
        let product = extents.iter().filter(|&&extent| extent != 0).try_fold(1usize, |a, &b| a.checked_mul(b));
        if product.is_none_or(|product| product > MAX_LEN) {
            return Err(ErrorKind::TooLarge { extents: extents.to_vec() });
        }
        let mut shape = Shape { rank: extents.len() as u8, ..Shape::SCALAR };
        shape.extents[..extents.len()].copy_from_slice(extents);
        Ok(shape)
    }

    /// The count of axes.
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The extents.
    pub fn extents(&self) -> &[usize] {
        &self.extents[..self.rank()]
    }

    /// The count of elements.
    pub fn len(&self) -> usize {
        self.extents().iter().product()
    }

    /// True if there are no elements: an extent is 0.
    pub fn is_empty(&self) -> bool {
        self.extents().contains(&0)
    }

    /// The axis that `axis` names; -1 is the last one.
    pub fn axis(&self, axis: i64) -> Result<usize, ErrorKind> {
        let rank = self.rank() as i64;
        match axis {
            0.. if axis < rank => Ok(axis as usize),
            ..0 if axis >= -rank => Ok((axis + rank) as usize),
            _ => Err(ErrorKind::Axis { axis, rank: self.rank() }),
        }
    }

    /// The shape that both broadcast to, by NumPy's rule: aligned at the last axis, extents are equal or one is 1.
    pub fn broadcast(&self, other: &Shape, operation: &'static str) -> Result<Shape, ErrorKind> {
        if self == other || other.rank == 0 {
            return Ok(*self);
        }
        let rank = self.rank().max(other.rank());
        let mut extents = [0; MAX_RANK];
        for (axis, extent) in extents[..rank].iter_mut().enumerate() {
            *extent = match (self.aligned(axis, rank), other.aligned(axis, rank)) {
                (1, b) => b,
                (a, b) if a == b || b == 1 => a,
                _ => return Err(ErrorKind::Broadcast { operation, left: (*self).into(), right: (*other).into() }),
            };
        }
        Shape::new(&extents[..rank])
    }

    /// True if an array of this shape can be repeated to `to`.
    pub fn broadcasts_to(&self, to: &Shape) -> bool {
        let rank = to.rank();
        self.rank() <= rank && (0..rank).all(|axis| matches!(self.aligned(axis, rank), e if e == 1 || e == to[axis]))
    }

    /// The extent at `axis` of `rank` axes, to which the own ones are aligned at the end.
    fn aligned(&self, axis: usize, rank: usize) -> usize {
        let missing = rank - self.rank();
        if axis < missing { 1 } else { self.extents[axis - missing] }
    }

    /// The shape without the axes of the set, or with the extent 1 there.
    pub fn reduced(&self, axes: Axes, keep: bool) -> Shape {
        let mut shape = Shape::SCALAR;
        for (axis, &extent) in self.extents().iter().enumerate() {
            if axes.contains(axis) && !keep {
                continue;
            }
            shape.extents[shape.rank()] = if axes.contains(axis) { 1 } else { extent };
            shape.rank += 1;
        }
        shape
    }

    /// The elements that a reduction over the axes joins.
    pub fn len_of(&self, axes: Axes) -> usize {
        axes.iter().map(|axis| self[axis]).product()
    }
}

impl Default for Shape {
    fn default() -> Self {
        Shape::SCALAR
    }
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        self.extents()
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.extents() == other.extents()
    }
}

impl Eq for Shape {}

impl PartialEq<[usize]> for Shape {
    fn eq(&self, other: &[usize]) -> bool {
        self.extents() == other
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        self.extents() == other
    }
}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.extents().hash(state);
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.extents(), f)
    }
}

/// As `[2, 3]`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.extents(), f)
    }
}

/// Extents, in the forms in which programs have them.
pub trait IntoShape {
    /// The shape with these extents.
    fn into_shape(self) -> Result<Shape, ErrorKind>;
}

impl IntoShape for Shape {
    fn into_shape(self) -> Result<Shape, ErrorKind> {
        Ok(self)
    }
}

impl IntoShape for &Shape {
    fn into_shape(self) -> Result<Shape, ErrorKind> {
        Ok(*self)
    }
}

/// One axis.
impl IntoShape for usize {
    fn into_shape(self) -> Result<Shape, ErrorKind> {
        Shape::new(&[self])
    }
}

impl<const N: usize> IntoShape for [usize; N] {
    fn into_shape(self) -> Result<Shape, ErrorKind> {
        Shape::new(&self)
    }
}

impl IntoShape for &[usize] {
    fn into_shape(self) -> Result<Shape, ErrorKind> {
        Shape::new(self)
    }
}

impl IntoShape for Vec<usize> {
    fn into_shape(self) -> Result<Shape, ErrorKind> {
        Shape::new(&self)
    }
}

/// Elements between neighbours along each axis; negative or 0 too.
#[derive(Clone, Copy)]
pub struct Strides {
    // Those from `rank` on are 0.
    strides: [i64; MAX_RANK],
    rank: u8,
}

impl Strides {
    /// Strides as given, at most [`MAX_RANK`].
    pub fn new(strides: &[i64]) -> Result<Self, ErrorKind> {
        if strides.len() > MAX_RANK {
            return Err(ErrorKind::Rank { rank: strides.len() });
        }
        let mut result = Strides { strides: [0; MAX_RANK], rank: strides.len() as u8 };
        result.strides[..strides.len()].copy_from_slice(strides);
        Ok(result)
    }

    /// Strides of an array without gaps.
    pub fn of(shape: &Shape, layout: Layout) -> Self {
        let mut result = Strides { strides: [0; MAX_RANK], rank: shape.rank };
        let mut stride = 1;
        let mut set = |axis: usize| {
            result.strides[axis] = stride;
            stride *= shape[axis].max(1) as i64;
        };
        match layout {
            Layout::RowMajor => (0..shape.rank()).rev().for_each(&mut set),
            Layout::ColumnMajor => (0..shape.rank()).for_each(&mut set),
        }
        result
    }

    /// Strides of a row-major array without gaps: the last axis has stride 1.
    pub fn row_major(shape: &Shape) -> Self {
        Strides::of(shape, Layout::RowMajor)
    }

    /// Strides of a column-major array without gaps: the first axis has stride 1.
    pub fn column_major(shape: &Shape) -> Self {
        Strides::of(shape, Layout::ColumnMajor)
    }

    /// True if an array of the shape lies in row-major order without gaps. Strides of axes of extent 1 do not count.
    pub fn is_row_major(&self, shape: &Shape) -> bool {
        let mut stride = 1;
        shape.iter().zip(self.iter()).rev().all(|(&extent, &own)| {
            let fits = extent == 1 || own == stride;
            stride *= extent as i64;
            fits
        }) || shape.is_empty()
    }

    /// The first and the last offset that an array of the shape touches, relative to its first element; `None` if it
    /// has no elements.
    pub fn span(&self, shape: &Shape) -> Option<(i128, i128)> {
        let (mut first, mut last) = (0, 0);
        for (&extent, &stride) in shape.iter().zip(self.iter()) {
            let reach = extent.checked_sub(1)? as i128 * i128::from(stride);
            first += reach.min(0);
            last += reach.max(0);
        }
        Some((first, last))
    }

    /// True if no two elements of an array of the shape share memory, as far as comparing strides tells: each stride
    /// reaches over all elements of the axes with smaller ones.
    pub fn is_injective(&self, shape: &Shape) -> bool {
        let mut axes: Vec<(u64, u64)> = shape
            .iter()
            .zip(self.iter())
            .filter(|&(&extent, _)| extent > 1)
            .map(|(&extent, &stride)| (stride.unsigned_abs(), extent as u64 - 1))
            .collect();
        axes.sort_unstable();
        let mut reach = 0u64;
        axes.into_iter().all(|(stride, steps)| {
            let lies_beyond = stride > reach;
            reach = reach.saturating_add(stride.saturating_mul(steps));
            lies_beyond
        })
    }

    /// The strides of a row-major reshape from `from` to `to` without a copy, if there are any.
    ///
    /// Axes of extent 1 are left out. The shapes are cut into the shortest groups of equal products; within a group of
    /// `from`, each axis must continue the next one.
    pub fn reshaped(&self, from: &Shape, to: &Shape) -> Option<Strides> {
        let mut result = Strides::row_major(to);
        if from.is_empty() {
            return Some(result);
        }
        let axes: Vec<(usize, i64)> =
            from.iter().zip(self.iter()).map(|(&e, &s)| (e, s)).filter(|&(extent, _)| extent != 1).collect();
        let (mut source, mut target) = (0, 0);
        while source < axes.len() {
            let (first, start) = (source, target);
            let (mut product, mut wanted) = (axes[source].0, 1);
            source += 1;
            while product != wanted {
                if wanted < product {
                    wanted *= to[target];
                    target += 1;
                } else {
                    product *= axes[source].0;
                    source += 1;
                }
            }
            if axes[first..source].windows(2).any(|pair| pair[0].1 != pair[1].1 * pair[1].0 as i64) {
                return None;
            }
            let mut stride = axes[source - 1].1;
            for axis in (start..target).rev() {
                result.strides[axis] = stride;
                stride *= to[axis] as i64;
            }
        }
        Some(result)
    }
}

impl Deref for Strides {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        &self.strides[..self.rank as usize]
    }
}

impl PartialEq for Strides {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Strides {}

impl Hash for Strides {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Strides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// A set of axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Axes(u8);

impl Axes {
    /// The first `rank` axes.
    pub const fn all(rank: usize) -> Self {
        Axes(((1u16 << rank) - 1) as u8)
    }

    /// One axis, below [`MAX_RANK`].
    pub const fn one(axis: usize) -> Self {
        Axes(1 << axis)
    }

    /// True if the axis is in the set.
    pub const fn contains(self, axis: usize) -> bool {
        axis < MAX_RANK && self.0 >> axis & 1 == 1
    }

    /// The set with the axis too.
    #[must_use]
    pub const fn with(self, axis: usize) -> Self {
        Axes(self.0 | 1 << axis)
    }

    /// The count of axes.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// True if there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The axes in ascending order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        (0..MAX_RANK).filter(move |&axis| self.contains(axis))
    }
}

/// Axes as programs name them: `()` or `..` is all, a number is one, an array of numbers several. Negative ones count
/// from the last; [`keep`](crate::keep) keeps them.
pub trait IntoAxes {
    /// The set of axes of an array of this shape.
    fn into_axes(self, shape: &Shape, operation: &'static str) -> Result<Axes, ErrorKind>;

    /// True if a reduction keeps the axes, with extent 1.
    fn keeps(&self) -> bool {
        false
    }
}

impl IntoAxes for Axes {
    fn into_axes(self, shape: &Shape, _: &'static str) -> Result<Axes, ErrorKind> {
        match self.iter().find(|&axis| axis >= shape.rank()) {
            Some(axis) => Err(ErrorKind::Axis { axis: axis as i64, rank: shape.rank() }),
            None => Ok(self),
        }
    }
}

impl IntoAxes for () {
    fn into_axes(self, shape: &Shape, _: &'static str) -> Result<Axes, ErrorKind> {
        Ok(Axes::all(shape.rank()))
    }
}

impl IntoAxes for std::ops::RangeFull {
    fn into_axes(self, shape: &Shape, _: &'static str) -> Result<Axes, ErrorKind> {
        Ok(Axes::all(shape.rank()))
    }
}

impl IntoAxes for i64 {
    fn into_axes(self, shape: &Shape, _: &'static str) -> Result<Axes, ErrorKind> {
        shape.axis(self).map(Axes::one)
    }
}

impl IntoAxes for &[i64] {
    fn into_axes(self, shape: &Shape, operation: &'static str) -> Result<Axes, ErrorKind> {
        self.iter().try_fold(Axes::default(), |axes, &axis| {
            let axis = shape.axis(axis)?;
            if axes.contains(axis) {
                return Err(ErrorKind::Axes { operation, axes: self.to_vec(), rank: shape.rank(), all: false });
            }
            Ok(axes.with(axis))
        })
    }
}

impl<const N: usize> IntoAxes for [i64; N] {
    fn into_axes(self, shape: &Shape, operation: &'static str) -> Result<Axes, ErrorKind> {
        self.as_slice().into_axes(shape, operation)
    }
}
