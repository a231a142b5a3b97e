//! trsen of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::schur::{Flags, Values};
use super::trsen::Problem;
use super::{Iterations, NO_INTEGERS, NO_WORKSPACE};
use crate::form::{Form, Run};

/// The arguments of `affinimathCtrsen` and `affinimathZtrsen`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub sense: c_int,
    pub compq: c_int,
    pub select: Flags,
    pub n: i64,
    pub t: F::Location<T>,
    pub ldt: i64,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub w: F::Location<T>,
    pub m: Iterations,
    pub s: *mut T::RealScalar,
    pub sep: *mut T::RealScalar,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.sense, self.compq),
            select: self.select,
            n: self.n,
            t: (self.t, self.ldt),
            q: (self.q, self.ldq),
            values: Values::Elements(self.w),
            m: self.m,
            conditions: (self.s, self.sep),
            work: (self.work, self.lwork),
            iwork: (NO_INTEGERS, NO_WORKSPACE),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}
