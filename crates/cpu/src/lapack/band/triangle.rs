//! Triangular band systems by columns: axpys forwards or backwards, dot products of the adjoint.

use pulp::Simd;

use super::super::lanes::{Columns, Lanes};
use affinimath_core::division::quotient;
use affinimath_core::options::Triangle;
use affinimath_core::scalar::Scalar;

/// A triangular band matrix.
pub(super) struct BandTriangle<T> {
    /// The matrix.
    pub(super) a: Columns<T>,
    pub(super) triangle: Triangle,
    pub(super) order: usize,
    /// Diagonals beside the main one.
    pub(super) width: usize,
}

impl<T: Scalar> BandTriangle<T> {
    /// First row and count of the elements of column j off the diagonal.
    #[inline(always)]
    fn off_diagonal(&self, j: usize) -> (usize, usize) {
        match self.triangle {
            Triangle::Lower => (j + 1, self.width.min(self.order - 1 - j)),
            Triangle::Upper => (j - self.width.min(j), self.width.min(j)),
        }
    }

    /// A X = B for `count` columns.
    ///
    /// # Safety
    /// The triangle and B must be valid and not overlap.
    #[inline(always)]
    pub(super) unsafe fn solve<S: Simd>(&self, lanes: Lanes<T, S>, b: Columns<T>, count: usize) {
        for step in 0..self.order {
            let j = if self.triangle == Triangle::Lower { step } else { self.order - 1 - step };
            let (first, length) = self.off_diagonal(j);
            // SAFETY: the rows are below the order, by this function's contract.
            unsafe {
                let divisor = *self.a.at(j, j);
                for k in 0..count {
                    let x = quotient(*b.at(j, k), divisor);
                    *b.at(j, k) = x;
                    lanes.add_columns(length, b.at(first, k), self.a.from(first, j), 1, |_| -x);
                }
            }
        }
    }

    /// Aᴴ X = B for `count` columns.
    ///
    /// # Safety
    /// The contract of [`BandTriangle::solve`].
    #[inline(always)]
    pub(super) unsafe fn solve_adjoint<S: Simd>(&self, lanes: Lanes<T, S>, b: Columns<T>, count: usize) {
        for step in 0..self.order {
            let j = if self.triangle == Triangle::Lower { self.order - 1 - step } else { step };
            let (first, length) = self.off_diagonal(j);
            // SAFETY: the rows are below the order, by this function's contract.
            unsafe {
                let divisor = (*self.a.at(j, j)).conjugate();
                for k in 0..count {
                    let dot = lanes.dots(length, b.at(first, k), self.a.from(first, j), 1)[0];
                    *b.at(j, k) = quotient(*b.at(j, k) - dot, divisor);
                }
            }
        }
    }
}
