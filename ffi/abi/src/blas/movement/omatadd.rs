//! omatadd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use crate::arguments::{self, matrix};
use crate::blas::level3::gemm::stored;
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*omatadd`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub transa: c_int,
    pub transb: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub beta: T,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub c: F::Location<T>,
    pub ldc: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (op_a, op_b) = (arguments::op("transa", self.transa)?, arguments::op("transb", self.transb)?);
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let a = matrix(A, layout, stored(op_a, m, n), self.a, self.lda, alpha != T::ZERO)?;
        let b = matrix(B, layout, stored(op_b, m, n), self.b, self.ldb, beta != T::ZERO)?;
        let c = matrix(C, layout, (m, n), self.c, self.ldc, true)?;
        if m == 0 || n == 0 {
            return session.finish(Event::Complete); // An empty matrix is left as it is.
        }
        // SAFETY: `matrix` checked lda, ldb and ldc; `Run::run` requires memory of these shapes.
        let (a, b, c) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, b, c) = (a.read()?, b.read()?, c.write()?);
        let event = match session.queue() {
            None => affinimath::omatadd(op_a, op_b, alpha, a, beta, b, c)?,
            Some(queue) => affinimath::omatadd_on(queue, op_a, op_b, alpha, a, beta, b, c)?,
        };
        session.finish(event)
    }
}
