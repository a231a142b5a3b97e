//! Rank-one and rank-two updates: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};
use affinimath_cpu as host;
use affinimath_cpu::small::triangles;
use affinimath_cpu::small::vectors::with_adjacent;

use super::symmetric::AP;
use crate::arguments::{self, matrix, packed, vector};
use crate::blas::small;
use crate::form::{A, Form, Run, X, Y};

/// The arguments of `affinimath*ger`, `affinimath*geru` and `affinimath*gerc`.
pub struct General<T, F: Form, const ADJOINT: bool> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form, const ADJOINT: bool> Run<F> for General<T, F, ADJOINT> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO || !small::matrix_and_vector::<T>([self.m, self.n]) {
            return false;
        }
        let (m, n, alpha) = (self.m as usize, self.n as usize, self.alpha);
        let Some(x) = small::vector::<T, F>(m, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(n, self.y, self.incy) else { return false };
        let Some(a) = small::pointer(self.a) else { return false };
        let Some(a) = small::matrix(self.layout, Op::NoTrans.code(), (m, n), a, self.lda) else { return false };
        // SAFETY: `small::vector` checked incx and incy, `small::matrix` lda, and no pointer is null; `Run::run`
        // requires memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(m, x, |x| {
                with_adjacent::<T, false>(n, y, |y| host::small::ger([m, n], ADJOINT, alpha, x, y, a));
            });
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let needed = m > 0 && n > 0 && self.alpha != T::ZERO;
        let x = vector(X, m, self.x, self.incx, needed)?;
        let y = vector(Y, n, self.y, self.incy, needed)?;
        let a = matrix(A, layout, (m, n), self.a, self.lda, needed)?;
        if !needed {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx and incy, `matrix` lda; `Run::run` requires memory of these shapes.
        let (x, y, a) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?, a.open::<T>(&session)?) };
        let (x, y, a) = (x.read()?, y.read()?, a.write()?);
        let event = match (session.queue(), ADJOINT) {
            (None, false) => affinimath::ger(self.alpha, x, y, a)?,
            (None, true) => affinimath::gerc(self.alpha, x, y, a)?,
            (Some(queue), false) => affinimath::ger_on(queue, self.alpha, x, y, a)?,
            (Some(queue), true) => affinimath::gerc_on(queue, self.alpha, x, y, a)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*syr`.
pub struct Syr<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T,
    pub x: F::Location<T>,
    pub incx: i64,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form> Run<F> for Syr<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let Some(a) = small::triangle((self.layout, self.uplo), self.n, self.a, self.lda) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let alpha = self.alpha;
        // SAFETY: `small::triangle` checked lda, `small::vector` incx, and no pointer is null; `Run::run` requires
        // memory of these shapes.
        unsafe { with_adjacent::<T, false>(n, x, |x| triangles::update(false, alpha, x, None, a)) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let needed = n > 0 && self.alpha != T::ZERO;
        let x = vector(X, n, self.x, self.incx, needed)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, needed)?;
        if !needed {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx, `matrix` lda; `Run::run` requires memory of these shapes.
        let (x, a) = unsafe { (x.open::<T>(&session)?, a.open::<T>(&session)?) };
        let event = match session.queue() {
            None => affinimath::syr(triangle, self.alpha, x.read()?, a.write()?)?,
            Some(queue) => affinimath::syr_on(queue, triangle, self.alpha, x.read()?, a.write()?)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*her`: alpha is real.
pub struct Her<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T::RealScalar,
    pub x: F::Location<T>,
    pub incx: i64,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form> Run<F> for Her<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::RealScalar::ZERO {
            return false;
        }
        let Some(a) = small::triangle((self.layout, self.uplo), self.n, self.a, self.lda) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let alpha = T::ONE.scaled(self.alpha);
        // SAFETY: `small::triangle` checked lda, `small::vector` incx, and no pointer is null; `Run::run` requires
        // memory of these shapes.
        unsafe { with_adjacent::<T, false>(n, x, |x| triangles::update(true, alpha, x, None, a)) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let needed = n > 0 && self.alpha != T::RealScalar::ZERO;
        let x = vector(X, n, self.x, self.incx, needed)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, needed)?;
        if !needed {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx, `matrix` lda; `Run::run` requires memory of these shapes.
        let (x, a) = unsafe { (x.open::<T>(&session)?, a.open::<T>(&session)?) };
        let event = match session.queue() {
            None => affinimath::her(triangle, self.alpha, x.read()?, a.write()?)?,
            Some(queue) => affinimath::her_on(queue, triangle, self.alpha, x.read()?, a.write()?)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*spr`.
pub struct Spr<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T,
    pub x: F::Location<T>,
    pub incx: i64,
    pub ap: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for Spr<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let Some(a) = small::packed((self.layout, self.uplo), self.n, self.ap) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let alpha = self.alpha;
        // SAFETY: `small::packed` checked ap, `small::vector` incx, and no pointer is null; `Run::run` requires memory
        // of these shapes.
        unsafe { with_adjacent::<T, false>(n, x, |x| triangles::update(false, alpha, x, None, a)) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let needed = n > 0 && self.alpha != T::ZERO;
        let x = vector(X, n, self.x, self.incx, needed)?;
        let a = packed(AP, layout, triangle, n, self.ap, needed)?;
        if !needed {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx, `packed` ap; `Run::run` requires memory of these shapes.
        let (x, a) = unsafe { (x.open::<T>(&session)?, a.open::<T>(&session)?) };
        let event = match session.queue() {
            None => affinimath::spr(self.alpha, x.read()?, a.write()?)?,
            Some(queue) => affinimath::spr_on(queue, self.alpha, x.read()?, a.write()?)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*hpr`: alpha is real.
pub struct Hpr<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T::RealScalar,
    pub x: F::Location<T>,
    pub incx: i64,
    pub ap: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for Hpr<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::RealScalar::ZERO {
            return false;
        }
        let Some(a) = small::packed((self.layout, self.uplo), self.n, self.ap) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let alpha = T::ONE.scaled(self.alpha);
        // SAFETY: `small::packed` checked ap, `small::vector` incx, and no pointer is null; `Run::run` requires memory
        // of these shapes.
        unsafe { with_adjacent::<T, false>(n, x, |x| triangles::update(true, alpha, x, None, a)) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let needed = n > 0 && self.alpha != T::RealScalar::ZERO;
        let x = vector(X, n, self.x, self.incx, needed)?;
        let a = packed(AP, layout, triangle, n, self.ap, needed)?;
        if !needed {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx, `packed` ap; `Run::run` requires memory of these shapes.
        let (x, a) = unsafe { (x.open::<T>(&session)?, a.open::<T>(&session)?) };
        let event = match session.queue() {
            None => affinimath::hpr(self.alpha, x.read()?, a.write()?)?,
            Some(queue) => affinimath::hpr_on(queue, self.alpha, x.read()?, a.write()?)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*syr2` and `affinimath*her2`.
pub struct Two<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Two<T, F, HERMITIAN> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let Some(a) = small::triangle((self.layout, self.uplo), self.n, self.a, self.lda) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(n, self.y, self.incy) else { return false };
        let alpha = self.alpha;
        // SAFETY: `small::triangle` checked lda, `small::vector` incx and incy, and no pointer is null; `Run::run`
        // requires memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(n, x, |x| {
                with_adjacent::<T, false>(n, y, |y| triangles::update(HERMITIAN, alpha, x, Some(y), a));
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
        let needed = n > 0 && self.alpha != T::ZERO;
        let x = vector(X, n, self.x, self.incx, needed)?;
        let y = vector(Y, n, self.y, self.incy, needed)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, needed)?;
        if !needed {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx and incy, `matrix` lda; `Run::run` requires memory of these shapes.
        let (x, y, a) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?, a.open::<T>(&session)?) };
        let (x, y, a) = (x.read()?, y.read()?, a.write()?);
        let event = match (session.queue(), HERMITIAN) {
            (None, false) => affinimath::syr2(triangle, self.alpha, x, y, a)?,
            (None, true) => affinimath::her2(triangle, self.alpha, x, y, a)?,
            (Some(queue), false) => affinimath::syr2_on(queue, triangle, self.alpha, x, y, a)?,
            (Some(queue), true) => affinimath::her2_on(queue, triangle, self.alpha, x, y, a)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*spr2` and `affinimath*hpr2`.
pub struct TwoPacked<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub alpha: T,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
    pub ap: F::Location<T>,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for TwoPacked<T, F, HERMITIAN> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let Some(a) = small::packed((self.layout, self.uplo), self.n, self.ap) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(n, self.y, self.incy) else { return false };
        let alpha = self.alpha;
        // SAFETY: `small::packed` checked ap, `small::vector` incx and incy, and no pointer is null; `Run::run`
        // requires memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(n, x, |x| {
                with_adjacent::<T, false>(n, y, |y| triangles::update(HERMITIAN, alpha, x, Some(y), a));
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
        let needed = n > 0 && self.alpha != T::ZERO;
        let x = vector(X, n, self.x, self.incx, needed)?;
        let y = vector(Y, n, self.y, self.incy, needed)?;
        let a = packed(AP, layout, triangle, n, self.ap, needed)?;
        if !needed {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx and incy, `packed` ap; `Run::run` requires memory of these shapes.
        let (x, y, a) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?, a.open::<T>(&session)?) };
        let (x, y, a) = (x.read()?, y.read()?, a.write()?);
        let event = match (session.queue(), HERMITIAN) {
            (None, false) => affinimath::spr2(self.alpha, x, y, a)?,
            (None, true) => affinimath::hpr2(self.alpha, x, y, a)?,
            (Some(queue), false) => affinimath::spr2_on(queue, self.alpha, x, y, a)?,
            (Some(queue), true) => affinimath::hpr2_on(queue, self.alpha, x, y, a)?,
        };
        session.finish(event)
    }
}
