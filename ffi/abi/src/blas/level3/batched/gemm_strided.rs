//! gemmStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Product, Spaced};
use crate::arguments::{self, matrix};
use crate::blas::level3::gemm::stored;
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*gemmStridedBatched`.
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
    pub stridea: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub strideb: i64,
    pub beta: T,
    pub c: F::Location<T>,
    pub ldc: i64,
    pub stridec: i64,
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
        let a = Spaced::strided(a, "stridea", self.stridea, count, false)?;
        let b = matrix(B, layout, stored(op_b, k, n), self.b, self.ldb, reads)?;
        let b = Spaced::strided(b, "strideb", self.strideb, count, false)?;
        let c = matrix(C, layout, (m, n), self.c, self.ldc, writes)?;
        let c = Spaced::strided(c, "stridec", self.stridec, count, true)?;
        arguments::size("batch_count", self.batch_count)?;
        if count == 0 || m == 0 || n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of any C changes.
        }
        // SAFETY: `matrix` checked lda, ldb and ldc, `Spaced::strided` stridea, strideb and stridec; `Run::run`
        // requires memory of these shapes.
        let event = unsafe { Product { op_a, op_b, alpha, beta }.run::<F>(&session, a, b, c)? };
        session.finish(event)
    }
}
