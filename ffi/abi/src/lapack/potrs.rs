//! potrs and posv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*potrs`.
pub type Call<T, F> = Definite<T, F, false>;

/// The arguments of a solution with a positive definite matrix, which may have to be factorised before.
pub struct Definite<T, F: Form, const FACTOR: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Place<T>,
    pub lda: i64,
    pub b: F::Place<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form, const FACTOR: bool> Run<F> for Definite<T, F, FACTOR> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let reads = FACTOR || columns > 0;
        let a = matrix(A, layout, (n, n), self.a, self.lda, reads)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        if info.is_none() && (n == 0 || !reads) {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: the caller vouches for the matrices.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = match info {
                // SAFETY: the caller vouches for the info.
                Some(info) => unsafe {
                    let info = info.open(&session)?;
                    affinimath::posv_on(queue, triangle, a.write()?, b.write()?, info.write()?)?
                },
                None => affinimath::potrs_on(queue, triangle, a.read()?, b.write()?)?,
            };
            return session.finish(event);
        }
        if FACTOR {
            affinimath::posv(triangle, a.write()?, b.write()?)?;
        } else {
            affinimath::potrs(triangle, a.read()?, b.write()?)?;
        }
        session.finish(Event::Complete)
    }
}
