//! geqp3: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{COLUMNS, Pivots, QUERY, TAU, Unneeded, answer_query, check_column_numbers, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*geqp3`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub jpvt: Pivots<F::Location<i32>>,
    pub tau: F::Location<T>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        check_column_numbers(n)?;
        let order = m.min(n);
        let min_lwork = match (order, T::KIND.is_complex()) {
            (0, _) => 1,
            (_, true) => n.saturating_add(1),
            (_, false) => n.saturating_mul(3).saturating_add(1),
        };
        if self.lwork == QUERY {
            leading_dimension(A, layout, (m, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        self.jpvt.check_columns(n)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork)? };
        let tau = array(TAU, order, self.tau)?;
        // SAFETY: `matrix` checked lda, `array` tau, `Pivots::check_columns` jpvt; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let (a, mut tau) = (a.open::<T>(&session)?, tau.open::<T>(&session)?);
            if let Some(queue) = session.queue() {
                let jpvt = self.jpvt.open_as(COLUMNS, &session, n)?;
                let event = affinimath::geqp3_on(queue, a.write()?, jpvt.write()?, tau.write()?)?;
                return session.finish(event);
            }
            self.jpvt.update_columns(&session, n, |jpvt| affinimath::geqp3(a.write()?, jpvt, tau.slice_mut()))?;
        }
        session.finish(Event::Complete)
    }
}
