//! Band matrices in somebody's memory.

use super::{Memory, MemoryObject, matrix::MatrixShape, view_parts};
use crate::error::{Error, Result};
use crate::options::Layout;
use crate::scalar::Scalar;

/// Shape of a band matrix in BLAS's band storage: sizes, diagonals, layout, offset and leading dimension, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandShape {
    rows: usize,
    columns: usize,
    lower: usize,
    upper: usize,
    layout: Layout,
    memory: MatrixShape,
}

impl BandShape {
    /// A `rows` x `columns` matrix with `lower` diagonals below the main one and `upper` above it. In column-major
    /// layout element (i, j) is element `offset + upper + i - j + j * leading_dimension` of its memory, in row-major
    /// layout `offset + lower + j - i + i * leading_dimension`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the leading dimension is less than `lower + upper + 1`, [`Error::ShapeMismatch`]
    /// when the matrix reaches past the end of the address space.
    #[inline]
    pub fn new(
        layout: Layout,
        rows: usize,
        columns: usize,
        lower: usize,
        upper: usize,
        offset: usize,
        leading_dimension: usize,
    ) -> Result<Self> {
        let reach = || Error::ShapeMismatch(format!("{lower} + {upper} diagonals do not fit in the address space"));
        let diagonals = lower.checked_add(upper).and_then(|sum| sum.checked_add(1)).ok_or_else(reach)?;
        let lines = if layout == Layout::ColumnMajor { columns } else { rows };
        let memory = MatrixShape::new(Layout::ColumnMajor, diagonals, lines, offset, leading_dimension)?;
        Ok(BandShape { rows, columns, lower, upper, layout, memory })
    }

    /// The number of rows.
    #[inline]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[inline]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Diagonals below the main one.
    #[inline]
    pub const fn lower(&self) -> usize {
        self.lower
    }

    /// Diagonals above the main one.
    #[inline]
    pub const fn upper(&self) -> usize {
        self.upper
    }

    /// Layout of the band: columns or rows are contiguous.
    #[inline]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// The memory as a column-major matrix: a diagonal in each row, and in each column the band of one column of the
    /// matrix (of one row, in row-major layout).
    #[inline]
    pub const fn memory(&self) -> &MatrixShape {
        &self.memory
    }

    /// Elements that its memory must hold: one more than the highest index.
    #[inline]
    pub fn end(&self) -> usize {
        self.memory.end()
    }
}

/// A band matrix to read.
#[derive(Debug)]
pub struct BandRef<'a, T> {
    memory: Memory<'a, T>,
    shape: BandShape,
}

view_parts!(BandRef, BandShape);

impl<T> Clone for BandRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BandRef<'_, T> {}

impl<'a, T: Scalar> BandRef<'a, T> {
    /// A band matrix in host memory.
    ///
    /// # Safety
    /// `shape.end()` elements from `start` must stay valid for `'a` (for an empty matrix `start` may be null), and
    /// nobody else may write what this view reads.
    #[inline]
    pub unsafe fn from_host_raw(start: *const T, shape: BandShape) -> Self {
        BandRef { memory: Memory::host(start.cast_mut()), shape }
    }

    /// A band matrix in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short for the shape.
    pub fn from_slice(data: &'a [T], shape: BandShape) -> Result<Self> {
        super::check_fits(shape.end(), data.len(), "the band matrix")?;
        Ok(BandRef { memory: Memory::host(data.as_ptr().cast_mut()), shape })
    }

    /// A band matrix in device memory. `name` is what an error calls it.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the buffer is too small for the shape.
    pub fn from_device(buffer: &'a impl MemoryObject, shape: BandShape, name: &'static str) -> Result<Self> {
        super::check_fits(shape.end(), buffer.bytes() / size_of::<T>(), name)?;
        Ok(BandRef { memory: Memory::Device(buffer), shape })
    }

    /// A band matrix that the operation it is given to does not read: `buffer` only stands for the memory it would
    /// have.
    ///
    /// # Safety
    /// It must only be given to operations that, for the other arguments that they get, do not touch it.
    pub unsafe fn unread(buffer: &'a impl MemoryObject, shape: BandShape) -> Self {
        BandRef { memory: Memory::Device(buffer), shape }
    }
}

impl<T> BandRef<'_, T> {
    /// Sizes, offset and strides in the memory.
    #[inline]
    pub const fn shape(&self) -> &BandShape {
        &self.shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_is_a_matrix_of_diagonals() {
        let band = BandShape::new(Layout::ColumnMajor, 5, 4, 2, 1, 3, 6).unwrap();
        assert_eq!((band.memory().rows(), band.memory().columns(), band.end()), (4, 4, 3 + 3 * 6 + 4));
        let by_rows = BandShape::new(Layout::RowMajor, 5, 4, 2, 1, 3, 6).unwrap();
        assert_eq!((by_rows.memory().rows(), by_rows.memory().columns()), (4, 5));
    }

    #[test]
    fn a_band_that_cannot_be_is_refused() {
        assert!(BandShape::new(Layout::ColumnMajor, 5, 4, 2, 1, 0, 3).is_err());
        assert!(BandShape::new(Layout::ColumnMajor, 5, 4, usize::MAX, 1, 0, 3).is_err());
    }
}
