//! Rank-one and rank-two updates of stored columns, on one thread.

use pulp::{Simd, WithSimd};

use super::columns::Columns;
use super::kernels::axpy_columns;
use affinimath_core::division::scale_by;
use affinimath_core::problem::update::Conjugated;
use affinimath_core::scalar::Scalar;

/// A := A + alpha x yᵀ, or A := A + alpha x yᵀ + beta y xᵀ, on the stored elements of some columns, with
/// exclusive access to these. x and y are contiguous.
pub(crate) struct Update<T> {
    pub(crate) a: Columns<T>,
    pub(crate) columns: [usize; 2],
    pub(crate) alpha: T,
    pub(crate) x: *const T,
    pub(crate) beta: Option<T>,
    pub(crate) y: *const T,
    pub(crate) conjugated: Conjugated,
    /// Imaginary parts of the diagonal become 0.
    pub(crate) real_diagonal: bool,
}

impl<T: Scalar> WithSimd for &Update<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            if T::KIND.is_complex() && self.conjugated == Conjugated::Rows {
                self.run::<S, true>(simd);
            } else {
                self.run::<S, false>(simd);
            }
        }
    }
}

impl<T: Scalar> Update<T> {
    #[inline(always)]
    unsafe fn run<S: Simd, const ROWS_CONJUGATED: bool>(&self, simd: S) {
        let Update { a, columns: [first, end], alpha, x, beta, y, .. } = *self;
        let conjugate = T::KIND.is_complex() && self.conjugated == Conjugated::Columns;
        for j in first..end {
            let [begin, end] = a.rows(j, [0, a.stored.rows]);
            let column = a.at(begin, j).cast_mut();
            // SAFETY: the rows are stored ones, for which both vectors have elements; this thread has the columns
            // exclusively.
            unsafe {
                let of_y = scale_by(alpha, value(y.add(j), conjugate));
                if let Some(beta) = beta {
                    let factors = [of_y, scale_by(beta, value(x.add(j), conjugate))];
                    let terms = [x.add(begin), y.add(begin)];
                    axpy_columns::<T, S, 2, ROWS_CONJUGATED>(simd, end - begin, &terms, &factors, column);
                } else {
                    axpy_columns::<T, S, 1, ROWS_CONJUGATED>(simd, end - begin, &[x.add(begin)], &[of_y], column);
                }
                if self.real_diagonal {
                    let diagonal = a.at(j, j).cast_mut();
                    *diagonal = T::from_parts((*diagonal).re(), 0.0);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn value<T: Scalar>(at: *const T, conjugate: bool) -> T {
    // SAFETY: the element is valid, by this function's contract.
    let value = unsafe { *at };
    if conjugate { value.conjugate() } else { value }
}

/// A := A + alpha x yᵀ for an m x n matrix with contiguous columns and exclusive access. x and y are contiguous, and
/// one of them may be conjugated.
pub(crate) struct RankOne<T> {
    pub(crate) sizes: [usize; 2],
    pub(crate) alpha: T,
    pub(crate) x: *const T,
    pub(crate) y: *const T,
    pub(crate) conjugate_x: bool,
    pub(crate) conjugate_y: bool,
    pub(crate) a: *mut T,
    pub(crate) lda: usize,
}

impl<T: Scalar> WithSimd for &RankOne<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            if T::KIND.is_complex() && self.conjugate_x {
                self.run::<S, true>(simd)
            } else {
                self.run::<S, false>(simd)
            }
        }
    }
}

impl<T: Scalar> RankOne<T> {
    #[inline(always)]
    unsafe fn run<S: Simd, const CONJUGATE: bool>(&self, simd: S) {
        let RankOne { sizes: [m, n], alpha, x, y, conjugate_y, a, lda, .. } = *self;
        for j in 0..n {
            // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
            unsafe {
                let factor = scale_by(alpha, value(y.add(j), T::KIND.is_complex() && conjugate_y));
                axpy_columns::<T, S, 1, CONJUGATE>(simd, m, &[x], &[factor], a.add(j * lda));
            }
        }
    }
}
