//! trtrs: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*trtrs`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub diag: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda and ldb; `Run::run` requires memory of these shapes.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        if let (Some(queue), Some(info)) = (session.queue(), info) {
            // SAFETY: `Session::info` refused null; `Run::run` requires a live memory object.
            let info = unsafe { info.open(&session)? };
            let (a, b, info) = (a.read()?, b.write()?, info.write()?);
            let event = affinimath::trtrs_on(queue, triangle, op, diagonal, a, b, info)?;
            return session.finish(event);
        }
        affinimath::trtrs(triangle, op, diagonal, a.read()?, b.write()?)?;
        session.finish(Event::Complete)
    }
}
