//! getrf: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};
use affinimath_cpu::small::factors;

use super::{Pivots, check_pivot_rows};
use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*getrf`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline]
    unsafe fn run_small(&self) -> bool {
        let sizes = [self.m, self.n];
        if !sizes.iter().all(|size| (1..=factors::MAX_ORDER as i64).contains(size)) || !self.ipiv.is_on_host() {
            return false;
        }
        let [m, n] = sizes.map(|size| size as usize);
        let Some(a) = small::pointer(self.a) else { return false };
        let Some(a) = small::matrix(self.layout, Op::NoTrans.code(), (m, n), a, self.lda) else { return false };
        // SAFETY: `small::matrix` checked lda, and no pointer is null; `Run::run` requires memory of this shape and
        // min(m, n) pivots.
        unsafe { factors::getrf([m, n], a, |i, pivot| self.ipiv.set(i, pivot)) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        check_pivot_rows(m, n)?;
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        self.ipiv.check(m.min(n))?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda, `Pivots::check` ipiv, `Session::info` info; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.ipiv.write(&session, m.min(n), |pivots| affinimath::getrf(a.write()?, pivots))?;
                return session.finish(Event::Complete);
            };
            let (pivots, info) = (self.ipiv.open(&session, m.min(n))?, info.open(&session)?);
            let event = affinimath::getrf_on(queue, a.write()?, pivots.write()?, info.write()?)?;
            session.finish(event)
        }
    }
}
