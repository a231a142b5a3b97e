//! sytrs and hetrs: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Pivots, about_pivots};
use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*sytrs`.
pub type Call<T, F> = OfTriangle<T, F, false>;

/// The arguments of `affinimath*sytrs` or, of a Hermitian matrix, `affinimath*hetrs`.
pub struct OfTriangle<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for OfTriangle<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let columns = arguments::size("nrhs", self.nrhs)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, columns > 0)?;
        self.ipiv.check(if columns > 0 { n } else { 0 })?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 || columns == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked lda and ldb, `Pivots::check` ipiv; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let (a, b) = (a.read()?, b.write()?);
            let Some(queue) = session.queue() else {
                let pivots = self.ipiv.read(&session, n)?;
                let result = match HERMITIAN {
                    true => affinimath::hetrs(triangle, a, &pivots, b),
                    false => affinimath::sytrs(triangle, a, &pivots, b),
                };
                result.map_err(about_pivots)?;
                return session.finish(Event::Complete);
            };
            let pivots = self.ipiv.open(&session, n)?;
            let event = match HERMITIAN {
                true => affinimath::hetrs_on(queue, triangle, a, pivots.read()?, b),
                false => affinimath::sytrs_on(queue, triangle, a, pivots.read()?, b),
            };
            session.finish(event.map_err(about_pivots)?)
        }
    }
}
