//! The Hessenberg form and its unitary factor (LAPACK: xGEHRD, xORGHR, xUNGHR, xORMHR, xUNMHR).

use std::ops::Range;

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{among_threads, orgqr, ormqr};
use super::{into_range, parallelism, scaled, scaled_copy};
use crate::norm::max_norm;
use affinimath_core::options::{Op, Side};
use affinimath_core::scalar::Scalar;
use affinimath_decompositions::hessenberg;

/// A = Q H Qᴴ in place, for a matrix that is upper triangular outside of a range (LAPACK: xGEHRD): H on the first
/// subdiagonal and above it, vectors of Q's reflectors below it. `tau` gets n - 1 factors, zero outside of the range.
#[instances]
pub fn gehrd<T: Scalar>(a: MatMut<'_, T>, range: Range<usize>, tau: &mut [T]) {
    let n = a.nrows();
    let (mut a, m) = (a, range.len());
    tau.fill(T::ZERO);
    if m <= 2 {
        return;
    }
    among_threads(m, || {
        let block = a.as_ref().submatrix(range.start, range.start, m, m);
        let scale = into_range::<T>(max_norm(block));
        let mut block = scaled_copy(block, scale);
        let factors = &mut tau[range.start..range.end - 1];
        hessenberg::factor(block.as_mut(), factors, parallelism(m));
        let mut target = a.as_mut().submatrix_mut(range.start, range.start, m, m);
        for j in 0..m {
            // Vectors of reflectors have no scale.
            let factor = |i: usize| if i > j + 1 { 1.0 } else { scale.recip() };
            (0..m).for_each(|i| target[(i, j)] = scaled(block[(i, j)], factor(i)));
        }
        let vectors = block.as_ref().submatrix(1, 0, m - 1, m - 1);
        let above = a.as_mut().submatrix_mut(0, range.start + 1, range.start, m - 1);
        ormqr(Side::Right, Op::NoTrans, vectors, factors, above);
        let right = a.as_mut().submatrix_mut(range.start + 1, range.end, m - 1, n - range.end);
        ormqr(Side::Left, Op::ConjTrans, vectors, factors, right);
    });
}

/// Q of [`gehrd`], in the place of its vectors (LAPACK: xORGHR, xUNGHR).
#[instances]
pub fn orghr<T: Scalar>(a: MatMut<'_, T>, range: Range<usize>, tau: &[T]) {
    let n = a.nrows();
    let mut a = a;
    let order = range.len().saturating_sub(1);
    let mut q = if order == 0 {
        Mat::zeros(0, 0)
    } else {
        a.as_ref().submatrix(range.start + 1, range.start, order, order).to_owned()
    };
    orgqr(q.as_mut(), &tau[range.start..range.start + order]);
    for j in 0..n {
        (0..n).for_each(|i| a[(i, j)] = if i == j { T::ONE } else { T::ZERO });
    }
    if order > 0 {
        a.submatrix_mut(range.start + 1, range.start + 1, order, order).copy_from(&q);
    }
}

/// C := op(Q) C, or C op(Q), with [`gehrd`]'s Q (LAPACK: xORMHR, xUNMHR).
#[instances]
pub fn ormhr<T: Scalar>(side: Side, op: Op, range: Range<usize>, a: MatRef<'_, T>, tau: &[T], c: MatMut<'_, T>) {
    let order = range.len().saturating_sub(1);
    if order == 0 {
        return;
    }
    let vectors = a.submatrix(range.start + 1, range.start, order, order);
    let c = match side {
        Side::Left => c.subrows_mut(range.start + 1, order),
        Side::Right => c.subcols_mut(range.start + 1, order),
    };
    ormqr(side, op, vectors, &tau[range.start..range.start + order], c);
}
