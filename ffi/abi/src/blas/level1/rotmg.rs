//! rotmg: C's arguments, in C's order, to the library's views.

use affinimath::{Event, Real, Result};

use crate::arguments::numbers;
use crate::form::{Form, Run, names};

/// The arguments of `affinimath*rotmg`.
pub struct Call<T, F: Form> {
    pub d1: F::Location<T>,
    pub d2: F::Location<T>,
    pub x1: F::Location<T>,
    pub y1: F::Location<T>,
    pub param: F::Location<T>,
}

impl<T: Real, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let (d1, d2) = (numbers(names!("d1"), 1, self.d1)?, numbers(names!("d2"), 1, self.d2)?);
        let (x1, y1) = (numbers(names!("x1"), 1, self.x1)?, numbers(names!("y1"), 1, self.y1)?);
        let parameters = numbers(names!("param"), 5, self.param)?;
        // SAFETY: `numbers` refused null; `Run::run` requires an element at each pointer.
        let (d1, d2) = unsafe { (d1.open::<T>(&session)?, d2.open::<T>(&session)?) };
        // SAFETY: `numbers` refused null; `Run::run` requires an element at each pointer, and five at param.
        let (x1, y1, parameters) =
            unsafe { (x1.open::<T>(&session)?, y1.open::<T>(&session)?, parameters.open::<T>(&session)?) };
        let event = match session.queue() {
            None => {
                let ([a], [b], [x], [y], old) = (d1.get(), d2.get(), x1.get(), y1.get(), parameters.get::<5>());
                let rotation = affinimath::rotmg(a, b, x, y);
                d1.set([rotation.d1]);
                d2.set([rotation.d2]);
                x1.set([rotation.x1]);
                // BLAS: parameters that the flag implies are not written.
                parameters.set(std::array::from_fn::<T, 5, _>(|i| rotation.parameters[i].unwrap_or(old[i])));
                Event::Complete
            }
            Some(queue) => {
                let (d1, d2, x1) = (d1.write()?, d2.write()?, x1.write()?);
                affinimath::rotmg_on(queue, d1, d2, x1, y1.read()?, parameters.write()?)?
            }
        };
        session.finish(event)
    }
}
