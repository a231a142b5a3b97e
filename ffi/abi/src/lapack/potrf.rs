//! potrf, potri and lauum: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar, Triangle};
use affinimath_cpu::small::factors;

use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, Form, Run};

/// The Cholesky factorisation: potrf.
pub const FACTOR: u8 = 0;
/// The inverse from the factor: potri.
pub const INVERT: u8 = 1;
/// The product of the factor with its adjoint: lauum.
pub const MULTIPLY: u8 = 2;

/// The arguments of `affinimath*potrf`.
pub type Call<T, F> = OnTriangle<T, F, FACTOR>;

/// The arguments of a routine that overwrites a triangle.
pub struct OnTriangle<T, F: Form, const WHAT: u8> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form, const WHAT: u8> Run<F> for OnTriangle<T, F, WHAT> {
    #[inline]
    unsafe fn run_small(&self) -> bool {
        if WHAT != FACTOR || !(1..=factors::MAX_ORDER as i64).contains(&self.n) {
            return false;
        }
        let n = self.n as usize;
        let (Some(triangle), Some(a)) = (Triangle::from_code(self.uplo), small::pointer(self.a)) else { return false };
        let Some(a) = small::matrix(self.layout, Op::NoTrans.code(), (n, n), a, self.lda) else { return false };
        // SAFETY: `small::matrix` checked lda, and no pointer is null; `Run::run` requires memory of this shape.
        unsafe { factors::potrf(triangle, n, a) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let info = session.info()?;
        // SAFETY: `matrix` checked lda; `Run::run` requires memory of this shape.
        let a = unsafe { a.open::<T>(&session)? };
        let a = a.write()?;
        if let Some(queue) = session.queue() {
            // SAFETY: `Session::info` refused null; `Run::run` requires a live memory object.
            let info = info.map(|info| unsafe { info.open(&session) }).transpose()?;
            let event = match &info {
                Some(info) if WHAT == FACTOR => affinimath::potrf_on(queue, triangle, a, info.write()?)?,
                Some(info) => affinimath::potri_on(queue, triangle, a, info.write()?)?,
                None => affinimath::lauum_on(queue, triangle, a)?,
            };
            return session.finish(event);
        }
        match WHAT {
            FACTOR => affinimath::potrf(triangle, a)?,
            INVERT => affinimath::potri(triangle, a)?,
            _ => affinimath::lauum(triangle, a)?,
        }
        session.finish(Event::Complete)
    }
}
