//! Other forms of a sparse matrix.

use crate::error::Result;
use crate::host;
use crate::memory::Context;
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, RowPointer, RowStatistics};

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// Aᵀ, where A lies: also A in compressed columns. Entries of its rows are in the order of A's rows.
    ///
    /// # Errors
    /// [`crate::Error::OutOfDeviceMemory`], and what the device reports.
    pub fn transpose(&self) -> Result<Self> {
        if self.context().on_device().is_some() {
            return self.to_context(&Context::host())?.transpose()?.to_context(self.context());
        }
        let arrays = host::sparse::transpose(&self.view()?);
        Ok(Self::from_arrays(self.columns(), self.rows(), arrays))
    }

    /// How many entries the rows have.
    ///
    /// # Errors
    /// What the device reports.
    pub fn row_statistics(&self) -> Result<RowStatistics> {
        self.kept_statistics(|| Ok(RowStatistics::of(&self.pointers().download()?)))
    }

    /// Aᵀ as it is kept for products with it.
    pub(super) fn transposed(&self) -> Result<&Self> {
        self.kept_transpose(|| self.transpose())
    }
}
