//! sdsdot: C's arguments, in C's order, to the library's views.

use affinimath::Result;

use crate::arguments::{length, numbers, vector};
use crate::form::{Form, RESULT, Run, X, Y};

/// The arguments of `affinimathSdsdot`.
pub struct Call<T, F: Form> {
    pub n: i64,
    pub sb: f32,
    pub x: F::Location<T>,
    pub incx: i64,
    pub y: F::Location<T>,
    pub incy: i64,
    pub result: F::Location<f32>,
}

impl<F: Form> Run<F> for Call<f32, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let n = length(self.n);
        let x = vector(X, n, self.x, self.incx, true)?;
        let y = vector(Y, n, self.y, self.incy, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `vector` checked incx and incy, `numbers` result; `Run::run` requires memory of these shapes.
        let (x, y, result) =
            unsafe { (x.open::<f32>(&session)?, y.open::<f32>(&session)?, result.open::<f32>(&session)?) };
        let (x, y) = (x.read()?, y.read()?);
        let event = match session.queue() {
            None => result.complete(affinimath::sdsdot(self.sb, x, y)?),
            Some(queue) => affinimath::sdsdot_on(queue, self.sb, x, y, result.write()?)?,
        };
        session.finish(event)
    }
}
