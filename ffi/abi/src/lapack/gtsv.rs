//! gtsv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{D, DL, DU, check_pivot_rows};
use crate::arguments::{self, array, matrix};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*gtsv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub dl: F::Location<T>,
    pub d: F::Location<T>,
    pub du: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        check_pivot_rows(n, 1)?;
        let off = n.saturating_sub(1);
        let dl = array(DL, off, self.dl)?;
        let d = array(D, n, self.d)?;
        let du = array(DU, off, self.du)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        if n == 0 && info.is_none() {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `array` and `Session::info` refused null, `matrix` checked ldb; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let (mut dl, mut d, mut du) = (dl.open::<T>(&session)?, d.open::<T>(&session)?, du.open::<T>(&session)?);
            let b = b.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::gtsv(dl.slice_mut(), d.slice_mut(), du.slice_mut(), b.write()?)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let diagonals = [dl.write()?, d.write()?, du.write()?];
            let event = affinimath::gtsv_on(queue, diagonals, b.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
