//! symm and hemm: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, Side, Symmetry, Triangle};
use affinimath_cpu::small::products;

use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*symm` and `affinimath*hemm`.
pub struct Symmetric<T, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub side: c_int,
    pub uplo: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub beta: T,
    pub c: F::Location<T>,
    pub ldc: i64,
}

pub type Call<T, F> = Symmetric<T, F, false>;

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Symmetric<T, F, HERMITIAN> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO || !small::product::<T>([self.m, self.n, 1]) {
            return false;
        }
        let codes = (small::by_rows(self.layout), Side::from_code(self.side), Triangle::from_code(self.uplo));
        let (Some(by_rows), Some(mut side), Some(mut triangle)) = codes else { return false };
        let (mut m, mut n) = (self.m as usize, self.n as usize);
        if by_rows {
            // The transposed equation is column-major.
            (side, triangle, m, n) = (side.transposed(), triangle.transposed(), n, m);
        }
        let order = if side == Side::Left { m } else { n };
        let a = small::by_columns(self.a, order, self.lda);
        let (b, c) = (small::by_columns(self.b, m, self.ldb), small::by_columns(self.c, m, self.ldc));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { return false };
        let symmetry = if HERMITIAN { Symmetry::Hermitian } else { Symmetry::Symmetric };
        // SAFETY: `small::by_columns` checked lda, ldb and ldc, and no pointer is null; `Run::run` requires memory of
        // these shapes.
        unsafe { products::symm((side, triangle, symmetry), [m, n], self.alpha, a, b, self.beta, c) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let side = arguments::side(self.side)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let (alpha, beta) = (self.alpha, self.beta);
        let reads = m > 0 && n > 0 && alpha != T::ZERO;
        let writes = reads || beta != T::ONE;
        let order = if side == Side::Left { m } else { n };
        let a = matrix(A, layout, (order, order), self.a, self.lda, reads)?;
        let b = matrix(B, layout, (m, n), self.b, self.ldb, reads)?;
        let c = matrix(C, layout, (m, n), self.c, self.ldc, writes)?;
        if m == 0 || n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of C changes.
        }
        // SAFETY: `matrix` checked lda, ldb and ldc; `Run::run` requires memory of these shapes.
        let (a, b, c) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, b, c) = (a.read()?, b.read()?, c.write()?);
        let event = match (session.queue(), HERMITIAN) {
            (None, false) => affinimath::symm(side, triangle, alpha, a, b, beta, c)?,
            (None, true) => affinimath::hemm(side, triangle, alpha, a, b, beta, c)?,
            (Some(queue), false) => affinimath::symm_on(queue, side, triangle, alpha, a, b, beta, c)?,
            (Some(queue), true) => affinimath::hemm_on(queue, side, triangle, alpha, a, b, beta, c)?,
        };
        session.finish(event)
    }
}
