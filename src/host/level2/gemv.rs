//! The loops of a whole matrix's products with a vector, where columns and vectors are of adjacent elements: a few columns at a
//! time, in wide vectors.

use pulp::{Simd, WithSimd};

use crate::scalar::Scalar;

/// alpha op(A) x + beta y, to y. The matrix is m x n as it is stored, by columns; nobody else has y.
pub(in crate::host) struct Gemv<T> {
    pub(in crate::host) m: usize,
    pub(in crate::host) n: usize,
    pub(in crate::host) alpha: T,
    pub(in crate::host) a: *const T,
    pub(in crate::host) lda: usize,
    /// Whether it is conj(A).
    pub(in crate::host) conjugate: bool,
    pub(in crate::host) x: *const T,
    pub(in crate::host) beta: T,
    pub(in crate::host) y: *mut T,
}

/// A product that is added to c: of an element of the matrix with a factor, or of the conjugated element.
trait MulAdd<T: Scalar, S: Simd>: Fn(S, T::Vector<S>, T::Vector<S>, T::Vector<S>) -> T::Vector<S> + Copy {}
impl<T: Scalar, S: Simd, F: Fn(S, T::Vector<S>, T::Vector<S>, T::Vector<S>) -> T::Vector<S> + Copy> MulAdd<T, S> for F {}

/// y := alpha A x + beta y.
pub(in crate::host) struct Along<T>(pub(in crate::host) Gemv<T>);

/// y := alpha Aᵀ x + beta y.
pub(in crate::host) struct Across<T>(pub(in crate::host) Gemv<T>);

impl<T: Scalar> WithSimd for &Along<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if T::KIND.is_complex() && self.0.conjugate {
            self.run(simd, |simd, factor, a, sum| T::conj_mul_add(simd, a, factor, sum));
        } else {
            self.run(simd, T::mul_add);
        }
    }
}

impl<T: Scalar> Along<T> {
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, mul_add: impl MulAdd<T, S>) {
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            match self.0.m.div_ceil(T::width::<S>()) {
                1 => self.short::<S, 1>(simd, mul_add),
                2 => self.short::<S, 2>(simd, mul_add),
                3 => self.short::<S, 3>(simd, mul_add),
                4 => self.short::<S, 4>(simd, mul_add),
                _ => self.long(simd, mul_add),
            }
        }
    }

    /// For so many vectors of rows, the last of which may be a part of one: the sums over all columns stay in registers, those
    /// over even columns beside those over odd ones.
    #[inline(always)]
    unsafe fn short<S: Simd, const V: usize>(&self, simd: S, mul_add: impl MulAdd<T, S>) {
        let Gemv { m, n, alpha, a, lda, x, beta, y, .. } = self.0;
        let width = T::width::<S>();
        let last = T::first(simd, m - (V - 1) * width);
        let mut sums = [[T::splat(simd, T::ZERO); V]; 2];
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let load = |from: *const T, v: usize| {
                let from = from.add(v * width);
                if v + 1 < V { T::load(simd, from) } else { T::load_first(simd, last, from) }
            };
            let add = |j: usize, sums: &mut [_; V]| {
                let factor = T::splat(simd, alpha * *x.add(j));
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = mul_add(simd, factor, load(a.add(j * lda), v), *sum);
                }
            };
            let mut j = 0;
            while j + 2 <= n {
                add(j, &mut sums[0]);
                add(j + 1, &mut sums[1]);
                j += 2;
            }
            if j < n {
                add(j, &mut sums[0]);
            }
            let factor = T::splat(simd, beta);
            for v in 0..V {
                let sum = T::plus(simd, sums[0][v], sums[1][v]);
                // BLAS: with beta = 0, y is not read.
                let sum = if beta == T::ZERO { sum } else { T::mul_add(simd, factor, load(y, v), sum) };
                let to = y.add(v * width);
                if v + 1 < V { T::store(simd, to, sum) } else { T::store_first(simd, last, to, sum) }
            }
        }
    }

    /// For any number of rows: y takes what a few columns add to it, and then the next ones.
    #[inline(always)]
    unsafe fn long<S: Simd>(&self, simd: S, mul_add: impl MulAdd<T, S>) {
        let n = self.0.n;
        let mut j = 0;
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            while j + 8 <= n {
                self.columns::<S, 8>(simd, j, mul_add);
                j += 8;
            }
            if j + 4 <= n {
                self.columns::<S, 4>(simd, j, mul_add);
                j += 4;
            }
            while j < n {
                self.columns::<S, 1>(simd, j, mul_add);
                j += 1;
            }
        }
    }

    /// What K columns from the j-th on add to y, which is multiplied by beta before the first ones.
    #[inline(always)]
    unsafe fn columns<S: Simd, const K: usize>(&self, simd: S, j: usize, mul_add: impl MulAdd<T, S>) {
        let Gemv { m, alpha, a, lda, x, beta, y, .. } = self.0;
        let width = T::width::<S>();
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let a = a.add(j * lda);
            let factors: [_; K] = std::array::from_fn(|k| T::splat(simd, alpha * *x.add(j + k)));
            let old = Old { scale: if j == 0 { beta } else { T::ONE }, splat: T::splat(simd, beta) };
            let mut i = 0;
            if old.scale == T::ONE {
                while i + width <= m {
                    let load = |from: *const T| T::load(simd, from.add(i));
                    T::store(simd, y.add(i), sum_of(simd, load(y), factors, |k| load(a.add(k * lda)), mul_add));
                    i += width;
                }
            } else {
                while i + width <= m {
                    let load = |from: *const T| T::load(simd, from.add(i));
                    let old = old.get(simd, || load(y));
                    T::store(simd, y.add(i), sum_of(simd, old, factors, |k| load(a.add(k * lda)), mul_add));
                    i += width;
                }
            }
            if i < m {
                let first = T::first(simd, m - i);
                let load = |from: *const T| T::load_first(simd, first, from.add(i));
                let old = old.get(simd, || load(y));
                let sum = sum_of(simd, old, factors, |k| load(a.add(k * lda)), mul_add);
                T::store_first(simd, first, y.add(i), sum);
            }
        }
    }
}

/// What becomes of the elements of y before anything is added to them.
struct Old<T: Scalar, S: Simd> {
    scale: T,
    splat: T::Vector<S>,
}

impl<T: Scalar, S: Simd> Old<T, S> {
    #[inline(always)]
    fn get(&self, simd: S, y: impl FnOnce() -> T::Vector<S>) -> T::Vector<S> {
        if self.scale == T::ONE {
            y()
        } else if self.scale == T::ZERO {
            T::splat(simd, T::ZERO) // BLAS: y is not read.
        } else {
            T::times(simd, self.splat, y())
        }
    }
}

/// old + the sum of factors and columns, in two sums side by side.
#[inline(always)]
fn sum_of<T: Scalar, S: Simd, const K: usize>(
    simd: S,
    old: T::Vector<S>,
    factors: [T::Vector<S>; K],
    column: impl Fn(usize) -> T::Vector<S>,
    mul_add: impl MulAdd<T, S>,
) -> T::Vector<S> {
    let (mut even, mut odd) = (old, T::splat(simd, T::ZERO));
    for (k, factor) in factors.into_iter().enumerate() {
        let sum = if k % 2 == 0 { &mut even } else { &mut odd };
        *sum = mul_add(simd, factor, column(k), *sum);
    }
    if K == 1 { even } else { T::plus(simd, even, odd) }
}

impl<T: Scalar> WithSimd for &Across<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if T::KIND.is_complex() && self.0.conjugate {
            self.run(simd, |simd, x, a, sum| T::conj_mul_add(simd, a, x, sum));
        } else {
            self.run(simd, T::mul_add);
        }
    }
}

impl<T: Scalar> Across<T> {
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, mul_add: impl MulAdd<T, S>) {
        let n = self.0.n;
        let mut j = 0;
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            while j + 8 <= n {
                self.columns::<S, 8>(simd, j, mul_add);
                j += 8;
            }
            if j + 4 <= n {
                self.columns::<S, 4>(simd, j, mul_add);
                j += 4;
            }
            if j + 2 <= n {
                self.columns::<S, 2>(simd, j, mul_add);
                j += 2;
            }
            if j < n {
                self.columns::<S, 1>(simd, j, mul_add);
            }
        }
    }

    /// The sums down K columns from the j-th on: a vector of x is read once for all of them.
    #[inline(always)]
    unsafe fn columns<S: Simd, const K: usize>(&self, simd: S, j: usize, mul_add: impl MulAdd<T, S>) {
        let Gemv { m, alpha, a, lda, x, beta, y, .. } = self.0;
        let width = T::width::<S>();
        let mut sums = [T::splat(simd, T::ZERO); K];
        // SAFETY: whoever made it vouches for the operands.
        unsafe {
            let a = a.add(j * lda);
            let mut i = 0;
            while i + width <= m {
                let x = T::load(simd, x.add(i));
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = mul_add(simd, x, T::load(simd, a.add(k * lda + i)), *sum);
                }
                i += width;
            }
            if i < m {
                let first = T::first(simd, m - i);
                let x = T::load_first(simd, first, x.add(i));
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = mul_add(simd, x, T::load_first(simd, first, a.add(k * lda + i)), *sum);
                }
            }
            for (k, sum) in sums.into_iter().enumerate() {
                let (sum, y) = (alpha * T::sum(simd, sum), y.add(j + k));
                // BLAS: with beta = 0, y is not read.
                *y = if beta == T::ZERO { sum } else { sum + beta * *y };
            }
        }
    }
}
