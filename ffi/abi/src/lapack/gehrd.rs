//! gehrd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::schur::range;
use super::{QUERY, TAU, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*gehrd`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub ilo: i64,
    pub ihi: i64,
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
        let n = arguments::size("n", self.n)?;
        let range = range(self.ilo, self.ihi, n)?;
        leading_dimension(A, layout, (n, n), self.lda)?;
        if self.lwork == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, n) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let tau = array::<T, _>(TAU, n.saturating_sub(1), self.tau)?;
        // SAFETY: `matrix` checked lda, `array` the vector; LAPACK requires lwork elements of work, `Run::run` memory.
        unsafe {
            check_workspace::<T, _>(&session, self.work, self.lwork, n)?;
            let (a, mut tau) = (a.open::<T>(&session)?, tau.open::<T>(&session)?);
            if let Some(queue) = session.queue() {
                let event = affinimath::gehrd_on(queue, range, a.write()?, tau.write()?)?;
                return session.finish(event);
            }
            affinimath::gehrd(range, a.write()?, tau.slice_mut())?;
            session.finish(Event::Complete)
        }
    }
}
