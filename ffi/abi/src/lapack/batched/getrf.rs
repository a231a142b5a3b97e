//! getrfStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Batch, INFO, Location32, PerMatrix, count};
use crate::arguments::{self, array, matrix};
use crate::blas::level3::batched::{Spaced, write};
use crate::form::{A, Form, Run};
use crate::lapack::{PIVOTS, about_pivots, check_pivot_rows};

/// The arguments of `affinimath*getrfStridedBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub stridea: i64,
    pub ipiv: Location32<F::Location<i32>>,
    pub strideipiv: i64,
    pub info: Location32<F::Location<i32>>,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        check_pivot_rows(m, n)?;
        let count = count(self.batch_count);
        let a = matrix(A, layout, (m, n), self.a, self.lda, count > 0)?;
        let a: Batch<T, F> = Spaced::strided(a, "stridea", self.stridea, count, true)?;
        let pivots = PerMatrix::new(PIVOTS, self.ipiv.0, m.min(n), ("strideipiv", self.strideipiv), count)?;
        let info = array(INFO, count, self.info.0)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 {
            return session.finish(Event::Complete);
        }
        let stride = pivots.stride;
        // SAFETY: `matrix` checked lda, `Spaced::strided` stridea, `PerMatrix::new` strideipiv, `array` info;
        // `Run::run` requires memory of these shapes.
        let (memory, mut pivots, mut info) =
            unsafe { (a.first.open::<T>(&session)?, pivots.numbers.open(&session)?, info.open(&session)?) };
        let a = write(&memory, &a)?;
        if let Some(queue) = session.queue() {
            let event = affinimath::getrf_batched_on(queue, a, pivots.write()?, stride, info.write()?)?;
            return session.finish(event);
        }
        affinimath::getrf_batched(a, pivots.slice_mut(), stride, info.slice_mut()).map_err(about_pivots)?;
        session.finish(Event::Complete)
    }
}
