//! gtsvStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Batch, INFO, Location32, PerMatrix, count};
use crate::arguments::{self, array, matrix};
use crate::blas::level3::batched::{Spaced, write};
use crate::form::{B, Form, Run};
use crate::lapack::{D, DL, DU, check_pivot_rows};

/// The arguments of `affinimath*gtsvStridedBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub dl: F::Location<T>,
    pub stridedl: i64,
    pub d: F::Location<T>,
    pub strided: i64,
    pub du: F::Location<T>,
    pub stridedu: i64,
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
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        check_pivot_rows(n, 1)?;
        let (count, off) = (count(self.batch_count), n.saturating_sub(1));
        let dl = PerMatrix::new::<T>(DL, self.dl, off, ("stridedl", self.stridedl), count)?;
        let d = PerMatrix::new::<T>(D, self.d, n, ("strided", self.strided), count)?;
        let du = PerMatrix::new::<T>(DU, self.du, off, ("stridedu", self.stridedu), count)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, count > 0)?;
        let b: Batch<T, F> = Spaced::strided(b, "strideb", self.strideb, count, true)?;
        let info = array(INFO, count, self.info.0)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 {
            return session.finish(Event::Complete);
        }
        let strides = [dl.stride, d.stride, du.stride];
        // SAFETY: `PerMatrix::new` checked the diagonals, `matrix` ldb, `Spaced::strided` strideb, `array` info;
        // `Run::run` requires memory of these shapes.
        let (mut dl, mut d, mut du, b_memory, mut info) = unsafe {
            let (dl, d) = (dl.numbers.open::<T>(&session)?, d.numbers.open::<T>(&session)?);
            (dl, d, du.numbers.open::<T>(&session)?, b.first.open::<T>(&session)?, info.open(&session)?)
        };
        let b = write(&b_memory, &b)?;
        if let Some(queue) = session.queue() {
            let diagonals = [dl.write()?, d.write()?, du.write()?];
            let event = affinimath::gtsv_batched_on(queue, diagonals, strides, b, info.write()?)?;
            return session.finish(event);
        }
        let diagonals = [dl.slice_mut(), d.slice_mut(), du.slice_mut()];
        affinimath::gtsv_batched(diagonals, strides, b, info.slice_mut())?;
        session.finish(Event::Complete)
    }
}
