//! Triangular matrices: their inverses, the systems that they make, and the product of a factor with its adjoint.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::lanes::{Columns, Lanes};
use super::workspace::with_lower;
use super::{Info, PARALLEL_MIN, among_threads};
use crate::level3::{gemmt, trmm};
use crate::simd::dispatch;
use crate::threads::both;
use crate::trsm;
use affinimath_core::division::reciprocal;
use affinimath_core::options::{Diag, Op, Side, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Order that is inverted or multiplied column by column.
const LEAF: usize = 32;

/// Row at which the recursion splits a matrix: about the middle, a multiple of the leaves' order.
pub(super) const fn middle(n: usize) -> usize {
    (n / 2).next_multiple_of(LEAF)
}

/// The triangle as a lower one: itself, or the transposed upper one.
pub(super) fn as_lower<T>(triangle: Triangle, a: MatMut<'_, T>) -> MatMut<'_, T> {
    match triangle {
        Triangle::Lower => a,
        Triangle::Upper => a.transpose_mut(),
    }
}

/// The first element of a stored diagonal that is zero, counted from 1.
fn zero_on_diagonal<T: Scalar>(diagonal: Diag, a: MatRef<'_, T>) -> Info {
    if diagonal == Diag::Unit {
        return None;
    }
    (0..a.nrows()).find(|i| a[(*i, *i)] == T::ZERO).map(|i| i + 1)
}

/// Inverts a triangular matrix in place (LAPACK: xTRTRI). If an element of its diagonal is zero, its index is the info,
/// and nothing is changed.
#[instances]
pub fn trtri<T: Scalar>(triangle: Triangle, diagonal: Diag, a: MatMut<'_, T>) -> Info {
    let info = zero_on_diagonal(diagonal, a.as_ref());
    if info.is_none() {
        among_threads(a.nrows(), || invert(diagonal, as_lower(triangle, a)));
    }
    info
}

/// Recursive: both diagonal blocks, which are independent, then the block below them by two products with their
/// inverses.
fn invert<T: Scalar>(diagonal: Diag, mut a: MatMut<'_, T>) {
    let n = a.nrows();
    if n <= LEAF {
        return with_lower(a, |columns| dispatch(Invert { columns, order: n, diagonal }));
    }
    let (mut first, _, mut below, mut last) = a.as_mut().split_at_mut(middle(n), middle(n));
    let lower = Triangle::Lower;
    both(n >= PARALLEL_MIN, || invert(diagonal, first.as_mut()), || invert(diagonal, last.as_mut()));
    trmm(Side::Right, lower, Op::NoTrans, diagonal, -T::ONE, first.as_ref(), below.as_mut());
    trmm(Side::Left, lower, Op::NoTrans, diagonal, T::ONE, last.as_ref(), below);
}

struct Invert<T> {
    columns: Columns<T>,
    order: usize,
    diagonal: Diag,
}

impl<T: Scalar> WithSimd for Invert<T> {
    type Output = ();

    /// Column by column from the last one: each is the product of the inverse right of it with its own old elements.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let Invert { columns, order, diagonal } = self;
        for j in (0..order).rev() {
            // SAFETY: rows and columns are those of the matrix, and column j is not among those after it.
            unsafe {
                let mut factor = -T::ONE;
                if diagonal == Diag::NonUnit {
                    *columns.at(j, j) = reciprocal(*columns.at(j, j));
                    factor = -*columns.at(j, j);
                }
                for k in (j + 1..order).rev() {
                    let element = *columns.at(k, j) * factor;
                    *columns.at(k, j) = if diagonal == Diag::NonUnit { element * *columns.at(k, k) } else { element };
                    lanes.add_columns(order - k - 1, columns.at(k + 1, j), columns.from(k + 1, k), 1, |_| element);
                }
            }
        }
    }
}

/// U Uᴴ or Lᴴ L in place of a triangular factor (LAPACK: xLAUUM), whose diagonal is taken as real.
#[instances]
pub fn lauum<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>) {
    // The lower triangle of (U Uᴴ)ᵀ is that of Lᴴ L with L = Uᵀ.
    among_threads(a.nrows(), || multiply(as_lower(triangle, a)));
}

fn multiply<T: Scalar>(mut a: MatMut<'_, T>) {
    let n = a.nrows();
    if n <= LEAF {
        return with_lower(a, |columns| dispatch(Multiply { columns, order: n }));
    }
    let (mut first, _, mut below, last) = a.as_mut().split_at_mut(middle(n), middle(n));
    multiply(first.as_mut());
    let (target, old) = ((Triangle::Lower, Symmetry::Hermitian), below.as_ref());
    gemmt(target, (Op::ConjTrans, old), (Op::NoTrans, old), T::ONE, T::ONE, first);
    trmm(Side::Left, Triangle::Lower, Op::ConjTrans, Diag::NonUnit, T::ONE, last.as_ref(), below.as_mut());
    multiply(last);
}

struct Multiply<T> {
    columns: Columns<T>,
    order: usize,
}

impl<T: Scalar> WithSimd for Multiply<T> {
    type Output = ();

    /// Row by row: row i of the product depends on rows i and below, which still hold the factor.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let Multiply { columns, order } = self;
        for i in 0..order {
            // SAFETY: rows and columns are those of the matrix.
            unsafe {
                let diagonal = T::from_parts((*columns.at(i, i)).re(), 0.0);
                *columns.at(i, i) = diagonal;
                let (x, before) = (columns.at(i + 1, i), columns.from(i + 1, 0));
                lanes.dot_columns(order - i - 1, x, before, i + 1, |k, dot| {
                    let element = columns.at(i, k);
                    *element = diagonal * *element + dot.conjugate();
                });
                *columns.at(i, i) = T::from_parts((*columns.at(i, i)).re(), 0.0);
            }
        }
    }
}

/// Solves op(A) X = B for a triangular A (LAPACK: xTRTRS). X overwrites B. If an element of the diagonal is zero, its
/// index is the info, and nothing is changed.
#[instances]
pub fn trtrs<T: Scalar>(triangle: Triangle, op: Op, diagonal: Diag, a: MatRef<'_, T>, b: MatMut<'_, T>) -> Info {
    let info = zero_on_diagonal(diagonal, a);
    if info.is_none() {
        trsm(Side::Left, triangle, op, diagonal, T::ONE, a, b);
    }
    info
}
