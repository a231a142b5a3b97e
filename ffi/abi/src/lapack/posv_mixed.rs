//! posv in mixed precision: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Double, Event, Refinement, Result};

use super::{Iterations, Unneeded, X};
use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimathDsposv` and `affinimathZcposv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub work: Unneeded,
    pub swork: Unneeded,
    pub rwork: Unneeded,
    pub iter: Iterations,
}

impl<T: Double, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        self.iter.check()?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda, ldb and ldx, `Iterations::check` iter, `Session::info` info; `Run::run`
        // requires memory of these shapes.
        unsafe {
            let (a, b, x) = (a.open::<T>(&session)?, b.open::<T>(&session)?, x.open::<T>(&session)?);
            let (a, b, x) = (a.write()?, b.read()?, x.write()?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let mut refinement = Refinement::default();
                let result = affinimath::posv_mixed(triangle, a, b, x, &mut refinement);
                self.iter.tell(refinement, result)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let (event, refinement) = affinimath::posv_mixed_on(queue, triangle, a, b, x, info.write()?)?;
            self.iter.tell(refinement, Ok(()))?;
            session.finish(event)
        }
    }
}
