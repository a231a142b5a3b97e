//! trmm: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Diag, Event, Op, Result, Scalar, Side, Triangle};
use affinimath_cpu::small::triangular::{Factor, triangular};

use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*trmm`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub side: c_int,
    pub uplo: c_int,
    pub transa: c_int,
    pub diag: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO || !small::product::<T>([self.m, self.n, 1]) {
            return false;
        }
        let codes = (small::by_rows(self.layout), Side::from_code(self.side), Triangle::from_code(self.uplo));
        let (Some(by_rows), Some(mut side), Some(mut triangle)) = codes else { return false };
        let (Some(op), Some(diagonal)) = (Op::from_code(self.transa), Diag::from_code(self.diag)) else {
            return false;
        };
        let (mut m, mut n) = (self.m as usize, self.n as usize);
        if by_rows {
            // The transposed equation is column-major.
            (side, triangle, m, n) = (side.transposed(), triangle.transposed(), n, m);
        }
        let order = if side == Side::Left { m } else { n };
        let (matrix, b) = (small::by_columns(self.a, order, self.lda), small::by_columns(self.b, m, self.ldb));
        let (Some(matrix), Some(b)) = (matrix, b) else { return false };
        let factor = Factor { matrix, side, triangle, op, diagonal };
        // SAFETY: `small::by_columns` checked lda and ldb, and no pointer is null; `Run::run` requires memory of these
        // shapes.
        unsafe { triangular::<T, false>(factor, [m, n], self.alpha, b) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let side = arguments::side(self.side)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("transa", self.transa)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let alpha = self.alpha;
        let order = if side == Side::Left { m } else { n };
        let a = matrix(A, layout, (order, order), self.a, self.lda, m > 0 && n > 0 && alpha != T::ZERO)?;
        let b = matrix(B, layout, (m, n), self.b, self.ldb, true)?;
        if m == 0 || n == 0 {
            return session.finish(Event::Complete); // BLAS: there is nothing to change.
        }
        // SAFETY: `matrix` checked lda and ldb; `Run::run` requires memory of these shapes.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        let (a, b) = (a.read()?, b.write()?);
        let event = match session.queue() {
            None => affinimath::trmm(side, triangle, op, diagonal, alpha, a, b)?,
            Some(queue) => affinimath::trmm_on(queue, side, triangle, op, diagonal, alpha, a, b)?,
        };
        session.finish(event)
    }
}
