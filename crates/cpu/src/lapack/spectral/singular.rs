//! Singular values and vectors: bidiagonal reduction, QR iteration, and divide and conquer for large matrices (Gu and
//! Eisenstat 1995), as faer has them; of tall and wide matrices after a QR factorisation.

use affinimath_macros::instances;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads};
use super::{into_range, not_finite, parallelism, real, scaled_copy};
use crate::norm::max_norm;
use affinimath_core::scalar::Scalar;

/// Singular values of A in descending order, and singular vectors if they are wanted: A = U diag(s) Vᴴ (LAPACK: xGESVD,
/// xGESDD). U has m or min(m, n) columns, Vᴴ n or min(m, n) rows. A is read only.
///
/// If an element is not finite or the iteration does not converge, results are NaN, and the info is positive.
#[instances]
pub fn gesvd<T: Scalar>(
    a: MatRef<'_, T>,
    s: &mut [T::RealScalar],
    u: Option<MatMut<'_, T>>,
    vt: Option<MatMut<'_, T>>,
) -> Info {
    let (m, n) = (a.nrows(), a.ncols());
    let order = m.min(n);
    let (mut u, mut vt) = (u, vt);
    if order == 0 {
        for matrix in [&mut u, &mut vt].into_iter().flatten() {
            matrix.fill(T::ZERO);
            (0..matrix.nrows().min(matrix.ncols())).for_each(|i| matrix[(i, i)] = T::ONE);
        }
        return None;
    }
    let size = max_norm(a);
    if !size.is_finite() {
        return not_finite(s, [u, vt]);
    }
    let factor = into_range::<T>(size);
    let copy = scaled_copy(a, factor);
    let mut own_u = u.as_ref().map(|u| Mat::<T>::zeros(m, u.ncols()));
    let mut own_v = vt.as_ref().map(|vt| Mat::<T>::zeros(n, vt.nrows()));
    let mut values = vec![T::ZERO; order];
    let parts = (own_u.as_mut().map(|u| u.as_mut()), own_v.as_mut().map(|v| v.as_mut()));
    if !decompose(copy.as_ref(), &mut values, parts) {
        return not_finite(s, [u, vt]);
    }
    for (s, value) in s.iter_mut().zip(&values) {
        *s = real::<T>(value.re() / factor);
    }
    if let (Some(mut u), Some(own)) = (u, own_u) {
        u.copy_from(own);
    }
    if let (Some(mut vt), Some(own)) = (vt, own_v) {
        vt.copy_from(own.adjoint());
    }
    None
}

/// Places for singular vectors: U, and V.
type Vectors<'a, T> = (Option<MatMut<'a, T>>, Option<MatMut<'a, T>>);

/// Singular values, and vectors in U and V. False if the iteration did not converge.
fn decompose<T: Scalar>(a: MatRef<'_, T>, values: &mut [T], (u, v): Vectors<'_, T>) -> bool {
    let order = values.len();
    let kind = |vectors: &Option<MatMut<'_, T>>| match vectors {
        None => ComputeSvdVectors::No,
        Some(vectors) if vectors.ncols() == order => ComputeSvdVectors::Thin,
        Some(_) => ComputeSvdVectors::Full,
    };
    let (par, of_u, of_v) = (parallelism(order), kind(&u), kind(&v));
    let converged = among_threads(order, || {
        let workspace = svd_scratch::<T>(a.nrows(), a.ncols(), of_u, of_v, par, Default::default());
        let mut memory = MemBuffer::new(workspace);
        let stack = MemStack::new(&mut memory);
        svd(a, DiagMut::from_slice_mut(values), u, v, par, stack, Default::default()).is_ok()
    });
    converged && values.iter().all(|value| value.re().is_finite())
}
