//! sygvx and hegvx: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, MatrixShape, Result, Scalar};

use super::job::{columns_of, pencil, spectrum, vectors, write_zeros};
use super::syevx::min_lwork;
use super::{Iterations, Pivots, QUERY, Unneeded, W, Z, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, B, Form, Opened, Run};

/// The arguments of `affinimath*sygvx`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub itype: i64,
    pub jobz: c_int,
    pub range: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub vl: T::RealScalar,
    pub vu: T::RealScalar,
    pub il: i64,
    pub iu: i64,
    pub abstol: T::RealScalar,
    pub m: Iterations,
    pub w: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
    pub iwork: Unneeded,
    pub ifail: Pivots<F::Location<i32>>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let pencil = pencil(self.itype)?;
        let wanted = vectors("jobz", self.jobz)?;
        let given = usize::try_from(self.n).unwrap_or(0);
        // The option itself comes before the other arguments, its bounds after them.
        spectrum(self.range, given, (0.0, 1.0), (1, given as i64))?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        leading_dimension(A, layout, (n, n), self.lda)?;
        leading_dimension(B, layout, (n, n), self.ldb)?;
        let spectrum = spectrum(self.range, n, (self.vl.re(), self.vu.re()), (self.il, self.iu))?;
        let columns = if wanted { columns_of(spectrum, n) } else { 0 };
        leading_dimension(Z, layout, (if wanted { n } else { 0 }, columns), self.ldz)?;
        if self.lwork == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork::<T>(n)) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let b = matrix(B, layout, (n, n), self.b, self.ldb, true)?;
        self.m.check_as("m")?;
        let w = array::<T::RealScalar, _>(W, n, self.w)?;
        let z = matrix(Z, layout, (if wanted { n } else { 0 }, columns), self.z, self.ldz, wanted)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork::<T>(n))? };
        let info = session.info()?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            self.m.write(0);
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let mut w = w.open::<T::RealScalar>(&session)?;
            let z: Option<Opened<T, MatrixShape>> = if wanted { Some(z.open(&session)?) } else { None };
            let vectors = z.as_ref().map(|z| z.write()).transpose()?;
            let (problem, a, b) = ((pencil, spectrum), a.read()?, b.write()?);
            let (event, count) = match (session.queue(), info) {
                (Some(queue), Some(info)) => {
                    let info = info.open(&session)?;
                    affinimath::hegvx_on(queue, problem, triangle, a, b, w.write()?, vectors, info.write()?)?
                }
                _ => (Event::Complete, affinimath::hegvx(problem, triangle, a, b, w.slice_mut(), vectors)?),
            };
            // The count is at most n; LAPACK's integers count n.
            self.m.write(count as i32);
            if wanted {
                write_zeros(&self.ifail, count);
            }
            session.finish(event)
        }
    }
}
