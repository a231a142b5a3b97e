//! sysv and hesv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Pivots, QUERY, answer_query, check_pivot_rows, check_workspace};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*sysv`.
pub type Call<T, F> = OfTriangle<T, F, false>;

/// The arguments of `affinimath*sysv` or, of a Hermitian matrix, `affinimath*hesv`.
pub struct OfTriangle<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for OfTriangle<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let columns = arguments::size("nrhs", self.nrhs)?;
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            leading_dimension(B, layout, (n, columns), self.ldb)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, 1) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, 1)? };
        let info = session.info()?;
        // SAFETY: `matrix` checked lda and ldb, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory
        // of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, n, |pivots| match HERMITIAN {
                    true => affinimath::hesv(triangle, a.write()?, pivots, b.write()?),
                    false => affinimath::sysv(triangle, a.write()?, pivots, b.write()?),
                })?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let (a, pivots, b, info) = (a.write()?, pivots.write()?, b.write()?, info.write()?);
            let event = match HERMITIAN {
                true => affinimath::hesv_on(queue, triangle, a, pivots, b, info)?,
                false => affinimath::sysv_on(queue, triangle, a, pivots, b, info)?,
            };
            session.finish(event)
        }
    }
}
