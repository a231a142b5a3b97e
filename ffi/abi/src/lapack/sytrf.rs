//! sytrf and hetrf: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Pivots, QUERY, answer_query, check_pivot_rows, check_workspace};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*sytrf`.
pub type Call<T, F> = OfTriangle<T, F, false>;

/// The arguments of `affinimath*sytrf` or, of a Hermitian matrix, `affinimath*hetrf`.
pub struct OfTriangle<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
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
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, 1) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, 1)? };
        let info = session.info()?;
        // SAFETY: `matrix` checked lda, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, n, |pivots| match HERMITIAN {
                    true => affinimath::hetrf(triangle, a.write()?, pivots),
                    false => affinimath::sytrf(triangle, a.write()?, pivots),
                })?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, n)?, info.open(&session)?);
            let (a, pivots, info) = (a.write()?, pivots.write()?, info.write()?);
            let event = match HERMITIAN {
                true => affinimath::hetrf_on(queue, triangle, a, pivots, info)?,
                false => affinimath::sytrf_on(queue, triangle, a, pivots, info)?,
            };
            session.finish(event)
        }
    }
}
