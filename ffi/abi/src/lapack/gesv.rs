//! gesv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};
use affinimath_cpu::small::factors;

use super::Pivots;
use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*gesv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
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
        if !fits(self.n, factors::MAX_ORDER)
            || !fits(self.nrhs, factors::MAX_RIGHT_HAND_SIDES)
            || !self.ipiv.is_on_host()
        {
            return false;
        }
        let (n, columns) = (self.n as usize, self.nrhs as usize);
        let Some([a, b]) = small::locations::<T, F, 2>([self.a, self.b]) else { return false };
        let a = small::matrix(self.layout, Op::NoTrans.code(), (n, n), a, self.lda);
        let b = small::matrix(self.layout, Op::NoTrans.code(), (n, columns), b, self.ldb);
        let (Some(a), Some(b)) = (a, b) else { return false };
        // SAFETY: `small::matrix` checked lda and ldb, and no pointer is null; `Run::run` requires memory of these
        // shapes and n pivots.
        unsafe { factors::gesv([n, columns], a, |i, pivot| self.ipiv.set(i, pivot), b) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        self.ipiv.check(n)?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda and ldb, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory
        // of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let b = b.open::<T>(&session)?;
                self.ipiv.write(&session, n, |pivots| affinimath::gesv(a.write()?, pivots, b.write()?))?;
                return session.finish(Event::Complete);
            };
            let pivots = self.ipiv.open(&session, n)?;
            let (b, info) = (b.open::<T>(&session)?, info.open(&session)?);
            let event = affinimath::gesv_on(queue, a.write()?, pivots.write()?, b.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
