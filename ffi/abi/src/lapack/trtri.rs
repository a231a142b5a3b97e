//! trtri: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use crate::arguments::{self, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*trtri`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub diag: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda; `Run::run` requires memory of this shape.
        let a = unsafe { a.open::<T>(&session)? };
        if let (Some(queue), Some(info)) = (session.queue(), info) {
            // SAFETY: `Session::info` refused null; `Run::run` requires a live memory object.
            let info = unsafe { info.open(&session)? };
            let event = affinimath::trtri_on(queue, triangle, diagonal, a.write()?, info.write()?)?;
            return session.finish(event);
        }
        affinimath::trtri(triangle, diagonal, a.write()?)?;
        session.finish(Event::Complete)
    }
}
