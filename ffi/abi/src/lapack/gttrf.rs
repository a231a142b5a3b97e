//! gttrf: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};

use super::{D, DL, DU, DU2, Pivots, check_pivot_rows};
use crate::arguments::{self, array};
use crate::form::{Form, Run};

/// The arguments of `affinimath*gttrf`.
pub struct Call<T, F: Form> {
    pub n: i64,
    pub dl: F::Location<T>,
    pub d: F::Location<T>,
    pub du: F::Location<T>,
    pub du2: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let off = n.saturating_sub(1);
        let dl = array(DL, off, self.dl)?;
        let d = array(D, n, self.d)?;
        let du = array(DU, off, self.du)?;
        let du2 = array(DU2, n.saturating_sub(2), self.du2)?;
        self.ipiv.check(n)?;
        let info = session.info()?;
        // SAFETY: `array` and `Pivots::check` refused null, and so did `Session::info`; `Run::run` requires memory of
        // these lengths.
        unsafe {
            let (mut dl, mut d) = (dl.open::<T>(&session)?, d.open::<T>(&session)?);
            let (mut du, mut du2) = (du.open::<T>(&session)?, du2.open::<T>(&session)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, n, |pivots| {
                    affinimath::gttrf(dl.slice_mut(), d.slice_mut(), du.slice_mut(), du2.slice_mut(), pivots)
                })?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let diagonals = [dl.write()?, d.write()?, du.write()?, du2.write()?];
            let event = affinimath::gttrf_on(queue, diagonals, pivots.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
