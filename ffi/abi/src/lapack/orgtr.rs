//! orgtr and ungtr: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{QUERY, TAU, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*orgtr`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
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
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let off = n.saturating_sub(1);
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, off) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let tau = array(TAU, off, self.tau)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, off)? };
        // SAFETY: `matrix` checked lda, `array` tau; `Run::run` requires memory of these shapes.
        let (a, tau) = unsafe { (a.open::<T>(&session)?, tau.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = affinimath::orgtr_on(queue, triangle, a.write()?, tau.read()?)?;
            return session.finish(event);
        }
        affinimath::orgtr(triangle, a.write()?, tau.slice())?;
        session.finish(Event::Complete)
    }
}
