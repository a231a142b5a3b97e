//! gemv loops for contiguous columns and vectors: a few columns at a time, in SIMD vectors.

use pulp::{Simd, WithSimd};

use affinimath_core::division::scale_by;
use affinimath_core::scalar::Scalar;

/// A product with a column-major m x n matrix, with exclusive access to y.
pub(crate) struct Gemv<T> {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) alpha: T,
    pub(crate) a: *const T,
    pub(crate) lda: usize,
    /// A is conjugated.
    pub(crate) conjugate: bool,
    pub(crate) x: *const T,
    pub(crate) beta: T,
    pub(crate) y: *mut T,
}

/// y := alpha A x + beta y.
pub(crate) struct Along<T>(pub(crate) Gemv<T>);

/// y := alpha Aᵀ x + beta y.
pub(crate) struct Across<T>(pub(crate) Gemv<T>);

/// A SIMD vector of elements in memory: all lanes, or the first ones at the end of a column.
trait Part<T: Scalar, S: Simd>: Copy {
    unsafe fn load(self, simd: S, from: *const T) -> T::Vector<S>;
    unsafe fn store(self, simd: S, to: *mut T, value: T::Vector<S>);
}

#[derive(Clone, Copy)]
struct Whole;

impl<T: Scalar, S: Simd> Part<T, S> for Whole {
    #[inline(always)]
    unsafe fn load(self, simd: S, from: *const T) -> T::Vector<S> {
        // SAFETY: the address is valid for this vector's lanes, by this function's contract.
        unsafe { T::load(simd, from) }
    }
    #[inline(always)]
    unsafe fn store(self, simd: S, to: *mut T, value: T::Vector<S>) {
        // SAFETY: the address is valid for this vector's lanes, by this function's contract.
        unsafe { T::store(simd, to, value) };
    }
}

#[derive(Clone, Copy)]
struct First<M>(M);

impl<T: Scalar, S: Simd> Part<T, S> for First<T::First<S>> {
    #[inline(always)]
    unsafe fn load(self, simd: S, from: *const T) -> T::Vector<S> {
        // SAFETY: the address is valid for this vector's lanes, by this function's contract.
        unsafe { T::load_first(simd, self.0, from) }
    }
    #[inline(always)]
    unsafe fn store(self, simd: S, to: *mut T, value: T::Vector<S>) {
        // SAFETY: the address is valid for this vector's lanes, by this function's contract.
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
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
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

    /// For at most V vectors of rows, of which the last may be partial. Accumulators of all columns stay in registers,
    /// even and odd columns apart.
    #[inline(always)]
    unsafe fn short<S: Simd, const V: usize, const CONJUGATE: bool>(&self, simd: S, last: First<T::First<S>>) {
        let Gemv { n, beta, y, .. } = self.0;
        let width = T::width::<S>();
        let (mut even, mut odd) = ([T::zero(simd); V], [T::zero(simd); V]);
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
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
                let (target, mut sum) = (y.add(v * width), T::plus(simd, even[v], odd[v]));
                // BLAS: with beta = 0, y is not read.
                if beta != T::ZERO {
                    sum = T::scale_and_add(simd, beta, load_of::<T, S, V>(simd, last, v, target), sum);
                }
                if v + 1 < V { Whole.store(simd, target, sum) } else { last.store(simd, target, sum) }
            }
        }
    }

    /// Adds column j to the accumulators.
    #[inline(always)]
    unsafe fn add_column<S: Simd, const V: usize, const CONJUGATE: bool>(
        &self,
        simd: S,
        last: First<T::First<S>>,
        j: usize,
        sums: &mut [T::Vector<S>; V],
    ) {
        let Gemv { alpha, a, lda, x, .. } = self.0;
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            let factor = T::factor(simd, scale_by(alpha, *x.add(j)));
            for (v, sum) in sums.iter_mut().enumerate() {
                let rows = load_of::<T, S, V>(simd, last, v, a.add(j * lda + v * T::width::<S>()));
                *sum = T::add_multiple(simd, factor, conjugated::<T, S, CONJUGATE>(simd, rows), *sum);
            }
        }
    }

    /// For any number of rows: adds a few columns to y at a time.
    #[inline(always)]
    unsafe fn long<S: Simd, const CONJUGATE: bool>(&self, simd: S) {
        let n = self.0.n;
        let mut j = 0;
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
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

    /// Adds K columns from column j on to y, which is scaled by beta before the first ones.
    #[inline(always)]
    unsafe fn columns<S: Simd, const K: usize, const CONJUGATE: bool>(&self, simd: S, j: usize) {
        let Gemv { m, alpha, x, beta, .. } = self.0;
        let width = T::width::<S>();
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
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

    /// One vector of rows, in two accumulators; `ADDED`: beta is 1.
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
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            let target = y.add(i);
            // BLAS: with beta = 0, y is not read.
            let mut even = if ADDED || beta != T::ZERO { part.load(simd, target) } else { T::zero(simd) };
            if !ADDED && beta != T::ONE && beta != T::ZERO {
                even = T::scale(simd, beta, even);
            }
            let mut odd = T::zero(simd);
            for (k, factor) in factors.iter().enumerate() {
                let column = conjugated::<T, S, CONJUGATE>(simd, part.load(simd, a.add((j + k) * lda + i)));
                let sum = if k % 2 == 0 { &mut even } else { &mut odd };
                *sum = T::add_multiple(simd, *factor, column, *sum);
            }
            part.store(simd, target, if K == 1 { even } else { T::plus(simd, even, odd) });
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
    // SAFETY: the address is valid for this vector's lanes, by this function's contract.
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
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            // Accumulators of eight complex columns take two vectors each.
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
    /// Dot products of K columns from column j on: a vector of x is loaded once for all of them.
    #[inline(always)]
    unsafe fn columns<S: Simd, const K: usize>(&self, simd: S, j: usize) {
        let Gemv { m, alpha, conjugate, beta, y, .. } = self.0;
        let width = T::width::<S>();
        let mut sums = [T::no_sum(simd); K];
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
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

    /// Adds a vector of rows to the dot products.
    #[inline(always)]
    unsafe fn rows<S: Simd, const K: usize>(
        &self,
        simd: S,
        part: impl Part<T, S>,
        [i, j]: [usize; 2],
        sums: &mut [T::Sum<S>; K],
    ) {
        let Gemv { a, lda, x, .. } = self.0;
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            let x = part.load(simd, x.add(i));
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum = T::add_product(simd, part.load(simd, a.add((j + k) * lda + i)), x, *sum);
            }
        }
    }
}
