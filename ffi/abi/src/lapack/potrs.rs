//! potrs and posv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar, Triangle};
use affinimath_cpu::small::factors;

use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*potrs`.
pub type Call<T, F> = Definite<T, F, false>;

/// The arguments of potrs, and of posv, which factorises first.
pub struct Definite<T, F: Form, const FACTOR: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form, const FACTOR: bool> Run<F> for Definite<T, F, FACTOR> {
    #[inline]
    unsafe fn run_small(&self) -> bool {
        let fits = |size: i64, most: usize| (1..=most as i64).contains(&size);
        let order = if FACTOR { factors::MAX_ORDER } else { factors::MAX_SOLVED_ORDER };
        if !fits(self.n, order) || !fits(self.nrhs, factors::MAX_RIGHT_HAND_SIDES) {
            return false;
        }
        let (n, columns) = (self.n as usize, self.nrhs as usize);
        let codes = (Triangle::from_code(self.uplo), small::by_rows(self.layout));
        let (Some(triangle), Some(by_rows)) = codes else { return false };
        let (Some(a), Some(b)) = (small::by_columns(self.a, n, self.lda), small::pointer(self.b)) else { return false };
        let Some(b) = small::matrix(self.layout, Op::NoTrans.code(), (n, columns), b, self.ldb) else { return false };
        // SAFETY: `small` checked lda and ldb, and no pointer is null; `Run::run` requires memory of these shapes.
        unsafe {
            if FACTOR {
                factors::posv(triangle, [n, columns], (a, by_rows), b)
            } else {
                factors::potrs(triangle, [n, columns], (a, by_rows), b)
            }
        }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let reads = FACTOR || columns > 0;
        let a = matrix(A, layout, (n, n), self.a, self.lda, reads)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let info = session.info()?;
        if info.is_none() && (n == 0 || !reads) {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked lda and ldb; `Run::run` requires memory of these shapes.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = match info {
                // SAFETY: `Session::info` refused null; `Run::run` requires a live memory object.
                Some(info) => unsafe {
                    let info = info.open(&session)?;
                    affinimath::posv_on(queue, triangle, a.write()?, b.write()?, info.write()?)?
                },
                None => affinimath::potrs_on(queue, triangle, a.read()?, b.write()?)?,
            };
            return session.finish(event);
        }
        if FACTOR {
            affinimath::posv(triangle, a.write()?, b.write()?)?;
        } else {
            affinimath::potrs(triangle, a.read()?, b.write()?)?;
        }
        session.finish(Event::Complete)
    }
}
