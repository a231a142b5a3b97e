//! The loops of a whole matrix's products with a vector, where columns and vectors are of adjacent elements: a few columns at a
//! time, in wide vectors.

use pulp::{Simd, WithSimd};

use affinimath_core::division::scale_by;
use affinimath_core::scalar::Scalar;

/// A product with a matrix that is m x n as it is stored, by columns; nobody else has y.
pub(crate) struct Gemv<T> {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) alpha: T,
    pub(crate) a: *const T,
    pub(crate) lda: usize,
    /// Whether it is conj(A).
    pub(crate) conjugate: bool,
    pub(crate) x: *const T,
    pub(crate) beta: T,
    pub(crate) y: *mut T,
}

/// y := alpha A x + beta y.
pub(crate) struct Along<T>(pub(crate) Gemv<T>);

/// y := alpha Aᵀ x + beta y.
pub(crate) struct Across<T>(pub(crate) Gemv<T>);

/// A vector's elements in memory: all of them, or the first ones where fewer are left.
trait Part<T: Scalar, S: Simd>: Copy {
    unsafe fn load(self, simd: S, from: *const T) -> T::Vector<S>;
    unsafe fn store(self, simd: S, to: *mut T, value: T::Vector<S>);
}

#[derive(Clone, Copy)]
struct Whole;

impl<T: Scalar, S: Simd> Part<T, S> for Whole {
    #[inline(always)]
    unsafe fn load(self, simd: S, from: *const T) -> T::Vector<S> {
        // SAFETY: the caller vouches for the place.
        unsafe { T::load(simd, from) }
    }
    #[inline(always)]
    unsafe fn store(self, simd: S, to: *mut T, value: T::Vector<S>) {
        // SAFETY: the caller vouches for the place.
        unsafe { T::store(simd, to, value) };
    }
}

#[derive(Clone, Copy)]
struct First<M>(M);

impl<T: Scalar, S: Simd> Part<T, S> for First<T::First<S>> {
    #[inline(always)]
    unsafe fn load(self, simd: S, from: *const T) -> T::Vector<S> {
        // SAFETY: the caller vouches for the place.
        unsafe { T::load_first(simd, self.0, from) }
    }
    #[inline(always)]
    unsafe fn store(self, simd: S, to: *mut T, value: T::Vector<S>) {
        // SAFETY: the caller vouches for the place.
        unsafe { T::store_first(simd, self.0, to, value) };
    }
}

impl<T: Scalar> WithSimd for &Along<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if T::KIND.is_complex() && self.0.conjugate { self.run::<S, true>(simd) } else { self.run::<S, false>(simd) }
    }
}

impl<T: Scalar> Along<T> {
    #[inline(always)]
    fn run<S: Simd, const CONJUGATE: bool>(&self, simd: S) {
        let width = T::width::<S>();
        let vectors = self.0.m.div_ceil(width);
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            if vectors > 4 {
                return self.long::<S, CONJUGATE>(simd);
            }
            let last = First(T::first(simd, self.0.m - (vectors - 1) * width));
            match vectors {
                1 => self.short::<S, 1, CONJUGATE>(simd, last),
                2 => self.short::<S, 2, CONJUGATE>(simd, last),
                3 => self.short::<S, 3, CONJUGATE>(simd, last),
                _ => self.short::<S, 4, CONJUGATE>(simd, last),
            }
        }
    }

    /// For so many vectors of rows, of the last of which there are the first elements: the sums over all columns stay in registers, those
    /// over even columns beside those over odd ones.
    #[inline(always)]
    unsafe fn short<S: Simd, const V: usize, const CONJUGATE: bool>(&self, simd: S, last: First<T::First<S>>) {
        let Gemv { n, beta, y, .. } = self.0;
        let width = T::width::<S>();
        let (mut even, mut odd) = ([T::zero(simd); V], [T::zero(simd); V]);
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let mut j = 0;
            while j + 2 <= n {
                self.add_column::<S, V, CONJUGATE>(simd, last, j, &mut even);
                self.add_column::<S, V, CONJUGATE>(simd, last, j + 1, &mut odd);
                j += 2;
            }
            if j < n {
                self.add_column::<S, V, CONJUGATE>(simd, last, j, &mut even);
            }
            for v in 0..V {
                let (place, mut sum) = (y.add(v * width), T::plus(simd, even[v], odd[v]));
                // BLAS: with beta = 0, y is not read.
                if beta != T::ZERO {
                    sum = T::scale_and_add(simd, beta, load_of::<T, S, V>(simd, last, v, place), sum);
                }
                if v + 1 < V { Whole.store(simd, place, sum) } else { last.store(simd, place, sum) }
            }
        }
    }

    /// What column j adds to the sums.
    #[inline(always)]
    unsafe fn add_column<S: Simd, const V: usize, const CONJUGATE: bool>(
        &self,
        simd: S,
        last: First<T::First<S>>,
        j: usize,
        sums: &mut [T::Vector<S>; V],
    ) {
        let Gemv { alpha, a, lda, x, .. } = self.0;
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let factor = T::factor(simd, scale_by(alpha, *x.add(j)));
            for (v, sum) in sums.iter_mut().enumerate() {
                let rows = load_of::<T, S, V>(simd, last, v, a.add(j * lda + v * T::width::<S>()));
                *sum = T::add_multiple(simd, factor, conjugated::<T, S, CONJUGATE>(simd, rows), *sum);
            }
        }
    }

    /// For any number of rows: y takes what a few columns add to it, and then the next ones.
    #[inline(always)]
    unsafe fn long<S: Simd, const CONJUGATE: bool>(&self, simd: S) {
        let n = self.0.n;
        let mut j = 0;
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            while j + 8 <= n {
                self.columns::<S, 8, CONJUGATE>(simd, j);
                j += 8;
            }
            if j + 4 <= n {
                self.columns::<S, 4, CONJUGATE>(simd, j);
                j += 4;
            }
            while j < n {
                self.columns::<S, 1, CONJUGATE>(simd, j);
                j += 1;
            }
        }
    }

    /// What K columns from the j-th on add to y, which is multiplied by beta before the first ones.
    #[inline(always)]
    unsafe fn columns<S: Simd, const K: usize, const CONJUGATE: bool>(&self, simd: S, j: usize) {
        let Gemv { m, alpha, x, beta, .. } = self.0;
        let width = T::width::<S>();
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let mut factors = [T::factor(simd, beta); K];
            for (k, factor) in factors.iter_mut().enumerate() {
                *factor = T::factor(simd, scale_by(alpha, *x.add(j + k)));
            }
            let beta = if j == 0 { beta } else { T::ONE };
            let mut i = 0;
            if beta == T::ONE {
                while i + width <= m {
                    self.rows::<S, K, CONJUGATE, true>(simd, Whole, [i, j], &factors, beta);
                    i += width;
                }
            } else {
                while i + width <= m {
                    self.rows::<S, K, CONJUGATE, false>(simd, Whole, [i, j], &factors, beta);
                    i += width;
                }
            }
            if i < m {
                let first = First(T::first(simd, m - i));
                self.rows::<S, K, CONJUGATE, false>(simd, first, [i, j], &factors, beta);
            }
        }
    }

    /// The same for a vector of rows, in two sums side by side; `ADDED` says that beta is 1.
    #[inline(always)]
    unsafe fn rows<S: Simd, const K: usize, const CONJUGATE: bool, const ADDED: bool>(
        &self,
        simd: S,
        part: impl Part<T, S>,
        [i, j]: [usize; 2],
        factors: &[T::Factor<S>; K],
        beta: T,
    ) {
        let Gemv { a, lda, y, .. } = self.0;
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let place = y.add(i);
            // BLAS: with beta = 0, y is not read.
            let mut even = if ADDED || beta != T::ZERO { part.load(simd, place) } else { T::zero(simd) };
            if !ADDED && beta != T::ONE && beta != T::ZERO {
                even = T::scale(simd, beta, even);
            }
            let mut odd = T::zero(simd);
            for (k, factor) in factors.iter().enumerate() {
                let column = conjugated::<T, S, CONJUGATE>(simd, part.load(simd, a.add((j + k) * lda + i)));
                let sum = if k % 2 == 0 { &mut even } else { &mut odd };
                *sum = T::add_multiple(simd, *factor, column, *sum);
            }
            part.store(simd, place, if K == 1 { even } else { T::plus(simd, even, odd) });
        }
    }
}

/// Vector v of V, of the last of which there are the first elements.
#[inline(always)]
unsafe fn load_of<T: Scalar, S: Simd, const V: usize>(
    simd: S,
    last: First<T::First<S>>,
    v: usize,
    from: *const T,
) -> T::Vector<S> {
    // SAFETY: the caller vouches for the place.
    unsafe { if v + 1 < V { Whole.load(simd, from) } else { last.load(simd, from) } }
}

#[inline(always)]
fn conjugated<T: Scalar, S: Simd, const CONJUGATE: bool>(simd: S, a: T::Vector<S>) -> T::Vector<S> {
    if CONJUGATE { T::conj(simd, a) } else { a }
}

impl<T: Scalar> WithSimd for &Across<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let n = self.0.n;
        let mut j = 0;
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            // The sums of eight complex columns are two vectors for each.
            if !T::KIND.is_complex() || S::REGISTER_COUNT >= 32 {
                while j + 8 <= n {
                    self.columns::<S, 8>(simd, j);
                    j += 8;
                }
            }
            while j + 4 <= n {
                self.columns::<S, 4>(simd, j);
                j += 4;
            }
            if j + 2 <= n {
                self.columns::<S, 2>(simd, j);
                j += 2;
            }
            if j < n {
                self.columns::<S, 1>(simd, j);
            }
        }
    }
}

impl<T: Scalar> Across<T> {
    /// The sums down K columns from the j-th on: a vector of x is read once for all of them.
    #[inline(always)]
    unsafe fn columns<S: Simd, const K: usize>(&self, simd: S, j: usize) {
        let Gemv { m, alpha, conjugate, beta, y, .. } = self.0;
        let width = T::width::<S>();
        let mut sums = [T::no_sum(simd); K];
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let mut i = 0;
            while i + width <= m {
                self.rows(simd, Whole, [i, j], &mut sums);
                i += width;
            }
            if i < m {
                self.rows(simd, First(T::first(simd, m - i)), [i, j], &mut sums);
            }
            for (k, sum) in sums.into_iter().enumerate() {
                let (sum, y) = (scale_by(alpha, T::total(simd, sum, conjugate)), y.add(j + k));
                // BLAS: with beta = 0, y is not read.
                *y = if beta == T::ZERO { sum } else { sum + scale_by(beta, *y) };
            }
        }
    }

    /// What a vector of rows adds to them.
    #[inline(always)]
    unsafe fn rows<S: Simd, const K: usize>(
        &self,
        simd: S,
        part: impl Part<T, S>,
        [i, j]: [usize; 2],
        sums: &mut [T::Sum<S>; K],
    ) {
        let Gemv { a, lda, x, .. } = self.0;
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let x = part.load(simd, x.add(i));
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum = T::add_product(simd, part.load(simd, a.add((j + k) * lda + i)), x, *sum);
            }
        }
    }
}
