//! Other forms of a sparse matrix.

use crate::error::Result;
use crate::host;
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, RowPointer};

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// Aᵀ, where A lies: also A in compressed columns. Entries of its rows are in the order of A's rows.
    ///
    /// # Errors
    /// [`crate::Error::OutOfDeviceMemory`], and what the device reports.
    pub fn transpose(&self) -> Result<Self> {
        let arrays = host::sparse::transpose(&self.view()?);
        Ok(Self::from_arrays(self.columns(), self.rows(), arrays))
    }

    /// Aᵀ as it is kept for products with it.
    pub(super) fn transposed(&self) -> Result<&Self> {
        self.kept_transpose(|| self.transpose())
    }
}
