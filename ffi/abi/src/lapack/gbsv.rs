//! gbsv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{AB, Pivots, band_rows, check_pivot_rows};
use crate::arguments::{self, matrix};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*gbsv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub kl: i64,
    pub ku: i64,
    pub nrhs: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let (kl, ku) = (arguments::size("kl", self.kl)?, arguments::size("ku", self.ku)?);
        let columns = arguments::size("nrhs", self.nrhs)?;
        let rows = band_rows(kl, kl.saturating_add(ku));
        let ab = matrix(AB, layout, (rows, n), self.ab, self.ldab, true)?;
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        // SAFETY: `matrix` checked ldab and ldb, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory
        // of these shapes.
        unsafe {
            let (ab, b) = (ab.open::<T>(&session)?, b.open::<T>(&session)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, n, |pivots| affinimath::gbsv(kl, ku, ab.write()?, pivots, b.write()?))?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let event = affinimath::gbsv_on(queue, kl, ku, ab.write()?, pivots.write()?, b.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
