//! orgqr: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Error, Event, Result, Scalar};

use super::{QUERY, TAU, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*orgqr` and `affinimath*ungqr`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub k: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub tau: F::Location<T>,
    pub work: F::Location<T>,
    pub lwork: i64,
}

/// A size of at most `most`.
pub(super) fn at_most(name: &'static str, value: i64, most: usize) -> Result<usize> {
    match arguments::size(name, value)? {
        size if size <= most => Ok(size),
        size => Err(Error::argument(name, format!("{size} is more than {most}"))),
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let m = arguments::size("m", self.m)?;
        let n = at_most("n", self.n, m)?;
        let k = at_most("k", self.k, n)?;
        if self.lwork == QUERY {
            leading_dimension(A, layout, (m, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, n) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, n)? };
        let tau = array(TAU, k, self.tau)?;
        // SAFETY: `matrix` checked lda, `array` tau; `Run::run` requires memory of these shapes.
        let (a, tau) = unsafe { (a.open::<T>(&session)?, tau.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = affinimath::orgqr_on(queue, a.write()?, tau.read()?)?;
            return session.finish(event);
        }
        affinimath::orgqr(a.write()?, tau.slice())?;
        session.finish(Event::Complete)
    }
}
