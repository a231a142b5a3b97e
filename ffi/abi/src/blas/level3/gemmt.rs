//! gemmt: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::gemm::stored;
use crate::arguments::{self, matrix};
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*gemmt`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub transa: c_int,
    pub transb: c_int,
    pub n: i64,
    pub k: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub beta: T,
    pub c: F::Location<T>,
    pub ldc: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (op_a, op_b) = (arguments::op("transa", self.transa)?, arguments::op("transb", self.transb)?);
        let (n, k) = (arguments::size("n", self.n)?, arguments::size("k", self.k)?);
        let (alpha, beta) = (self.alpha, self.beta);
        let reads = n > 0 && k > 0 && alpha != T::ZERO;
        let writes = reads || beta != T::ONE;
        let a = matrix(A, layout, stored(op_a, n, k), self.a, self.lda, reads)?;
        let b = matrix(B, layout, stored(op_b, k, n), self.b, self.ldb, reads)?;
        let c = matrix(C, layout, (n, n), self.c, self.ldc, writes)?;
        if n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of C changes.
        }
        // SAFETY: `matrix` checked lda, ldb and ldc; `Run::run` requires memory of these shapes.
        let (a, b, c) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, b, c) = (a.read()?, b.read()?, c.write()?);
        let event = match session.queue() {
            None => affinimath::gemmt(triangle, op_a, op_b, alpha, a, b, beta, c)?,
            Some(queue) => affinimath::gemmt_on(queue, triangle, op_a, op_b, alpha, a, b, beta, c)?,
        };
        session.finish(event)
    }
}
