//! Eigenvalues and eigenvectors of Hermitian matrices.

use affinimath_core::Scalar;
use affinimath_macros::instances;
use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::{MatMut, MatRef, Par};

/// Eigenvalues in ascending order, and orthonormal eigenvectors in U's columns if there is a U: tridiagonal reduction,
/// QR iteration, and divide and conquer for vectors of large matrices (Cuppen 1981; Gu and Eisenstat 1995). The lower
/// triangle of A is read. False if the iteration did not converge.
///
/// # Panics
/// If the sizes of A, `values` and U differ.
#[instances]
pub fn eigen<T: Scalar>(a: MatRef<'_, T>, values: &mut [T], u: Option<MatMut<'_, T>>, par: Par) -> bool {
    let compute = if u.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<T>(a.nrows(), compute, par, Default::default()));
    let (s, stack) = (DiagMut::from_slice_mut(values), MemStack::new(&mut memory));
    self_adjoint_evd(a, s, u, par, stack, Default::default()).is_ok()
}

/// Eigenvalues of a real symmetric tridiagonal matrix in ascending order, and orthonormal eigenvectors in U's columns,
/// by divide and conquer. `off_diagonal` has the elements next to it. False if the iteration did not converge.
///
/// # Panics
/// If the sizes of the diagonal, `values` and U differ, or `off_diagonal` has fewer than n - 1 elements.
#[instances]
pub fn tridiagonal_eigen<T: Scalar>(
    diagonal: &[T],
    off_diagonal: &[T],
    values: &mut [T],
    u: MatMut<'_, T>,
    par: Par,
) -> bool {
    let n = diagonal.len();
    let workspace = self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, par, Default::default());
    let mut memory = MemBuffer::new(workspace);
    let (d, e) = (DiagRef::from_slice(diagonal), DiagRef::from_slice(off_diagonal));
    let (s, stack) = (DiagMut::from_slice_mut(values), MemStack::new(&mut memory));
    tridiagonal_self_adjoint_evd(d, e, s, Some(u), par, stack, Default::default()).is_ok()
}
