//! getri: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Pivots, QUERY, about_pivots, answer_query, check_workspace};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*getri`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let n = arguments::size("n", self.n)?;
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, n) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, n)? };
        self.ipiv.check(n)?;
        let info = session.info()?;
        if let (Some(queue), Some(info)) = (session.queue(), info) {
            // SAFETY: `matrix` checked lda, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory of
            // these shapes.
            let (a, pivots, info) =
                unsafe { (a.open::<T>(&session)?, self.ipiv.open(&session, n)?, info.open(&session)?) };
            let event = affinimath::getri_on(queue, a.write()?, pivots.read()?, info.write()?)?;
            return session.finish(event);
        }
        // SAFETY: `matrix` checked lda, `Pivots::check` ipiv; `Run::run` requires memory of these shapes.
        let (a, pivots) = unsafe { (a.open::<T>(&session)?, self.ipiv.read(&session, n)?) };
        affinimath::getri(a.write()?, &pivots).map_err(about_pivots)?;
        session.finish(Event::Complete)
    }
}
