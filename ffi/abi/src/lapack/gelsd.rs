//! gelsd and gelss: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::job::Workspaces;
use super::{Iterations, NO_WORKSPACE, S};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*gelsd`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub s: F::Location<T::RealScalar>,
    pub rcond: T::RealScalar,
    pub rank: Iterations,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub iwork: Iterations,
}

/// Order of the problems that LAPACK's divide and conquer does not divide.
const SMALL: usize = 25;

impl<T: Scalar, F: Form> Call<T, F> {
    /// LAPACK's least lengths of work, rwork and iwork. Divide and conquer has an iwork.
    fn least_lengths(&self, m: usize, n: usize, columns: usize) -> [usize; 3] {
        let (order, longer) = (m.min(n), m.max(n));
        if order == 0 {
            return [1, 1, 1];
        }
        let levels = ((order as f64 / (SMALL + 1) as f64).log2() as usize).saturating_add(1);
        let times = |factor: usize| order.saturating_mul(factor);
        let square = (SMALL + 1) * (SMALL + 1);
        let conquers = !self.iwork.is_null();
        let work = match (T::KIND.is_complex(), conquers) {
            (true, _) => times(2).saturating_add(longer.max(times(columns)).max(columns)),
            (false, false) => times(3).saturating_add(times(2).max(longer).max(columns)),
            (false, true) => times(12 + 2 * SMALL + 8 * levels)
                .saturating_add(times(columns))
                .saturating_add(square)
                .max(times(3).saturating_add(longer)),
        };
        let real = times(10 + 2 * SMALL + 8 * levels)
            .saturating_add(3 * SMALL.saturating_mul(columns))
            .saturating_add(square.max(n.saturating_mul(1 + columns).saturating_add(columns.saturating_mul(2))));
        [work, real, times(3 * levels + 11)]
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let columns = arguments::size("nrhs", self.nrhs)?;
        let order = m.min(n);
        leading_dimension(A, layout, (m, n), self.lda)?;
        leading_dimension(B, layout, (m.max(n), columns), self.ldb)?;
        let [least, least_real, least_integer] = self.least_lengths(m, n, columns);
        let mut workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, NO_WORKSPACE, least_real),
            iwork: (self.iwork, NO_WORKSPACE, least_integer),
        };
        if workspaces.is_query() {
            if self.iwork.is_null() {
                // xGELSS has a rwork of a fixed length, which a query does not write.
                workspaces.rwork.0 = F::null();
            }
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        let b = matrix(B, layout, (m.max(n), columns), self.b, self.ldb, true)?;
        let s = array(S, order, self.s)?;
        self.rank.check_as("rank")?;
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires workspaces of their lengths, `Run::run` memory of these shapes.
        unsafe {
            workspaces.settle::<T>(&session)?;
            self.rank.write(0);
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let mut s = s.open::<T::RealScalar>(&session)?;
            let (event, rank) = match (session.queue(), info) {
                (Some(queue), Some(info)) => {
                    let info = info.open(&session)?;
                    let (a, b, s, info) = (a.write()?, b.write()?, s.write()?, info.write()?);
                    affinimath::gelsd_on(queue, a, b, s, self.rcond, info)?
                }
                _ => (Event::Complete, affinimath::gelsd(a.write()?, b.write()?, s.slice_mut(), self.rcond)?),
            };
            // The rank is at most min(m, n), which LAPACK's integers count.
            self.rank.write(rank as i32);
            session.finish(event)
        }
    }
}
