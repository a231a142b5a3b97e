//! ptsv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{D, E};
use crate::arguments::{self, array, matrix};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*ptsv`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let d = array::<T::RealScalar, _>(D, n, self.d)?;
        let e = array::<T, _>(E, n.saturating_sub(1), self.e)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        // SAFETY: `array` and `Session::info` refused null, `matrix` checked ldb; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let (mut d, mut e) = (d.open::<T::RealScalar>(&session)?, e.open::<T>(&session)?);
            let b = b.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::ptsv::<T>(d.slice_mut(), e.slice_mut(), b.write()?)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::ptsv_on::<T>(queue, d.write()?, e.write()?, b.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
