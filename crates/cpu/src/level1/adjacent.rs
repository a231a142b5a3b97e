//! dot and axpy on adjacent elements, in wide vectors.

use pulp::{Simd, WithSimd};

use crate::simd::dispatch;
use affinimath_core::division::scale_by;
use affinimath_core::scalar::Scalar;

/// Elements that are done one by one before the widest vectors are found.
const SCALAR_ELEMENTS: usize = 4;

/// Independent accumulators, which keep a processor's pipelines full.
const ACCUMULATORS: usize = 4;

/// Sum of x_i y_i, or of conj(x_i) y_i, of slices of equal length.
#[inline(always)]
pub(crate) fn dot<T: Scalar>(conjugate: bool, x: &[T], y: &[T]) -> T {
    debug_assert_eq!(x.len(), y.len());
    if x.len() < SCALAR_ELEMENTS {
        let term = |(x, y): (&T, &T)| if conjugate { x.conjugate() } else { *x } * *y;
        return x.iter().zip(y).map(term).fold(T::ZERO, |sum, term| sum + term);
    }
    dispatch(&Dot { n: x.len(), x: x.as_ptr(), y: y.as_ptr(), conjugate })
}

/// y := alpha x + y, for slices of equal length.
#[inline(always)]
pub(crate) fn axpy<T: Scalar>(alpha: T, x: &[T], y: &mut [T]) {
    debug_assert_eq!(x.len(), y.len());
    if x.len() < SCALAR_ELEMENTS {
        return x.iter().zip(y).for_each(|(x, y)| *y += scale_by(alpha, *x));
    }
    dispatch(&Axpy { n: x.len(), alpha, x: x.as_ptr(), y: y.as_mut_ptr() });
}

/// Dot product of n elements.
struct Dot<T> {
    n: usize,
    x: *const T,
    y: *const T,
    conjugate: bool,
}

impl<T: Scalar> WithSimd for &Dot<T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> T {
        let Dot { n, x, y, conjugate } = *self;
        let width = T::width::<S>();
        let mut accumulators = [T::no_sum(simd); ACCUMULATORS];
        let mut i = 0;
        // SAFETY: indices are below n, the length of both.
        unsafe {
            while i + ACCUMULATORS * width <= n {
                for (s, sum) in accumulators.iter_mut().enumerate() {
                    let i = i + s * width;
                    *sum = T::add_product(simd, T::load(simd, x.add(i)), T::load(simd, y.add(i)), *sum);
                }
                i += ACCUMULATORS * width;
            }
            let [mut a, mut b, c, d] = accumulators;
            a = T::join(simd, a, c);
            b = T::join(simd, b, d);
            while i + width <= n {
                a = T::add_product(simd, T::load(simd, x.add(i)), T::load(simd, y.add(i)), a);
                i += width;
            }
            if i < n {
                let first = T::first(simd, n - i);
                b = T::add_product(simd, T::load_first(simd, first, x.add(i)), T::load_first(simd, first, y.add(i)), b);
            }
            T::total(simd, T::join(simd, a, b), conjugate)
        }
    }
}

/// y := alpha x + y for n elements, with exclusive access to y.
struct Axpy<T> {
    n: usize,
    alpha: T,
    x: *const T,
    y: *mut T,
}

impl<T: Scalar> WithSimd for &Axpy<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Axpy { n, alpha, x, y } = *self;
        let width = T::width::<S>();
        let mut i = 0;
        // SAFETY: indices are below n, the length of both.
        unsafe {
            while i + ACCUMULATORS * width <= n {
                let mut accumulators = [T::zero(simd); ACCUMULATORS];
                for (s, sum) in accumulators.iter_mut().enumerate() {
                    let i = i + s * width;
                    *sum = T::scale_and_add(simd, alpha, T::load(simd, x.add(i)), T::load(simd, y.add(i)));
                }
                for (s, sum) in accumulators.into_iter().enumerate() {
                    T::store(simd, y.add(i + s * width), sum);
                }
                i += ACCUMULATORS * width;
            }
            while i + width <= n {
                let (x, y) = (x.add(i), y.add(i));
                T::store(simd, y, T::scale_and_add(simd, alpha, T::load(simd, x), T::load(simd, y)));
                i += width;
            }
            if i < n {
                let (first, x, y) = (T::first(simd, n - i), x.add(i), y.add(i));
                let sum = T::scale_and_add(simd, alpha, T::load_first(simd, first, x), T::load_first(simd, first, y));
                T::store_first(simd, first, y, sum);
            }
        }
    }
}

/// Sum of the moduli of n real numbers.
pub(crate) struct Asum<R> {
    pub(crate) n: usize,
    pub(crate) x: *const R,
}

impl<R: Scalar> WithSimd for &Asum<R> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> R {
        let Asum { n, x } = *self;
        let width = R::width::<S>();
        let mut accumulators = [R::zero(simd); ACCUMULATORS];
        let mut i = 0;
        // SAFETY: indices are below n.
        unsafe {
            while i + ACCUMULATORS * width <= n {
                for (s, sum) in accumulators.iter_mut().enumerate() {
                    *sum = R::plus(simd, *sum, R::abs_parts(simd, R::load(simd, x.add(i + s * width))));
                }
                i += ACCUMULATORS * width;
            }
            let [mut a, mut b, c, d] = accumulators;
            a = R::plus(simd, a, c);
            b = R::plus(simd, b, d);
            while i + width <= n {
                a = R::plus(simd, a, R::abs_parts(simd, R::load(simd, x.add(i))));
                i += width;
            }
            if i < n {
                b = R::plus(simd, b, R::abs_parts(simd, R::load_first(simd, R::first(simd, n - i), x.add(i))));
            }
            // Adds by a multiply-add with one.
            let sum = R::add_product(simd, R::plus(simd, a, b), R::splat(simd, R::ONE), R::no_sum(simd));
            R::total(simd, sum, false)
        }
    }
}

/// The largest |re| + |im| of at least one element. The first is not NaN, and later NaN are ignored.
pub(crate) struct Largest<T> {
    pub(crate) n: usize,
    pub(crate) x: *const T,
}

impl<T: Scalar> WithSimd for &Largest<T> {
    type Output = T::RealScalar;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> T::RealScalar {
        let Largest { n, x } = *self;
        let width = T::width::<S>();
        let mut best = [T::zero(simd); ACCUMULATORS];
        let mut i = 0;
        // SAFETY: indices are below n.
        unsafe {
            while i + ACCUMULATORS * width <= n {
                for (s, best) in best.iter_mut().enumerate() {
                    let a = T::moduli(simd, T::load(simd, x.add(i + s * width)));
                    *best = T::max_parts(simd, a, *best);
                }
                i += ACCUMULATORS * width;
            }
            while i + width <= n {
                best[0] = T::max_parts(simd, T::moduli(simd, T::load(simd, x.add(i))), best[0]);
                i += width;
            }
            if i < n {
                let a = T::load_first(simd, T::first(simd, n - i), x.add(i));
                best[1] = T::max_parts(simd, T::moduli(simd, a), best[1]);
            }
            let [a, b, c, d] = best;
            let best = T::max_parts(simd, T::max_parts(simd, a, b), T::max_parts(simd, c, d));
            let lanes = (&raw const best).cast::<T::RealScalar>();
            let mut largest = *lanes;
            for lane in 1..size_of::<T::Vector<S>>() / size_of::<T::RealScalar>() {
                let value = *lanes.add(lane);
                if value > largest {
                    largest = value;
                }
            }
            largest
        }
    }
}

/// The first of n elements that has an |re| + |im|; 0 if none has.
pub(crate) struct First<T: Scalar> {
    pub(crate) n: usize,
    pub(crate) x: *const T,
    pub(crate) modulus: T::RealScalar,
}

impl<T: Scalar> WithSimd for &First<T> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> usize {
        /// Elements that are compared between checks for a match.
        const CHUNK: usize = 16;
        let First { n, x, modulus } = *self;
        let mut i = 0;
        // SAFETY: indices are below n.
        unsafe {
            while i + CHUNK <= n {
                let mut found = false;
                for k in 0..CHUNK {
                    found |= (*x.add(i + k)).sum_of_moduli() == modulus;
                }
                if found {
                    break;
                }
                i += CHUNK;
            }
            while i < n {
                if (*x.add(i)).sum_of_moduli() == modulus {
                    return i;
                }
                i += 1;
            }
        }
        0
    }
}
