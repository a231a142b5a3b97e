//! pbtrs: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{AB, band_rows};
use crate::arguments::{self, matrix};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*pbtrs`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub kd: i64,
    pub nrhs: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let (kd, columns) = (arguments::size("kd", self.kd)?, arguments::size("nrhs", self.nrhs)?);
        let ab = matrix(AB, layout, (band_rows(0, kd), n), self.ab, self.ldab, columns > 0)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 || columns == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked ldab and ldb; `Run::run` requires memory of these shapes.
        let (ab, b) = unsafe { (ab.open::<T>(&session)?, b.open::<T>(&session)?) };
        let event = match session.queue() {
            Some(queue) => affinimath::pbtrs_on(queue, triangle, kd, ab.read()?, b.write()?)?,
            None => {
                affinimath::pbtrs(triangle, kd, ab.read()?, b.write()?)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}
