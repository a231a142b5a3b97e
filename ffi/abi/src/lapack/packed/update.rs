//! Updates in rectangular full packed storage: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};

use super::{C, transr};
use crate::arguments::{self, matrix, packed};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*sfrk`.
pub struct Symmetric<T: Scalar, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub n: i64,
    pub k: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub beta: T,
    pub c: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for Symmetric<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, k) = (arguments::size("n", self.n)?, arguments::size("k", self.k)?);
        let stored = if op == Op::NoTrans { (n, k) } else { (k, n) };
        let a = matrix(A, layout, stored, self.a, self.lda, true)?;
        let c = packed(C, layout, triangle, n, self.c, true)?;
        if n == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked lda, `packed` c; `Run::run` requires memory of these shapes.
        let (a, c) = unsafe { (a.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, c) = (a.read()?, c.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::sfrk_on(queue, transr, op, self.alpha, a, self.beta, c)?,
            None => {
                affinimath::sfrk(transr, op, self.alpha, a, self.beta, c)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*hfrk`.
pub struct Hermitian<T: Scalar, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub n: i64,
    pub k: i64,
    pub alpha: T::RealScalar,
    pub a: F::Location<T>,
    pub lda: i64,
    pub beta: T::RealScalar,
    pub c: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for Hermitian<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, k) = (arguments::size("n", self.n)?, arguments::size("k", self.k)?);
        let stored = if op == Op::NoTrans { (n, k) } else { (k, n) };
        let a = matrix(A, layout, stored, self.a, self.lda, true)?;
        let c = packed(C, layout, triangle, n, self.c, true)?;
        if n == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked lda, `packed` c; `Run::run` requires memory of these shapes.
        let (a, c) = unsafe { (a.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, c) = (a.read()?, c.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::hfrk_on(queue, transr, op, self.alpha, a, self.beta, c)?,
            None => {
                affinimath::hfrk(transr, op, self.alpha, a, self.beta, c)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}
