//! getrs: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};
use affinimath_cpu::small::factors;

use super::{Pivots, about_pivots};
use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*getrs`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline]
    unsafe fn run_small(&self) -> bool {
        let fits = |size: i64, most: usize| (1..=most as i64).contains(&size);
        if !fits(self.n, factors::MAX_SOLVED_ORDER) || !fits(self.nrhs, factors::MAX_RIGHT_HAND_SIDES) {
            return false;
        }
        let (n, columns) = (self.n as usize, self.nrhs as usize);
        let (Some(op), Some(by_rows)) = (Op::from_code(self.trans), small::by_rows(self.layout)) else { return false };
        let (Some(a), Some(b)) = (small::by_columns(self.a, n, self.lda), small::pointer(self.b)) else { return false };
        let Some(b) = small::matrix(self.layout, Op::NoTrans.code(), (n, columns), b, self.ldb) else { return false };
        // SAFETY: `small` checked lda and ldb, and no matrix is null; `Run::run` requires memory of these shapes, and n
        // pivots or null.
        unsafe { factors::getrs(op, [n, columns], (a, by_rows), |i| self.ipiv.get(i as i64), b) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, columns > 0)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 || columns == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        self.ipiv.check(n)?;
        // SAFETY: `matrix` checked lda and ldb, `Pivots::check` ipiv; `Run::run` requires memory of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let Some(queue) = session.queue() else {
                let (pivots, b) = (self.ipiv.read(&session, n)?, b.open::<T>(&session)?);
                affinimath::getrs(op, a.read()?, &pivots, b.write()?).map_err(about_pivots)?;
                return session.finish(Event::Complete);
            };
            let (pivots, b) = (self.ipiv.open(&session, n)?, b.open::<T>(&session)?);
            let event = affinimath::getrs_on(queue, op, a.read()?, pivots.read()?, b.write()?)?;
            session.finish(event)
        }
    }
}
