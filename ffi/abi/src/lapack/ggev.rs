//! ggev of real matrices: C's arguments, in C's order, to the library's views. Its complex sibling's call ends here,
//! too.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::geev::view;
use super::job::vectors;
use super::quotients::QuotientLocations;
use super::{QUERY, VL, VR, answer_query, check_workspace};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimathSggev` and `affinimathDggev`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvl: c_int,
    pub jobvr: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub alphar: F::Location<T::RealScalar>,
    pub alphai: F::Location<T::RealScalar>,
    pub beta: F::Location<T::RealScalar>,
    pub vl: F::Location<T>,
    pub ldvl: i64,
    pub vr: F::Location<T>,
    pub ldvr: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

/// The arguments of both.
pub(super) struct Problem<T: Scalar, F: Form> {
    pub(super) options: (c_int, c_int, c_int),
    pub(super) n: i64,
    pub(super) a: (F::Location<T>, i64),
    pub(super) b: (F::Location<T>, i64),
    pub(super) values: QuotientLocations<F::Location<T>, F::Location<T::RealScalar>>,
    pub(super) vl: (F::Location<T>, i64),
    pub(super) vr: (F::Location<T>, i64),
    pub(super) work: (F::Location<T>, i64),
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.jobvl, self.jobvr),
            n: self.n,
            a: (self.a, self.lda),
            b: (self.b, self.ldb),
            values: QuotientLocations::Parts(self.alphar, self.alphai, self.beta),
            vl: (self.vl, self.ldvl),
            vr: (self.vr, self.ldvr),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}

impl<T: Scalar, F: Form> Run<F> for Problem<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.options.0)?;
        let (left, right) = (vectors("jobvl", self.options.1)?, vectors("jobvr", self.options.2)?);
        let n = arguments::size("n", self.n)?;
        let order = |wanted: bool| if wanted { n } else { 0 };
        leading_dimension(A, layout, (n, n), self.a.1)?;
        leading_dimension(B, layout, (n, n), self.b.1)?;
        leading_dimension(VL, layout, (order(left), order(left)), self.vl.1)?;
        leading_dimension(VR, layout, (order(right), order(right)), self.vr.1)?;
        let min_lwork = n.saturating_mul(if T::KIND.is_complex() { 2 } else { 8 });
        if self.work.1 == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work.0, min_lwork) };
        }
        let a = matrix(A, layout, (n, n), self.a.0, self.a.1, true)?;
        let b = matrix(B, layout, (n, n), self.b.0, self.b.1, true)?;
        let values = self.values.check::<T>(n)?;
        let vl = matrix(VL, layout, (order(left), order(left)), self.vl.0, self.vl.1, true)?;
        let vr = matrix(VR, layout, (order(right), order(right)), self.vr.0, self.vr.1, true)?;
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires lwork elements of work, `Run::run` memory of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work.0, self.work.1, min_lwork)?;
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let (vl, vr) = (vl.open::<T>(&session)?, vr.open::<T>(&session)?);
            let mut values = values.open::<T>(&session)?;
            let (a, b, vl, vr) = (a.read()?, b.read()?, view(left, &vl)?, view(right, &vr)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                values.on_host(n, |values| affinimath::ggev(a, b, values, vl, vr))?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::ggev_on(queue, a, b, values.on_device()?, vl, vr, info.write()?)?;
            session.finish(event)
        }
    }
}
