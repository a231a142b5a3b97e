//! Matrices in somebody's memory.

use crate::error::{Error, Result};
use crate::options::Layout;
use crate::scalar::Element;

use super::{Memory, MemoryObject, check_fits, view_parts};

/// Shape of a matrix: sizes, layout, offset and leading dimension, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    rows: usize,
    columns: usize,
    layout: Layout,
    offset: usize,
    leading_dimension: usize,
}

impl MatrixShape {
    /// A matrix whose first element is element `offset` of its memory. In column-major layout element (i, j) is element
    /// `offset + i + j * leading_dimension`, in row-major layout `offset + i * leading_dimension + j`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the leading dimension is less than BLAS asks for (`max(1, rows)`, or columns in
    /// row-major layout), [`Error::ShapeMismatch`] when the matrix reaches past the end of the address space.
    #[inline]
    pub fn new(layout: Layout, rows: usize, columns: usize, offset: usize, leading_dimension: usize) -> Result<Self> {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        if leading_dimension < adjacent.max(1) {
            return Err(too_small(leading_dimension, adjacent));
        }
        let shape = MatrixShape { rows, columns, layout, offset, leading_dimension };
        // Plans and kernels compute with signed 64-bit element indices.
        match shape.checked_end().and_then(|end| end.checked_mul(16)) {
            Some(bytes) if bytes <= i64::MAX as usize => Ok(shape),
            _ => Err(shape.too_large()),
        }
    }

    #[cold]
    fn too_large(&self) -> Error {
        let MatrixShape { rows, columns, .. } = self;
        Error::ShapeMismatch(format!("a {rows} x {columns} matrix does not fit in the address space"))
    }

    /// A block of it in the same memory: the first row and how many, and so for the columns.
    #[inline]
    pub fn block(&self, (row, rows): (usize, usize), (column, columns): (usize, usize)) -> Self {
        debug_assert!(row + rows <= self.rows && column + columns <= self.columns);
        let (row_stride, column_stride) = self.strides();
        let offset = self.offset + row * row_stride + column * column_stride;
        MatrixShape { rows, columns, offset, ..*self }
    }

    #[inline]
    fn checked_end(&self) -> Option<usize> {
        if self.rows == 0 || self.columns == 0 {
            return Some(self.offset);
        }
        let (adjacent, apart) = self.adjacent_and_apart();
        (apart - 1).checked_mul(self.leading_dimension)?.checked_add(adjacent)?.checked_add(self.offset)
    }

    #[inline]
    const fn adjacent_and_apart(&self) -> (usize, usize) {
        match self.layout {
            Layout::ColumnMajor => (self.rows, self.columns),
            Layout::RowMajor => (self.columns, self.rows),
        }
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

    /// How it lies in memory.
    #[inline]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// The element of the memory at which it begins.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Elements between the starts of neighbouring columns (rows, in row-major layout).
    #[inline]
    pub const fn leading_dimension(&self) -> usize {
        self.leading_dimension
    }

    /// Elements that its memory must hold: one more than the index of the last one.
    #[inline]
    pub fn end(&self) -> usize {
        self.checked_end().expect("checked when the shape was made")
    }

    /// Elements between neighbouring rows, and between neighbouring columns.
    #[inline]
    pub const fn strides(&self) -> (usize, usize) {
        match self.layout {
            Layout::ColumnMajor => (1, self.leading_dimension),
            Layout::RowMajor => (self.leading_dimension, 1),
        }
    }

    #[inline]
    fn check_fits(&self, available: usize, name: &'static str) -> Result<()> {
        check_fits(self.end(), available, name)
    }
}

#[cold]
fn too_small(leading_dimension: usize, adjacent: usize) -> Error {
    Error::argument("leading_dimension", format!("{leading_dimension} is less than max(1, {adjacent})"))
}

macro_rules! matrix_view {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<'a, T> {
            memory: Memory<'a, T>,
            shape: MatrixShape,
        }

        impl<'a, T: Element> $name<'a, T> {
            /// A matrix in host memory.
            ///
            /// # Safety
            /// `shape.end()` elements from `start` must stay valid for `'a` (for an empty matrix `start` may be null),
            /// and nobody else may write what this view reads or touch what it writes.
            #[inline]
            pub unsafe fn from_host_raw(start: *mut T, shape: MatrixShape) -> Self {
                $name { memory: Memory::host(start), shape }
            }

            /// A matrix in device memory, such as an application's `cl_mem`.
            ///
            /// `name` is what an error calls the matrix.
            ///
            /// # Errors
            /// [`Error::ViewTooLarge`] when the buffer is too small for the shape.
            pub fn from_device(buffer: &'a impl MemoryObject, shape: MatrixShape, name: &'static str) -> Result<Self> {
                shape.check_fits(buffer.bytes() / size_of::<T>(), name)?;
                Ok($name { memory: Memory::Device(buffer), shape })
            }

            /// A matrix that the operation it is given to does not read: `buffer` only stands for the memory it would
            /// have.
            ///
            /// # Safety
            /// It must only be given to operations that, for the other arguments that they get, do not touch it.
            pub unsafe fn unread(buffer: &'a impl MemoryObject, shape: MatrixShape) -> Self {
                $name { memory: Memory::Device(buffer), shape }
            }
        }

        impl<'a, T> $name<'a, T> {
            /// The number of rows.
            #[inline]
            pub const fn rows(&self) -> usize {
                self.shape.rows
            }

            /// The number of columns.
            #[inline]
            pub const fn columns(&self) -> usize {
                self.shape.columns
            }

            /// Sizes, offset and strides in the memory.
            #[inline]
            pub const fn shape(&self) -> &MatrixShape {
                &self.shape
            }
        }
    };
}

matrix_view!(
    /// A matrix to read.
    MatrixRef
);
matrix_view!(
    /// A matrix to read and write.
    MatrixMut
);

view_parts!(MatrixRef, MatrixShape);
view_parts!(MatrixMut, MatrixShape);

impl<T> Clone for MatrixRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MatrixRef<'_, T> {}

impl<'a, T: Element> MatrixRef<'a, T> {
    /// A matrix in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short for the shape.
    pub fn from_slice(data: &'a [T], shape: MatrixShape) -> Result<Self> {
        shape.check_fits(data.len(), "the matrix")?;
        Ok(MatrixRef { memory: Memory::host(data.as_ptr().cast_mut()), shape })
    }
}

impl<'a, T: Element> MatrixMut<'a, T> {
    /// A matrix in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short for the shape.
    pub fn from_slice(data: &'a mut [T], shape: MatrixShape) -> Result<Self> {
        shape.check_fits(data.len(), "the matrix")?;
        Ok(MatrixMut { memory: Memory::host(data.as_mut_ptr()), shape })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_knows_where_its_last_element_lies() {
        let column_major = MatrixShape::new(Layout::ColumnMajor, 3, 4, 7, 5).unwrap();
        assert_eq!(column_major.end(), 7 + 3 * 5 + 3);
        assert_eq!(column_major.strides(), (1, 5));
        let row_major = MatrixShape::new(Layout::RowMajor, 3, 4, 7, 5).unwrap();
        assert_eq!(row_major.end(), 7 + 2 * 5 + 4);
        assert_eq!(row_major.strides(), (5, 1));
        assert_eq!(MatrixShape::new(Layout::RowMajor, 0, 4, 7, 4).unwrap().end(), 7);
    }

    #[test]
    fn a_shape_that_cannot_be_is_refused() {
        assert!(MatrixShape::new(Layout::ColumnMajor, 3, 4, 0, 2).is_err());
        assert!(MatrixShape::new(Layout::ColumnMajor, 0, 4, 0, 0).is_err());
        assert!(MatrixShape::new(Layout::ColumnMajor, 1 << 40, 1 << 40, 0, 1 << 40).is_err());
    }

    #[test]
    fn a_slice_too_short_is_refused() {
        let shape = MatrixShape::new(Layout::ColumnMajor, 3, 3, 0, 4).unwrap();
        assert!(MatrixRef::from_slice(&[0.0_f64; 10], shape).is_err());
        assert!(MatrixRef::from_slice(&[0.0_f64; 11], shape).is_ok());
    }
}
