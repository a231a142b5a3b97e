//! gttrs: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, TridiagonalFactors};

use super::{D, DL, DU, DU2, Pivots, about_pivots, check_pivot_rows};
use crate::arguments::{self, array, matrix};
use crate::form::{B, Form, Run};

/// The arguments of `affinimath*gttrs`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub dl: F::Location<T>,
    pub d: F::Location<T>,
    pub du: F::Location<T>,
    pub du2: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        check_pivot_rows(n, 1)?;
        let is_needed = columns > 0;
        let needed = |length: usize| if is_needed { length } else { 0 };
        let off = needed(n.saturating_sub(1));
        let dl = array(DL, off, self.dl)?;
        let d = array(D, needed(n), self.d)?;
        let du = array(DU, off, self.du)?;
        let du2 = array(DU2, needed(n.saturating_sub(2)), self.du2)?;
        self.ipiv.check(needed(n))?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 || columns == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `array` and `Pivots::check` refused null, `matrix` checked ldb; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let (dl, d) = (dl.open::<T>(&session)?, d.open::<T>(&session)?);
            let (du, du2) = (du.open::<T>(&session)?, du2.open::<T>(&session)?);
            let b = b.open::<T>(&session)?;
            let Some(queue) = session.queue() else {
                let pivots = self.ipiv.read(&session, n)?;
                let factors = TridiagonalFactors {
                    dl: dl.slice(),
                    d: d.slice(),
                    du: du.slice(),
                    du2: du2.slice(),
                    pivots: &pivots,
                };
                affinimath::gttrs(op, factors, b.write()?).map_err(about_pivots)?;
                return session.finish(Event::Complete);
            };
            let pivots = self.ipiv.open(&session, n)?;
            let diagonals = [dl.read()?, d.read()?, du.read()?, du2.read()?];
            let event = affinimath::gttrs_on(queue, op, diagonals, pivots.read()?, b.write()?);
            session.finish(event.map_err(about_pivots)?)
        }
    }
}
