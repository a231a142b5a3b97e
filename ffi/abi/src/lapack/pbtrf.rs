//! pbtrf: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{AB, band_rows};
use crate::arguments::{self, matrix};
use crate::form::{Form, Run};

/// The arguments of `affinimath*pbtrf`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub kd: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let kd = arguments::size("kd", self.kd)?;
        let ab = matrix(AB, layout, (band_rows(0, kd), n), self.ab, self.ldab, true)?;
        let info = session.info()?;
        // SAFETY: `matrix` checked ldab, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let ab = ab.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::pbtrf(triangle, kd, ab.write()?)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::pbtrf_on(queue, triangle, kd, ab.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
