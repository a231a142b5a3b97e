//! Symmetric and Hermitian matrices in packed storage: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::super::{Pivots, Unneeded, about_pivots, check_pivot_rows};
use super::AP;
use crate::arguments::{self, matrix, packed};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*sptrf` or, of a Hermitian matrix, `affinimath*hptrf`.
pub struct Factor<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Factor<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        self.ipiv.check(n)?;
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, n, |pivots| match HERMITIAN {
                    true => affinimath::hptrf(a.write()?, pivots),
                    false => affinimath::sptrf(a.write()?, pivots),
                })?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let (a, pivots, info) = (a.write()?, pivots.write()?, info.write()?);
            let event = match HERMITIAN {
                true => affinimath::hptrf_on(queue, a, pivots, info)?,
                false => affinimath::sptrf_on(queue, a, pivots, info)?,
            };
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*sptrs` or, of a Hermitian matrix, `affinimath*hptrs`.
pub struct Solve<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub ap: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Solve<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        check_pivot_rows(n, 1)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        // SAFETY: `packed` checked ap, `Pivots::check` ipiv, `matrix` ldb; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let Some(queue) = session.queue() else {
                let pivots = self.ipiv.read(&session, n)?;
                match HERMITIAN {
                    true => affinimath::hptrs(a.read()?, &pivots, b.write()?),
                    false => affinimath::sptrs(a.read()?, &pivots, b.write()?),
                }
                .map_err(about_pivots)?;
                return session.finish(Event::Complete);
            };
            let pivots = self.ipiv.open(&session, n)?;
            let (a, pivots, b) = (a.read()?, pivots.read()?, b.write()?);
            let event = match HERMITIAN {
                true => affinimath::hptrs_on(queue, a, pivots, b),
                false => affinimath::sptrs_on(queue, a, pivots, b),
            }
            .map_err(about_pivots)?;
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*spsv` or, of a Hermitian matrix, `affinimath*hpsv`.
pub struct SolveAtOnce<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub ap: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for SolveAtOnce<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        check_pivot_rows(n, 1)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `Pivots::check` ipiv, `matrix` ldb, `Session::info` info; `Run::run` requires
        // memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, n, |pivots| match HERMITIAN {
                    true => affinimath::hpsv(a.write()?, pivots, b.write()?),
                    false => affinimath::spsv(a.write()?, pivots, b.write()?),
                })?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let (a, pivots, b, info) = (a.write()?, pivots.write()?, b.write()?, info.write()?);
            let event = match HERMITIAN {
                true => affinimath::hpsv_on(queue, a, pivots, b, info)?,
                false => affinimath::spsv_on(queue, a, pivots, b, info)?,
            };
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*sptri` or, of a Hermitian matrix, `affinimath*hptri`.
pub struct Invert<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
    pub work: Unneeded,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Invert<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        self.ipiv.check(n)?;
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let pivots = self.ipiv.read(&session, n)?;
                match HERMITIAN {
                    true => affinimath::hptri(a.write()?, &pivots),
                    false => affinimath::sptri(a.write()?, &pivots),
                }
                .map_err(about_pivots)?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let (a, pivots, info) = (a.write()?, pivots.read()?, info.write()?);
            let event = match HERMITIAN {
                true => affinimath::hptri_on(queue, a, pivots, info),
                false => affinimath::sptri_on(queue, a, pivots, info),
            }
            .map_err(about_pivots)?;
            session.finish(event)
        }
    }
}
