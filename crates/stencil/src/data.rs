//! Memory of a run: slices with strides, fields that own theirs, and arguments.

use crate::definition::Type;
use crate::error::{Error, Result};
use crate::value::Value;

/// The arguments of one parameter: a scalar, or elements in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Integers.
    Integers(Vec<i64>),
    /// Real numbers; they are rounded to the parameter's type.
    Reals(Vec<f64>),
}

impl From<f64> for Argument {
    fn from(value: f64) -> Self {
        Argument::Reals(vec![value])
    }
}

impl From<i64> for Argument {
    fn from(value: i64) -> Self {
        Argument::Integers(vec![value])
    }
}

impl From<Vec<f64>> for Argument {
    fn from(values: Vec<f64>) -> Self {
        Argument::Reals(values)
    }
}

impl From<Vec<i64>> for Argument {
    fn from(values: Vec<i64>) -> Self {
        Argument::Integers(values)
    }
}

/// One level of one component of a grid.
#[derive(Debug)]
pub enum Slice<'a> {
    /// Of an `int` grid.
    I32(&'a mut [i32]),
    /// Of a `long` grid.
    I64(&'a mut [i64]),
    /// Of a `float` grid.
    F32(&'a mut [f32]),
    /// Of a `double` grid.
    F64(&'a mut [f64]),
}

impl Slice<'_> {
    pub(crate) fn kind(&self) -> Type {
        match self {
            Slice::I32(_) => Type::I32,
            Slice::I64(_) => Type::I64,
            Slice::F32(_) => Type::F32,
            Slice::F64(_) => Type::F64,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Slice::I32(slice) => slice.len(),
            Slice::I64(slice) => slice.len(),
            Slice::F32(slice) => slice.len(),
            Slice::F64(slice) => slice.len(),
        }
    }

    /// The bytes of all elements, as memory has them.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Slice::I32(slice) => slice.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            Slice::I64(slice) => slice.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            Slice::F32(slice) => slice.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            Slice::F64(slice) => slice.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        }
    }

    /// The first element.
    pub(crate) fn start(&mut self) -> *mut u8 {
        match self {
            Slice::I32(slice) => slice.as_mut_ptr().cast(),
            Slice::I64(slice) => slice.as_mut_ptr().cast(),
            Slice::F32(slice) => slice.as_mut_ptr().cast(),
            Slice::F64(slice) => slice.as_mut_ptr().cast(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Value {
        match self {
            Slice::I32(slice) => Value::I32(slice[index]),
            Slice::I64(slice) => Value::I64(slice[index]),
            Slice::F32(slice) => Value::F32(slice[index]),
            Slice::F64(slice) => Value::F64(slice[index]),
        }
    }

    /// Stores a value of the slice's type.
    pub(crate) fn set(&mut self, index: usize, value: Value) {
        match (self, value) {
            (Slice::I32(slice), Value::I32(value)) => slice[index] = value,
            (Slice::I64(slice), Value::I64(value)) => slice[index] = value,
            (Slice::F32(slice), Value::F32(value)) => slice[index] = value,
            (Slice::F64(slice), Value::F64(value)) => slice[index] = value,
            (slice, value) => unreachable!("{value:?} into a slice of {}", slice.kind()),
        }
    }
}

/// The index of coordinates in a slice: `offset + sum of (coordinate - lower) * stride`, on the grid's axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first coordinate in memory on each axis.
    pub lower: Vec<i64>,
    /// The number of coordinates on each axis.
    pub lengths: Vec<usize>,
    /// Elements from a coordinate to the next on each axis.
    pub strides: Vec<usize>,
    /// The element of the first coordinates.
    pub offset: usize,
}

impl Layout {
    /// A box without gaps, the first axis contiguous.
    pub fn contiguous(lower: Vec<i64>, lengths: Vec<usize>) -> Self {
        let mut strides = Vec::new();
        let mut stride = 1usize;
        for &length in &lengths {
            strides.push(stride);
            stride = stride.saturating_mul(length);
        }
        Layout { strides, lower, lengths, offset: 0 }
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Elements that a slice has at least; none if that is beyond the address space.
    pub fn extent(&self) -> Option<usize> {
        let mut last = self.offset;
        for (&length, &stride) in self.lengths.iter().zip(&self.strides) {
            last = last.checked_add(length.checked_sub(1)?.checked_mul(stride)?)?;
        }
        last.checked_add(1)
    }

    /// The element of coordinates on the grid's axes, if they are in memory.
    pub fn index(&self, coordinates: &[i64]) -> Option<usize> {
        let mut index = self.offset;
        for (axis, &coordinate) in coordinates.iter().enumerate() {
            let position = usize::try_from(coordinate.checked_sub(self.lower[axis])?).ok()?;
            if position >= self.lengths[axis] {
                return None;
            }
            index += position * self.strides[axis];
        }
        Some(index)
    }

    /// Different points have different elements.
    pub(crate) fn is_injective(&self) -> bool {
        let mut axes: Vec<usize> = (0..self.lengths.len()).filter(|&axis| self.lengths[axis] > 1).collect();
        axes.sort_by_key(|&axis| self.strides[axis]);
        let mut reach = 0usize;
        for axis in axes {
            if self.strides[axis] <= reach {
                return false;
            }
            reach = reach.saturating_add((self.lengths[axis] - 1).saturating_mul(self.strides[axis]));
        }
        true
    }
}

/// The memory of a grid: `slices[component][level]`, levels from the oldest to the newest.
#[derive(Debug)]
pub struct GridSlices<'a> {
    /// The index of coordinates in each slice.
    pub layout: Layout,
    /// Components, and their levels. The last level is the one that a step writes, of grids that are assigned.
    pub slices: Vec<Vec<Slice<'a>>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Array {
    I32(Vec<i32>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// A grid's memory that it owns: for tests and small programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    layout: Layout,
    arrays: Vec<Vec<Array>>,
}

impl Field {
    /// Zeros.
    ///
    /// # Errors
    /// The layout is beyond the address space, or the type is `bool`.
    pub fn zeros(kind: Type, layout: Layout, components: usize, levels: usize) -> Result<Self> {
        let extent = layout.extent().ok_or_else(|| Error::new("the memory is beyond the address space"))?;
        let array = || match kind {
            Type::I32 => Ok(Array::I32(zeros(extent)?)),
            Type::I64 => Ok(Array::I64(zeros(extent)?)),
            Type::F32 => Ok(Array::F32(zeros(extent)?)),
            Type::F64 => Ok(Array::F64(zeros(extent)?)),
            Type::Bool => Err(Error::new("grids hold numbers")),
        };
        let level = || (0..levels).map(|_| array()).collect::<Result<Vec<Array>>>();
        let arrays = (0..components).map(|_| level()).collect::<Result<_>>()?;
        Ok(Field { layout, arrays })
    }

    /// The index of coordinates.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of components.
    pub(crate) fn components(&self) -> usize {
        self.arrays.len()
    }

    /// The oldest levels become the newest ones.
    pub(crate) fn rotate(&mut self, by: usize) {
        self.arrays.iter_mut().for_each(|levels| levels.rotate_left(by));
    }

    /// The memory, for a run.
    pub fn slices(&mut self) -> GridSlices<'_> {
        fn slice(array: &mut Array) -> Slice<'_> {
            match array {
                Array::I32(array) => Slice::I32(array),
                Array::I64(array) => Slice::I64(array),
                Array::F32(array) => Slice::F32(array),
                Array::F64(array) => Slice::F64(array),
            }
        }
        let slices = self.arrays.iter_mut().map(|levels| levels.iter_mut().map(slice).collect()).collect();
        GridSlices { layout: self.layout.clone(), slices }
    }

    /// Sets all points in memory of a level, rounded to the grid's type.
    pub fn fill(&mut self, component: usize, level: usize, mut value: impl FnMut(&[i64]) -> f64) {
        let layout = self.layout.clone();
        let mut grid = self.slices();
        let slice = &mut grid.slices[component][level];
        for_each_point(&layout.lower, &layout.lengths, |coordinates| {
            if let Some(index) = layout.index(coordinates) {
                slice.set(index, Value::constant(value(coordinates), slice.kind()));
            }
        });
    }

    /// All elements of a level, in double precision: exact except for a `long` beyond 2^53.
    pub fn values(&self, component: usize, level: usize) -> Vec<f64> {
        match &self.arrays[component][level] {
            Array::I32(array) => array.iter().map(|&value| f64::from(value)).collect(),
            Array::I64(array) => array.iter().map(|&value| value as f64).collect(),
            Array::F32(array) => array.iter().map(|&value| f64::from(value)).collect(),
            Array::F64(array) => array.clone(),
        }
    }

    /// The number at a point; none outside memory.
    pub fn get(&self, component: usize, level: usize, coordinates: &[i64]) -> Option<Value> {
        let index = self.layout.index(coordinates)?;
        Some(match &self.arrays[component][level] {
            Array::I32(array) => Value::I32(array[index]),
            Array::I64(array) => Value::I64(array[index]),
            Array::F32(array) => Value::F32(array[index]),
            Array::F64(array) => Value::F64(array[index]),
        })
    }
}

/// Elements that are zeros.
fn zeros<T: Copy + Default>(extent: usize) -> Result<Vec<T>> {
    let mut array: Vec<T> = Vec::new();
    let reserved = array.try_reserve_exact(extent);
    reserved.map_err(|_| Error::new(format!("a field of {extent} elements is beyond the memory")))?;
    advise_huge_pages(array.as_mut_ptr().cast(), extent.saturating_mul(size_of::<T>()));
    array.resize(extent, T::default());
    Ok(array)
}

/// Asks for large pages, before memory is touched: sweeps over planes read many pages at a time.
fn advise_huge_pages(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        /// Below that there is little to gain.
        const LEAST: usize = 8 << 20;
        let skipped = start.align_offset(4096);
        if bytes >= LEAST && skipped < 4096 {
            let (first, length) = (start.wrapping_add(skipped), (bytes - skipped) / 4096 * 4096);
            // SAFETY: the range lies within memory of the caller's, whose contents the advice does not change.
            unsafe { libc::madvise(first.cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// All points of a box, the first axis fastest.
pub(crate) fn for_each_point(lower: &[i64], lengths: &[usize], mut visit: impl FnMut(&[i64])) {
    if lengths.contains(&0) {
        return;
    }
    let mut coordinates = lower.to_vec();
    loop {
        visit(&coordinates);
        let mut axis = 0;
        loop {
            if axis == lengths.len() {
                return;
            }
            coordinates[axis] += 1;
            if coordinates[axis] < lower[axis] + lengths[axis] as i64 {
                break;
            }
            coordinates[axis] = lower[axis];
            axis += 1;
        }
    }
}
