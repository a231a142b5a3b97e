//! Triangular matrices of which the triangle alone is stored: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, Side};

use super::{A, AP, transr};
use crate::arguments::{self, matrix, packed};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*tptri`.
pub struct Invert<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub diag: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for Invert<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::tptri(diagonal, a.write()?)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::tptri_on(queue, diagonal, a.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*tptrs`.
pub struct Solve<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub diag: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub ap: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Solve<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `matrix` ldb, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::tptrs(op, diagonal, a.read()?, b.write()?)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::tptrs_on(queue, op, diagonal, a.read()?, b.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*tftri`.
pub struct InvertRectangular<T, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub diag: c_int,
    pub n: i64,
    pub a: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for InvertRectangular<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(A, layout, triangle, n, self.a, true)?;
        let info = session.info()?;
        // SAFETY: `packed` checked a, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::tftri(transr, diagonal, a.write()?)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::tftri_on(queue, transr, diagonal, a.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*tfsm`.
pub struct SolveRectangular<T, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub side: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub diag: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
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
        let side = arguments::side(self.side)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let order = if side == Side::Left { m } else { n };
        let a = packed(A, layout, triangle, order, self.a, m > 0 && n > 0 && self.alpha != T::ZERO)?;
        let b = matrix(B, layout, (m, n), self.b, self.ldb, true)?;
        if m == 0 || n == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `packed` checked a, `matrix` ldb; `Run::run` requires memory of these shapes.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        let (a, b) = (a.read()?, b.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::tfsm_on(queue, transr, side, op, diagonal, self.alpha, a, b)?,
            None => {
                affinimath::tfsm(transr, side, op, diagonal, self.alpha, a, b)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}
