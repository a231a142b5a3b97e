//! Orderings and patterns of factors: the symbolic factorisation, which serves all matrices of one pattern.

use std::sync::Arc;

use affinimath_core::Result;
use faer::Side;
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::linalg::lu::{SymbolicLu, factorize_symbolic_lu};
use faer::sparse::linalg::qr::{QrSymbolicParams, SymbolicQr, factorize_symbolic_qr};

use super::exhausted;

/// The pattern of Cholesky's factor and of L in LDLᴴ.
#[derive(Clone)]
pub struct HermitianPattern(pub(super) Arc<SymbolicCholesky<usize>>);

impl HermitianPattern {
    /// Orders a square matrix by AMD. Its lower triangle is read.
    ///
    /// # Errors
    /// [`affinimath_core::Error::OutOfHostMemory`].
    pub fn of(a: SymbolicSparseColMatRef<'_, usize>) -> Result<Self> {
        let (ordering, options) = (Default::default(), Default::default());
        let symbolic = factorize_symbolic_cholesky(a, Side::Lower, ordering, options).map_err(exhausted)?;
        Ok(HermitianPattern(Arc::new(symbolic)))
    }

    /// Stored entries of the factor.
    pub fn nnz(&self) -> usize {
        self.0.len_val()
    }
}

/// The column ordering of LU.
#[derive(Clone)]
pub struct LuPattern {
    pub(super) symbolic: Arc<SymbolicLu<usize>>,
    pub(super) bound: usize,
}

impl LuPattern {
    /// Orders a square matrix by COLAMD.
    ///
    /// # Errors
    /// [`affinimath_core::Error::OutOfHostMemory`].
    pub fn of(a: SymbolicSparseColMatRef<'_, usize>) -> Result<Self> {
        // Whatever the pivots, L and U lie within the Householder vectors and R of A's QR (George and Ng 1987).
        let bound = simplicial_qr(a)?.len_val();
        let symbolic = factorize_symbolic_lu(a, Default::default()).map_err(exhausted)?;
        Ok(LuPattern { symbolic: Arc::new(symbolic), bound })
    }

    /// Upper bound of the stored entries of L and U.
    pub fn nnz(&self) -> usize {
        self.bound
    }
}

/// The pattern of Householder vectors and R.
#[derive(Clone)]
pub struct QrPattern(pub(super) Arc<SymbolicQr<usize>>);

impl QrPattern {
    /// Orders a matrix with at least as many rows as columns by COLAMD.
    ///
    /// # Errors
    /// [`affinimath_core::Error::OutOfHostMemory`].
    pub fn of(a: SymbolicSparseColMatRef<'_, usize>) -> Result<Self> {
        // Simplicial factors keep R by columns, so that its rank and its condition can be read.
        Ok(QrPattern(Arc::new(simplicial_qr(a)?)))
    }

    /// Stored entries of the factors.
    pub fn nnz(&self) -> usize {
        self.0.len_val()
    }
}

fn simplicial_qr(a: SymbolicSparseColMatRef<'_, usize>) -> Result<SymbolicQr<usize>> {
    let simplicial = SupernodalThreshold::FORCE_SIMPLICIAL;
    let options = QrSymbolicParams { supernodal_flop_ratio_threshold: simplicial, ..Default::default() };
    factorize_symbolic_qr(a, options).map_err(exhausted)
}
