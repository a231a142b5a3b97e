//! gecon: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{MatrixRef, Queue, Result, Scalar, VectorMut};

use super::{Unneeded, estimate};
use crate::arguments::{self, matrix};
use crate::form::{A, Form, Location, Run, Unreported};

/// The arguments of `affinimath*gecon`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub norm: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub anorm: T::RealScalar,
    pub rcond: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::consistent_norm(self.norm)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let on_host = |a: MatrixRef<'_, T>, vector: Option<&mut [T]>| match vector {
            None => affinimath::gecon(norm, a, self.anorm),
            Some(vector) => affinimath::gecon_with_vector(norm, a, self.anorm, vector),
        };
        let on_queue = |queue: &Queue, a: MatrixRef<'_, T>, rcond: VectorMut<'_, T::RealScalar>| {
            affinimath::gecon_on(queue, norm, a, self.anorm, rcond)
        };
        // SAFETY: `matrix` checked lda; `Run::run` requires memory of this shape, an element of rcond and 2 n elements
        // of work, or null.
        unsafe { estimate(session, &a, self.rcond, (n, self.work), on_host, on_queue) }
    }
    /// LAPACK 3.12: info is -5 if `anorm` is NaN or infinite, and 1 if rcond is NaN. xPOCON and xTRCON have neither.
    unsafe fn unreported(&self) -> Unreported {
        if self.n == 0 {
            return Unreported::Nothing;
        }
        if !self.anorm.re().is_finite() {
            return Unreported::Argument("anorm");
        }
        // SAFETY: `run` refused a null rcond and wrote it.
        let rcond = self.rcond.pointer().map(|rcond| unsafe { rcond.read() });
        if rcond.is_some_and(|rcond| rcond.re().is_nan()) { Unreported::Info(1) } else { Unreported::Nothing }
    }
}
