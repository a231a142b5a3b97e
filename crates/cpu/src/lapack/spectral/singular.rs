//! Singular values and vectors under LAPACK's contract.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads};
use super::{into_range, not_finite, parallelism, real, scaled_copy};
use crate::norm::max_norm;
use affinimath_core::scalar::Scalar;
use affinimath_decompositions::singular;

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
    let converged = among_threads(order, || {
        let (u, v) = (own_u.as_mut().map(|u| u.as_mut()), own_v.as_mut().map(|v| v.as_mut()));
        singular::decompose(copy.as_ref(), &mut values, u, v, parallelism(order))
    });
    if !converged || values.iter().any(|value| !value.re().is_finite()) {
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
