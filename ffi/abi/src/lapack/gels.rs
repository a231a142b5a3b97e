//! gels: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Error, Event, Op, Result, Scalar};

use super::{QUERY, answer_query, check_workspace};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*gels`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub m: i64,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        if T::KIND.is_complex() && matches!(op, Op::Trans | Op::ConjNoTrans) {
            return Err(Error::argument("trans", "LAPACK has no least squares for a complex matrix's transpose"));
        }
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let columns = arguments::size("nrhs", self.nrhs)?;
        let (order, rows) = (m.min(n), m.max(n));
        let min_lwork = order.saturating_add(order.max(columns));
        if self.lwork == QUERY {
            leading_dimension(A, layout, (m, n), self.lda)?;
            leading_dimension(B, layout, (rows, columns), self.ldb)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, columns > 0)?;
        let b = matrix(B, layout, (rows, columns), self.b, self.ldb, true)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork)? };
        let info = session.info()?;
        // SAFETY: `matrix` checked lda and ldb; `Run::run` requires memory of these shapes.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        if let (Some(queue), Some(info)) = (session.queue(), info) {
            // SAFETY: `Session::info` refused null; `Run::run` requires a live memory object.
            let info = unsafe { info.open(&session)? };
            let event = affinimath::gels_on(queue, op, a.write()?, b.write()?, info.write()?)?;
            return session.finish(event);
        }
        affinimath::gels(op, a.write()?, b.write()?)?;
        session.finish(Event::Complete)
    }
}
