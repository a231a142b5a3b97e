//! geevx of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::geevx::Problem;
use super::schur::Values;
use super::{Iterations, Unneeded};
use crate::form::{Form, Run};

/// The arguments of `affinimathCgeevx` and `affinimathZgeevx`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub balanc: c_int,
    pub jobvl: c_int,
    pub jobvr: c_int,
    pub sense: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub w: F::Location<T>,
    pub vl: F::Location<T>,
    pub ldvl: i64,
    pub vr: F::Location<T>,
    pub ldvr: i64,
    pub ilo: Iterations,
    pub ihi: Iterations,
    pub scale: F::Location<T::RealScalar>,
    pub abnrm: *mut T::RealScalar,
    pub rconde: F::Location<T::RealScalar>,
    pub rcondv: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            layout: self.layout,
            balanc: self.balanc,
            jobs: (self.jobvl, self.jobvr),
            sense: self.sense,
            n: self.n,
            a: (self.a, self.lda),
            values: Values::Elements(self.w),
            vl: (self.vl, self.ldvl),
            vr: (self.vr, self.ldvr),
            range: (self.ilo, self.ihi),
            scale: self.scale,
            abnrm: self.abnrm,
            conditions: (self.rconde, self.rcondv),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}
