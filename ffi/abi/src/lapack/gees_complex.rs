//! gees and geesx of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::gees::{Problem, Sort};
use super::schur::{Selection, Values};
use super::{Iterations, NO_INTEGERS, NO_WORKSPACE, Unneeded};
use crate::form::{Form, Run};

/// The arguments of `affinimathCgees` and `affinimathZgees`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvs: c_int,
    pub sort: c_int,
    pub select: Selection,
    pub sense: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub sdim: Iterations,
    pub w: F::Location<T>,
    pub vs: F::Location<T>,
    pub ldvs: i64,
    pub rconde: *mut T::RealScalar,
    pub rcondv: *mut T::RealScalar,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
    pub bwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            layout: self.layout,
            jobvs: self.jobvs,
            sort: Sort {
                sort: self.sort,
                select: self.select,
                sense: self.sense,
                sdim: self.sdim,
                rconde: self.rconde,
                rcondv: self.rcondv,
            },
            n: self.n,
            a: (self.a, self.lda),
            values: Values::Elements(self.w),
            vs: (self.vs, self.ldvs),
            work: (self.work, self.lwork),
            iwork: (NO_INTEGERS, NO_WORKSPACE),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}
