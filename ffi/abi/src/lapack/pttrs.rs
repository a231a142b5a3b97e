//! pttrs: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Layout, Result, Scalar, Triangle};

use super::{D, E};
use crate::arguments::{self, array, matrix};
use crate::form::{B, Form, Run, Session};

/// The arguments of `affinimath*pttrs` of the real types.
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
        // SAFETY: `solve` has `Run::run`'s contract.
        unsafe { self.solve(session, layout, Triangle::Lower) }
    }
}

impl<T: Scalar, F: Form> Call<T, F> {
    /// Checks the arguments from n on, and solves.
    ///
    /// # Safety
    /// The contract of [`Run::run`].
    pub(super) unsafe fn solve(&self, session: Session, layout: Layout, triangle: Triangle) -> Result<()> {
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let needed = |length: usize| if columns > 0 { length } else { 0 };
        let d = array::<T::RealScalar, _>(D, needed(n), self.d)?;
        let e = array::<T, _>(E, needed(n.saturating_sub(1)), self.e)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 || columns == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `array` refused null, `matrix` checked ldb; this function requires memory of these shapes.
        let (d, e, b) = unsafe { (d.open::<T::RealScalar>(&session)?, e.open::<T>(&session)?, b.open::<T>(&session)?) };
        let event = match session.queue() {
            Some(queue) => affinimath::pttrs_on::<T>(queue, triangle, d.read()?, e.read()?, b.write()?)?,
            None => {
                affinimath::pttrs::<T>(triangle, d.slice(), e.slice(), b.write()?)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}
