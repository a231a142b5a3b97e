//! sytri and hetri: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Pivots, Unneeded, about_pivots};
use crate::arguments::{self, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*sytri`.
pub type Call<T, F> = OfTriangle<T, F, false>;

/// The arguments of `affinimath*sytri` or, of a Hermitian matrix, `affinimath*hetri`.
pub struct OfTriangle<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub work: Unneeded,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for OfTriangle<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let pivots = self.ipiv.read(&session, n)?;
                let result = match HERMITIAN {
                    true => affinimath::hetri(triangle, a.write()?, &pivots),
                    false => affinimath::sytri(triangle, a.write()?, &pivots),
                };
                result.map_err(about_pivots)?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let event = match HERMITIAN {
                true => affinimath::hetri_on(queue, triangle, a.write()?, pivots.read()?, info.write()?),
                false => affinimath::sytri_on(queue, triangle, a.write()?, pivots.read()?, info.write()?),
            };
            session.finish(event.map_err(about_pivots)?)
        }
    }
}
