//! orgbr and ungbr: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{BidiagonalFactor, Error, Event, Result, Scalar};

use super::job::factor;
use super::{QUERY, TAU, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*orgbr`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub vect: c_int,
    pub m: i64,
    pub n: i64,
    pub k: i64,
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
        let factor = factor(self.vect)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        // LAPACK compares n with a k that is wrong, too.
        let reflections = |k: usize| if factor == BidiagonalFactor::Q { m.min(k) } else { n.min(k) };
        let given = usize::try_from(self.k).unwrap_or(0);
        let (long, short) = if factor == BidiagonalFactor::Q { (m, n) } else { (n, m) };
        if short > long || short < reflections(given) {
            return Err(Error::argument(
                "n",
                format!("of a factor with k = {given}, m = {m} and n = {n} are no sizes"),
            ));
        }
        let k = arguments::size("k", self.k)?;
        leading_dimension(A, layout, (m, n), self.lda)?;
        if self.lwork == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, m.min(n)) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        let tau = array(TAU, reflections(k), self.tau)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, m.min(n))? };
        // SAFETY: `matrix` checked lda, `array` tau; `Run::run` requires memory of these shapes.
        let (a, tau) = unsafe { (a.open::<T>(&session)?, tau.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = affinimath::orgbr_on(queue, factor, k, a.write()?, tau.read()?)?;
            return session.finish(event);
        }
        affinimath::orgbr(factor, k, a.write()?, tau.slice())?;
        session.finish(Event::Complete)
    }
}
