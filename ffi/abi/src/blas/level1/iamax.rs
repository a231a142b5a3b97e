//! iamax and iamin: C's arguments, in C's order, to the library's views.

use affinimath::{Result, Scalar};
use affinimath_cpu::small::vectors;

use crate::arguments::{length, numbers, vector};
use crate::blas::small;
use crate::form::{Form, Location, RESULT, Run, X};

/// The index of the largest element.
pub type Call<T, F> = Extreme<T, F, false>;

/// The arguments of `affinimathI*amax` and `affinimathI*amin`.
pub struct Extreme<T, F: Form, const SMALLEST: bool> {
    pub n: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub result: F::Location<i64>,
}

impl<T: Scalar, F: Form, const SMALLEST: bool> Run<F> for Extreme<T, F, SMALLEST> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let Some((n, x)) = small::forward::<T, F>(self.n, self.x, self.incx) else { return false };
        let Some(result) = self.result.pointer().filter(|result| !result.is_null()) else { return false };
        // SAFETY: `small::forward` checked incx, and no pointer is null; `Run::run` requires memory of this shape.
        unsafe { result.write(vectors::index(SMALLEST, n, x) as i64) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // BLAS: a negative increment changes nothing, the index is 0.
        let n = if self.incx < 0 { 0 } else { length(self.n) };
        let x = vector(X, n, self.x, self.incx, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `vector` checked incx, `numbers` result; `Run::run` requires memory of these shapes.
        let (x, result) = unsafe { (x.open::<T>(&session)?, result.open::<i64>(&session)?) };
        let x = x.read()?;
        let event = match session.queue() {
            None if SMALLEST => result.complete(affinimath::iamin(x)?.unwrap_or(0) as i64),
            None => result.complete(affinimath::iamax(x)?.unwrap_or(0) as i64),
            Some(queue) if SMALLEST => affinimath::iamin_on(queue, x, result.write()?)?,
            Some(queue) => affinimath::iamax_on(queue, x, result.write()?)?,
        };
        session.finish(event)
    }
}
