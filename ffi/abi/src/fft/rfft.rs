//! rfft: C's arguments, in C's order, to the library's views.

use affinimath::{FftDescriptor, FftReal, Result, Transform};

use super::{axis, with_cached_plan};
use crate::form::{Form, Run};

/// The arguments of `affinimath*rfft`.
pub struct Call<T: FftReal, F: Form> {
    pub n: i64,
    pub x: F::Location<T>,
    pub y: F::Location<T::Complex>,
}

impl<T: FftReal, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { form.begin()? };
        let descriptor = FftDescriptor::new(Transform::RealToComplex, &[axis("n", self.n)?]);
        // SAFETY: the caller vouches for the numbers.
        unsafe { with_cached_plan::<T, T, T::Complex, _, _>(session, &descriptor, self.x, self.y) }
    }
}
