//! trsm: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, Side};

use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*trsm`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub side: c_int,
    pub uplo: c_int,
    pub transa: c_int,
    pub diag: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
    pub a: F::Place<T>,
    pub lda: i64,
    pub b: F::Place<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let side = arguments::side(self.side)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("transa", self.transa)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let order = if side == Side::Left { m } else { n };
        let alpha = self.alpha;
        let a = matrix(A, layout, (order, order), self.a, self.lda, m > 0 && n > 0 && alpha != T::ZERO)?;
        let b = matrix(B, layout, (m, n), self.b, self.ldb, true)?;
        if m == 0 || n == 0 {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: the caller vouches for the matrices.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        let (a, b) = (a.read()?, b.write()?);
        let event = match session.queue() {
            None => affinimath::trsm(side, triangle, op, diagonal, alpha, a, b)?,
            Some(queue) => affinimath::trsm_on(queue, side, triangle, op, diagonal, alpha, a, b)?,
        };
        session.finish(event)
    }
}
