//! geev of real matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, MatrixMut, MatrixShape, Result, Scalar};

use super::job::vectors;
use super::{QUERY, VL, VR, WI, WR, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Opened, Run};

/// The arguments of `affinimathSgeev` and `affinimathDgeev`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvl: c_int,
    pub jobvr: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub wr: F::Location<T::RealScalar>,
    pub wi: F::Location<T::RealScalar>,
    pub vl: F::Location<T>,
    pub ldvl: i64,
    pub vr: F::Location<T>,
    pub ldvr: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

/// A view of eigenvectors, where they are wanted.
pub(super) fn view<T: Scalar>(wanted: bool, opened: &Opened<T, MatrixShape>) -> Result<Option<MatrixMut<'_, T>>> {
    if wanted { opened.write().map(Some) } else { Ok(None) }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (left, right) = (vectors("jobvl", self.jobvl)?, vectors("jobvr", self.jobvr)?);
        let n = arguments::size("n", self.n)?;
        let order = |wanted: bool| if wanted { n } else { 0 };
        leading_dimension(A, layout, (n, n), self.lda)?;
        leading_dimension(VL, layout, (order(left), order(left)), self.ldvl)?;
        leading_dimension(VR, layout, (order(right), order(right)), self.ldvr)?;
        let min_lwork = n.saturating_mul(if left || right { 4 } else { 3 });
        if self.lwork == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let (wr, wi) = (array(WR, n, self.wr)?, array(WI, n, self.wi)?);
        let vl = matrix(VL, layout, (order(left), order(left)), self.vl, self.ldvl, true)?;
        let vr = matrix(VR, layout, (order(right), order(right)), self.vr, self.ldvr, true)?;
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires lwork elements of work, `Run::run` memory of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork)?;
            let (a, vl, vr) = (a.open::<T>(&session)?, vl.open::<T>(&session)?, vr.open::<T>(&session)?);
            let (mut wr, mut wi) = (wr.open::<T::RealScalar>(&session)?, wi.open::<T::RealScalar>(&session)?);
            let (vl, vr) = (view(left, &vl)?, view(right, &vr)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::geev(a.read()?, wr.slice_mut(), wi.slice_mut(), vl, vr)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::geev_on(queue, a.read()?, wr.write()?, wi.write()?, vl, vr, info.write()?)?;
            session.finish(event)
        }
    }
}
