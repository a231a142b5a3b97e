//! rfft2: C's arguments, in C's order, to the library's views.

use affinimath::{FftDescriptor, FftReal, Result, Transform};

use super::{axis, with_cached_plan};
use crate::form::{Form, Run};

/// The arguments of `affinimath*rfft2`.
pub struct Call<T: FftReal, F: Form> {
    pub m: i64,
    pub n: i64,
    pub x: F::Location<T>,
    pub y: F::Location<T::Complex>,
}

impl<T: FftReal, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let descriptor = FftDescriptor::new(Transform::RealToComplex, &[axis("m", self.m)?, axis("n", self.n)?]);
        // SAFETY: `Run::run` requires x and y that are null or have the elements of their transforms.
        unsafe { with_cached_plan::<T, T, T::Complex, _, _>(session, &descriptor, self.x, self.y) }
    }
}
