//! rotm: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Real, Result};
use affinimath_cpu::small::vectors;

use crate::arguments::{length, numbers, vector};
use crate::blas::small;
use crate::form::{Form, Location, Run, X, Y, names};

/// The arguments of `affinimath*rotm`.
pub struct Call<T, F: Form> {
    pub n: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
    pub param: F::Location<T>,
}

impl<T: Real, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let Some((n, [x, y])) = small::strided::<T, F, 2>(self.n, [(self.x, self.incx), (self.y, self.incy)]) else {
            return false;
        };
        let Some(parameters) = self.param.pointer().filter(|parameters| !parameters.is_null()) else { return false };
        // SAFETY: `small::strided` checked incx and incy, and no pointer is null; `Run::run` requires the vectors and
        // five parameters.
        unsafe {
            if let Some([h11, h12, h21, h22]) = affinimath::rotm_factors(&parameters.cast::<[T; 5]>().read()) {
                vectors::for_each_pair(n, x, y, |x, y| (*x, *y) = (h11 * *x + h12 * *y, h21 * *x + h22 * *y));
            }
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let n = length(self.n);
        let x = vector(X, n, self.x, self.incx, true)?;
        let y = vector(Y, n, self.y, self.incy, true)?;
        if n == 0 {
            return session.finish(Event::Complete); // BLAS: nothing changes, and the parameters are not looked at.
        }
        let parameters = numbers(names!("param"), 5, self.param)?;
        // SAFETY: `vector` checked incx and incy, `numbers` param; `Run::run` requires the vectors and five parameters.
        let (x, y, parameters) =
            unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?, parameters.open::<T>(&session)?) };
        let (x, y) = (x.write()?, y.write()?);
        let event = match session.queue() {
            None => affinimath::rotm(x, y, &parameters.get())?,
            Some(queue) => affinimath::rotm_on(queue, x, y, parameters.read()?)?,
        };
        session.finish(event)
    }
}
