//! Matrices as lists of entries.

pub use affinimath_core::sparse::CooArrays;
pub(crate) use affinimath_core::sparse::check_count;

use super::csr::check_sizes;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Context};
use crate::scalar::Scalar;
use crate::view::VectorRef;

/// A sparse matrix as a list of entries (COO): the row, the column and the value of each, in any order. Entries in the
/// same place add up, in the order of the list.
#[derive(Debug)]
pub struct CooMatrix<T> {
    context: Context,
    rows: usize,
    columns: usize,
    row_indices: Buffer<i32>,
    col_indices: Buffer<i32>,
    values: Buffer<T>,
}

impl<T: Scalar> CooMatrix<T> {
    /// The `rows x columns` matrix of a list, which is checked and copied into the context's memory.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], with the entry, when an index is no row or no column, or when the arrays differ in
    /// length; [`Error::OutOfDeviceMemory`]; [`Error::PrecisionNotSupported`].
    pub fn new(
        context: &Context,
        rows: usize,
        columns: usize,
        row_indices: &[i32],
        col_indices: &[i32],
        values: &[T],
    ) -> Result<Self> {
        check_list(rows, columns, row_indices, col_indices, values.len())?;
        let buffers = (context.upload(row_indices)?, context.upload(col_indices)?, context.upload(values)?);
        Ok(Self::from_buffers(context, rows, columns, buffers))
    }

    /// The matrix of a list in the context's memory, which is checked and copied. On a device indices are brought to
    /// the host for that, and the values stay there.
    ///
    /// # Errors
    /// The errors of [`CooMatrix::new`]; [`Error::MixedMemory`] when an array lies elsewhere, [`Error::ShapeMismatch`]
    /// when its elements are not adjacent.
    pub fn from_views(
        context: &Context,
        rows: usize,
        columns: usize,
        row_indices: VectorRef<'_, i32>,
        col_indices: VectorRef<'_, i32>,
        values: VectorRef<'_, T>,
    ) -> Result<Self> {
        let (row_indices, col_indices) = (context.copy_of(row_indices)?, context.copy_of(col_indices)?);
        match (row_indices.on_host(), col_indices.on_host()) {
            (Some(row_indices), Some(col_indices)) => {
                check_list(rows, columns, row_indices, col_indices, values.length())?;
            }
            _ => check_list(rows, columns, &row_indices.download()?, &col_indices.download()?, values.length())?,
        }
        let buffers = (row_indices, col_indices, context.copy_of(values)?);
        Ok(Self::from_buffers(context, rows, columns, buffers))
    }

    /// The same of arrays that nobody else needs: in the host's memory they are not copied.
    ///
    /// # Errors
    /// The errors of [`CooMatrix::new`].
    pub(crate) fn from_arrays(context: &Context, rows: usize, columns: usize, list: CooArrays<T>) -> Result<Self> {
        let CooArrays { row_indices, col_indices, values } = list;
        if context.on_device().is_some() {
            return Self::new(context, rows, columns, &row_indices, &col_indices, &values);
        }
        check_list(rows, columns, &row_indices, &col_indices, values.len())?;
        Ok(Self::from_buffers(context, rows, columns, (row_indices.into(), col_indices.into(), values.into())))
    }

    /// The matrix of arrays that are known to be one.
    pub(crate) fn from_buffers(
        context: &Context,
        rows: usize,
        columns: usize,
        (row_indices, col_indices, values): (Buffer<i32>, Buffer<i32>, Buffer<T>),
    ) -> Self {
        debug_assert!(row_indices.len() == values.len() && col_indices.len() == values.len());
        CooMatrix { context: context.clone(), rows, columns, row_indices, col_indices, values }
    }

    /// The number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries in the list.
    pub const fn nnz(&self) -> usize {
        self.values.len()
    }

    /// Context of the arrays.
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The row of each entry.
    pub const fn row_indices(&self) -> &Buffer<i32> {
        &self.row_indices
    }

    /// The column of each entry.
    pub const fn col_indices(&self) -> &Buffer<i32> {
        &self.col_indices
    }

    /// The value of each entry.
    pub const fn values(&self) -> &Buffer<T> {
        &self.values
    }

    /// The arrays, copied to the host.
    ///
    /// # Errors
    /// Errors of the device, also of earlier operations.
    pub fn download(&self) -> Result<CooArrays<T>> {
        let (row_indices, col_indices) = (self.row_indices.download()?, self.col_indices.download()?);
        Ok(CooArrays { row_indices, col_indices, values: self.values.download()? })
    }
}

/// Refuses arrays that are not a list of entries of a `rows x columns` matrix, naming the array and the entry.
fn check_list(rows: usize, columns: usize, row_indices: &[i32], col_indices: &[i32], values: usize) -> Result<()> {
    check_sizes(rows, columns)?;
    check_indices("row_indices", "rows", row_indices, rows)?;
    check_indices("column_indices", "columns", col_indices, columns)?;
    for (name, length) in [("column_indices", col_indices.len()), ("values", values)] {
        if length != row_indices.len() {
            return Err(Error::argument(name, format!("{length} of them, and {} row indices", row_indices.len())));
        }
    }
    Ok(())
}

fn check_indices(name: &'static str, what: &str, col_indices: &[i32], count: usize) -> Result<()> {
    match col_indices.iter().position(|&index| index < 0 || index as usize >= count) {
        None => Ok(()),
        Some(entry) => {
            Err(Error::argument(name, format!("entry {entry} has the index {}, of {count} {what}", col_indices[entry])))
        }
    }
}
