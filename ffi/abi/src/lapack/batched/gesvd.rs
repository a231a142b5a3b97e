//! gesvdStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Error, Event, Result, Scalar};

use super::{Batch, INFO, Location32, PerMatrix, count};
use crate::arguments::{self, array, matrix};
use crate::blas::level3::batched::{Spaced, read, write};
use crate::form::{A, Form, Run};
use crate::lapack::gesvd::sizes;
use crate::lapack::job::{Singular, singular};
use crate::lapack::{S, U, VT};

/// The arguments of `affinimath*gesvdStridedBatched`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub stridea: i64,
    pub s: F::Location<T::RealScalar>,
    pub strides: i64,
    pub u: F::Location<T>,
    pub ldu: i64,
    pub strideu: i64,
    pub vt: F::Location<T>,
    pub ldvt: i64,
    pub stridevt: i64,
    pub info: Location32<F::Location<i32>>,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let job = singular("jobz", self.jobz)?;
        if job == Singular::Overwrite {
            return Err(Error::argument("jobz", "vectors of a batch do not overwrite A"));
        }
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let (order, count) = (m.min(n), count(self.batch_count));
        let a = matrix(A, layout, (m, n), self.a, self.lda, count > 0)?;
        let a: Batch<T, F> = Spaced::strided(a, "stridea", self.stridea, count, false)?;
        let s = PerMatrix::new::<T::RealScalar>(S, self.s, order, ("strides", self.strides), count)?;
        let (of_u, of_vt) = (sizes(job, m, m, order), sizes(job, n, n, order));
        let u = matrix(U, layout, of_u, self.u, self.ldu, count > 0)?;
        let u: Batch<T, F> = Spaced::strided(u, "strideu", self.strideu, count, true)?;
        let vt = matrix(VT, layout, (of_vt.1, of_vt.0), self.vt, self.ldvt, count > 0)?;
        let vt: Batch<T, F> = Spaced::strided(vt, "stridevt", self.stridevt, count, true)?;
        let info = array(INFO, count, self.info.0)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 {
            return session.finish(Event::Complete);
        }
        let stride = s.stride;
        // SAFETY: `matrix` checked leading dimensions, `Spaced::strided` strides of matrices, `PerMatrix::new` s and
        // strides, `array` info; `Run::run` requires memory of these shapes.
        let (a_memory, mut s, u_memory, vt_memory, mut info) = unsafe {
            let (a_memory, s) = (a.first.open::<T>(&session)?, s.numbers.open::<T::RealScalar>(&session)?);
            (a_memory, s, u.first.open::<T>(&session)?, vt.first.open::<T>(&session)?, info.open(&session)?)
        };
        let a = read(&a_memory, &a)?;
        let vectors = match job {
            Singular::None => None,
            _ => Some((write(&u_memory, &u)?, write(&vt_memory, &vt)?)),
        };
        if let Some(queue) = session.queue() {
            let event = affinimath::gesvd_batched_on(queue, a, s.write()?, stride, vectors, info.write()?)?;
            return session.finish(event);
        }
        affinimath::gesvd_batched(a, s.slice_mut(), stride, vectors, info.slice_mut())?;
        session.finish(Event::Complete)
    }
}
