//! gesdd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::gesvd::{decompose, sizes, vectors};
use super::job::{Singular, Workspaces, singular};
use super::{NO_INTEGERS, NO_WORKSPACE, S, U, Unneeded, VT};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*gesdd`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub s: F::Location<T::RealScalar>,
    pub u: F::Location<T>,
    pub ldu: i64,
    pub vt: F::Location<T>,
    pub ldvt: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Call<T, F> {
    /// LAPACK's minimal workspace, in elements.
    fn min_lwork(job: Singular, m: usize, n: usize) -> usize {
        let (order, longer) = (m.min(n), m.max(n));
        let square = order.saturating_mul(order);
        if order == 0 {
            return 1;
        }
        let times = |factor: usize| order.saturating_mul(factor);
        match (T::KIND.is_complex(), job) {
            (false, Singular::None) => times(3).saturating_add(longer.max(times(7))),
            (false, Singular::Overwrite) => {
                times(3).saturating_add(longer.max(square.saturating_mul(5).saturating_add(times(4))))
            }
            (false, _) => square.saturating_mul(4).saturating_add(times(6)).saturating_add(longer),
            (true, Singular::None) => times(2).saturating_add(longer),
            (true, Singular::Overwrite) => square.saturating_mul(2).saturating_add(times(2)).saturating_add(longer),
            (true, _) => square.saturating_add(times(2)).saturating_add(longer),
        }
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let job = singular("jobz", self.jobz)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let order = m.min(n);
        // LAPACK: the vectors along A's longer side overwrite it, and the others are all computed.
        let (of_u, of_vt) = match job {
            Singular::Overwrite if m >= n => (Singular::Overwrite, Singular::All),
            Singular::Overwrite => (Singular::All, Singular::Overwrite),
            job => (job, job),
        };
        let (columns, rows) = (sizes(of_u, m, m, order), sizes(of_vt, n, n, order));
        let rows = (rows.1, rows.0);
        leading_dimension(A, layout, (m, n), self.lda)?;
        leading_dimension(U, layout, columns, self.ldu)?;
        leading_dimension(VT, layout, rows, self.ldvt)?;
        let workspaces = Workspaces {
            work: (self.work, self.lwork, Self::min_lwork(job, m, n)),
            rwork: (self.rwork, NO_WORKSPACE, 1),
            iwork: (NO_INTEGERS, NO_WORKSPACE, 1),
        };
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        let s = array(S, order, self.s)?;
        let u = matrix(U, layout, columns, self.u, self.ldu, true)?;
        let vt = matrix(VT, layout, rows, self.vt, self.ldvt, true)?;
        // SAFETY: the checks above; LAPACK requires workspaces of their lengths, `Run::run` memory of these shapes.
        unsafe {
            workspaces.settle::<T>(&session)?;
            let (a, mut s) = (a.open::<T>(&session)?, s.open::<T::RealScalar>(&session)?);
            let (u, vt) = (u.open::<T>(&session)?, vt.open::<T>(&session)?);
            decompose(session, a.write()?, &mut s, vectors(of_u, &u)?, vectors(of_vt, &vt)?)
        }
    }
}
