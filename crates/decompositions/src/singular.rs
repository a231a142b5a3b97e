//! Singular values and vectors.

use affinimath_core::Scalar;
use affinimath_macros::instances;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{MatMut, MatRef, Par};

/// Singular values of A in descending order, and singular vectors in the columns of U and V if they are there:
/// bidiagonal reduction, QR iteration, and divide and conquer for large matrices (Gu and Eisenstat 1995); of tall and
/// wide matrices after a QR factorisation. False if the iteration did not converge.
///
/// U has m or min(m, n) columns, V n or min(m, n).
///
/// # Panics
/// If the sizes of A, `values`, U and V do not fit.
#[instances]
pub fn decompose<T: Scalar>(
    a: MatRef<'_, T>,
    values: &mut [T],
    u: Option<MatMut<'_, T>>,
    v: Option<MatMut<'_, T>>,
    par: Par,
) -> bool {
    let order = values.len();
    let kind = |vectors: &Option<MatMut<'_, T>>| match vectors {
        None => ComputeSvdVectors::No,
        Some(vectors) if vectors.ncols() == order => ComputeSvdVectors::Thin,
        Some(_) => ComputeSvdVectors::Full,
    };
    let workspace = svd_scratch::<T>(a.nrows(), a.ncols(), kind(&u), kind(&v), par, Default::default());
    let mut memory = MemBuffer::new(workspace);
    svd(a, DiagMut::from_slice_mut(values), u, v, par, MemStack::new(&mut memory), Default::default()).is_ok()
}
