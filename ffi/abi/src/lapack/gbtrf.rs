//! gbtrf: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{AB, Pivots, band_rows, check_pivot_rows};
use crate::arguments::{self, matrix};
use crate::form::{Form, Run};

/// The arguments of `affinimath*gbtrf`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub kl: i64,
    pub ku: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub ipiv: Pivots<F::Location<i32>>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        check_pivot_rows(m, n)?;
        let (kl, ku) = (arguments::size("kl", self.kl)?, arguments::size("ku", self.ku)?);
        let rows = band_rows(kl, kl.saturating_add(ku));
        let ab = matrix(AB, layout, (rows, n), self.ab, self.ldab, m > 0)?;
        self.ipiv.check(m.min(n))?;
        let info = session.info()?;
        if info.is_none() && (m == 0 || n == 0) {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked ldab, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory of
        // these shapes.
        unsafe {
            let ab = ab.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, m.min(n), |pivots| affinimath::gbtrf(m, kl, ku, ab.write()?, pivots))?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, m.min(n))?, info.open(&session)?);
            let event = affinimath::gbtrf_on(queue, m, kl, ku, ab.write()?, pivots.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
