//! syevStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Batch, INFO, Location32, PerMatrix, count};
use crate::arguments::{self, array, matrix};
use crate::blas::level3::batched::{Spaced, write};
use crate::form::{A, Form, Run};
use crate::lapack::W;
use crate::lapack::job::vectors;

/// The arguments of `affinimath*syevStridedBatched`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub stridea: i64,
    pub w: F::Location<T::RealScalar>,
    pub stridew: i64,
    pub info: Location32<F::Location<i32>>,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let wanted = vectors("jobz", self.jobz)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let count = count(self.batch_count);
        let a = matrix(A, layout, (n, n), self.a, self.lda, count > 0)?;
        let a: Batch<T, F> = Spaced::strided(a, "stridea", self.stridea, count, true)?;
        let w = PerMatrix::new::<T::RealScalar>(W, self.w, n, ("stridew", self.stridew), count)?;
        let info = array(INFO, count, self.info.0)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 {
            return session.finish(Event::Complete);
        }
        let stride = w.stride;
        // SAFETY: `matrix` checked lda, `Spaced::strided` stridea, `PerMatrix::new` w and stridew, `array` info;
        // `Run::run` requires memory of these shapes.
        let (memory, mut w, mut info) =
            unsafe { (a.first.open::<T>(&session)?, w.numbers.open::<T::RealScalar>(&session)?, info.open(&session)?) };
        let a = write(&memory, &a)?;
        if let Some(queue) = session.queue() {
            let event = affinimath::heev_batched_on(queue, triangle, a, w.write()?, stride, wanted, info.write()?)?;
            return session.finish(event);
        }
        affinimath::heev_batched(triangle, a, w.slice_mut(), stride, wanted, info.slice_mut())?;
        session.finish(Event::Complete)
    }
}
