//! The inner loops of the unblocked factorisations: sums over a few adjacent columns, in wide vectors for all four types.
//!
//! They work on memory whose columns are contiguous. Everything is inlined into a function that was dispatched once for the
//! processor's vectors, so that a factorisation of order 4 does not pay for it at each step.

use faer::traits::pulp::{Simd, WithSimd};
use faer::traits::{ComplexField, SimdArch, SimdCtx};

use crate::division::{largest_part, reciprocal, scale_by};
use crate::scalar::Scalar;

/// Columns that a loop takes at a time, at most.
pub(super) const STEP: usize = 4;

/// Runs work whose loops are [`Lanes`]' with the widest vectors that the processor has.
pub(super) fn dispatch<T: Scalar, W: WithSimd>(work: W) -> W::Output {
    <T as ComplexField>::Arch::default().dispatch(work)
}

/// Wide vectors of T.
pub(super) struct Lanes<T: Scalar, S: Simd>(SimdCtx<T, S>);

impl<T: Scalar, S: Simd> Clone for Lanes<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Scalar, S: Simd> Copy for Lanes<T, S> {}

/// Adjacent columns in memory: K of them, `stride` elements from one to the next.
pub(super) struct Columns<T> {
    pub(super) start: *mut T,
    pub(super) stride: usize,
}

impl<T> Clone for Columns<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Columns<T> {}

impl<T> Columns<T> {
    /// Where column k's element i lies.
    #[inline(always)]
    pub(super) const fn at(self, i: usize, k: usize) -> *mut T {
        self.start.wrapping_add(i + k * self.stride)
    }

    /// The columns from k on, from row i on.
    #[inline(always)]
    pub(super) const fn from(self, i: usize, k: usize) -> Self {
        Columns { start: self.at(i, k), ..self }
    }
}

impl<T: Scalar, S: Simd> Lanes<T, S> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        Lanes(SimdCtx(T::simd_ctx(simd)))
    }

    const fn width() -> usize {
        size_of::<T::SimdVec<S>>() / size_of::<T>()
    }

    /// Calls `body` with each place at which a whole vector begins, and `tail` with where the rest begins and its length.
    #[inline(always)]
    fn walk(n: usize, mut body: impl FnMut(usize), tail: impl FnOnce(usize, usize)) {
        let width = Self::width();
        let whole = n / width * width;
        let mut i = 0;
        while i < whole {
            body(i);
            i += width;
        }
        if whole < n {
            tail(whole, n - whole);
        }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const T) -> T::SimdVec<S> {
        // SAFETY: the caller vouches for a vector's elements; vectors are aligned as their elements are.
        self.0.load(unsafe { &*from.cast() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T, value: T::SimdVec<S>) {
        // SAFETY: as in `load`, and nobody else has them.
        self.0.store(unsafe { &mut *to.cast() }, value);
    }

    #[inline(always)]
    unsafe fn load_part(self, from: *const T, length: usize) -> T::SimdVec<S> {
        // SAFETY: only the elements under the mask are read, and the caller vouches for these.
        unsafe { self.0.mask_load(self.mask(length), from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut T, length: usize, value: T::SimdVec<S>) {
        // SAFETY: only the elements under the mask are written, and the caller vouches for these.
        unsafe { self.0.mask_store(self.mask(length), to.cast(), value) }
    }

    #[inline(always)]
    fn mask(self, length: usize) -> T::SimdMemMask<S> {
        let index = |i| <T::Index as faer::traits::IndexCore>::truncate(i);
        T::simd_mem_mask_between(&self.0.0, index(0), index(length))
    }

    /// y += the sum of columns times their factors.
    ///
    /// # Safety
    /// y and the columns must have n elements, and y's must not be theirs.
    #[inline(always)]
    unsafe fn combine<const K: usize>(self, n: usize, y: *mut T, columns: Columns<T>, factors: [T; K]) {
        let factors = factors.map(|factor| self.0.splat(factor));
        let sum = |mut sum, term: &dyn Fn(usize) -> T::SimdVec<S>| {
            for (k, factor) in factors.iter().enumerate() {
                sum = self.0.mul_add(*factor, term(k), sum);
            }
            sum
        };
        // SAFETY: the places are within the n elements that the caller vouches for.
        Self::walk(
            n,
            |i| unsafe { self.store(y.add(i), sum(self.load(y.add(i)), &|k| self.load(columns.at(i, k)))) },
            |i, rest| unsafe {
                let old = self.load_part(y.add(i), rest);
                self.store_part(y.add(i), rest, sum(old, &|k| self.load_part(columns.at(i, k), rest)));
            },
        );
    }

    /// y += the sum of any number of columns times factors, which `factor` gives, four columns at a time.
    ///
    /// # Safety
    /// As for [`Lanes::combine`].
    #[inline(always)]
    pub(super) unsafe fn add_columns(
        self,
        n: usize,
        y: *mut T,
        columns: Columns<T>,
        count: usize,
        factor: impl Fn(usize) -> T,
    ) {
        let mut k = 0;
        while k < count {
            let columns = columns.from(0, k);
            // SAFETY: the caller vouches for the elements.
            unsafe {
                match count - k {
                    1 => self.combine(n, y, columns, [factor(k)]),
                    2 => self.combine(n, y, columns, [0, 1].map(|s| factor(k + s))),
                    3 => self.combine(n, y, columns, [0, 1, 2].map(|s| factor(k + s))),
                    _ => self.combine::<STEP>(n, y, columns, [0, 1, 2, 3].map(|s| factor(k + s))),
                }
            }
            k += STEP;
        }
    }

    /// The dot products of K columns, conjugated, with x.
    #[inline(always)]
    unsafe fn dots<const K: usize>(self, n: usize, x: *const T, columns: Columns<T>) -> [T; K] {
        let mut sums = [self.0.zero(); K];
        let cell = std::cell::Cell::from_mut(&mut sums[..]).as_slice_of_cells();
        let add = |x, term: &dyn Fn(usize) -> T::SimdVec<S>| {
            for (k, sum) in cell.iter().enumerate() {
                sum.set(self.0.conj_mul_add(term(k), x, sum.get()));
            }
        };
        // SAFETY: the places are within the n elements that the caller vouches for.
        Self::walk(
            n,
            |i| unsafe { add(self.load(x.add(i)), &|k| self.load(columns.at(i, k))) },
            |i, rest| unsafe { add(self.load_part(x.add(i), rest), &|k| self.load_part(columns.at(i, k), rest)) },
        );
        sums.map(|sum| self.0.reduce_sum(sum))
    }

    /// Gives `take` the number of each column and its dot product, conjugated, with x.
    ///
    /// # Safety
    /// x and the columns must have n elements.
    #[inline(always)]
    pub(super) unsafe fn dot_columns(
        self,
        n: usize,
        x: *const T,
        columns: Columns<T>,
        count: usize,
        mut take: impl FnMut(usize, T),
    ) {
        let mut k = 0;
        while k < count {
            let few = columns.from(0, k);
            let mut give = |dots: &[T]| dots.iter().enumerate().for_each(|(s, dot)| take(k + s, *dot));
            // SAFETY: the caller vouches for the elements.
            unsafe {
                match count - k {
                    1 => give(&self.dots::<1>(n, x, few)),
                    2 => give(&self.dots::<2>(n, x, few)),
                    3 => give(&self.dots::<3>(n, x, few)),
                    _ => give(&self.dots::<STEP>(n, x, few)),
                }
            }
            k += STEP;
        }
    }

    /// x := factor x.
    ///
    /// # Safety
    /// x must have n elements.
    #[inline(always)]
    pub(super) unsafe fn scale(self, n: usize, x: *mut T, factor: T) {
        let factor = self.0.splat(factor);
        // SAFETY: the places are within the n elements that the caller vouches for.
        Self::walk(
            n,
            |i| unsafe { self.store(x.add(i), self.0.mul(factor, self.load(x.add(i)))) },
            |i, rest| unsafe { self.store_part(x.add(i), rest, self.0.mul(factor, self.load_part(x.add(i), rest))) },
        );
    }
}

/// x := x / divisor, for a divisor no smaller than x's elements: by its reciprocal, as LAPACK does, in two steps where that
/// overflows or loses bits to underflow.
///
/// # Safety
/// x must have n elements.
#[inline(always)]
pub(super) unsafe fn divide<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, x: *mut T, divisor: T) {
    // Powers of two that bring the smallest numbers of the precision far above the underflow, and overflow nothing.
    let (smallest, lift) = if T::KIND.is_double() {
        (f64::MIN_POSITIVE, 2f64.powi(200))
    } else {
        (f64::from(f32::MIN_POSITIVE), 2f64.powi(50))
    };
    // The largest numbers' reciprocals are subnormal.
    let largest = 0.25 / smallest;
    let size = largest_part(divisor);
    let real = |value| T::from_parts(value, 0.0);
    // SAFETY: the caller vouches for the elements.
    unsafe {
        if size > largest {
            // What the first step makes zeros of has the quotient zero.
            lanes.scale(n, x, real(lift.recip()));
            lanes.scale(n, x, reciprocal(scale_by(real(lift.recip()), divisor)));
        } else if size < smallest {
            lanes.scale(n, x, reciprocal(scale_by(real(lift), divisor)));
            lanes.scale(n, x, real(lift));
        } else {
            lanes.scale(n, x, reciprocal(divisor));
        }
    }
}
