//! syevr and heevr: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::job::{Workspaces, columns_of, spectrum, supports_all, vectors, write_support};
use super::{Iterations, Pivots, W, Z};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Opened, Run};

/// The arguments of `affinimath*syevr`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub range: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
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
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

/// LAPACK's least lengths of work, rwork and iwork.
fn least_lengths<T: Scalar>(n: usize) -> [usize; 3] {
    let times = |factor: usize| n.saturating_mul(factor).max(1);
    if T::KIND.is_complex() { [times(2), times(24), times(10)] } else { [times(26), 1, times(10)] }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let wanted = vectors("jobz", self.jobz)?;
        let n_given = usize::try_from(self.n).unwrap_or(0);
        let bounds = ((self.vl.re(), self.vu.re()), (self.il, self.iu));
        // The option itself comes before the other arguments, its bounds after them.
        spectrum(self.range, n_given, (0.0, 1.0), (1, n_given as i64))?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        leading_dimension(A, layout, (n, n), self.lda)?;
        let spectrum = spectrum(self.range, n, bounds.0, bounds.1)?;
        let columns = if wanted { columns_of(spectrum, n) } else { 0 };
        leading_dimension(Z, layout, (if wanted { n } else { 0 }, columns), self.ldz)?;
        let [least, least_real, least_integer] = least_lengths::<T>(n);
        let workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, self.lrwork, least_real),
            iwork: (self.iwork, self.liwork, least_integer),
        };
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.m.check_as("m")?;
        let w = array(W, n, self.w)?;
        let z = matrix(Z, layout, (if wanted { n } else { 0 }, columns), self.z, self.ldz, wanted)?;
        // SAFETY: LAPACK requires workspaces of their lengths.
        unsafe { workspaces.settle::<T>(&session)? };
        let info = session.info()?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            self.m.write(0);
            let (a, mut w) = (a.open::<T>(&session)?, w.open::<T::RealScalar>(&session)?);
            let z: Option<Opened<T, _>> = if wanted { Some(z.open(&session)?) } else { None };
            let vectors = z.as_ref().map(|z| z.write()).transpose()?;
            let (count, event) = match (session.queue(), info) {
                (Some(queue), Some(info)) => {
                    let info = info.open(&session)?;
                    let (a, w, info) = (a.read()?, w.write()?, info.write()?);
                    let (event, count) = affinimath::heevr_on(queue, spectrum, triangle, a, w, vectors, info)?;
                    (count, event)
                }
                _ => (affinimath::heevr(spectrum, triangle, a.read()?, w.slice_mut(), vectors)?, Event::Complete),
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
