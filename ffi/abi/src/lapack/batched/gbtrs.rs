//! gbtrsStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Batch, Location32, PerMatrix, count};
use crate::arguments::{self, matrix};
use crate::blas::level3::batched::{Spaced, read, write};
use crate::form::{B, Form, Run};
use crate::lapack::{AB, PIVOTS, about_pivots, band_rows, check_pivot_rows};

/// The arguments of `affinimath*gbtrsStridedBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub n: i64,
    pub kl: i64,
    pub ku: i64,
    pub nrhs: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub strideab: i64,
    pub ipiv: Location32<F::Location<i32>>,
    pub strideipiv: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub strideb: i64,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let (kl, ku) = (arguments::size("kl", self.kl)?, arguments::size("ku", self.ku)?);
        let columns = arguments::size("nrhs", self.nrhs)?;
        let (rows, count) = (band_rows(kl, kl.saturating_add(ku)), count(self.batch_count));
        let needed = count > 0 && columns > 0;
        let ab = matrix(AB, layout, (rows, n), self.ab, self.ldab, needed)?;
        let ab: Batch<T, F> = Spaced::strided(ab, "strideab", self.strideab, count, false)?;
        let used = if needed { n } else { 0 };
        let pivots = PerMatrix::new(PIVOTS, self.ipiv.0, used, ("strideipiv", self.strideipiv), count)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, needed)?;
        let b: Batch<T, F> = Spaced::strided(b, "strideb", self.strideb, count, true)?;
        arguments::size("batch_count", self.batch_count)?;
        if !needed || n == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        let stride = pivots.stride;
        // SAFETY: `matrix` checked ldab and ldb, `Spaced::strided` strideab and strideb, `PerMatrix::new` strideipiv;
        // `Run::run` requires memory of these shapes.
        let (ab_memory, pivots, b_memory) =
            unsafe { (ab.first.open::<T>(&session)?, pivots.numbers.open(&session)?, b.first.open::<T>(&session)?) };
        let (ab, b) = (read(&ab_memory, &ab)?, write(&b_memory, &b)?);
        if let Some(queue) = session.queue() {
            let event = affinimath::gbtrs_batched_on(queue, op, kl, ku, ab, pivots.read()?, stride, b)?;
            return session.finish(event);
        }
        affinimath::gbtrs_batched(op, kl, ku, ab, pivots.slice(), stride, b).map_err(about_pivots)?;
        session.finish(Event::Complete)
    }
}
