//! Sparse Cholesky, `P A Pᵀ = L Lᴴ`.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky};
use faer::{Conj, MatMut, Side};

use super::{HermitianPattern, check_memory, exhausted, sparse_parallelism, zeros};
use affinimath_core::{Error, Result, Scalar};
use affinimath_macros::instances;

/// The factor of a Hermitian positive definite matrix, ordered by AMD.
pub struct Cholesky<T> {
    symbolic: Arc<SymbolicCholesky<usize>>,
    values: Vec<T>,
}

impl<T: Scalar> Cholesky<T> {
    /// Factorises a matrix of this pattern, of which the lower triangle is read.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] with the column in the ordering, [`Error::OutOfHostMemory`] with the bytes.
    pub fn factor(pattern: &HermitianPattern, a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Self> {
        factor(pattern, a, memory)
    }

    /// Stored entries of the factors.
    pub fn nnz(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Overwrites B with `A⁻¹ B`.
    pub fn solve_in_place(&self, b: MatMut<'_, T>) {
        solve_in_place(self, b)
    }
}

#[instances]
fn factor<T: Scalar>(
    pattern: &HermitianPattern,
    a: SparseColMatRef<'_, usize, T>,
    memory: Option<u64>,
) -> Result<Cholesky<T>> {
    let symbolic = Arc::clone(&pattern.0);
    let par = sparse_parallelism(symbolic.len_val());
    let workspace = symbolic.factorize_numeric_llt_scratch::<T>(par, Default::default());
    check_memory(symbolic.len_val().saturating_mul(size_of::<T>()).saturating_add(workspace.size_bytes()), memory)?;
    let mut values = zeros::<T>(symbolic.len_val())?;
    let mut workspace = MemBuffer::try_new(workspace).map_err(exhausted)?;
    let (stack, regularisation) = (MemStack::new(&mut workspace), Default::default());
    symbolic
        .factorize_numeric_llt(&mut values, a, Side::Lower, regularisation, par, stack, Default::default())
        .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { index: index + 1 })?;
    Ok(Cholesky { symbolic, values })
}

#[instances]
fn solve_in_place<T: Scalar>(factors: &Cholesky<T>, b: MatMut<'_, T>) {
    let par = sparse_parallelism(factors.values.len());
    let mut workspace = MemBuffer::new(factors.symbolic.solve_in_place_scratch::<T>(b.ncols(), par));
    let factors = LltRef::new(&factors.symbolic, &factors.values);
    factors.solve_in_place_with_conj(Conj::No, b, par, MemStack::new(&mut workspace));
}
