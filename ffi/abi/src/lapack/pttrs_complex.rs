//! pttrs of the complex types: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::pttrs;
use crate::arguments;
use crate::form::{Form, Run};

/// The arguments of `affinimath*pttrs` of the complex types.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let Call { n, nrhs, d, e, b, ldb, .. } = *self;
        let real = pttrs::Call::<T, F> { layout: self.layout, n, nrhs, d, e, b, ldb };
        // SAFETY: `solve` has `Run::run`'s contract.
        unsafe { real.solve(session, layout, triangle) }
    }
}
