//! gemm in half precision: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Half, Result};

use super::gemm::stored;
use crate::arguments::{self, matrix};
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimathHgemm`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub transa: c_int,
    pub transb: c_int,
    pub m: i64,
    pub n: i64,
    pub k: i64,
    pub alpha: f32,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub beta: f32,
    pub c: F::Location<T>,
    pub ldc: i64,
}

impl<F: Form> Run<F> for Call<Half, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (op_a, op_b) = (arguments::op("transa", self.transa)?, arguments::op("transb", self.transb)?);
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let k = arguments::size("k", self.k)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let reads = m > 0 && n > 0 && k > 0 && alpha != 0.0;
        let writes = reads || beta != 1.0;
        let a = matrix(A, layout, stored(op_a, m, k), self.a, self.lda, reads)?;
        let b = matrix(B, layout, stored(op_b, k, n), self.b, self.ldb, reads)?;
        let c = matrix(C, layout, (m, n), self.c, self.ldc, writes)?;
        if m == 0 || n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of C changes.
        }
        // SAFETY: `matrix` checked lda, ldb and ldc; `Run::run` requires memory of these shapes.
        let (a, b, c) = unsafe { (a.open::<Half>(&session)?, b.open::<Half>(&session)?, c.open::<Half>(&session)?) };
        let (a, b, c) = (a.read()?, b.read()?, c.write()?);
        let event = match session.queue() {
            None => affinimath::hgemm(op_a, op_b, alpha, a, b, beta, c)?,
            Some(queue) => affinimath::hgemm_on(queue, op_a, op_b, alpha, a, b, beta, c)?,
        };
        session.finish(event)
    }
}
