//! Level 1 as the reference computes it, where the library's own calls refuse or skip: an increment of 0, which repeats
//! one element, and vectors without elements.
//!
//! The elements are walked one after the other, in the reference's order.

use affinimath::{Real, Result, Scalar};
use affinimath_abi::blas::level1::{
    asum, axpby, axpy, copy, dot, dsdot, iamax, nrm2, rot, rot_real, rotm, scal, scal_real, sdsdot, swap,
};
use affinimath_abi::form::{Run, Standard, StandardLocation, reduced_increment};

/// A call of level 1.
pub(crate) trait Walk: Run<Standard> {
    /// True if the library's own call computes what the reference does.
    fn is_plain(&self) -> bool;

    /// Computes what the reference does, for a call that is not plain.
    ///
    /// # Safety
    /// The vectors must be valid. Nothing else may access those that are written.
    unsafe fn walk(&self);
}

/// A level 1 call of any length and increments.
pub(crate) struct Walking<C>(pub(crate) C);

impl<C: Walk> Run<Standard> for Walking<C> {
    #[inline]
    unsafe fn run(&self, form: Standard) -> Result<()> {
        if self.0.is_plain() {
            // SAFETY: this function has the same contract.
            return unsafe { self.0.run(form) };
        }
        // SAFETY: `Run::run` requires the vectors, and nothing else accesses what is written.
        unsafe { self.0.walk() };
        Ok(())
    }

    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        // SAFETY: this function has the same contract.
        unsafe { self.0.run_small() }
    }
}

/// True if there are elements, and none is repeated.
const fn plain_pairs<T>(n: i64, incx: i64, incy: i64) -> bool {
    n > 0 && reduced_increment::<T>(incx) != 0 && reduced_increment::<T>(incy) != 0
}

/// Calls `f` with each pair of elements.
///
/// # Safety
/// The vectors must be valid.
unsafe fn pairs<T>(
    n: i64,
    x: (StandardLocation<T>, i64),
    y: (StandardLocation<T>, i64),
    mut f: impl FnMut(*mut T, *mut T),
) {
    let start = |(location, step): (StandardLocation<T>, i64)| {
        location.0.wrapping_offset(if step < 0 { (1 - n).wrapping_mul(step) } else { 0 } as isize)
    };
    let (mut at_x, mut at_y) = (start(x), start(y));
    for _ in 0..n {
        f(at_x, at_y);
        (at_x, at_y) = (at_x.wrapping_offset(x.1 as isize), at_y.wrapping_offset(y.1 as isize));
    }
}

/// A call on pairs of elements: the step for each pair.
macro_rules! on_pairs {
    ($(($call:ty) where $t:ident: $bound:ident, |$this:ident, $x:ident, $y:ident| $each:expr;)+) => {$(
        impl<$t: $bound> Walk for $call {
            fn is_plain(&self) -> bool {
                plain_pairs::<$t>(self.n, self.incx, self.incy)
            }

            unsafe fn walk(&self) {
                let $this = self;
                // SAFETY: `walk` requires memory for both vectors.
                unsafe { pairs($this.n, ($this.x, $this.incx), ($this.y, $this.incy), |$x, $y| $each) };
            }
        }
    )+};
}

on_pairs! {
    (copy::Call<T, Standard>) where T: Scalar, |_call, x, y| y.write(x.read());
    (swap::Call<T, Standard>) where T: Scalar, |_call, x, y| std::ptr::swap(x, y);
    (axpy::Call<T, Standard>) where T: Scalar, |call, x, y| if call.alpha != T::ZERO { *y += call.alpha * *x };
    (axpby::Call<T, Standard>) where T: Scalar, |call, x, y| {
        let sum = if call.alpha == T::ZERO { T::ZERO } else { call.alpha * *x };
        *y = if call.beta == T::ZERO { sum } else { sum + call.beta * *y };
    };
    (rot::Call<T, Standard>) where T: Scalar, |call, x, y| {
        let sum = (*x).scaled(call.c) + call.s * *y;
        *y = (*y).scaled(call.c) - call.s.conjugate() * *x;
        *x = sum;
    };
    (rot_real::Call<T, Standard>) where T: Scalar, |call, x, y| {
        let sum = (*x).scaled(call.c) + (*y).scaled(call.s);
        *y = (*y).scaled(call.c) - (*x).scaled(call.s);
        *x = sum;
    };
    (rotm::Call<T, Standard>) where T: Real, |call, x, y| {
        if let Some([h11, h12, h21, h22]) = modified(call.param) {
            (*x, *y) = (h11 * *x + h12 * *y, h21 * *x + h22 * *y);
        }
    };
}

/// The elements h11, h12, h21, h22 of rotm's parameters; none for the identity.
///
/// # Safety
/// The pointer must be valid for five parameters.
unsafe fn modified<T: Real>(parameters: StandardLocation<T>) -> Option<[T; 4]> {
    // SAFETY: this function requires five parameters.
    affinimath::rotm_factors(&unsafe { parameters.0.cast::<[T; 5]>().read() })
}

impl<T: Scalar, const CONJUGATE: bool> Walk for dot::Product<T, Standard, CONJUGATE> {
    fn is_plain(&self) -> bool {
        plain_pairs::<T>(self.n, self.incx, self.incy)
    }

    unsafe fn walk(&self) {
        let mut sum = T::ZERO;
        // SAFETY: `walk` requires memory for both vectors and the result.
        unsafe {
            pairs(self.n, (self.x, self.incx), (self.y, self.incy), |x, y| {
                sum += if CONJUGATE { (*x).conjugate() } else { *x } * *y;
            });
            self.result.0.write(sum);
        }
    }
}

/// Dot products of floats in double precision: the sum's start, and the result from the sum.
macro_rules! in_doubles {
    ($($module:ident, |$this:ident| $start:expr, |$sum:ident| $result:expr;)+) => {$(
        impl Walk for $module::Call<f32, Standard> {
            fn is_plain(&self) -> bool {
                plain_pairs::<f32>(self.n, self.incx, self.incy)
            }

            unsafe fn walk(&self) {
                let $this = self;
                let mut $sum: f64 = $start;
                // SAFETY: `walk` requires memory for both vectors and the result.
                unsafe {
                    pairs(self.n, (self.x, self.incx), (self.y, self.incy), |x, y| {
                        $sum += f64::from(*x) * f64::from(*y);
                    });
                    self.result.0.write($result);
                }
            }
        }
    )+};
}

in_doubles! {
    dsdot, |_call| 0.0, |sum| sum;
    sdsdot, |call| f64::from(call.sb), |sum| sum as f32;
}

/// A call on one vector, whose increment must be positive; BLAS leaves others alone.
macro_rules! forward_only {
    ($($call:ty $(, $constant:ident)?;)+) => {$(
        impl<T: Scalar $(, const $constant: bool)?> Walk for $call {
            fn is_plain(&self) -> bool {
                self.n > 0 && self.incx > 0 && reduced_increment::<T>(self.incx) != 0
            }

            unsafe fn walk(&self) {}
        }
    )+};
}

forward_only! {
    scal::Call<T, Standard>;
    scal_real::Call<T, Standard>;
    asum::Call<T, Standard>;
    iamax::Extreme<T, Standard, SMALLEST>, SMALLEST;
}

impl<T: Scalar> Walk for nrm2::Call<T, Standard> {
    fn is_plain(&self) -> bool {
        self.n > 0 && reduced_increment::<T>(self.incx) != 0
    }

    unsafe fn walk(&self) {
        if self.n <= 0 {
            return;
        }
        // SAFETY: n is positive, and `walk` requires an element of x and the result.
        unsafe {
            let norm = self.x.0.read().modulus() * (self.n as f64).sqrt();
            self.result.0.write(T::RealScalar::from_parts(norm, 0.0));
        }
    }
}
