//! Least squares of any rank by singular values: gelsd and gelss.

use affinimath_macros::instances;
use faer::{Mat, MatMut};

use super::super::Info;
use super::super::qr::{geqrf, ormqr};
use super::singular::gesvd;
use super::{into_range, not_finite, real, scaled};
use crate::gemm;
use crate::norm::max_norm;
use affinimath_core::options::{Op, Side};
use affinimath_core::scalar::Scalar;

/// For each column b of B, the x of least norm that minimises ||b - A x||, by A's singular values (LAPACK: xGELSD,
/// xGELSS). Returns the rank of A: singular values of at most `rcond` times the largest one count as zero. A negative
/// `rcond` stands for the precision's epsilon.
///
/// B has max(m, n) rows: b in the first ones, then x. If n < m, rows after x hold the remainder of b in an orthonormal
/// basis; if the rank is n, their squares add up to that of the residual. `s` gets min(m, n) singular values in
/// descending order. The first min(m, n) rows of A get the right singular vectors, as rows.
///
/// If an element of A is not finite, results are NaN, and the info is positive.
#[instances]
pub fn gelsd<T: Scalar>(
    mut a: MatMut<'_, T>,
    mut b: MatMut<'_, T>,
    s: &mut [T::RealScalar],
    rcond: f64,
) -> (usize, Info) {
    let (m, n) = (a.nrows(), a.ncols());
    let order = m.min(n);
    let size = max_norm(a.as_ref());
    if !size.is_finite() {
        return (0, not_finite(s, [Some(b)]));
    }
    if order == 0 {
        b.subrows_mut(0, n).fill(T::ZERO);
        return (0, None);
    }
    if size == 0.0 {
        s.fill(real::<T>(0.0));
        b.fill(T::ZERO); // LAPACK: the solution of least norm.
        return (0, None);
    }
    let (a_factor, b_factor) = (into_range::<T>(size), into_range::<T>(max_norm(b.as_ref().subrows(0, m))));
    scale(a_factor, a.as_mut());
    scale(b_factor, b.as_mut().subrows_mut(0, m));
    // A tall A is reduced to its triangle, and B to Qᴴ B.
    let mut square = Mat::<T>::zeros(order, n);
    if m > n {
        let mut tau = vec![T::ZERO; n];
        geqrf(a.as_mut(), &mut tau);
        ormqr(Side::Left, Op::ConjTrans, a.as_ref(), &tau, b.as_mut().subrows_mut(0, m));
        (0..n).for_each(|j| (0..=j).for_each(|i| square[(i, j)] = a[(i, j)]));
    } else {
        square.copy_from(a.as_ref());
    }
    let (mut u, mut vt) = (Mat::<T>::zeros(order, order), Mat::<T>::zeros(order, n));
    let info = gesvd(square.as_ref(), s, Some(u.as_mut()), Some(vt.as_mut()));
    if info.is_some() {
        return (0, not_finite(s, [Some(b)]));
    }
    let min_normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    let threshold = (if rcond < 0.0 { T::EPSILON / 2.0 } else { rcond } * s[0].re()).max(min_normal);
    let rank = s.iter().take_while(|value| value.re() > threshold).count();
    let mut c = Mat::<T>::zeros(rank, b.ncols());
    let (leading, top) = (u.as_ref().subcols(0, rank), b.as_ref().subrows(0, order));
    gemm(Op::ConjTrans, Op::NoTrans, T::ONE, leading, top, T::ZERO, c.as_mut());
    for j in 0..c.ncols() {
        (0..rank).for_each(|i| c[(i, j)] = scaled(c[(i, j)], s[i].re().recip()));
    }
    let (rows, x) = (vt.as_ref().subrows(0, rank), b.as_mut().subrows_mut(0, n));
    gemm(Op::ConjTrans, Op::NoTrans, T::ONE, rows, c.as_ref(), T::ZERO, x);
    scale(a_factor, b.as_mut().subrows_mut(0, n));
    scale(b_factor.recip(), b);
    s.iter_mut().for_each(|value| *value = real::<T>(value.re() / a_factor));
    a.subrows_mut(0, order).copy_from(vt);
    (rank, None)
}

fn scale<T: Scalar>(factor: f64, mut a: MatMut<'_, T>) {
    if factor == 1.0 {
        return;
    }
    for j in 0..a.ncols() {
        (0..a.nrows()).for_each(|i| a[(i, j)] = scaled(a[(i, j)], factor));
    }
}
