//! rotg: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Result, Scalar};

use crate::arguments::numbers;
use crate::form::{A, B, C, Form, Location, Run, names};

/// The arguments of `affinimath*rotg`.
pub struct Call<T: Scalar, F: Form> {
    pub a: F::Location<T>,
    pub b: F::Location<T>,
    pub c: F::Location<T::RealScalar>,
    pub s: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let (a, b, c, s) = (self.a.pointer(), self.b.pointer(), self.c.pointer(), self.s.pointer());
        let (Some(a), Some(b), Some(c), Some(s)) = (a, b, c, s) else { return false };
        if a.is_null() || b.is_null() || c.is_null() || s.is_null() {
            return false;
        }
        // SAFETY: no pointer is null; `Run::run` requires an element at each.
        unsafe {
            let rotation = affinimath::rotg(a.read(), b.read());
            a.write(rotation.r);
            b.write(rotation.z);
            c.write(rotation.c);
            s.write(rotation.s);
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let (a, b) = (numbers(A, 1, self.a)?, numbers(B, 1, self.b)?);
        let (c, s) = (numbers(C, 1, self.c)?, numbers(names!("s"), 1, self.s)?);
        // SAFETY: `numbers` refused null; `Run::run` requires an element at each pointer.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        // SAFETY: as above.
        let (c, s) = unsafe { (c.open::<T::RealScalar>(&session)?, s.open::<T>(&session)?) };
        let event = match session.queue() {
            None => {
                let ([f], [g]) = (a.get(), b.get());
                let rotation = affinimath::rotg(f, g);
                a.set([rotation.r]);
                b.set([rotation.z]);
                c.set([rotation.c]);
                s.set([rotation.s]);
                Event::Complete
            }
            Some(queue) => affinimath::rotg_on(queue, a.write()?, b.write()?, c.write()?, s.write()?)?,
        };
        session.finish(event)
    }
}
