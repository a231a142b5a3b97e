//! gemm: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};
use affinimath_cpu as host;

use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*gemm`.
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
    pub b: F::Location<T>,
    pub ldb: i64,
    pub beta: T,
    pub c: F::Location<T>,
    pub ldc: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let sizes = [self.m, self.n, self.k];
        if self.alpha == T::ZERO || !small::product::<T>(sizes) {
            return false;
        }
        let [m, n, k] = sizes.map(|size| size as usize);
        let Some([a, b, c]) = small::locations::<T, F, 3>([self.a, self.b, self.c]) else { return false };
        let a = small::matrix(self.layout, self.transa, (m, k), a, self.lda);
        let b = small::matrix(self.layout, self.transb, (k, n), b, self.ldb);
        let c = small::matrix(self.layout, Op::NoTrans.code(), (m, n), c, self.ldc);
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { return false };
        // SAFETY: `small::matrix` checked lda, ldb and ldc, and no pointer is null; `Run::run` requires memory of these
        // shapes.
        unsafe { host::small::gemm([m, n, k], self.alpha, a, b, self.beta, c) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (op_a, op_b) = (arguments::op("transa", self.transa)?, arguments::op("transb", self.transb)?);
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let k = arguments::size("k", self.k)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let reads = m > 0 && n > 0 && k > 0 && alpha != T::ZERO;
        let writes = reads || beta != T::ONE;
        let a = matrix(A, layout, stored(op_a, m, k), self.a, self.lda, reads)?;
        let b = matrix(B, layout, stored(op_b, k, n), self.b, self.ldb, reads)?;
        let c = matrix(C, layout, (m, n), self.c, self.ldc, writes)?;
        if m == 0 || n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of C changes.
        }
        // SAFETY: `matrix` checked lda, ldb and ldc; `Run::run` requires memory of these shapes.
        let (a, b, c) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, b, c) = (a.read()?, b.read()?, c.write()?);
        let event = match session.queue() {
            None => affinimath::gemm(op_a, op_b, alpha, a, b, beta, c)?,
            Some(queue) => affinimath::gemm_on(queue, op_a, op_b, alpha, a, b, beta, c)?,
        };
        session.finish(event)
    }
}

/// Stored sizes of a matrix whose op(A) is `rows` x `columns`.
pub const fn stored(op: Op, rows: usize, columns: usize) -> (usize, usize) {
    if op.transposes() { (columns, rows) } else { (rows, columns) }
}
