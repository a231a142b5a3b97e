//! asum: C's arguments, in C's order, to the library's views.

use affinimath::{Result, Scalar};
use affinimath_cpu::small::vectors;

use crate::arguments::{length, numbers, vector};
use crate::blas::small;
use crate::form::{Form, Location, RESULT, Run, X};

/// The arguments of `affinimath*asum`.
pub struct Call<T: Scalar, F: Form> {
    pub n: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub result: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let Some((n, x)) = small::forward::<T, F>(self.n, self.x, self.incx) else { return false };
        let Some(result) = self.result.pointer().filter(|result| !result.is_null()) else { return false };
        // SAFETY: `small::forward` checked incx, and no pointer is null; `Run::run` requires memory of this shape.
        unsafe { result.write(vectors::asum(n, x)) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // BLAS: a negative increment changes nothing, the sum is 0.
        let n = if self.incx < 0 { 0 } else { length(self.n) };
        let x = vector(X, n, self.x, self.incx, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `vector` checked incx, `numbers` result; `Run::run` requires memory of these shapes.
        let (x, result) = unsafe { (x.open::<T>(&session)?, result.open::<T::RealScalar>(&session)?) };
        let x = x.read()?;
        let event = match session.queue() {
            None => result.complete(affinimath::asum(x)?),
            Some(queue) => affinimath::asum_on(queue, x, result.write()?)?,
        };
        session.finish(event)
    }
}
