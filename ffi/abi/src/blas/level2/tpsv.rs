//! tpsv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Diag, Event, Op, Result, Scalar};
use affinimath_cpu::small::triangles;
use affinimath_cpu::small::vectors::with_adjacent;

use super::symmetric::AP;
use crate::arguments::{self, packed, vector};
use crate::blas::small;
use crate::form::{Form, Run, X};

/// The arguments of `affinimath*tpsv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub diag: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub x: F::Location<T>,
    pub incx: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let (Some(op), Some(diagonal)) = (Op::from_code(self.trans), Diag::from_code(self.diag)) else {
            return false;
        };
        let Some(a) = small::packed((self.layout, self.uplo), self.n, self.ap) else { return false };
        let n = self.n as usize;
        let Some(x) = small::vector::<T, F>(n, self.x, self.incx) else { return false };
        let unit = diagonal == Diag::Unit;
        // SAFETY: `small::packed` checked ap, `small::vector` incx, and no pointer is null; `Run::run` requires memory
        // of these shapes.
        unsafe { with_adjacent::<T, true>(n, x, |x| triangles::triangular::<T, true>(op, unit, a, x)) };
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let x = vector(X, n, self.x, self.incx, true)?;
        if n == 0 {
            return session.finish(Event::Complete); // BLAS: there is nothing to change.
        }
        // SAFETY: `packed` checked ap, `vector` incx; `Run::run` requires memory of these shapes.
        let (a, x) = unsafe { (a.open::<T>(&session)?, x.open::<T>(&session)?) };
        let (a, x) = (a.read()?, x.write()?);
        let event = match session.queue() {
            None => affinimath::tpsv(op, diagonal, a, x)?,
            Some(queue) => affinimath::tpsv_on(queue, op, diagonal, a, x)?,
        };
        session.finish(event)
    }
}
