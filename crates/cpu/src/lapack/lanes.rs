//! The inner loops of the unblocked factorisations: sums over a few adjacent columns, in wide vectors for all four types.
//!
//! They work on memory whose columns are contiguous. Everything is inlined into a function that was dispatched once for the
//! processor's vectors, so that a factorisation of order 4 does not pay for it at each step.

use std::marker::PhantomData;

use pulp::Simd;

use crate::level2::serial::kernels::{axpy_columns, dot_columns};
use affinimath_core::division::{largest_part, reciprocal, scale_by};
use affinimath_core::scalar::Scalar;

/// Columns that a loop takes at a time, at most.
pub(super) const STEP: usize = 4;

/// Wide vectors of T.
pub(super) struct Lanes<T, S>(S, PhantomData<T>);

impl<T, S: Simd> Clone for Lanes<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: Simd> Copy for Lanes<T, S> {}

/// Adjacent columns in memory, `stride` elements from one to the next.
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

    /// Where the first K columns begin.
    #[inline(always)]
    const fn addresses<const K: usize>(self) -> [*const T; K] {
        let mut addresses = [self.start.cast_const(); K];
        let mut k = 1;
        while k < K {
            addresses[k] = self.at(0, k);
            k += 1;
        }
        addresses
    }

    /// The columns from k on, from row i on.
    #[inline(always)]
    pub(super) const fn from(self, i: usize, k: usize) -> Self {
        Columns { start: self.at(i, k), ..self }
    }
}

impl<T: Scalar, S: Simd> Lanes<T, S> {
    #[inline(always)]
    pub(super) const fn new(simd: S) -> Self {
        Lanes(simd, PhantomData)
    }

    /// y += the sum of K columns times factors, which `factor` gives for k and the numbers after it.
    ///
    /// # Safety
    /// y and the columns must have n elements, and y's must not be theirs.
    #[inline(always)]
    unsafe fn add_few<const K: usize>(
        self,
        n: usize,
        y: *mut T,
        columns: Columns<T>,
        k: usize,
        factor: &impl Fn(usize) -> T,
    ) {
        let mut factors = [T::ZERO; K];
        for (s, place) in factors.iter_mut().enumerate() {
            *place = factor(k + s);
        }
        // SAFETY: the caller vouches for the elements.
        unsafe { axpy_columns::<T, S, K, false>(self.0, n, &columns.addresses(), &factors, y) };
    }

    /// y += the sum of any number of columns times factors, which `factor` gives, four columns at a time.
    ///
    /// # Safety
    /// As for [`Lanes::add_few`].
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
            let few = columns.from(0, k);
            // SAFETY: the caller vouches for the elements.
            unsafe {
                match count - k {
                    1 => self.add_few::<1>(n, y, few, k, &factor),
                    2 => self.add_few::<2>(n, y, few, k, &factor),
                    3 => self.add_few::<3>(n, y, few, k, &factor),
                    _ => self.add_few::<STEP>(n, y, few, k, &factor),
                }
            }
            k += STEP;
        }
    }

    /// The dot products, conjugated, of K columns with x, and zeros.
    ///
    /// # Safety
    /// x and the columns must have n elements.
    #[inline(always)]
    unsafe fn dot_few<const K: usize>(self, n: usize, x: *const T, columns: Columns<T>) -> [T; STEP] {
        let mut all = [T::ZERO; STEP];
        // SAFETY: the caller vouches for the elements.
        let dots = unsafe { dot_columns::<T, S, K>(self.0, n, &columns.addresses(), true, x) };
        all[..K].copy_from_slice(&dots);
        all
    }

    /// The dot products, conjugated, of up to [`STEP`] columns with x, and zeros.
    ///
    /// # Safety
    /// As for [`Lanes::dot_few`].
    #[inline(always)]
    pub(super) unsafe fn dots(self, n: usize, x: *const T, columns: Columns<T>, count: usize) -> [T; STEP] {
        // SAFETY: the caller vouches for the elements.
        unsafe {
            match count {
                0 => [T::ZERO; STEP],
                1 => self.dot_few::<1>(n, x, columns),
                2 => self.dot_few::<2>(n, x, columns),
                3 => self.dot_few::<3>(n, x, columns),
                _ => self.dot_few::<STEP>(n, x, columns),
            }
        }
    }

    /// Gives `take` the number of each column and its dot product, conjugated, with x. `take` has no wide vectors.
    ///
    /// # Safety
    /// As for [`Lanes::dot_few`].
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
            // SAFETY: the caller vouches for the elements.
            let dots = unsafe { self.dots(n, x, columns.from(0, k), count - k) };
            for (s, dot) in dots.iter().enumerate().take(count - k) {
                take(k + s, *dot);
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
        let (simd, width) = (self.0, T::width::<S>());
        let mut i = 0;
        // SAFETY: i + width <= n, and the mask leaves out what is past the end.
        unsafe {
            while i + width <= n {
                T::store(simd, x.add(i), T::scale(simd, factor, T::load(simd, x.add(i))));
                i += width;
            }
            if i < n {
                let (first, x) = (T::first(simd, n - i), x.add(i));
                T::store_first(simd, first, x, T::scale(simd, factor, T::load_first(simd, first, x)));
            }
        }
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
