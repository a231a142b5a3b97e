//! Positive definite matrices of which a triangle is stored: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::super::{RCOND, Unneeded, estimate_opened};
use super::{A, AP, transr};
use crate::arguments::{self, matrix, packed};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*pptrf`, and of `affinimath*pptri`, which inverts.
pub struct OnTriangle<T, F: Form, const INVERT: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
}

impl<T: Scalar, F: Form, const INVERT: bool> Run<F> for OnTriangle<T, F, INVERT> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                if INVERT {
                    affinimath::pptri(a.write()?)?
                } else {
                    affinimath::pptrf(a.write()?)?
                }
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = match INVERT {
                true => affinimath::pptri_on(queue, a.write()?, info.write()?)?,
                false => affinimath::pptrf_on(queue, a.write()?, info.write()?)?,
            };
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*pptrs`, and of `affinimath*ppsv`, which factorises first.
pub struct Solve<T, F: Form, const FACTOR: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub ap: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form, const FACTOR: bool> Run<F> for Solve<T, F, FACTOR> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `matrix` ldb, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let event = match (session.queue(), info) {
                (Some(queue), Some(info)) => {
                    let info = info.open(&session)?;
                    affinimath::ppsv_on(queue, a.write()?, b.write()?, info.write()?)?
                }
                (Some(queue), None) => affinimath::pptrs_on(queue, a.read()?, b.write()?)?,
                _ if FACTOR => {
                    affinimath::ppsv(a.write()?, b.write()?)?;
                    Event::Complete
                }
                _ => {
                    affinimath::pptrs(a.read()?, b.write()?)?;
                    Event::Complete
                }
            };
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*ppcon`.
pub struct Condition<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub anorm: T::RealScalar,
    pub rcond: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Condition<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let rcond = arguments::numbers(RCOND, 1, self.rcond)?;
        // SAFETY: `packed` checked ap, `numbers` rcond; `Run::run` requires memory of these shapes, and 2 n elements of
        // work, or null.
        unsafe {
            let (a, rcond) = (a.open::<T>(&session)?, rcond.open::<T::RealScalar>(&session)?);
            let a = a.read()?;
            let on_host = |vector: Option<&mut [T]>| match vector {
                None => affinimath::ppcon(a, self.anorm),
                Some(vector) => affinimath::ppcon_with_vector(a, self.anorm, vector),
            };
            estimate_opened(session, rcond, (n, self.work), on_host, |queue, rcond| {
                affinimath::ppcon_on(queue, a, self.anorm, rcond)
            })
        }
    }
}

/// The arguments of `affinimath*pftrf`, and of `affinimath*pftri`, which inverts.
pub struct OnRectangle<T, F: Form, const INVERT: bool> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
}

impl<T: Scalar, F: Form, const INVERT: bool> Run<F> for OnRectangle<T, F, INVERT> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(A, layout, triangle, n, self.a, true)?;
        let info = session.info()?;
        // SAFETY: `packed` checked a, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                if INVERT {
                    affinimath::pftri(transr, a.write()?)?
                } else {
                    affinimath::pftrf(transr, a.write()?)?
                }
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = match INVERT {
                true => affinimath::pftri_on(queue, transr, a.write()?, info.write()?)?,
                false => affinimath::pftrf_on(queue, transr, a.write()?, info.write()?)?,
            };
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*pftrs`.
pub struct SolveRectangular<T, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for SolveRectangular<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = packed(A, layout, triangle, n, self.a, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        // SAFETY: `packed` checked a, `matrix` ldb; `Run::run` requires memory of these shapes.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        let event = match session.queue() {
            Some(queue) => affinimath::pftrs_on(queue, transr, a.read()?, b.write()?)?,
            None => {
                affinimath::pftrs(transr, a.read()?, b.write()?)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}
