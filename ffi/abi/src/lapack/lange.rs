//! lange: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::Unneeded;
use crate::arguments::{self, matrix, numbers};
use crate::form::{A, Form, RESULT, Run};

/// The arguments of `affinimath*lange`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub norm: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub work: Unneeded,
    pub result: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::norm(self.norm)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `matrix` checked lda, `numbers` result; `Run::run` requires memory of these shapes.
        let (a, result) = unsafe { (a.open::<T>(&session)?, result.open::<T::RealScalar>(&session)?) };
        let a = a.read()?;
        let event = match session.queue() {
            None => result.complete(affinimath::lange(norm, a)?),
            Some(queue) => affinimath::lange_on(queue, norm, a, result.write()?)?,
        };
        session.finish(event)
    }
}
