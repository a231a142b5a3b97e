//! gebrd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{D, E, QUERY, TAUP, TAUQ, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*gebrd`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub tauq: F::Location<T>,
    pub taup: F::Location<T>,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let (order, least) = (m.min(n), if m.min(n) == 0 { 1 } else { m.max(n) });
        if self.lwork == QUERY {
            leading_dimension(A, layout, (m, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, least) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        let d = array::<T::RealScalar, _>(D, order, self.d)?;
        let e = array::<T::RealScalar, _>(E, order.saturating_sub(1), self.e)?;
        let (tauq, taup) = (array::<T, _>(TAUQ, order, self.tauq)?, array::<T, _>(TAUP, order, self.taup)?);
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, least)? };
        // SAFETY: `matrix` checked lda, `array` the vectors; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, mut d) = (a.open::<T>(&session)?, d.open::<T::RealScalar>(&session)?);
            let mut e = e.open::<T::RealScalar>(&session)?;
            let (mut tauq, mut taup) = (tauq.open::<T>(&session)?, taup.open::<T>(&session)?);
            let Some(queue) = session.queue() else {
                let (d, e) = (d.slice_mut(), e.slice_mut());
                affinimath::gebrd(a.write()?, d, e, tauq.slice_mut(), taup.slice_mut())?;
                return session.finish(Event::Complete);
            };
            let tau = [tauq.write()?, taup.write()?];
            let event = affinimath::gebrd_on(queue, a.write()?, d.write()?, e.write()?, tau)?;
            session.finish(event)
        }
    }
}
