//! Offsets of the matrices of a batch, in C's terms.

use std::slice;

use affinimath::{BatchShape, Error, MatrixShape, Result, Spacing};

use crate::arguments;
use crate::form::Operand;

/// A batch: its first matrix, and the offsets of the others.
pub struct Spaced<O> {
    pub first: O,
    name: &'static str,
    count: usize,
    spacing: Spacing<'static>,
}

impl<P: Copy> Spaced<Operand<P, MatrixShape>> {
    /// Matrices `stride` elements apart, under the stride's name. Those that are `written` must not overlap.
    pub fn strided(
        first: Operand<P, MatrixShape>,
        name: &'static str,
        stride: i64,
        count: usize,
        written: bool,
    ) -> Result<Self> {
        let spacing = Spacing::Stride(arguments::size(name, stride)?);
        Spaced { first, name, count, spacing }.checked(written)
    }

    /// Matrices at offsets, under the array's name. The array is not read if the matrices are not needed.
    ///
    /// # Safety
    /// The array must be null or hold an offset for each matrix until the call is over.
    pub unsafe fn at_offsets(
        first: Operand<P, MatrixShape>,
        name: &'static str,
        offsets: *const i64,
        count: usize,
        written: bool,
    ) -> Result<Self> {
        if count == 0 || !first.is_needed() {
            return Ok(Spaced { first, name, count, spacing: Spacing::Stride(0) });
        }
        arguments::not_null(name, offsets)?;
        // SAFETY: `not_null` refused null, and `at_offsets` requires `count` offsets.
        let spacing = Spacing::Offsets(unsafe { slice::from_raw_parts(offsets, count) });
        Spaced { first, name, count, spacing }.checked(written)
    }

    fn checked(self, written: bool) -> Result<Self> {
        let shape = self.shape(*self.first.shape())?;
        if written {
            shape.check_distinct().map_err(|error| self.wrong(&error))?;
        }
        Ok(self)
    }
}

impl<O> Spaced<O> {
    /// The batch whose first matrix has this shape.
    pub fn shape(&self, matrix: MatrixShape) -> Result<BatchShape<'static>> {
        let shape = match self.spacing {
            Spacing::Stride(stride) => BatchShape::strided(matrix, stride, self.count),
            Spacing::Offsets(offsets) => BatchShape::at_offsets(matrix, offsets),
        };
        shape.map_err(|error| self.wrong(&error))
    }

    fn wrong(&self, error: &Error) -> Error {
        Error::argument(self.name, error.to_string())
    }
}
