//! syev, heev, syevd and heevd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::job::{Workspaces, vectors};
use super::{Iterations, NO_WORKSPACE, W};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*syev`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub w: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

/// LAPACK's least lengths of work, rwork and iwork. Divide and conquer has a length of iwork.
pub(super) fn least_lengths<T: Scalar>(n: usize, vectors: bool, conquers: bool) -> [usize; 3] {
    let square = n.saturating_mul(n);
    match (T::KIND.is_complex(), conquers, vectors) {
        // LAPACK: 2 elements for n = 1.
        (false, false, _) => [(3 * n).saturating_sub(1), 1, 1],
        (true, false, _) => [(2 * n).saturating_sub(1), (3 * n).saturating_sub(2), 1],
        _ if n <= 1 => [1, 1, 1],
        (false, true, false) => [2 * n + 1, 1, 1],
        (false, true, true) => [square.saturating_mul(2).saturating_add(6 * n + 1), 1, 5 * n + 3],
        (true, true, false) => [n + 1, n, 1],
        (true, true, true) => {
            [square.saturating_add(2 * n), square.saturating_mul(2).saturating_add(5 * n + 1), 5 * n + 3]
        }
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
        let [least, least_real, least_integer] = least_lengths::<T>(n, wanted, self.liwork != NO_WORKSPACE);
        let workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, self.lrwork, least_real),
            iwork: (self.iwork, self.liwork, least_integer),
        };
        leading_dimension(A, layout, (n, n), self.lda)?;
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let w = array(W, n, self.w)?;
        // SAFETY: LAPACK requires workspaces of their lengths.
        unsafe { workspaces.settle::<T>(&session)? };
        let info = session.info()?;
        // SAFETY: `matrix` checked lda, `array` w, `Session::info` info; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, mut w) = (a.open::<T>(&session)?, w.open::<T::RealScalar>(&session)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::heev(triangle, a.write()?, w.slice_mut(), wanted)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::heev_on(queue, triangle, a.write()?, w.write()?, wanted, info.write()?)?;
            session.finish(event)
        }
    }
}
