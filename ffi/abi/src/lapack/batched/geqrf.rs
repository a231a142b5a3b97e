//! geqrfStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Batch, PerMatrix, count};
use crate::arguments::{self, matrix};
use crate::blas::level3::batched::{Spaced, write};
use crate::form::{A, Form, Run};
use crate::lapack::TAU;

/// The arguments of `affinimath*geqrfStridedBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub stridea: i64,
    pub tau: F::Location<T>,
    pub stridetau: i64,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let count = count(self.batch_count);
        let a = matrix(A, layout, (m, n), self.a, self.lda, count > 0)?;
        let a: Batch<T, F> = Spaced::strided(a, "stridea", self.stridea, count, true)?;
        let tau = PerMatrix::new::<T>(TAU, self.tau, m.min(n), ("stridetau", self.stridetau), count)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 || m == 0 || n == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        let stride = tau.stride;
        // SAFETY: `matrix` checked lda, `Spaced::strided` stridea, `PerMatrix::new` tau and stridetau; `Run::run`
        // requires memory of these shapes.
        let (memory, mut tau) = unsafe { (a.first.open::<T>(&session)?, tau.numbers.open::<T>(&session)?) };
        let a = write(&memory, &a)?;
        if let Some(queue) = session.queue() {
            let event = affinimath::geqrf_batched_on(queue, a, tau.write()?, stride)?;
            return session.finish(event);
        }
        affinimath::geqrf_batched(a, tau.slice_mut(), stride)?;
        session.finish(Event::Complete)
    }
}
