//! pocon: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{MatrixRef, Queue, Result, Scalar, VectorMut};

use super::{Unneeded, estimate};
use crate::arguments::{self, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*pocon`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
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
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let on_host = |a: MatrixRef<'_, T>, vector: Option<&mut [T]>| match vector {
            None => affinimath::pocon(triangle, a, self.anorm),
            Some(vector) => affinimath::pocon_with_vector(triangle, a, self.anorm, vector),
        };
        let on_queue = |queue: &Queue, a: MatrixRef<'_, T>, rcond: VectorMut<'_, T::RealScalar>| {
            affinimath::pocon_on(queue, triangle, a, self.anorm, rcond)
        };
        // SAFETY: `matrix` checked lda; `Run::run` requires memory of this shape, an element of rcond and 2 n elements
        // of work, or null.
        unsafe { estimate(session, &a, self.rcond, (n, self.work), on_host, on_queue) }
    }
}
