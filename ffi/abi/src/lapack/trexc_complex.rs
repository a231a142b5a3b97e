//! trexc of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::trexc::exchange;
use crate::arguments;
use crate::form::{Form, Run};

/// The arguments of `affinimathCtrexc` and `affinimathZtrexc`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub compq: c_int,
    pub n: i64,
    pub t: F::Location<T>,
    pub ldt: i64,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub ifst: i64,
    pub ilst: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid, and memory of these shapes.
        unsafe {
            let session = form.begin()?;
            let sizes = (arguments::layout(self.layout)?, self.compq, self.n);
            let rows = || Ok((self.ifst, self.ilst));
            exchange::<T, _>(session, sizes, (self.t, self.ldt), (self.q, self.ldq), rows, |_, _| ())
        }
    }
}
