//! gemv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};
use affinimath_cpu as host;
use affinimath_cpu::small::vectors::with_adjacent;

use super::needs;
use crate::arguments::{self, matrix, vector};
use crate::blas::small;
use crate::form::{A, Form, Run, X, Y};

/// The arguments of `affinimath*gemv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub beta: T,
    pub y: F::Location<T>,
    pub incy: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO || !small::matrix_and_vector::<T>([self.m, self.n]) {
            return false;
        }
        let (m, n) = (self.m as usize, self.n as usize);
        let (rows, columns) = if Op::from_code(self.trans).is_some_and(Op::transposes) { (n, m) } else { (m, n) };
        let Some(x) = small::vector::<T, F>(columns, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(rows, self.y, self.incy) else { return false };
        let Some(a) = small::pointer(self.a) else { return false };
        let Some(a) = small::matrix(self.layout, self.trans, (rows, columns), a, self.lda) else { return false };
        let (sizes, alpha, beta) = ([rows, columns], self.alpha, self.beta);
        // SAFETY: `small::vector` checked incx and incy, `small::matrix` lda, and no pointer is null; `Run::run`
        // requires memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(columns, x, |x| {
                with_adjacent::<T, true>(rows, y, |y| host::small::gemv(sizes, alpha, a, x, beta, y));
            });
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let (reads, writes) = needs(m == 0 || n == 0, alpha, beta);
        let (rows, columns) = if op.transposes() { (n, m) } else { (m, n) };
        let a = matrix(A, layout, (m, n), self.a, self.lda, reads)?;
        let x = vector(X, columns, self.x, self.incx, reads)?;
        let y = vector(Y, rows, self.y, self.incy, writes)?;
        if !writes {
            return session.finish(Event::Complete); // BLAS: no element of y changes.
        }
        // SAFETY: `matrix` checked lda, `vector` incx and incy; `Run::run` requires memory of these shapes.
        let (a, x, y) = unsafe { (a.open::<T>(&session)?, x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let (a, x, y) = (a.read()?, x.read()?, y.write()?);
        let event = match session.queue() {
            None => affinimath::gemv(op, alpha, a, x, beta, y)?,
            Some(queue) => affinimath::gemv_on(queue, op, alpha, a, x, beta, y)?,
        };
        session.finish(event)
    }
}
