//! dot, dotu and dotc: C's arguments, in C's order, to the library's views.

use affinimath::{Result, Scalar};
use affinimath_cpu as host;
use affinimath_cpu::small::vectors;

use crate::arguments::{length, numbers, vector};
use crate::blas::small;
use crate::form::{Form, Location, RESULT, Run, X, Y};

/// A product without conjugation.
pub type Call<T, F> = Product<T, F, false>;

/// The arguments of `affinimathSdot`, `affinimathDdot`, and of `affinimath*dotu` and `affinimath*dotc`.
pub struct Product<T, F: Form, const CONJUGATE: bool> {
    pub n: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
    pub result: F::Location<T>,
}

impl<T: Scalar, F: Form, const CONJUGATE: bool> Run<F> for Product<T, F, CONJUGATE> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let n = self.n as usize;
        if small::vectors(self.n, self.incx, self.incy) {
            let Some([x, y, result]) = small::locations::<T, F, 3>([self.x, self.y, self.result]) else { return false };
            // SAFETY: `small::vectors` checked n, incx and incy, and no pointer is null; `Run::run` requires memory of
            // these shapes.
            unsafe { result.write(host::small::dot(CONJUGATE, n, x, y)) };
            return true;
        }
        let Some((n, [x, y])) = small::strided::<T, F, 2>(self.n, [(self.x, self.incx), (self.y, self.incy)]) else {
            return false;
        };
        let Some(result) = self.result.pointer().filter(|result| !result.is_null()) else { return false };
        // SAFETY: `small::strided` checked incx and incy, and no pointer is null; `Run::run` requires memory of these
        // shapes.
        unsafe { result.write(vectors::strided_dot(CONJUGATE, n, x, y)) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let n = length(self.n);
        let x = vector(X, n, self.x, self.incx, true)?;
        let y = vector(Y, n, self.y, self.incy, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `vector` checked incx and incy, `numbers` result; `Run::run` requires memory of these shapes.
        let (x, y, result) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?, result.open::<T>(&session)?) };
        let (x, y) = (x.read()?, y.read()?);
        let event = match session.queue() {
            None if CONJUGATE => result.complete(affinimath::dotc(x, y)?),
            None => result.complete(affinimath::dot(x, y)?),
            Some(queue) if CONJUGATE => affinimath::dotc_on(queue, x, y, result.write()?)?,
            Some(queue) => affinimath::dot_on(queue, x, y, result.write()?)?,
        };
        session.finish(event)
    }
}
