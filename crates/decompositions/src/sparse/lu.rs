//! Sparse LU with partial pivoting, `P A Q = L U`.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu};
use faer::{Conj, MatMut};

use super::{LuPattern, check_memory, exhausted, sparse_parallelism};
use affinimath_core::{Error, Result, Scalar};
use affinimath_macros::instances;

/// The factors of a square matrix, ordered by COLAMD.
pub struct Lu<T> {
    symbolic: Arc<SymbolicLu<usize>>,
    numeric: NumericLu<usize, T>,
    bound: usize,
}

impl<T: Scalar> Lu<T> {
    /// Factorises a square matrix of this pattern.
    ///
    /// # Errors
    /// [`Error::ZeroPivot`] if the pattern is singular, [`Error::OutOfHostMemory`] with the bytes.
    pub fn factor(pattern: &LuPattern, a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Self> {
        factor(pattern, a, memory)
    }

    /// Stored entries of the factors; an upper bound that is known before pivoting.
    pub fn nnz(&self) -> usize {
        self.bound
    }

    /// Overwrites B with `A⁻¹ B`.
    pub fn solve_in_place(&self, b: MatMut<'_, T>) {
        solve_in_place(self, b)
    }

    /// Overwrites B with `A⁻ᴴ B`.
    pub fn solve_adjoint_in_place(&self, b: MatMut<'_, T>) {
        solve_adjoint_in_place(self, b)
    }
}

#[instances]
fn factor<T: Scalar>(pattern: &LuPattern, a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Lu<T>> {
    let (symbolic, bound) = (Arc::clone(&pattern.symbolic), pattern.bound);
    check_memory(bound.saturating_mul(size_of::<T>() + size_of::<usize>()), memory)?;
    let par = sparse_parallelism(bound);
    let workspace = symbolic.factorize_numeric_lu_scratch::<T>(par, Default::default());
    let mut workspace = MemBuffer::try_new(workspace).map_err(exhausted)?;
    let mut numeric = NumericLu::new();
    symbolic.factorize_numeric_lu(&mut numeric, a, par, MemStack::new(&mut workspace), Default::default()).map_err(
        |error| match error {
            LuError::SymbolicSingular { index } => Error::ZeroPivot { index: index + 1 },
            other => exhausted(other),
        },
    )?;
    Ok(Lu { symbolic, numeric, bound })
}

#[instances]
fn solve_in_place<T: Scalar>(factors: &Lu<T>, b: MatMut<'_, T>) {
    let par = sparse_parallelism(factors.bound);
    let mut workspace = MemBuffer::new(factors.symbolic.solve_in_place_scratch::<T>(b.ncols(), par));
    let factors = LuRef::new_unchecked(&factors.symbolic, &factors.numeric);
    factors.solve_in_place_with_conj(Conj::No, b, par, MemStack::new(&mut workspace));
}

#[instances]
fn solve_adjoint_in_place<T: Scalar>(factors: &Lu<T>, b: MatMut<'_, T>) {
    let par = sparse_parallelism(factors.bound);
    let mut workspace = MemBuffer::new(factors.symbolic.solve_transpose_in_place_scratch::<T>(b.ncols(), par));
    let factors = LuRef::new_unchecked(&factors.symbolic, &factors.numeric);
    factors.solve_transpose_in_place_with_conj(Conj::Yes, b, par, MemStack::new(&mut workspace));
}
