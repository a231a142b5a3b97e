//! Other forms of a sparse matrix, and other matrices made of it, where it lies.

#[cfg(test)]
mod tests;

use super::check_memory;
use crate::blas::level1::scal_on;
use crate::context::Queue;
use crate::error::{Error, Result};
use crate::host;
use crate::memory::{Buffer, Context};
use crate::scalar::Scalar;
use crate::sparse::{CooMatrix, CsrMatrix, Mirror, RowPointer, RowStatistics, convert};
use crate::view::{MatrixMut, MatrixRef, VectorRef, View};

impl<T: Scalar> CooMatrix<T> {
    /// The matrix in compressed rows, with the columns of a row in ascending order. Entries in the same place are
    /// added, in the order of the list.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when there are more entries than the pointers count; [`Error::OutOfDeviceMemory`], and
    /// what the device reports.
    pub fn to_csr<P: RowPointer>(&self) -> Result<CsrMatrix<T, P>> {
        match self.context().on_device() {
            None => {
                let on_host = "the list lies on the host";
                let rows = self.row_indices().on_host().expect(on_host);
                let columns = self.col_indices().on_host().expect(on_host);
                let arrays =
                    host::sparse::compress(self.rows(), rows, columns, self.values().on_host().expect(on_host))?;
                Ok(CsrMatrix::from_arrays(self.rows(), self.columns(), arrays))
            }
            Some(_) => convert::compress_on(self),
        }
    }
}

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// True for a matrix in host memory.
    fn on_host(&self) -> bool {
        self.context().on_device().is_none()
    }

    /// The list of its entries, by rows.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`], and what the device reports.
    pub fn to_coo(&self) -> Result<CooMatrix<T>> {
        if !self.on_host() {
            return convert::list_on(self);
        }
        let list = host::sparse::list(&self.view()?);
        let buffers = (list.row_indices.into(), list.col_indices.into(), list.values.into());
        Ok(CooMatrix::from_buffers(self.context(), self.rows(), self.columns(), buffers))
    }

    /// The same matrix with the columns of each row in ascending order, and one entry in each place: the sum of those
    /// that were there.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::to_coo`].
    pub fn sorted(&self) -> Result<Self> {
        self.to_coo()?.to_csr()
    }

    /// Aᵀ: also A in compressed columns. Entries of its rows are in the order of A's rows.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::to_coo`].
    pub fn transpose(&self) -> Result<Self> {
        if !self.on_host() {
            return convert::transpose_on(self);
        }
        let arrays = host::sparse::transpose(&self.view()?);
        Ok(Self::from_arrays(self.columns(), self.rows(), arrays))
    }

    /// Aᵀ as it is kept for products with it.
    pub(super) fn transposed(&self) -> Result<&Self> {
        self.cached_transpose(|| {
            let transpose = self.transpose()?;
            // The cache serves other queues, too.
            self.context().on_device().map_or(Ok(()), |device| Queue::new(device)?.marker()?.wait())?;
            Ok(transpose)
        })
    }

    /// How many entries the rows have. Counted once, and kept.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn row_statistics(&self) -> Result<RowStatistics> {
        self.cached_statistics(|| match self.row_ptr().on_host() {
            Some(row_ptr) => Ok(RowStatistics::of(row_ptr)),
            None => convert::row_statistics_on(self),
        })
    }

    /// Writes all elements into a dense matrix in the same memory: zeros, and the sums of the entries in each place.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when it has another size, [`Error::MixedMemory`] when it lies elsewhere; what the
    /// device reports.
    pub fn write_dense(&self, dense: MatrixMut<'_, T>) -> Result<()> {
        check_size("the dense matrix", (dense.rows(), dense.columns()), (self.rows(), self.columns()))?;
        check_memory(self.context(), dense.memory(), "the dense matrix")?;
        if !self.on_host() {
            return convert::to_dense_on(self, &dense);
        }
        host::sparse::to_dense(&self.view()?, &dense);
        Ok(())
    }

    /// The elements of a dense matrix in the context's memory that are not zero.
    ///
    /// # Errors
    /// [`Error::MixedMemory`] when it lies elsewhere, [`Error::ShapeMismatch`] when there are more than pointers count;
    /// [`Error::OutOfDeviceMemory`], and what the device reports.
    pub fn from_dense(context: &Context, dense: MatrixRef<'_, T>) -> Result<Self> {
        check_memory(context, dense.memory(), "the dense matrix")?;
        if context.on_device().is_none() {
            return Ok(Self::from_arrays(dense.rows(), dense.columns(), host::sparse::from_dense(&dense)?));
        }
        if dense.rows().saturating_mul(dense.columns()) > P::MAX_NNZ {
            return Err(Error::ShapeMismatch(
                "the dense matrix is larger than 32-bit row pointers count: use i64".into(),
            ));
        }
        convert::from_dense_on(context, &dense)
    }

    /// The elements on the diagonal, of which there are as many as rows or as columns, whatever is fewer.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::to_coo`].
    pub fn diagonal(&self) -> Result<Buffer<T>> {
        if self.on_host() { Ok(host::sparse::diagonal(&self.view()?).into()) } else { convert::diagonal_on(self) }
    }

    /// The whole of a matrix of which a triangle is stored, sorted as by [`CsrMatrix::sorted`]. Entries across the
    /// diagonal are added where both sides have some; those on the diagonal stay as they are.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when it is not square; else as [`CsrMatrix::to_coo`].
    pub fn mirrored(&self, mirror: Mirror) -> Result<Self> {
        self.order()?;
        if !self.on_host() {
            return convert::mirror_on(self, mirror);
        }
        Ok(Self::from_arrays(self.rows(), self.columns(), host::sparse::mirrored(&self.view()?, mirror)?))
    }

    /// alpha A + beta B, sorted as by [`CsrMatrix::sorted`], with an entry wherever A or B has one.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the sizes differ, [`Error::MixedMemory`] when B lies elsewhere; else as
    /// [`CsrMatrix::to_coo`].
    pub fn sum(alpha: T, a: &Self, beta: T, b: &Self) -> Result<Self> {
        check_size("B", (b.rows(), b.columns()), (a.rows(), a.columns()))?;
        same_context(a.context(), b.context())?;
        match a.on_host() {
            true => {
                let arrays = host::sparse::sum(alpha, &a.view()?, beta, &b.view()?)?;
                Ok(Self::from_arrays(a.rows(), a.columns(), arrays))
            }
            false => convert::sum_on(alpha, a, beta, b),
        }
    }

    /// A B, sorted as by [`CsrMatrix::sorted`].
    ///
    /// On a device all products are listed before they are added: that takes memory for each of them.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when A has not as many columns as B has rows, or when there are more entries (on a
    /// device: products) than pointers count; [`Error::MixedMemory`] when B lies elsewhere; else as
    /// [`CsrMatrix::to_coo`].
    pub fn multiply_sparse(&self, b: &Self) -> Result<Self> {
        check_size("B", (b.rows(), b.columns()), (self.columns(), b.columns()))?;
        same_context(self.context(), b.context())?;
        if self.on_host() {
            let arrays = host::sparse::multiply_sparse(&self.view()?, &b.view()?)?;
            return Ok(Self::from_arrays(self.rows(), b.columns(), arrays));
        }
        self.check_products(b)?;
        convert::multiply_sparse_on(self, b)
    }

    /// Refuses a product of more products of entries than pointers count.
    fn check_products(&self, b: &Self) -> Result<()> {
        if self.nnz().saturating_mul(b.row_statistics()?.longest) <= P::MAX_NNZ {
            return Ok(());
        }
        let (columns, row_ptr) = (self.col_indices().download()?, b.row_ptr().download()?);
        let length = |row: i32| row_ptr[row as usize + 1].count() - row_ptr[row as usize].count();
        crate::sparse::check_count::<P>(columns.into_iter().map(length).sum())
    }

    /// A := alpha A.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn scale(&mut self, alpha: T) -> Result<()> {
        let context = self.context().clone();
        self.change_values(|values| match context.on_device() {
            None => scal(alpha, values),
            Some(device) => scal_on(&Queue::new(device)?, alpha, values.vector_mut()?).map(drop),
        })
    }

    /// A := D A for a diagonal matrix D: each row times its factor.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when there are not as many factors as rows, [`Error::MixedMemory`] when they lie
    /// elsewhere; what the device reports.
    pub fn scale_rows(&mut self, factors: VectorRef<'_, T>) -> Result<()> {
        self.scale_lines(true, factors)
    }

    /// A := A D for a diagonal matrix D: each column times its factor.
    ///
    /// # Errors
    /// The errors of [`CsrMatrix::scale_rows`], for columns.
    pub fn scale_columns(&mut self, factors: VectorRef<'_, T>) -> Result<()> {
        self.scale_lines(false, factors)
    }

    fn scale_lines(&mut self, by_rows: bool, factors: VectorRef<'_, T>) -> Result<()> {
        let (lines, what) = if by_rows { (self.rows(), "rows") } else { (self.columns(), "columns") };
        if factors.length() != lines {
            return Err(Error::ShapeMismatch(format!("{} factors for {lines} {what}", factors.length())));
        }
        check_memory(self.context(), factors.memory(), "the factors")?;
        let scaled = match self.on_host() {
            true => host::sparse::scaled_lines(&self.view()?, by_rows, &factors).into(),
            false => convert::scaled_lines_on(self, by_rows, &factors)?,
        };
        self.replace_values(scaled);
        Ok(())
    }
}

/// The same on the host.
fn scal<T: Scalar>(alpha: T, values: &mut Buffer<T>) -> Result<()> {
    let scaled = values.on_host().expect("it lies on the host").iter().map(|value| alpha * *value);
    *values = scaled.collect::<Vec<_>>().into();
    Ok(())
}

fn check_size(name: &str, found: (usize, usize), needed: (usize, usize)) -> Result<()> {
    if found == needed {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name} is {} x {}, and should be {} x {}", found.0, found.1, needed.0, needed.1)))
}

fn same_context(a: &Context, b: &Context) -> Result<()> {
    if a.is_same(b) { Ok(()) } else { Err(Error::MixedMemory("the two sparse matrices".into())) }
}
