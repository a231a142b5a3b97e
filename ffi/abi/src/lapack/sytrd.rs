//! sytrd and hetrd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{D, E, QUERY, TAU, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*sytrd`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub tau: F::Location<T>,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, 1) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let off = n.saturating_sub(1);
        let d = array::<T::RealScalar, _>(D, n, self.d)?;
        let e = array::<T::RealScalar, _>(E, off, self.e)?;
        let tau = array::<T, _>(TAU, off, self.tau)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, 1)? };
        // SAFETY: `matrix` checked lda, `array` the vectors; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, mut d) = (a.open::<T>(&session)?, d.open::<T::RealScalar>(&session)?);
            let (mut e, mut tau) = (e.open::<T::RealScalar>(&session)?, tau.open::<T>(&session)?);
            let Some(queue) = session.queue() else {
                affinimath::hetrd(triangle, a.write()?, d.slice_mut(), e.slice_mut(), tau.slice_mut())?;
                return session.finish(Event::Complete);
            };
            let event = affinimath::hetrd_on(queue, triangle, a.write()?, d.write()?, e.write()?, tau.write()?)?;
            session.finish(event)
        }
    }
}
