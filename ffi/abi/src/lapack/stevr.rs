//! stevr: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, MatrixShape, Result, Scalar};

use super::job::{Workspaces, columns_of, spectrum, supports_all, vectors, write_support};
use super::{D, E, Iterations, NO_WORKSPACE, Pivots, W, Z};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{Form, Opened, Run};

/// The arguments of `affinimath*stevr`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub range: c_int,
    pub n: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub vl: T::RealScalar,
    pub vu: T::RealScalar,
    pub il: i64,
    pub iu: i64,
    pub abstol: T::RealScalar,
    pub m: Iterations,
    pub w: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub isuppz: Pivots<F::Location<i32>>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let wanted = vectors("jobz", self.jobz)?;
        let given = usize::try_from(self.n).unwrap_or(0);
        // The option itself comes before the other arguments, its bounds after them.
        spectrum(self.range, given, (0.0, 1.0), (1, given as i64))?;
        let n = arguments::size("n", self.n)?;
        let spectrum = spectrum(self.range, n, (self.vl.re(), self.vu.re()), (self.il, self.iu))?;
        let columns = if wanted { columns_of(spectrum, n) } else { 0 };
        leading_dimension(Z, layout, (if wanted { n } else { 0 }, columns), self.ldz)?;
        let workspaces = Workspaces {
            work: (self.work, self.lwork, n.saturating_mul(20)),
            rwork: (F::null::<T::RealScalar>(), NO_WORKSPACE, 1),
            iwork: (self.iwork, self.liwork, n.saturating_mul(10)),
        };
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        self.m.check_as("m")?;
        let d = array::<T::RealScalar, _>(D, n, self.d)?;
        let e = array::<T::RealScalar, _>(E, n.saturating_sub(1), self.e)?;
        let w = array::<T::RealScalar, _>(W, n, self.w)?;
        let z = matrix(Z, layout, (if wanted { n } else { 0 }, columns), self.z, self.ldz, wanted)?;
        // SAFETY: LAPACK requires workspaces of their lengths.
        unsafe { workspaces.settle::<T>(&session)? };
        let info = session.info()?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            self.m.write(0);
            let (d, e) = (d.open::<T::RealScalar>(&session)?, e.open::<T::RealScalar>(&session)?);
            let mut w = w.open::<T::RealScalar>(&session)?;
            let z: Option<Opened<T, MatrixShape>> = if wanted { Some(z.open(&session)?) } else { None };
            let vectors = z.as_ref().map(|z| z.write()).transpose()?;
            let (event, count) = match (session.queue(), info) {
                (Some(queue), Some(info)) => {
                    let (info, diagonals) = (info.open(&session)?, [d.write()?, e.write()?]);
                    affinimath::stevr_on(queue, spectrum, diagonals, w.write()?, vectors, info.write()?)?
                }
                _ => {
                    let count = affinimath::stevr(spectrum, d.slice(), e.slice(), w.slice_mut(), vectors)?;
                    (Event::Complete, count)
                }
            };
            // The count is at most n; LAPACK's integers count n.
            self.m.write(count as i32);
            if wanted && supports_all(spectrum, n) {
                write_support(&self.isuppz, count, n);
            }
            session.finish(event)
        }
    }
}
