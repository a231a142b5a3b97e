//! A matrix in compressed rows in somebody's memory.

use super::RowPointer;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::view::VectorRef;

use super::check::check_sizes;

/// A matrix in compressed rows: three arrays in one memory, whoever they belong to.
///
/// The contents of the arrays are not checked. The caller guarantees row pointers that ascend from 0 to the number of
/// entries, and column indices below the number of columns.
#[derive(Debug)]
pub struct CsrRef<'a, T, P> {
    pub rows: usize,
    pub columns: usize,
    /// Index of the first entry of each row, and the end of the last row.
    pub row_ptr: VectorRef<'a, P>,
    /// The column of each entry.
    pub col_indices: VectorRef<'a, i32>,
    /// Its value.
    pub values: VectorRef<'a, T>,
}

impl<T, P> Clone for CsrRef<'_, T, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, P> Copy for CsrRef<'_, T, P> {}

impl<'a, T: Scalar, P: RowPointer> CsrRef<'a, T, P> {
    /// The matrix of three arrays of adjacent elements.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] and [`Error::ShapeMismatch`] where lengths do not fit the sizes.
    ///
    /// # Safety
    /// The arrays must hold what the type says.
    pub unsafe fn new(
        rows: usize,
        columns: usize,
        row_ptr: VectorRef<'a, P>,
        col_indices: VectorRef<'a, i32>,
        values: VectorRef<'a, T>,
    ) -> Result<Self> {
        check_sizes(rows, columns)?;
        let adjacent =
            [row_ptr.shape().increment(), col_indices.shape().increment(), values.shape().increment()] == [1; 3];
        let entries = col_indices.length();
        if !adjacent || row_ptr.length() != rows + 1 || values.length() != entries || entries > P::MAX_NNZ {
            return Err(Error::ShapeMismatch(format!(
                "{} pointers, {entries} indices and {} values are no matrix of {rows} rows",
                row_ptr.length(),
                values.length()
            )));
        }
        Ok(CsrRef { rows, columns, row_ptr, col_indices, values })
    }

    /// The number of entries.
    pub const fn nnz(&self) -> usize {
        self.col_indices.length()
    }
}
