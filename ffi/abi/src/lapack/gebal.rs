//! gebal: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::schur::{balancing, write_range};
use super::{Iterations, SCALE};
use crate::arguments::{self, array, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*gebal`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub balanc: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ilo: Iterations,
    pub ihi: Iterations,
    pub scale: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let balancing = balancing(self.balanc)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ilo.check_as("ilo")?;
        self.ihi.check_as("ihi")?;
        let scale = array::<T::RealScalar, _>(SCALE, n, self.scale)?;
        // SAFETY: `matrix` checked lda, `array` the vector, `check_as` the integers; `Run::run` requires memory.
        unsafe {
            let (a, mut scale) = (a.open::<T>(&session)?, scale.open::<T::RealScalar>(&session)?);
            let (event, range) = match session.queue() {
                Some(queue) => affinimath::gebal_on(queue, a.write()?, balancing, scale.write()?)?,
                None => (Event::Complete, affinimath::gebal(a.write()?, balancing, scale.slice_mut())?),
            };
            write_range(self.ilo, self.ihi, &range);
            session.finish(event)
        }
    }
}
