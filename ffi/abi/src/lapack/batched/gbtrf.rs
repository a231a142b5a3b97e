//! gbtrfStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Batch, INFO, Location32, PerMatrix, count};
use crate::arguments::{self, array, matrix};
use crate::blas::level3::batched::{Spaced, write};
use crate::form::{Form, Run};
use crate::lapack::{AB, PIVOTS, about_pivots, band_rows, check_pivot_rows};

/// The arguments of `affinimath*gbtrfStridedBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub kl: i64,
    pub ku: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub strideab: i64,
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
        let (kl, ku) = (arguments::size("kl", self.kl)?, arguments::size("ku", self.ku)?);
        let (rows, count) = (band_rows(kl, kl.saturating_add(ku)), count(self.batch_count));
        let ab = matrix(AB, layout, (rows, n), self.ab, self.ldab, count > 0)?;
        let ab: Batch<T, F> = Spaced::strided(ab, "strideab", self.strideab, count, true)?;
        let pivots = PerMatrix::new(PIVOTS, self.ipiv.0, m.min(n), ("strideipiv", self.strideipiv), count)?;
        let info = array(INFO, count, self.info.0)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 {
            return session.finish(Event::Complete);
        }
        let stride = pivots.stride;
        // SAFETY: `matrix` checked ldab, `Spaced::strided` strideab, `PerMatrix::new` strideipiv, `array` info;
        // `Run::run` requires memory of these shapes.
        let (memory, mut pivots, mut info) =
            unsafe { (ab.first.open::<T>(&session)?, pivots.numbers.open(&session)?, info.open(&session)?) };
        let ab = write(&memory, &ab)?;
        if let Some(queue) = session.queue() {
            let (pivots, info) = (pivots.write()?, info.write()?);
            let event = affinimath::gbtrf_batched_on(queue, m, kl, ku, ab, pivots, stride, info)?;
            return session.finish(event);
        }
        affinimath::gbtrf_batched(m, kl, ku, ab, pivots.slice_mut(), stride, info.slice_mut()).map_err(about_pivots)?;
        session.finish(Event::Complete)
    }
}
