//! axpby: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};
use affinimath_cpu::small::vectors;

use crate::arguments::{length, vector};
use crate::blas::small;
use crate::form::{Form, Run, X, Y};

/// The arguments of `affinimath*axpby`.
pub struct Call<T, F: Form> {
    pub n: i64,
    pub alpha: T,
    pub x: F::Location<T>,
    pub incx: i64,
    pub beta: T,
    pub y: F::Location<T>,
    pub incy: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let (alpha, beta) = (self.alpha, self.beta);
        if alpha == T::ZERO || beta == T::ZERO {
            return false;
        }
        let Some((n, [x, y])) = small::strided::<T, F, 2>(self.n, [(self.x, self.incx), (self.y, self.incy)]) else {
            return false;
        };
        // SAFETY: `small::strided` checked incx and incy, and no pointer is null; `Run::run` requires memory of these
        // shapes.
        unsafe { vectors::axpby(n, alpha, x, beta, y) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // alpha = 0 never reads x; beta = 1 leaves y alone then.
        let reads_x = self.alpha != T::ZERO;
        let n = if !reads_x && self.beta == T::ONE { 0 } else { length(self.n) };
        let x = vector(X, n, self.x, self.incx, reads_x)?;
        let y = vector(Y, n, self.y, self.incy, true)?;
        if n == 0 {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx and incy; `Run::run` requires memory of these shapes.
        let (x, y) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let event = match session.queue() {
            None => affinimath::axpby(self.alpha, x.read()?, self.beta, y.write()?)?,
            Some(queue) => affinimath::axpby_on(queue, self.alpha, x.read()?, self.beta, y.write()?)?,
        };
        session.finish(event)
    }
}
