//! geqrf: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{QUERY, TAU, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*geqrf`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub tau: F::Location<T>,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let min_lwork = if m == 0 { 1 } else { n };
        if self.lwork == QUERY {
            leading_dimension(A, layout, (m, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork)? };
        let tau = array(TAU, m.min(n), self.tau)?;
        // SAFETY: `matrix` checked lda, `array` tau; `Run::run` requires memory of these shapes.
        let (a, mut tau) = unsafe { (a.open::<T>(&session)?, tau.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = affinimath::geqrf_on(queue, a.write()?, tau.write()?)?;
            return session.finish(event);
        }
        affinimath::geqrf(a.write()?, tau.slice_mut())?;
        session.finish(Event::Complete)
    }
}
