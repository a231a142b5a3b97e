//! Matrices in compressed rows.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::lazy::Lazy;
use super::product::{PreparedProduct, Segments};
use super::statistics::RowStatistics;
use super::triangular::PreparedTriangle;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Context};
use crate::options::Triangle;
use crate::scalar::Scalar;
use crate::view::VectorRef;
use affinimath_core::sparse::{RowPointer, check};

pub use affinimath_core::sparse::CsrArrays;
pub(crate) use affinimath_core::sparse::{CsrRef, check_sizes};

/// A sparse matrix in compressed rows (CSR), in the memory of a [`Context`].
///
/// The entries of row i are those from `row_ptr[i]` to `row_ptr[i + 1]`, each with its column and its value. Columns
/// may come in any order, and more than once: such entries add up. What operations find out about the matrix, such as
/// how long its rows are, or its transpose, is kept with it and serves the next ones.
///
/// ```
/// use affinimath::sparse::CsrMatrix;
/// use affinimath::{Context, Op};
///
/// // [ 4 -1  0 ]
/// // [ 0  2  5 ]
/// let context = Context::host();
/// let a = CsrMatrix::new(&context, 2, 3, &[0, 2, 4], &[0, 1, 1, 2], &[4.0, -1.0, 2.0, 5.0])?;
/// let x = context.upload(&[1.0, 2.0, 3.0])?;
/// let mut y = context.zeros(2)?;
/// a.multiply(Op::NoTrans, 1.0, x.vector()?, 0.0, y.vector_mut()?)?.wait()?;
/// assert_eq!(y.download()?, [2.0, 19.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[derive(Debug)]
pub struct CsrMatrix<T, P = i32> {
    context: Context,
    rows: usize,
    columns: usize,
    row_ptr: Buffer<P>,
    col_indices: Buffer<i32>,
    values: Buffer<T>,
    statistics: Lazy<RowStatistics>,
    /// How products with it are computed on its device.
    product: Lazy<PreparedProduct>,
    /// Starts of segments, for products with dense matrices on the device.
    segments: Lazy<Segments>,
    /// How systems with its lower and its upper triangle are solved on its device: also with what preconditioners make
    /// of those.
    triangles: [Lazy<Arc<PreparedTriangle>>; 2],
    /// Aᵀ, for products with it: its rows are A's columns, with entries in the order of A's rows.
    transpose: Lazy<Box<CsrMatrix<T, P>>>,
}

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// The `rows x columns` matrix of three arrays, which are checked and copied into the context's memory: `row_ptr`
    /// to where each row's entries begin and to where the last one's end, the `col_indices` of the entries' columns,
    /// from 0, and their `values`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], with the row and the entry, when the pointers do not rise from 0 to the number of
    /// entries, when an index is no column, or when arrays have other lengths than they should;
    /// [`Error::OutOfDeviceMemory`]; [`Error::PrecisionNotSupported`].
    pub fn new(
        context: &Context,
        rows: usize,
        columns: usize,
        row_ptr: &[P],
        col_indices: &[i32],
        values: &[T],
    ) -> Result<Self> {
        check(rows, columns, row_ptr, col_indices, values.len())?;
        let statistics = RowStatistics::of(row_ptr);
        let buffers = (context.upload(row_ptr)?, context.upload(col_indices)?, context.upload(values)?);
        Ok(CsrMatrix { statistics: statistics.into(), ..Self::from_buffers(context, rows, columns, buffers) })
    }

    /// The matrix of three arrays in the context's memory, which are checked and copied. On a device pointers and
    /// indices are brought to the host for that, and the values stay there.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::new`]; [`Error::MixedMemory`] when an array lies elsewhere, [`Error::ShapeMismatch`]
    /// when its elements are not adjacent.
    pub fn from_views(
        context: &Context,
        rows: usize,
        columns: usize,
        row_ptr: VectorRef<'_, P>,
        col_indices: VectorRef<'_, i32>,
        values: VectorRef<'_, T>,
    ) -> Result<Self> {
        let (row_ptr, col_indices) = (context.copy_of(row_ptr)?, context.copy_of(col_indices)?);
        let statistics = match (row_ptr.on_host(), col_indices.on_host()) {
            (Some(row_ptr), Some(col_indices)) => {
                check(rows, columns, row_ptr, col_indices, values.length())?;
                RowStatistics::of(row_ptr)
            }
            _ => {
                let row_ptr = row_ptr.download()?;
                check(rows, columns, &row_ptr, &col_indices.download()?, values.length())?;
                RowStatistics::of(&row_ptr)
            }
        };
        let buffers = (row_ptr, col_indices, context.copy_of(values)?);
        Ok(CsrMatrix { statistics: statistics.into(), ..Self::from_buffers(context, rows, columns, buffers) })
    }

    /// The order of a square matrix; another one is refused.
    pub(crate) fn order(&self) -> Result<usize> {
        let (rows, columns) = (self.rows, self.columns);
        if rows == columns {
            return Ok(rows);
        }
        Err(Error::ShapeMismatch(format!("a {rows} x {columns} matrix is not square")))
    }

    /// The same matrix once more, in the same memory.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`], and what the device reports.
    pub fn duplicate(&self) -> Result<Self> {
        let context = &self.context;
        let (row_ptr, col_indices) =
            (context.copy_of(self.row_ptr.vector()?)?, context.copy_of(self.col_indices.vector()?)?);
        let buffers = (row_ptr, col_indices, context.copy_of(self.values.vector()?)?);
        Ok(Self::from_buffers(context, self.rows, self.columns, buffers))
    }

    /// The matrix of arrays that are known to be one.
    pub(crate) fn from_buffers(
        context: &Context,
        rows: usize,
        columns: usize,
        (row_ptr, col_indices, values): (Buffer<P>, Buffer<i32>, Buffer<T>),
    ) -> Self {
        debug_assert!(row_ptr.len() == rows + 1 && col_indices.len() == values.len());
        let context = context.clone();
        let (statistics, product, segments, triangles) = Default::default();
        let transpose = Lazy::default();
        CsrMatrix {
            context,
            rows,
            columns,
            row_ptr,
            col_indices,
            values,
            statistics,
            product,
            segments,
            triangles,
            transpose,
        }
    }

    /// The same for arrays on the host.
    pub(crate) fn from_arrays(rows: usize, columns: usize, arrays: CsrArrays<T, P>) -> Self {
        let CsrArrays { row_ptr, col_indices, values } = arrays;
        Self::from_buffers(&Context::host(), rows, columns, (row_ptr.into(), col_indices.into(), values.into()))
    }

    /// The number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries.
    pub const fn nnz(&self) -> usize {
        self.col_indices.len()
    }

    /// Context of the arrays.
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The arrays, copied to the host.
    ///
    /// # Errors
    /// Errors of the device, also of earlier operations.
    pub fn download(&self) -> Result<CsrArrays<T, P>> {
        let (row_ptr, col_indices) = (self.row_ptr.download()?, self.col_indices.download()?);
        Ok(CsrArrays { row_ptr, col_indices, values: self.values.download()? })
    }

    /// The same matrix in the memory of another context.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`], [`Error::PrecisionNotSupported`], and what the devices report.
    pub fn to_context(&self, context: &Context) -> Result<Self> {
        let arrays = self.download()?;
        let row_ptr = context.upload(&arrays.row_ptr)?;
        let (col_indices, values) = (context.upload(&arrays.col_indices)?, context.upload(&arrays.values)?);
        Ok(Self::from_buffers(context, self.rows, self.columns, (row_ptr, col_indices, values)))
    }

    /// Other values for the same entries. What is kept of the old ones is forgotten.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when there are not as many as entries; [`Error::OutOfDeviceMemory`].
    pub fn set_values(&mut self, values: &[T]) -> Result<()> {
        self.check_values(values.len())?;
        self.replace_values(self.context.upload(values)?);
        Ok(())
    }

    /// The same with values that are in the context's memory, which are copied.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::set_values`]; [`Error::MixedMemory`] when they lie elsewhere.
    pub fn set_values_from(&mut self, values: VectorRef<'_, T>) -> Result<()> {
        self.check_values(values.length())?;
        self.replace_values(self.context.copy_of(values)?);
        Ok(())
    }

    fn check_values(&self, count: usize) -> Result<()> {
        if count == self.nnz() {
            return Ok(());
        }
        Err(Error::ShapeMismatch(format!("{count} values for {} entries", self.nnz())))
    }

    /// The same with values that are in the context's memory.
    pub(crate) fn replace_values(&mut self, values: Buffer<T>) {
        debug_assert!(values.len() == self.nnz());
        self.values = values;
        self.transpose = Lazy::default();
    }

    /// Changes the values where they are. What is kept of the old ones is forgotten.
    pub(crate) fn change_values(&mut self, change: impl FnOnce(&mut Buffer<T>) -> Result<()>) -> Result<()> {
        self.transpose = Lazy::default();
        change(&mut self.values)
    }

    /// Index of the first entry of each row, and the end of the last row.
    pub const fn row_ptr(&self) -> &Buffer<P> {
        &self.row_ptr
    }

    /// The column of each entry.
    pub const fn col_indices(&self) -> &Buffer<i32> {
        &self.col_indices
    }

    /// The value of each entry.
    pub const fn values(&self) -> &Buffer<T> {
        &self.values
    }

    /// The matrix as a view.
    pub(crate) fn view(&self) -> Result<CsrRef<'_, T, P>> {
        let (row_ptr, col_indices) = (self.row_ptr.vector()?, self.col_indices.vector()?);
        // SAFETY: the arrays were checked when the matrix was made.
        unsafe { CsrRef::new(self.rows, self.columns, row_ptr, col_indices, self.values.vector()?) }
    }

    /// Aᵀ as it is kept, made by `make` at the first use.
    pub(crate) fn cached_transpose(&self, make: impl FnOnce() -> Result<Self>) -> Result<&Self> {
        self.transpose.get_or_make(|| make().map(Box::new)).map(|transpose| &**transpose)
    }

    /// How products with it are computed, found out by `prepare` at the first use.
    pub(crate) fn cached_product(&self, prepare: impl FnOnce() -> Result<PreparedProduct>) -> Result<&PreparedProduct> {
        self.product.get_or_make(prepare)
    }

    /// Starts of segments, computed by `find` at the first use.
    pub(crate) fn cached_segments(&self, find: impl FnOnce() -> Result<Segments>) -> Result<&Segments> {
        self.segments.get_or_make(find)
    }

    /// How systems with a triangle are solved, found out by `prepare` at the first use.
    pub(crate) fn cached_triangle(
        &self,
        triangle: Triangle,
        prepare: impl FnOnce() -> Result<PreparedTriangle>,
    ) -> Result<&Arc<PreparedTriangle>> {
        self.triangles[usize::from(triangle == Triangle::Upper)].get_or_make(|| prepare().map(Arc::new))
    }

    /// Solves with a triangle as with that of another matrix, which has entries in the same places there.
    pub(crate) fn keep_triangle(&mut self, triangle: Triangle, prepared: Arc<PreparedTriangle>) {
        self.triangles[usize::from(triangle == Triangle::Upper)] = prepared.into();
    }

    /// How long the rows are, counted by `count` at the first use.
    pub(crate) fn cached_statistics(&self, count: impl FnOnce() -> Result<RowStatistics>) -> Result<RowStatistics> {
        self.statistics.get_or_make(count).copied()
    }
}
