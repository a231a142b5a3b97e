//! ggev of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::Unneeded;
use super::ggev::Problem;
use super::quotients::QuotientLocations;
use crate::form::{Form, Run};

/// The arguments of `affinimathCggev` and `affinimathZggev`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvl: c_int,
    pub jobvr: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub alpha: F::Location<T>,
    pub beta: F::Location<T>,
    pub vl: F::Location<T>,
    pub ldvl: i64,
    pub vr: F::Location<T>,
    pub ldvr: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.jobvl, self.jobvr),
            n: self.n,
            a: (self.a, self.lda),
            b: (self.b, self.ldb),
            values: QuotientLocations::Elements(self.alpha, self.beta),
            vl: (self.vl, self.ldvl),
            vr: (self.vr, self.ldvr),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}
