//! sygv, hegv, sygvd and hegvd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::job::{Workspaces, pencil, vectors};
use super::syev::least_lengths;
use super::{Iterations, NO_WORKSPACE, W};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*sygv`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub itype: i64,
    pub jobz: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub w: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let pencil = pencil(self.itype)?;
        let wanted = vectors("jobz", self.jobz)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let [least, least_real, least_integer] = least_lengths::<T>(n, wanted, self.liwork != NO_WORKSPACE);
        let workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, self.lrwork, least_real),
            iwork: (self.iwork, self.liwork, least_integer),
        };
        leading_dimension(A, layout, (n, n), self.lda)?;
        leading_dimension(B, layout, (n, n), self.ldb)?;
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let b = matrix(B, layout, (n, n), self.b, self.ldb, true)?;
        let w = array(W, n, self.w)?;
        // SAFETY: LAPACK requires workspaces of their lengths.
        unsafe { workspaces.settle::<T>(&session)? };
        let info = session.info()?;
        // SAFETY: `matrix` checked lda and ldb, `array` w, `Session::info` info; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let mut w = w.open::<T::RealScalar>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::hegv(pencil, triangle, a.write()?, b.write()?, w.slice_mut(), wanted)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let (a, b, w, info) = (a.write()?, b.write()?, w.write()?, info.write()?);
            let event = affinimath::hegv_on(queue, pencil, triangle, a, b, w, wanted, info)?;
            session.finish(event)
        }
    }
}
