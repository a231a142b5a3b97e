//! trcon: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{RCOND, Unneeded};
use crate::arguments::{self, matrix, numbers};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*trcon`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub norm: c_int,
    pub uplo: c_int,
    pub diag: c_int,
    pub n: i64,
    pub a: F::Place<T>,
    pub lda: i64,
    pub rcond: F::Place<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::consistent_norm(self.norm)?;
        let triangle = arguments::triangle(self.uplo)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let rcond = numbers(RCOND, 1, self.rcond)?;
        // SAFETY: the caller vouches for the matrix and the result.
        let (a, rcond) = unsafe { (a.open::<T>(&session)?, rcond.open::<T::RealScalar>(&session)?) };
        rcond.set([affinimath::trcon(norm, triangle, diagonal, a.read()?)?]);
        session.finish(Event::Complete)
    }
}
