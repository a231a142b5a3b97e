//! pttrf: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};

use super::{D, E};
use crate::arguments::{self, array};
use crate::form::{Form, Run};

/// The arguments of `affinimath*pttrf`.
pub struct Call<T: Scalar, F: Form> {
    pub n: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let n = arguments::size("n", self.n)?;
        let d = array::<T::RealScalar, _>(D, n, self.d)?;
        let e = array::<T, _>(E, n.saturating_sub(1), self.e)?;
        let info = session.info()?;
        // SAFETY: `array` and `Session::info` refused null; `Run::run` requires memory of these lengths.
        unsafe {
            let (mut d, mut e) = (d.open::<T::RealScalar>(&session)?, e.open::<T>(&session)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::pttrf::<T>(d.slice_mut(), e.slice_mut())?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::pttrf_on::<T>(queue, d.write()?, e.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
