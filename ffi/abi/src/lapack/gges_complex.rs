//! gges of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::gges::Problem;
use super::quotients::QuotientLocations;
use super::schur::Selection;
use super::{Iterations, Unneeded};
use crate::form::{Form, Run};

/// The arguments of `affinimathCgges` and `affinimathZgges`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvsl: c_int,
    pub jobvsr: c_int,
    pub sort: c_int,
    pub selctg: Selection,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub sdim: Iterations,
    pub alpha: F::Location<T>,
    pub beta: F::Location<T>,
    pub vsl: F::Location<T>,
    pub ldvsl: i64,
    pub vsr: F::Location<T>,
    pub ldvsr: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
    pub bwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.jobvsl, self.jobvsr),
            sort: (self.sort, self.selctg, self.sdim),
            n: self.n,
            a: (self.a, self.lda),
            b: (self.b, self.ldb),
            values: QuotientLocations::Elements(self.alpha, self.beta),
            vsl: (self.vsl, self.ldvsl),
            vsr: (self.vsr, self.ldvsr),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}
