//! The factors with all interchanges applied to L: P A Pᵀ = L D Lᴴ with one permutation, for trsm and gemm.

use faer::{Mat, MatMut, MatRef};

use super::super::among_threads;
use super::{Pivoting, lower};
use crate::trsm;
use affinimath_core::division::quotient;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// The factors of a matrix, of an upper triangle in reverse order.
pub(in crate::lapack) struct Permuted<T> {
    /// Unit lower triangle; zeros above.
    pub(super) l: Mat<T>,
    /// D's diagonal.
    diagonal: Vec<T>,
    /// D's elements below it; zero but in blocks of order 2.
    below: Vec<T>,
    /// Row i of P A is row `rows[i]` of A.
    pub(super) rows: Vec<usize>,
    hermitian: bool,
}

impl<T: Scalar> Permuted<T> {
    /// The pivots are of the given triangle, and fit.
    pub(in crate::lapack) fn new(triangle: Triangle, factors: MatRef<'_, T>, pivots: &[i32], hermitian: bool) -> Self {
        Permuted::with(Pivoting::BunchKaufman, triangle, factors, pivots, hermitian)
    }

    /// The same of either pivoting.
    pub(in crate::lapack) fn with(
        pivoting: Pivoting,
        triangle: Triangle,
        factors: MatRef<'_, T>,
        pivots: &[i32],
        hermitian: bool,
    ) -> Self {
        let a = lower(triangle, factors);
        let n = a.nrows();
        let mut pivots = pivots[..n].to_vec();
        if triangle == Triangle::Upper {
            super::reverse_pivots(&mut pivots);
        }
        let mut l = Mat::zeros(n, n);
        for j in 0..n {
            l[(j, j)] = T::ONE;
            let first = j + 1;
            l.as_mut().col_mut(j).subrows_mut(first, n - first).copy_from(a.col(j).subrows(first, n - first));
        }
        let (mut below, mut rows) = (vec![T::ZERO; n], (0..n).collect::<Vec<_>>());
        let mut k = 0;
        while k < n {
            let (interchanges, step) = pivoting.interchanges(&pivots, k);
            if step == 2 {
                below[k] = a[(k + 1, k)];
                l[(k + 1, k)] = T::ZERO;
            }
            for (from, to) in (k..k + step).zip(interchanges).filter(|(from, to)| from != to) {
                rows.swap(from, to);
                for j in 0..k {
                    let (x, y) = (l[(from, j)], l[(to, j)]);
                    (l[(from, j)], l[(to, j)]) = (y, x);
                }
            }
            k += step;
        }
        Permuted { l, diagonal: (0..n).map(|i| a[(i, i)]).collect(), below, rows, hermitian }
    }

    /// Index of a block of order 1 that is zero; the last one of an upper triangle, which is eliminated first.
    pub(in crate::lapack) fn zero(&self) -> Option<usize> {
        let of_order_two = |i: usize| self.below[i] != T::ZERO || i > 0 && self.below[i - 1] != T::ZERO;
        (0..self.diagonal.len()).find(|i| self.diagonal[*i] == T::ZERO && !of_order_two(*i))
    }

    /// Rows and columns.
    pub(in crate::lapack) fn order(&self) -> usize {
        self.diagonal.len()
    }

    /// True of a Hermitian matrix.
    pub(in crate::lapack) fn is_hermitian(&self) -> bool {
        self.hermitian
    }

    /// B := A⁻¹ B.
    pub(in crate::lapack) fn solve(&self, triangle: Triangle, b: MatMut<'_, T>) {
        let (n, columns) = (b.nrows(), b.ncols());
        if n == 0 || columns == 0 {
            return;
        }
        let mut b = if triangle == Triangle::Lower { b } else { b.reverse_rows_mut() };
        among_threads(n, || {
            let mut x = Mat::from_fn(n, columns, |i, j| b[(self.rows[i], j)]);
            let adjoint = if self.hermitian { Op::ConjTrans } else { Op::Trans };
            let l = self.l.as_ref();
            trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::Unit, T::ONE, l, x.as_mut());
            self.divide(x.as_mut());
            trsm(Side::Left, Triangle::Lower, adjoint, Diag::Unit, T::ONE, l, x.as_mut());
            for j in 0..columns {
                self.rows.iter().enumerate().for_each(|(i, row)| b[(*row, j)] = x[(i, j)]);
            }
        });
    }

    /// X := D⁻¹ X.
    pub(super) fn divide(&self, mut x: MatMut<'_, T>) {
        let of = |value: T| if self.hermitian { value.conjugate() } else { value };
        let (n, mut k) = (self.diagonal.len(), 0);
        while k < n {
            let (pivot, off) = (self.diagonal[k], self.below[k]);
            if off == T::ZERO {
                let pivot = if self.hermitian { T::from_parts(pivot.re(), 0.0) } else { pivot };
                x.as_mut().row_mut(k).iter_mut().for_each(|x| *x = quotient(*x, pivot));
                k += 1;
                continue;
            }
            // Scaled by the element off the diagonal, which is the largest.
            let (first, second) = (quotient(pivot, of(off)), quotient(self.diagonal[k + 1], off));
            let determinant = first * second - T::ONE;
            for j in 0..x.ncols() {
                let (a, b) = (quotient(x[(k, j)], of(off)), quotient(x[(k + 1, j)], off));
                x[(k, j)] = quotient(second * a - b, determinant);
                x[(k + 1, j)] = quotient(first * b - a, determinant);
            }
            k += 2;
        }
    }
}
