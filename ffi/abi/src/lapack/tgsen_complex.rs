//! tgsen of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::Iterations;
use super::quotients::QuotientLocations;
use super::schur::Flags;
use super::tgsen::Problem;
use crate::form::{Form, Run};

/// The arguments of `affinimathCtgsen` and `affinimathZtgsen`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub compq: c_int,
    pub compz: c_int,
    pub select: Flags,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub alpha: F::Location<T>,
    pub beta: F::Location<T>,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub m: Iterations,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.compq, self.compz),
            select: self.select,
            n: self.n,
            a: (self.a, self.lda),
            b: (self.b, self.ldb),
            values: QuotientLocations::Elements(self.alpha, self.beta),
            q: (self.q, self.ldq),
            z: (self.z, self.ldz),
            m: self.m,
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}
