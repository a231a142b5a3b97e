//! geev of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::geev::view;
use super::job::vectors;
use super::{QUERY, Unneeded, VL, VR, W, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimathCgeev` and `affinimathZgeev`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvl: c_int,
    pub jobvr: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub w: F::Location<T>,
    pub vl: F::Location<T>,
    pub ldvl: i64,
    pub vr: F::Location<T>,
    pub ldvr: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
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
        let min_lwork = n.saturating_mul(2);
        if self.lwork == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let w = array(W, n, self.w)?;
        let vl = matrix(VL, layout, (order(left), order(left)), self.vl, self.ldvl, true)?;
        let vr = matrix(VR, layout, (order(right), order(right)), self.vr, self.ldvr, true)?;
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires lwork elements of work, `Run::run` memory of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork)?;
            let (a, vl, vr) = (a.open::<T>(&session)?, vl.open::<T>(&session)?, vr.open::<T>(&session)?);
            let mut w = w.open::<T>(&session)?;
            let (vl, vr) = (view(left, &vl)?, view(right, &vr)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
                let result = affinimath::geev(a.read()?, &mut wr, &mut wi, vl, vr);
                // Eigenvalues are written where some of them converged, too.
                for (w, (re, im)) in w.slice_mut().iter_mut().zip(wr.iter().zip(&wi)) {
                    *w = T::from_parts(re.re(), im.re());
                }
                result?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::geev_complex_on(queue, a.read()?, w.write()?, vl, vr, info.write()?)?;
            session.finish(event)
        }
    }
}
