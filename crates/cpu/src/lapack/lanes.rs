//! Inner loops of the unblocked factorisations: combinations of a few contiguous columns in SIMD vectors, for all four
//! types.
//!
//! All functions are inlined into one that was dispatched to the processor's instruction set once, so that a
//! factorisation of order 4 does not pay for a dispatch per step.

use std::marker::PhantomData;

use pulp::Simd;

use crate::level2::serial::kernels::{axpy_columns, dot_columns};
use affinimath_core::division::{largest_part, reciprocal, scale_by};
use affinimath_core::scalar::Scalar;

/// Maximum columns that a loop combines at a time.
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
    /// Address of element i in column k.
    #[inline(always)]
    pub(super) const fn at(self, i: usize, k: usize) -> *mut T {
        self.start.wrapping_add(i + k * self.stride)
    }

    /// Addresses of the first K columns.
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

    /// y += sum over s < K of factor(k + s) times column s.
    ///
    /// # Safety
    /// y and the columns must be valid for n elements, and y must not overlap the columns.
    #[inline(always)]
    unsafe fn add_group<const K: usize>(
        self,
        n: usize,
        y: *mut T,
        columns: Columns<T>,
        k: usize,
        factor: &impl Fn(usize) -> T,
    ) {
        let mut factors = [T::ZERO; K];
        for (s, slot) in factors.iter_mut().enumerate() {
            *slot = factor(k + s);
        }
        // SAFETY: columns and y are valid for n elements without overlap, by this function's contract.
        unsafe { axpy_columns::<T, S, K, false>(self.0, n, &columns.addresses(), &factors, y) };
    }

    /// y += sum over k < count of factor(k) times column k, four columns at a time.
    ///
    /// # Safety
    /// That of [`Lanes::add_group`].
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
            let group = columns.from(0, k);
            // SAFETY: columns and y are valid for n elements without overlap, by this function's contract.
            unsafe {
                match count - k {
                    1 => self.add_group::<1>(n, y, group, k, &factor),
                    2 => self.add_group::<2>(n, y, group, k, &factor),
                    3 => self.add_group::<3>(n, y, group, k, &factor),
                    _ => self.add_group::<STEP>(n, y, group, k, &factor),
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
    unsafe fn dot_group<const K: usize>(self, n: usize, x: *const T, columns: Columns<T>) -> [T; STEP] {
        let mut all = [T::ZERO; STEP];
        // SAFETY: x and the columns are valid for n elements, by this function's contract.
        let dots = unsafe { dot_columns::<T, S, K>(self.0, n, &columns.addresses(), true, x) };
        all[..K].copy_from_slice(&dots);
        all
    }

    /// Conjugated dot products of up to [`STEP`] columns with x, padded with zeros.
    ///
    /// # Safety
    /// That of [`Lanes::dot_group`].
    #[inline(always)]
    pub(super) unsafe fn dots(self, n: usize, x: *const T, columns: Columns<T>, count: usize) -> [T; STEP] {
        // SAFETY: x and the columns are valid for n elements, by this function's contract.
        unsafe {
            match count {
                0 => [T::ZERO; STEP],
                1 => self.dot_group::<1>(n, x, columns),
                2 => self.dot_group::<2>(n, x, columns),
                3 => self.dot_group::<3>(n, x, columns),
                _ => self.dot_group::<STEP>(n, x, columns),
            }
        }
    }

    /// Calls `take` with the index of each column and its conjugated dot product with x. `take` is not vectorised.
    ///
    /// # Safety
    /// That of [`Lanes::dot_group`].
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
            // SAFETY: x and the columns are valid for n elements, by this function's contract.
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
        // SAFETY: i + width <= n, and the mask excludes elements from n on.
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

/// x := x / divisor, for a divisor not smaller in modulus than x's elements: multiplies by the reciprocal like LAPACK,
/// in two steps if that overflows or underflows.
///
/// # Safety
/// x must be valid for n elements.
#[inline(always)]
pub(super) unsafe fn divide<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, x: *mut T, divisor: T) {
    // Powers of two that lift the smallest normal numbers far above underflow without overflow.
    let (smallest, lift) = if T::KIND.is_double() {
        (f64::MIN_POSITIVE, 2f64.powi(200))
    } else {
        (f64::from(f32::MIN_POSITIVE), 2f64.powi(50))
    };
    // Reciprocals of larger numbers are subnormal.
    let largest = 0.25 / smallest;
    let size = largest_part(divisor);
    let real = |value| T::from_parts(value, 0.0);
    // SAFETY: x is valid for n elements, by this function's contract.
    unsafe {
        if size > largest {
            // Elements that the first step flushes to zero have the quotient zero.
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
