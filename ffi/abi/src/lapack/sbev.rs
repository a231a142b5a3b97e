//! sbev, hbev, sbevd and hbevd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::geev::view;
use super::job::{Workspaces, vectors};
use super::{AB, Iterations, W, Z, band_rows};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{Form, Run};

/// The arguments of `affinimath*sbev`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub kd: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub w: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

/// LAPACK's least lengths of work, rwork and iwork of divide and conquer.
fn least_lengths<T: Scalar>(n: usize, vectors: bool) -> [usize; 3] {
    let square = n.saturating_mul(n).saturating_mul(2);
    let linear = |factor: usize, more: usize| n.saturating_mul(factor).saturating_add(more);
    match (T::KIND.is_complex(), vectors) {
        _ if n <= 1 => [1, 1, 1],
        (false, true) => [square.saturating_add(linear(5, 1)), 1, linear(5, 3)],
        (false, false) => [linear(2, 0), 1, 1],
        (true, true) => [square, square.saturating_add(linear(5, 1)), linear(5, 3)],
        (true, false) => [n, n, 1],
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let wanted = vectors("jobz", self.jobz)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let kd = arguments::size("kd", self.kd)?;
        let order = if wanted { n } else { 0 };
        leading_dimension(AB, layout, (band_rows(0, kd), n), self.ldab)?;
        leading_dimension(Z, layout, (order, order), self.ldz)?;
        let [least, least_real, least_integer] = least_lengths::<T>(n, wanted);
        let workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, self.lrwork, least_real),
            iwork: (self.iwork, self.liwork, least_integer),
        };
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let ab = matrix(AB, layout, (band_rows(0, kd), n), self.ab, self.ldab, true)?;
        let w = array::<T::RealScalar, _>(W, n, self.w)?;
        let z = matrix(Z, layout, (order, order), self.z, self.ldz, wanted)?;
        // SAFETY: LAPACK requires workspaces of their lengths.
        unsafe { workspaces.settle::<T>(&session)? };
        let info = session.info()?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            let (ab, z) = (ab.open::<T>(&session)?, z.open::<T>(&session)?);
            let mut w = w.open::<T::RealScalar>(&session)?;
            let (ab, z) = (ab.read()?, view(wanted, &z)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::hbev(triangle, kd, ab, w.slice_mut(), z)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::hbev_on(queue, triangle, kd, ab, w.write()?, z, info.write()?)?;
            session.finish(event)
        }
    }
}
