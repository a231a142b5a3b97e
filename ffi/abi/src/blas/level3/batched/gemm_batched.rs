//! gemmBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Product, Spaced};
use crate::arguments::{self, matrix};
use crate::blas::level3::gemm::stored;
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*gemmBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub transa: c_int,
    pub transb: c_int,
    pub m: i64,
    pub n: i64,
    pub k: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub offsetsa: *const i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub offsetsb: *const i64,
    pub beta: T,
    pub c: F::Location<T>,
    pub ldc: i64,
    pub offsetsc: *const i64,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (op_a, op_b) = (arguments::op("transa", self.transa)?, arguments::op("transb", self.transb)?);
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let k = arguments::size("k", self.k)?;
        // The count says if pointers are needed, so it is read first; a wrong one is reported last.
        let count = usize::try_from(self.batch_count).unwrap_or(0);
        let (alpha, beta) = (self.alpha, self.beta);
        let reads = count > 0 && m > 0 && n > 0 && k > 0 && alpha != T::ZERO;
        let writes = reads || count > 0 && beta != T::ONE;
        let a = matrix(A, layout, stored(op_a, m, k), self.a, self.lda, reads)?;
        // SAFETY: `Run::run` requires an array that is null or has batch_count offsets.
        let a = unsafe { Spaced::at_offsets(a, "offsetsa", self.offsetsa, count, false)? };
        let b = matrix(B, layout, stored(op_b, k, n), self.b, self.ldb, reads)?;
        // SAFETY: `Run::run` requires the same of offsetsb.
        let b = unsafe { Spaced::at_offsets(b, "offsetsb", self.offsetsb, count, false)? };
        let c = matrix(C, layout, (m, n), self.c, self.ldc, writes)?;
        // SAFETY: `Run::run` requires the same of offsetsc.
        let c = unsafe { Spaced::at_offsets(c, "offsetsc", self.offsetsc, count, true)? };
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 || m == 0 || n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of any C changes.
        }
        // SAFETY: `matrix` checked lda, ldb and ldc, `Spaced::at_offsets` offsetsa, offsetsb and offsetsc; `Run::run`
        // requires memory of these shapes.
        let event = unsafe { Product { op_a, op_b, alpha, beta }.run::<F>(&session, a, b, c)? };
        session.finish(event)
    }
}
