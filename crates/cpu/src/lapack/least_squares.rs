//! Least squares and least norms by QR: gels for full rank, gelsy for any rank.

use affinimath_macros::instances;
use faer::MatMut;

use super::Info;
use super::pivoted::{geqp3, move_initial_columns};
use super::qr::{geqrf, ormqr};
use super::rank::rank;
use super::trapezoid::Trapezoid;
use super::triangular::trtrs;
use crate::gemm::scale;
use crate::norm::max_norm;
use crate::trsm;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Least squares (LAPACK: xGELS): for each column b of B, the x that minimises ||b - op(A) x||, or the solution of
/// least norm of an underdetermined system. B has as many rows as the longer side of A: b in the first ones, and x
/// after the call. If an element on the triangular factor's diagonal is zero, its index is the info, and there is no
/// solution. A is overwritten by its factors: QR, or LQ (the transpose's QR) if it has more columns than rows.
///
/// `op` is no transpose, or the conjugate transpose for the type.
#[instances]
pub fn gels<T: Scalar>(op: Op, mut a: MatMut<'_, T>, mut b: MatMut<'_, T>) -> Info {
    let order = a.nrows().min(a.ncols());
    let a_size = max_norm(a.as_ref());
    if order == 0 || b.ncols() == 0 || a_size == 0.0 {
        b.fill(T::ZERO); // LAPACK: the solution of least norm.
        return None;
    }
    let rows = if op == Op::NoTrans { a.nrows() } else { a.ncols() };
    let a_factor = into_range::<T>(a_size);
    let b_factor = into_range::<T>(max_norm(b.as_ref().subrows(0, rows)));
    scale(real::<T>(a_factor), a.as_mut());
    scale(real::<T>(b_factor), b.as_mut().subrows_mut(0, rows));
    let info = solve(op, a, b.as_mut());
    if info.is_none() {
        scale(real::<T>(a_factor), b.as_mut());
        scale(real::<T>(b_factor.recip()), b);
    }
    info
}

fn real<T: Scalar>(value: f64) -> T {
    T::from_parts(value, 0.0)
}

/// Factor that brings values of that size away from overflow and underflow.
fn into_range<T: Scalar>(size: f64) -> f64 {
    let smallest = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) } / T::EPSILON;
    match size {
        _ if size > 0.0 && size < smallest => smallest / size,
        _ if size > smallest.recip() && size.is_finite() => smallest.recip() / size,
        _ => 1.0,
    }
}

fn solve<T: Scalar>(op: Op, a: MatMut<'_, T>, mut b: MatMut<'_, T>) -> Info {
    // A with fewer rows than columns is the transpose of a tall one: A = (Q R)ᵀ = Rᵀ Qᵀ, and Aᴴ = conj(Q)
    // conj(R).
    let wide = a.nrows() < a.ncols();
    let mut a = if wide { a.transpose_mut() } else { a };
    let (m, n) = (a.nrows(), a.ncols());
    let mut tau = vec![T::ZERO; n];
    geqrf(a.as_mut(), &mut tau);
    let triangle = a.as_ref().subrows(0, n);
    let triangle_solved = |op, b| trtrs(Triangle::Upper, op, Diag::NonUnit, triangle, b);
    if wide != (op == Op::NoTrans) {
        let (of_q, of_r) = if wide { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
        ormqr(Side::Left, of_q, a.as_ref(), &tau, b.as_mut());
        return triangle_solved(of_r, b.subrows_mut(0, n));
    }
    let (of_r, of_q) = if wide { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
    let info = triangle_solved(of_r, b.as_mut().subrows_mut(0, n));
    if info.is_none() {
        b.as_mut().subrows_mut(n, m - n).fill(T::ZERO);
        ormqr(Side::Left, of_q, a.as_ref(), &tau, b);
    }
    info
}

/// Least squares of any rank (LAPACK: xGELSY): for each column b of B, the x of least norm that minimises ||b - A x||,
/// by the complete orthogonal factorisation A P = Q [T 0; 0 0] Z. Returns the rank r of A: the order of T, whose
/// estimated condition is at most 1 / `rcond`.
///
/// B has max(m, n) rows: b in the first ones, then x. If r = n < m, the rows after x hold the remainder of Qᴴ b,
/// whose norm is that of the residual. A is overwritten by T and the reflectors of Q and Z; `jpvt` is that of
/// [`geqp3`].
#[instances]
pub fn gelsy<T: Scalar>(mut a: MatMut<'_, T>, mut b: MatMut<'_, T>, jpvt: &mut [i32], rcond: f64) -> usize {
    let (m, n) = (a.nrows(), a.ncols());
    let order = m.min(n);
    if b.ncols() == 0 {
        return 0;
    }
    let a_size = max_norm(a.as_ref());
    if order == 0 || a_size == 0.0 {
        // Every x has the same residual, and zero the least norm. B's further rows are that residual.
        move_initial_columns(a, jpvt);
        b.subrows_mut(0, n).fill(T::ZERO);
        return 0;
    }
    let a_factor = into_range::<T>(a_size);
    let b_factor = into_range::<T>(max_norm(b.as_ref().subrows(0, m)));
    scale(real::<T>(a_factor), a.as_mut());
    scale(real::<T>(b_factor), b.as_mut().subrows_mut(0, m));
    let mut tau = vec![T::ZERO; order];
    geqp3(a.as_mut(), jpvt, &mut tau);
    let rank = rank(a.as_ref(), rcond);
    solve_by_rank(a.as_mut(), rank, &tau, b.as_mut());
    permute_rows(b.as_mut().subrows_mut(0, n), jpvt);
    scale(real::<T>(a_factor), b.as_mut().subrows_mut(0, n));
    if a_factor != 1.0 {
        for j in 0..rank {
            scale(real::<T>(a_factor.recip()), a.as_mut().submatrix_mut(0, j, j + 1, 1));
        }
    }
    scale(real::<T>(b_factor.recip()), b);
    rank
}

/// B := Zᴴ [T⁻¹ 0; 0 0] Qᴴ B, from geqp3's factors of A, which are overwritten by the complete orthogonal
/// factorisation.
fn solve_by_rank<T: Scalar>(mut a: MatMut<'_, T>, rank: usize, tau: &[T], mut b: MatMut<'_, T>) {
    let (m, n) = (a.nrows(), a.ncols());
    let trapezoid = (rank < n).then(|| Trapezoid::factor(a.as_mut().subrows_mut(0, rank)));
    ormqr(Side::Left, Op::ConjTrans, a.as_ref(), tau, b.as_mut().subrows_mut(0, m));
    let triangle = a.as_ref().submatrix(0, 0, rank, rank);
    let (upper, stored) = (Triangle::Upper, Diag::NonUnit);
    trsm(Side::Left, upper, Op::NoTrans, stored, T::ONE, triangle, b.as_mut().subrows_mut(0, rank));
    b.as_mut().subrows_mut(rank, n - rank).fill(T::ZERO);
    if let Some(trapezoid) = trapezoid {
        trapezoid.apply_adjoint(b.subrows_mut(0, n));
    }
}

/// Moves row i to the row given by `jpvt[i]`.
fn permute_rows<T: Scalar>(mut b: MatMut<'_, T>, jpvt: &[i32]) {
    let mut column = vec![T::ZERO; b.nrows()];
    for j in 0..b.ncols() {
        jpvt.iter().enumerate().for_each(|(i, one_based)| column[*one_based as usize - 1] = b[(i, j)]);
        column.iter().enumerate().for_each(|(i, x)| b[(i, j)] = *x);
    }
}
