//! gbtrs: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{AB, Pivots, about_pivots, band_rows, check_pivot_rows};
use crate::arguments::{self, matrix};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*gbtrs`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
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
        let op = arguments::op("trans", self.trans)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let (kl, ku) = (arguments::size("kl", self.kl)?, arguments::size("ku", self.ku)?);
        let columns = arguments::size("nrhs", self.nrhs)?;
        let rows = band_rows(kl, kl.saturating_add(ku));
        let ab = matrix(AB, layout, (rows, n), self.ab, self.ldab, columns > 0)?;
        self.ipiv.check(if columns > 0 { n } else { 0 })?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 || columns == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked ldab and ldb, `Pivots::check` ipiv; `Run::run` requires memory of these shapes.
        unsafe {
            let (ab, b) = (ab.open::<T>(&session)?, b.open::<T>(&session)?);
            let Some(queue) = session.queue() else {
                let pivots = self.ipiv.read(&session, n)?;
                affinimath::gbtrs(op, kl, ku, ab.read()?, &pivots, b.write()?).map_err(about_pivots)?;
                return session.finish(Event::Complete);
            };
            let pivots = self.ipiv.open(&session, n)?;
            let event = affinimath::gbtrs_on(queue, op, kl, ku, ab.read()?, pivots.read()?, b.write()?);
            session.finish(event.map_err(about_pivots)?)
        }
    }
}
