//! Sparse LDLᴴ without pivoting, `P A Pᵀ = L D Lᴴ`; the residual shows if it was stable.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::{LdltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::{Conj, MatMut, Side};

use super::{check_memory, exhausted, sparse_parallelism};
use affinimath_core::{Error, Result, Scalar};

pub(super) struct Ldl<T> {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<T>,
}

impl<T: Scalar> Ldl<T> {
    pub(super) fn factor(a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Self> {
        let (ordering, options) = (Default::default(), Default::default());
        let symbolic = factorize_symbolic_cholesky(a.symbolic(), Side::Lower, ordering, options).map_err(exhausted)?;
        let par = sparse_parallelism(symbolic.len_val());
        let workspace = symbolic.factorize_numeric_ldlt_scratch::<T>(par, Default::default());
        check_memory(symbolic.len_val().saturating_mul(size_of::<T>()).saturating_add(workspace.size_bytes()), memory)?;
        let mut values = vec![T::ZERO; symbolic.len_val()];
        let mut workspace = MemBuffer::try_new(workspace).map_err(exhausted)?;
        let (stack, regularisation) = (MemStack::new(&mut workspace), Default::default());
        symbolic
            .factorize_numeric_ldlt(&mut values, a, Side::Lower, regularisation, par, stack, Default::default())
            .map_err(|error| match error {
                faer::linalg::cholesky::ldlt::factor::LdltError::ZeroPivot { index } => {
                    Error::ZeroPivot { index: index + 1 }
                }
            })?;
        Ok(Ldl { symbolic, values })
    }

    pub(super) fn nnz(&self) -> usize {
        self.symbolic.len_val()
    }

    pub(super) fn solve_in_place(&self, b: MatMut<'_, T>) {
        let par = sparse_parallelism(self.values.len());
        let mut workspace = MemBuffer::new(self.symbolic.solve_in_place_scratch::<T>(b.ncols(), par));
        let factors = LdltRef::new(&self.symbolic, &self.values);
        factors.solve_in_place_with_conj(Conj::No, b, par, MemStack::new(&mut workspace));
    }
}
