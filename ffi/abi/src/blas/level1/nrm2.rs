//! nrm2: C's arguments, in C's order, to the library's views.

use affinimath::{Result, Scalar};

use crate::arguments::{length, numbers, vector};
use crate::form::{Form, RESULT, Run, X};

/// The arguments of `affinimath*nrm2`.
pub struct Call<T: Scalar, F: Form> {
    pub n: i64,
    pub x: F::Place<T>,
    pub incx: i64,
    pub result: F::Place<T::RealScalar>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { form.begin()? };
        let n = length(self.n);
        let x = vector(X, n, self.x, self.incx, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: the caller vouches for the vector and the result.
        let (x, result) = unsafe { (x.open::<T>(&session)?, result.open::<T::RealScalar>(&session)?) };
        let x = x.read()?;
        let event = match session.queue() {
            None => result.complete(affinimath::nrm2(x)?),
            Some(queue) => affinimath::nrm2_on(queue, x, result.write()?)?,
        };
        session.finish(event)
    }
}
