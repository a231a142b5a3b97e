//! gesv in mixed precision: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Double, Event, Refinement, Result};

use super::{Iterations, Pivots, Unneeded, X};
use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimathDsgesv` and `affinimathZcgesv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
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
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        self.iter.check()?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda, ldb and ldx, `Pivots::check` ipiv, `Iterations::check` iter, `Session::info`
        // info; `Run::run` requires memory of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let (b, x) = (b.open::<T>(&session)?, x.open::<T>(&session)?);
                let mut refinement = Refinement::default();
                let result = self.ipiv.write(&session, n, |pivots| {
                    affinimath::gesv_mixed(a.write()?, pivots, b.read()?, x.write()?, &mut refinement)
                });
                self.iter.tell(refinement, result)?;
                return session.finish(Event::Complete);
            };
            let pivots = self.ipiv.open(&session, n)?;
            let (b, x, info) = (b.open::<T>(&session)?, x.open::<T>(&session)?, info.open(&session)?);
            let (b, x) = (b.read()?, x.write()?);
            let (event, refinement) =
                affinimath::gesv_mixed_on(queue, a.write()?, pivots.write()?, b, x, info.write()?)?;
            self.iter.tell(refinement, Ok(()))?;
            session.finish(event)
        }
    }
}
