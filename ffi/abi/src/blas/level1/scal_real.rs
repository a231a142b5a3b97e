//! scal by a real factor: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};
use affinimath_cpu::small::vectors;

use crate::arguments::{length, vector};
use crate::blas::small;
use crate::form::{Form, Run, X};

/// The arguments of `affinimathCsscal` and `affinimathZdscal`.
pub struct Call<T: Scalar, F: Form> {
    pub n: i64,
    pub alpha: T::RealScalar,
    pub x: F::Location<T>,
    pub incx: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let alpha = self.alpha;
        if alpha == T::RealScalar::ONE {
            return false;
        }
        let Some((n, x)) = small::forward::<T, F>(self.n, self.x, self.incx) else { return false };
        // SAFETY: `small::forward` checked incx, and no pointer is null; `Run::run` requires memory of this shape.
        unsafe { vectors::scale_by_real(n, alpha, x) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // BLAS: alpha = 1 or a negative increment changes nothing.
        let n = if self.alpha == T::RealScalar::ONE || self.incx < 0 { 0 } else { length(self.n) };
        let x = vector(X, n, self.x, self.incx, true)?;
        if n == 0 {
            return session.finish(Event::Complete);
        }
        // SAFETY: `vector` checked incx; `Run::run` requires memory of this shape.
        let x = unsafe { x.open::<T>(&session)? };
        let event = match session.queue() {
            None => affinimath::scal_real(self.alpha, x.write()?)?,
            Some(queue) => affinimath::scal_real_on(queue, self.alpha, x.write()?)?,
        };
        session.finish(event)
    }
}
