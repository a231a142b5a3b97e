//! The products of symmetric and Hermitian matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, Triangle};
use affinimath_cpu::small::triangles;
use affinimath_cpu::small::vectors::with_adjacent;

use super::needs;
use crate::arguments::{self, band, matrix, packed, vector};
use crate::blas::small;
use crate::form::{A, Form, Names, Run, X, Y, names};

/// Names of a packed matrix.
pub const AP: Names = names!("ap");

/// Diagonals below and above the main one of a band whose triangle has `k` beside it.
pub(super) const fn bandwidths(triangle: Triangle, k: usize) -> (usize, usize) {
    match triangle {
        Triangle::Lower => (k, 0),
        Triangle::Upper => (0, k),
    }
}

/// The arguments of `affinimath*symv` and `affinimath*hemv`.
pub struct Full<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub beta: T,
    pub y: F::Location<T>,
    pub incy: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Full<T, F, HERMITIAN> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let Some(a) = small::triangle((self.layout, self.uplo), self.n, self.a, self.lda) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(n, self.y, self.incy) else { return false };
        let (alpha, beta) = (self.alpha, self.beta);
        // SAFETY: `small::triangle` checked lda, `small::vector` incx and incy, and no pointer is null; `Run::run`
        // requires memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(n, x, |x| {
                with_adjacent::<T, true>(n, y, |y| triangles::symv(HERMITIAN, alpha, a, x, beta, y));
            });
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let (reads, writes) = needs(n == 0, alpha, beta);
        let a = matrix(A, layout, (n, n), self.a, self.lda, reads)?;
        let x = vector(X, n, self.x, self.incx, reads)?;
        let y = vector(Y, n, self.y, self.incy, writes)?;
        if !writes {
            return session.finish(Event::Complete); // BLAS: no element of y changes.
        }
        // SAFETY: `matrix` checked lda, `vector` incx and incy; `Run::run` requires memory of these shapes.
        let (a, x, y) = unsafe { (a.open::<T>(&session)?, x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let (a, x, y) = (a.read()?, x.read()?, y.write()?);
        let event = match (session.queue(), HERMITIAN) {
            (None, false) => affinimath::symv(triangle, alpha, a, x, beta, y)?,
            (None, true) => affinimath::hemv(triangle, alpha, a, x, beta, y)?,
            (Some(queue), false) => affinimath::symv_on(queue, triangle, alpha, a, x, beta, y)?,
            (Some(queue), true) => affinimath::hemv_on(queue, triangle, alpha, a, x, beta, y)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*sbmv` and `affinimath*hbmv`.
pub struct Band<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub k: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub beta: T,
    pub y: F::Location<T>,
    pub incy: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Band<T, F, HERMITIAN> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let Some(a) = small::band((self.layout, self.uplo), [self.n, self.k], self.a, self.lda) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(n, self.y, self.incy) else { return false };
        let (alpha, beta) = (self.alpha, self.beta);
        // SAFETY: `small::band` checked lda, `small::vector` incx and incy, and no pointer is null; `Run::run` requires
        // memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(n, x, |x| {
                with_adjacent::<T, true>(n, y, |y| triangles::symv(HERMITIAN, alpha, a, x, beta, y));
            });
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let k = arguments::size("k", self.k)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let (reads, writes) = needs(n == 0, alpha, beta);
        let a = band(A, layout, (n, n), bandwidths(triangle, k), self.a, self.lda, reads)?;
        let x = vector(X, n, self.x, self.incx, reads)?;
        let y = vector(Y, n, self.y, self.incy, writes)?;
        if !writes {
            return session.finish(Event::Complete); // BLAS: no element of y changes.
        }
        // SAFETY: `band` checked lda, `vector` incx and incy; `Run::run` requires memory of these shapes.
        let (a, x, y) = unsafe { (a.open::<T>(&session)?, x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let (a, x, y) = (a.read()?, x.read()?, y.write()?);
        let event = match (session.queue(), HERMITIAN) {
            (None, false) => affinimath::sbmv(triangle, alpha, a, x, beta, y)?,
            (None, true) => affinimath::hbmv(triangle, alpha, a, x, beta, y)?,
            (Some(queue), false) => affinimath::sbmv_on(queue, triangle, alpha, a, x, beta, y)?,
            (Some(queue), true) => affinimath::hbmv_on(queue, triangle, alpha, a, x, beta, y)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*spmv` and `affinimath*hpmv`.
pub struct Packed<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T,
    pub ap: F::Location<T>,
    pub x: F::Location<T>,
    pub incx: i64,
    pub beta: T,
    pub y: F::Location<T>,
    pub incy: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Packed<T, F, HERMITIAN> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let Some(a) = small::packed((self.layout, self.uplo), self.n, self.ap) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(n, self.y, self.incy) else { return false };
        let (alpha, beta) = (self.alpha, self.beta);
        // SAFETY: `small::packed` checked ap, `small::vector` incx and incy, and no pointer is null; `Run::run`
        // requires memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(n, x, |x| {
                with_adjacent::<T, true>(n, y, |y| triangles::symv(HERMITIAN, alpha, a, x, beta, y));
            });
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let (reads, writes) = needs(n == 0, alpha, beta);
        let a = packed(AP, layout, triangle, n, self.ap, reads)?;
        let x = vector(X, n, self.x, self.incx, reads)?;
        let y = vector(Y, n, self.y, self.incy, writes)?;
        if !writes {
            return session.finish(Event::Complete); // BLAS: no element of y changes.
        }
        // SAFETY: `packed` checked ap, `vector` incx and incy; `Run::run` requires memory of these shapes.
        let (a, x, y) = unsafe { (a.open::<T>(&session)?, x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let (a, x, y) = (a.read()?, x.read()?, y.write()?);
        let event = match (session.queue(), HERMITIAN) {
            (None, false) => affinimath::spmv(alpha, a, x, beta, y)?,
            (None, true) => affinimath::hpmv(alpha, a, x, beta, y)?,
            (Some(queue), false) => affinimath::spmv_on(queue, alpha, a, x, beta, y)?,
            (Some(queue), true) => affinimath::hpmv_on(queue, alpha, a, x, beta, y)?,
        };
        session.finish(event)
    }
}
