//! axpy: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};
use affinimath_cpu as host;
use affinimath_cpu::small::vectors;

use crate::arguments::{length, vector};
use crate::blas::small;
use crate::form::{Form, Run, X, Y};

/// The arguments of `affinimath*axpy`.
pub struct Call<T, F: Form> {
    pub n: i64,
    pub alpha: T,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let alpha = self.alpha;
        if alpha == T::ZERO {
            return false;
        }
        if small::vectors(self.n, self.incx, self.incy) {
            let Some([x, y]) = small::locations::<T, F, 2>([self.x, self.y]) else { return false };
            // SAFETY: `small::vectors` checked n, incx and incy, and no pointer is null; `Run::run` requires memory of
            // these shapes.
            unsafe { host::small::axpy(self.n as usize, alpha, x, y) };
            return true;
        }
        let Some((n, [x, y])) = small::strided::<T, F, 2>(self.n, [(self.x, self.incx), (self.y, self.incy)]) else {
            return false;
        };
        // SAFETY: `small::strided` checked incx and incy, and no pointer is null; `Run::run` requires memory of these
        // shapes.
        unsafe { vectors::axpy(n, alpha, x, y) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // BLAS: alpha = 0 changes nothing.
        let n = if self.alpha == T::ZERO { 0 } else { length(self.n) };
        let x = vector(X, n, self.x, self.incx, true)?;
        let y = vector(Y, n, self.y, self.incy, true)?;
        if n == 0 {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx and incy; `Run::run` requires memory of these shapes.
        let (x, y) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let event = match session.queue() {
            None => affinimath::axpy(self.alpha, x.read()?, y.write()?)?,
            Some(queue) => affinimath::axpy_on(queue, self.alpha, x.read()?, y.write()?)?,
        };
        session.finish(event)
    }
}
