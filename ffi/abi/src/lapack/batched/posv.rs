//! posvStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Batch, INFO, Location32, count};
use crate::arguments::{self, array, matrix};
use crate::blas::level3::batched::{Spaced, write};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*posvStridedBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub stridea: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub strideb: i64,
    pub info: Location32<F::Location<i32>>,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let count = count(self.batch_count);
        let a = matrix(A, layout, (n, n), self.a, self.lda, count > 0)?;
        let a: Batch<T, F> = Spaced::strided(a, "stridea", self.stridea, count, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, count > 0)?;
        let b: Batch<T, F> = Spaced::strided(b, "strideb", self.strideb, count, true)?;
        let info = array(INFO, count, self.info.0)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 {
            return session.finish(Event::Complete);
        }
        // SAFETY: `matrix` checked lda and ldb, `Spaced::strided` stridea and strideb, `array` info; `Run::run`
        // requires memory of these shapes.
        let (a_memory, b_memory, mut info) =
            unsafe { (a.first.open::<T>(&session)?, b.first.open::<T>(&session)?, info.open(&session)?) };
        let (a, b) = (write(&a_memory, &a)?, write(&b_memory, &b)?);
        if let Some(queue) = session.queue() {
            let event = affinimath::posv_batched_on(queue, triangle, a, b, info.write()?)?;
            return session.finish(event);
        }
        affinimath::posv_batched(triangle, a, b, info.slice_mut())?;
        session.finish(Event::Complete)
    }
}
