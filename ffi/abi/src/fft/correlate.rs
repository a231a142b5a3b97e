//! correlate: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{ConvolutionKind, ConvolutionScalar, Result};

use super::filtering::with_cached_plan;
use crate::form::{Form, Run};

/// The arguments of `affinimath*correlate`.
pub struct Call<T, F: Form> {
    pub extent: c_int,
    pub n: i64,
    pub m: i64,
    pub x: F::Location<T>,
    pub h: F::Location<T>,
    pub y: F::Location<T>,
}

impl<T: ConvolutionScalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let lengths = (self.extent, self.n, self.m);
        // SAFETY: `Run::run` requires handles that are null or live, and n, m and y's elements behind the pointers.
        unsafe {
            with_cached_plan::<T, _>(form.begin()?, ConvolutionKind::Correlation, lengths, [self.x, self.h, self.y])
        }
    }
}
