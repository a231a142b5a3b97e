//! fftMany: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{FftDescriptor, FftReal, Result, Scalar};

use super::{axis, direction, with_cached_plan};
use crate::arguments::size;
use crate::form::{Form, Run};

/// The arguments of `affinimath*fftMany`.
pub struct Call<T, F: Form> {
    pub direction: c_int,
    pub n: i64,
    pub batch: i64,
    pub x: F::Location<T>,
    pub y: F::Location<T>,
}

impl<T: Scalar<RealScalar: FftReal<Complex = T>>, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let descriptor = FftDescriptor::new(direction(self.direction)?, &[axis("n", self.n)?]);
        let descriptor = descriptor.batch(size("batch", self.batch)?);
        // SAFETY: `Run::run` requires x and y that are null or have the elements of their transforms.
        unsafe { with_cached_plan::<T::RealScalar, T, T, _, _>(session, &descriptor, self.x, self.y) }
    }
}
