//! ormhr and unmhr: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, Side};

use super::schur::range;
use super::{QUERY, TAU, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, C, Form, Run};

/// The arguments of `affinimath*ormhr`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub side: c_int,
    pub trans: c_int,
    pub m: i64,
    pub n: i64,
    pub ilo: i64,
    pub ihi: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub tau: F::Location<T>,
    pub c: F::Location<T>,
    pub ldc: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let side = arguments::side(self.side)?;
        let op = arguments::op("trans", self.trans)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let (order, other) = if side == Side::Left { (m, n) } else { (n, m) };
        let range = range(self.ilo, self.ihi, order)?;
        leading_dimension(A, layout, (order, order), self.lda)?;
        leading_dimension(C, layout, (m, n), self.ldc)?;
        if self.lwork == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, other) };
        }
        let needed = m > 0 && n > 0 && range.len() > 1;
        let a = matrix(A, layout, (order, order), self.a, self.lda, needed)?;
        let tau = array(TAU, if needed { order - 1 } else { 0 }, self.tau)?;
        let c = matrix(C, layout, (m, n), self.c, self.ldc, needed)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, other)? };
        if !needed {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked lda and ldc, `array` tau; `Run::run` requires memory of these shapes.
        let (a, tau, c) = unsafe { (a.open::<T>(&session)?, tau.open::<T>(&session)?, c.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = affinimath::ormhr_on(queue, (side, op), range, a.read()?, tau.read()?, c.write()?)?;
            return session.finish(event);
        }
        affinimath::ormhr(side, op, range, a.read()?, tau.slice(), c.write()?)?;
        session.finish(Event::Complete)
    }
}
