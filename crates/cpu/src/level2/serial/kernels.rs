//! The innermost loops: K columns of adjacent elements with one vector, which is loaded once for all of them.

use pulp::{Simd, WithSimd};

use crate::simd::dispatch;
use affinimath_core::scalar::Scalar;

/// The vector, or its conjugate.
#[inline(always)]
fn conjugated<T: Scalar, S: Simd, const CONJUGATE: bool>(simd: S, a: T::Vector<S>) -> T::Vector<S> {
    if CONJUGATE { T::conj(simd, a) } else { a }
}

/// y += sum over k of factors[k] columns[k], or of the conjugated columns, for n elements of each.
///
/// # Safety
/// The columns and y must have n elements, and y must not be accessed by anything else.
#[inline(always)]
pub(crate) unsafe fn axpy_columns<T: Scalar, S: Simd, const K: usize, const CONJUGATE: bool>(
    simd: S,
    n: usize,
    columns: &[*const T; K],
    factors: &[T; K],
    y: *mut T,
) {
    let width = T::width::<S>();
    let mut wide = [T::factor(simd, T::ZERO); K];
    for (wide, factor) in wide.iter_mut().zip(factors) {
        *wide = T::factor(simd, *factor);
    }
    let mut i = 0;
    // SAFETY: i + width <= n keeps the vectors within the n elements; the mask excludes elements from n on.
    unsafe {
        while i + width <= n {
            let mut sum = T::load(simd, y.add(i));
            for (column, factor) in columns.iter().zip(&wide) {
                let a = conjugated::<T, S, CONJUGATE>(simd, T::load(simd, column.add(i)));
                sum = T::add_multiple(simd, *factor, a, sum);
            }
            T::store(simd, y.add(i), sum);
            i += width;
        }
        if i < n {
            let first = T::first(simd, n - i);
            let mut sum = T::load_first(simd, first, y.add(i));
            for (column, factor) in columns.iter().zip(&wide) {
                let a = conjugated::<T, S, CONJUGATE>(simd, T::load_first(simd, first, column.add(i)));
                sum = T::add_multiple(simd, *factor, a, sum);
            }
            T::store_first(simd, first, y.add(i), sum);
        }
    }
}

/// Sums over n elements of columns[k] x, or of conj(columns[k]) x, for k < K.
///
/// # Safety
/// The columns and x must have n elements.
#[inline(always)]
pub(crate) unsafe fn dot_columns<T: Scalar, S: Simd, const K: usize>(
    simd: S,
    n: usize,
    columns: &[*const T; K],
    conjugate: bool,
    x: *const T,
) -> [T; K] {
    let width = T::width::<S>();
    let mut sums = [T::no_sum(simd); K];
    let mut i = 0;
    // SAFETY: i + width <= n keeps the vectors within the n elements; the mask excludes elements from n on.
    unsafe {
        while i + width <= n {
            let x = T::load(simd, x.add(i));
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum = T::add_product(simd, T::load(simd, column.add(i)), x, *sum);
            }
            i += width;
        }
        if i < n {
            let first = T::first(simd, n - i);
            let x = T::load_first(simd, first, x.add(i));
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum = T::add_product(simd, T::load_first(simd, first, column.add(i)), x, *sum);
            }
        }
    }
    totals(simd, &sums, conjugate)
}

/// Both at once, loading each column once: y like [`axpy_columns`], and the sums with x like [`dot_columns`].
///
/// # Safety
/// That of both; x and y must not overlap.
#[inline(always)]
pub(super) unsafe fn both_columns<T: Scalar, S: Simd, const K: usize, const CONJUGATE: bool>(
    simd: S,
    n: usize,
    columns: &[*const T; K],
    factors: &[T; K],
    (conjugate, x): (bool, *const T),
    y: *mut T,
) -> [T; K] {
    let width = T::width::<S>();
    let mut wide = [T::factor(simd, T::ZERO); K];
    for (wide, factor) in wide.iter_mut().zip(factors) {
        *wide = T::factor(simd, *factor);
    }
    let mut sums = [T::no_sum(simd); K];
    let mut i = 0;
    // SAFETY: i + width <= n keeps the vectors within the n elements; the mask excludes elements from n on.
    unsafe {
        while i + width <= n {
            let x = T::load(simd, x.add(i));
            let mut y_sum = T::load(simd, y.add(i));
            for ((column, factor), sum) in columns.iter().zip(&wide).zip(&mut sums) {
                let a = T::load(simd, column.add(i));
                *sum = T::add_product(simd, a, x, *sum);
                y_sum = T::add_multiple(simd, *factor, conjugated::<T, S, CONJUGATE>(simd, a), y_sum);
            }
            T::store(simd, y.add(i), y_sum);
            i += width;
        }
        if i < n {
            let first = T::first(simd, n - i);
            let x = T::load_first(simd, first, x.add(i));
            let mut y_sum = T::load_first(simd, first, y.add(i));
            for ((column, factor), sum) in columns.iter().zip(&wide).zip(&mut sums) {
                let a = T::load_first(simd, first, column.add(i));
                *sum = T::add_product(simd, a, x, *sum);
                y_sum = T::add_multiple(simd, *factor, conjugated::<T, S, CONJUGATE>(simd, a), y_sum);
            }
            T::store_first(simd, first, y.add(i), y_sum);
        }
    }
    totals(simd, &sums, conjugate)
}

#[inline(always)]
fn totals<T: Scalar, S: Simd, const K: usize>(simd: S, sums: &[T::Sum<S>; K], conjugate: bool) -> [T; K] {
    let mut totals = [T::ZERO; K];
    for (total, sum) in totals.iter_mut().zip(sums) {
        *total = T::total(simd, *sum, conjugate);
    }
    totals
}

/// y := beta y for n elements. BLAS: with beta = 0, y is not read.
///
/// # Safety
/// y must have n elements, which nothing else uses.
#[inline(always)]
pub(super) unsafe fn scale<T: Scalar, S: Simd>(simd: S, n: usize, beta: T, y: *mut T) {
    if beta == T::ONE {
        return;
    }
    let width = T::width::<S>();
    let mut i = 0;
    // SAFETY: i + width <= n keeps the vectors within the n elements; the mask excludes elements from n on.
    unsafe {
        while i + width <= n {
            let product = if beta == T::ZERO { T::zero(simd) } else { T::scale(simd, beta, T::load(simd, y.add(i))) };
            T::store(simd, y.add(i), product);
            i += width;
        }
        if i < n {
            let first = T::first(simd, n - i);
            let product = if beta == T::ZERO {
                T::zero(simd)
            } else {
                T::scale(simd, beta, T::load_first(simd, first, y.add(i)))
            };
            T::store_first(simd, first, y.add(i), product);
        }
    }
}

/// y := beta y for n adjacent elements. BLAS: with beta = 0, y is not read.
pub(super) fn scale_vector<T: Scalar>(n: usize, beta: T, y: *mut T) {
    dispatch(&Scale { n, beta, y });
}

/// The loop of [`scale_vector`].
struct Scale<T> {
    n: usize,
    beta: T,
    y: *mut T,
}

impl<T: Scalar> WithSimd for &Scale<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // SAFETY: y has n elements, and `self` has exclusive access to it.
        unsafe { scale(simd, self.n, self.beta, self.y) };
    }
}
