//! gebak: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, Side};

use super::schur::{balancing, range};
use super::{SCALE, V};
use crate::arguments::{self, array, matrix};
use crate::form::{Form, Run};

/// The arguments of `affinimath*gebak`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub balanc: c_int,
    pub side: c_int,
    pub n: i64,
    pub ilo: i64,
    pub ihi: i64,
    pub scale: F::Location<T::RealScalar>,
    pub m: i64,
    pub v: F::Location<T>,
    pub ldv: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let balancing = balancing(self.balanc)?;
        let left = arguments::side(self.side)? == Side::Left;
        let n = arguments::size("n", self.n)?;
        let range = range(self.ilo, self.ihi, n)?;
        let m = arguments::size("m", self.m)?;
        let needed = n > 0 && m > 0 && (balancing.permute || balancing.scale);
        let scale = array::<T::RealScalar, _>(SCALE, if needed { n } else { 0 }, self.scale)?;
        let v = matrix(V, layout, (n, m), self.v, self.ldv, needed)?;
        if !needed {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked ldv, `array` the vector; `Run::run` requires memory of these shapes.
        unsafe {
            let (v, scale) = (v.open::<T>(&session)?, scale.open::<T::RealScalar>(&session)?);
            if let Some(queue) = session.queue() {
                let event = affinimath::gebak_on(queue, v.write()?, balancing, range, scale.read()?, left)?;
                return session.finish(event);
            }
            affinimath::gebak(v.write()?, balancing, range, scale.slice(), left)?;
            session.finish(Event::Complete)
        }
    }
}
