//! gesvd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Error, Event, MatrixMut, MatrixShape, Result, Scalar, SingularVectors};

use super::job::{Singular, Workspaces, singular};
use super::{NO_INTEGERS, NO_WORKSPACE, S, U, VT};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{A, Form, Location, Opened, Run, Session};

/// The arguments of `affinimath*gesvd`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobu: c_int,
    pub jobvt: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub s: F::Location<T::RealScalar>,
    pub u: F::Location<T>,
    pub ldu: i64,
    pub vt: F::Location<T>,
    pub ldvt: i64,
    pub superb: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
}

/// Sizes of a matrix of vectors; none where it is not written.
pub(super) fn sizes(job: Singular, rows: usize, all: usize, thin: usize) -> (usize, usize) {
    match job {
        Singular::All => (rows, all),
        Singular::Thin => (rows, thin),
        Singular::None | Singular::Overwrite => (0, 0),
    }
}

/// Singular vectors as the library takes them.
pub(super) fn vectors<T: Scalar>(job: Singular, opened: &Opened<T, MatrixShape>) -> Result<SingularVectors<'_, T>> {
    Ok(match job {
        Singular::None => SingularVectors::None,
        Singular::Overwrite => SingularVectors::Overwrite,
        Singular::All | Singular::Thin => SingularVectors::Into(opened.write()?),
    })
}

/// Runs the decomposition, on the host or on a queue.
///
/// # Safety
/// The memory of a session's info must be null or live.
pub(super) unsafe fn decompose<T: Scalar>(
    session: Session,
    a: MatrixMut<'_, T>,
    s: &mut Opened<T::RealScalar, affinimath::VectorShape>,
    u: SingularVectors<'_, T>,
    vt: SingularVectors<'_, T>,
) -> Result<()> {
    let info = session.info()?;
    let (Some(queue), Some(info)) = (session.queue(), info) else {
        affinimath::gesvd(a, s.slice_mut(), u, vt)?;
        return session.finish(Event::Complete);
    };
    // SAFETY: this function requires memory that is null or live.
    let info = unsafe { info.open(&session)? };
    let event = affinimath::gesvd_on(queue, a, s.write()?, u, vt, info.write()?)?;
    session.finish(event)
}

impl<T: Scalar, F: Form> Call<T, F> {
    /// LAPACK's minimal workspace, in elements.
    fn min_lwork(m: usize, n: usize) -> usize {
        let (order, longer) = (m.min(n), m.max(n));
        if order == 0 {
            return 1;
        }
        if T::KIND.is_complex() {
            order.saturating_mul(2).saturating_add(longer)
        } else {
            order.saturating_mul(3).saturating_add(longer).max(order.saturating_mul(5))
        }
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let of_u = singular("jobu", self.jobu)?;
        let of_vt = singular("jobvt", self.jobvt)?;
        if (of_u, of_vt) == (Singular::Overwrite, Singular::Overwrite) {
            return Err(Error::argument("jobvt", "left singular vectors overwrite A already"));
        }
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let order = m.min(n);
        let (columns, rows) = (sizes(of_u, m, m, order), sizes(of_vt, n, n, order));
        let rows = (rows.1, rows.0);
        leading_dimension(A, layout, (m, n), self.lda)?;
        leading_dimension(U, layout, columns, self.ldu)?;
        leading_dimension(VT, layout, rows, self.ldvt)?;
        let workspaces = Workspaces {
            work: (self.work, self.lwork, Self::min_lwork(m, n)),
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
            if let Some(start) = self.superb.pointer().filter(|start| !start.is_null()) {
                // All of the bidiagonal form has converged.
                (0..order.saturating_sub(1)).for_each(|i| start.add(i).write(T::RealScalar::default()));
            }
            decompose(session, a.write()?, &mut s, vectors(of_u, &u)?, vectors(of_vt, &vt)?)
        }
    }
}
