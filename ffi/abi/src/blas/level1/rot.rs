//! rot: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};
use affinimath_cpu::small::vectors;

use crate::arguments::{length, vector};
use crate::blas::small;
use crate::form::{Form, Run, X, Y};

/// The arguments of `affinimathSrot`, `affinimathDrot`, `affinimathCrot` and `affinimathZrot`.
pub struct Call<T: Scalar, F: Form> {
    pub n: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
    pub c: T::RealScalar,
    pub s: T,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let Some((n, [x, y])) = small::strided::<T, F, 2>(self.n, [(self.x, self.incx), (self.y, self.incy)]) else {
            return false;
        };
        let (c, s) = (self.c, self.s);
        // SAFETY: `small::strided` checked incx and incy, and no pointer is null; `Run::run` requires memory of these
        // shapes.
        unsafe {
            vectors::for_each_pair(n, x, y, |x, y| {
                (*x, *y) = (x.scaled(c) + s * *y, y.scaled(c) - s.conjugate() * *x);
            });
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
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `vector` checked incx and incy; `Run::run` requires memory of these shapes.
        let (x, y) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let (x, y) = (x.write()?, y.write()?);
        let event = match session.queue() {
            None => affinimath::rot(x, y, self.c, self.s)?,
            Some(queue) => affinimath::rot_on(queue, x, y, self.c, self.s)?,
        };
        session.finish(event)
    }
}
