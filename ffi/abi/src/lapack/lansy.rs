//! lansy and lanhe: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::Unneeded;
use crate::arguments::{self, matrix, numbers};
use crate::form::{A, Form, RESULT, Run};

/// The arguments of `affinimath*lansy`.
pub type Call<T, F> = Mirrored<T, F, false>;

/// The arguments of the norm of a symmetric or Hermitian matrix.
pub struct Mirrored<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub norm: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub work: Unneeded,
    pub result: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Mirrored<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::norm(self.norm)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `matrix` checked lda, `numbers` result; `Run::run` requires memory of these shapes.
        let (a, result) = unsafe { (a.open::<T>(&session)?, result.open::<T::RealScalar>(&session)?) };
        let a = a.read()?;
        let event = match session.queue() {
            None if HERMITIAN => result.complete(affinimath::lanhe(norm, triangle, a)?),
            None => result.complete(affinimath::lansy(norm, triangle, a)?),
            Some(queue) if HERMITIAN => affinimath::lanhe_on(queue, norm, triangle, a, result.write()?)?,
            Some(queue) => affinimath::lansy_on(queue, norm, triangle, a, result.write()?)?,
        };
        session.finish(event)
    }
}
