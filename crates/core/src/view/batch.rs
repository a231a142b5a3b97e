//! Batches: many matrices of one shape in one memory.

use super::matrix::MatrixShape;
use super::{Memory, MemoryObject, check_fits, view_parts};
use crate::error::{Error, Result};
use crate::options::Layout;
use crate::scalar::Scalar;

/// Starts of the matrices of a batch, relative to the offset of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing<'a> {
    /// Matrix i begins this many elements times i further. With 0 they are all the same matrix, which may only be read.
    Stride(usize),
    /// Matrix i begins `offsets[i]` elements further; none is negative.
    Offsets(&'a [i64]),
}

/// Shape of a batch: matrices of one shape at a stride or at listed offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchShape<'a> {
    matrix: MatrixShape,
    count: usize,
    spacing: Spacing<'a>,
    /// The farthest that a matrix begins behind the offset.
    farthest: usize,
}

impl<'a> BatchShape<'a> {
    /// `count` matrices of a shape, which is that of the first one; the next ones begin `stride` elements apart.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when they reach past the end of the address space.
    pub fn strided(matrix: MatrixShape, stride: usize, count: usize) -> Result<Self> {
        let farthest = count.saturating_sub(1).checked_mul(stride).ok_or_else(reach)?;
        Self::new(matrix, count, Spacing::Stride(stride), farthest)
    }

    /// A matrix of a shape for each of the offsets, which are added to the shape's own.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when one of them is negative, or the matrices reach past the end of the address space.
    pub fn at_offsets(matrix: MatrixShape, offsets: &'a [i64]) -> Result<Self> {
        if let Some(i) = offsets.iter().position(|offset| *offset < 0) {
            return Err(Error::ShapeMismatch(format!("offset {} of matrix {i} is negative", offsets[i])));
        }
        let farthest = offsets.iter().max().map_or(0, |&offset| offset as usize);
        Self::new(matrix, offsets.len(), Spacing::Offsets(offsets), farthest)
    }

    fn new(matrix: MatrixShape, count: usize, spacing: Spacing<'a>, farthest: usize) -> Result<Self> {
        let end = matrix.end().checked_add(farthest).and_then(|end| end.checked_mul(16));
        if end.is_none_or(|bytes| bytes > i64::MAX as usize) {
            return Err(reach());
        }
        Ok(BatchShape { matrix, count, spacing, farthest })
    }

    /// The first matrix's shape; the others differ in their offset only.
    pub const fn matrix(&self) -> &MatrixShape {
        &self.matrix
    }

    /// How many there are.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Starts of the matrices, relative to the offset of the first.
    pub const fn spacing(&self) -> Spacing<'a> {
        self.spacing
    }

    /// How many elements behind the offset matrix i begins.
    pub fn offset_of(&self, i: usize) -> usize {
        match self.spacing {
            Spacing::Stride(stride) => i * stride,
            Spacing::Offsets(offsets) => offsets[i] as usize,
        }
    }

    /// Matrix i alone.
    pub fn one(&self, i: usize) -> MatrixShape {
        let offset = self.matrix.offset() + self.offset_of(i);
        let (layout, ld) = (self.matrix.layout(), self.matrix.leading_dimension());
        MatrixShape::new(layout, self.matrix.rows(), self.matrix.columns(), offset, ld).expect("a part of the batch")
    }

    /// `count` of the matrices, from one on.
    pub fn part(&self, first: usize, count: usize) -> Self {
        let (matrix, spacing) = match self.spacing {
            Spacing::Stride(_) => (self.one(first), self.spacing),
            Spacing::Offsets(offsets) => (self.matrix, Spacing::Offsets(&offsets[first..first + count])),
        };
        let farthest = match spacing {
            Spacing::Stride(stride) => count.saturating_sub(1) * stride,
            Spacing::Offsets(offsets) => offsets.iter().max().map_or(0, |&offset| offset as usize),
        };
        BatchShape { matrix, count, spacing, farthest }
    }

    /// The same places, for matrices of another shape.
    pub fn with_matrix(&self, matrix: MatrixShape) -> Result<Self> {
        Self::new(matrix, self.count, self.spacing, self.farthest)
    }

    /// Elements that its memory must hold.
    pub fn end(&self) -> usize {
        if self.count == 0 { self.matrix.offset() } else { self.matrix.end() + self.farthest }
    }

    /// Refuses matrices that overlap: they are to be written. Each begins where another one's last element is passed,
    /// or, with a stride, they may lie beside each other within one leading dimension.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when they do.
    pub fn check_distinct(&self) -> Result<()> {
        let extent = self.matrix.end() - self.matrix.offset();
        if self.count < 2 || extent == 0 {
            return Ok(());
        }
        let distinct = match self.spacing {
            Spacing::Stride(stride) => {
                let adjacent = match self.matrix.layout() {
                    Layout::ColumnMajor => self.matrix.rows(),
                    Layout::RowMajor => self.matrix.columns(),
                };
                let interleaved = stride >= adjacent && self.farthest + adjacent <= self.matrix.leading_dimension();
                stride >= extent || interleaved
            }
            Spacing::Offsets(offsets) => {
                let mut sorted = offsets.to_vec();
                sorted.sort_unstable();
                sorted.windows(2).all(|pair| (pair[1] - pair[0]) as usize >= extent)
            }
        };
        if distinct { Ok(()) } else { Err(Error::ShapeMismatch("the matrices that are written overlap".to_owned())) }
    }
}

#[cold]
fn reach() -> Error {
    Error::ShapeMismatch("the batch does not fit in the address space".to_owned())
}

macro_rules! batch_view {
    ($(#[$meta:meta])* $name:ident, $distinct:literal) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<'a, T> {
            memory: Memory<'a, T>,
            shape: BatchShape<'a>,
        }

        impl<'a, T: Scalar> $name<'a, T> {
            /// A batch in host memory.
            ///
            /// # Errors
            /// [`Error::ShapeMismatch`] when matrices that are written overlap.
            ///
            /// # Safety
            /// `shape.end()` elements from `start` must stay valid for `'a` (for an empty batch `start` may be null),
            /// and nobody else may write what this view reads or touch what it writes.
            pub unsafe fn from_host_raw(start: *mut T, shape: BatchShape<'a>) -> Result<Self> {
                if $distinct {
                    shape.check_distinct()?;
                }
                Ok($name { memory: Memory::host(start), shape })
            }

            /// A batch in device memory. `name` is what an error calls it.
            ///
            /// # Errors
            /// [`Error::ViewTooLarge`] when the buffer is too small, [`Error::ShapeMismatch`] when matrices that are
            /// written overlap.
            pub fn from_device(
                buffer: &'a impl MemoryObject,
                shape: BatchShape<'a>,
                name: &'static str,
            ) -> Result<Self> {
                if $distinct {
                    shape.check_distinct()?;
                }
                check_fits(shape.end(), buffer.bytes() / size_of::<T>(), name)?;
                Ok($name { memory: Memory::Device(buffer), shape })
            }

            /// A batch in somebody's memory that the operation does not touch.
            ///
            /// # Safety
            /// It must not.
            pub unsafe fn unread(buffer: &'a impl MemoryObject, shape: BatchShape<'a>) -> Self {
                $name { memory: Memory::Device(buffer), shape }
            }
        }

        impl<'a, T> $name<'a, T> {
            /// Shape and starts of the matrices.
            pub const fn shape(&self) -> &BatchShape<'a> {
                &self.shape
            }
        }
    };
}

batch_view!(
    /// Matrices to read. They may overlap.
    BatchRef,
    false
);
batch_view!(
    /// Matrices to read and write, which do not overlap.
    BatchMut,
    true
);

view_parts!(BatchRef, BatchShape<'a>);
view_parts!(BatchMut, BatchShape<'a>);

impl<T> Clone for BatchRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BatchRef<'_, T> {}

impl<'a, T: Scalar> BatchRef<'a, T> {
    /// A batch in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short.
    pub fn from_slice(data: &'a [T], shape: BatchShape<'a>) -> Result<Self> {
        check_fits(shape.end(), data.len(), "the batch")?;
        Ok(BatchRef { memory: Memory::host(data.as_ptr().cast_mut()), shape })
    }
}

impl<'a, T: Scalar> BatchMut<'a, T> {
    /// A batch in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short, [`Error::ShapeMismatch`] when matrices overlap.
    pub fn from_slice(data: &'a mut [T], shape: BatchShape<'a>) -> Result<Self> {
        shape.check_distinct()?;
        check_fits(shape.end(), data.len(), "the batch")?;
        Ok(BatchMut { memory: Memory::host(data.as_mut_ptr()), shape })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(ld: usize) -> MatrixShape {
        MatrixShape::new(Layout::ColumnMajor, 3, 4, 2, ld).unwrap()
    }

    #[test]
    fn a_batch_ends_with_its_farthest_matrix() {
        assert_eq!(BatchShape::strided(matrix(5), 20, 3).unwrap().end(), 40 + 2 + 3 * 5 + 3);
        assert_eq!(BatchShape::strided(matrix(5), 20, 0).unwrap().end(), 2);
        let batch = BatchShape::at_offsets(matrix(5), &[30, 0, 7]).unwrap();
        assert_eq!((batch.end(), batch.one(2).offset()), (30 + 2 + 3 * 5 + 3, 9));
    }

    #[test]
    fn a_batch_that_cannot_be_is_refused() {
        assert!(BatchShape::at_offsets(matrix(5), &[0, -1]).is_err());
        assert!(BatchShape::strided(matrix(5), usize::MAX / 2, 3).is_err());
        assert!(BatchShape::strided(matrix(5), 1 << 60, 2).is_err());
    }

    #[test]
    fn matrices_that_are_written_do_not_overlap() {
        let mut data = [0.0_f32; 200];
        let mut fits = |shape: Result<BatchShape<'_>>| BatchMut::from_slice(&mut data, shape.unwrap()).is_ok();
        assert!(fits(BatchShape::strided(matrix(5), 18, 3)));
        assert!(!fits(BatchShape::strided(matrix(5), 17, 3)));
        assert!(!fits(BatchShape::strided(matrix(5), 0, 2)));
        assert!(fits(BatchShape::strided(matrix(5), 0, 1)));
        // Beside each other, within one leading dimension.
        assert!(fits(BatchShape::strided(matrix(9), 3, 3)));
        assert!(!fits(BatchShape::strided(matrix(8), 3, 3)));
        assert!(!fits(BatchShape::at_offsets(matrix(5), &[40, 0, 17])));
        assert!(fits(BatchShape::at_offsets(matrix(5), &[40, 0, 18])));
    }
}
