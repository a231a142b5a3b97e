//! hseqr of complex matrices: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::hseqr::Problem;
use super::schur::Values;
use crate::form::{Form, Run};

/// The arguments of `affinimathChseqr` and `affinimathZhseqr`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub job: c_int,
    pub compz: c_int,
    pub n: i64,
    pub ilo: i64,
    pub ihi: i64,
    pub h: F::Location<T>,
    pub ldh: i64,
    pub w: F::Location<T>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            layout: self.layout,
            job: self.job,
            compz: self.compz,
            n: self.n,
            range: (self.ilo, self.ihi),
            h: (self.h, self.ldh),
            values: Values::Elements(self.w),
            z: (self.z, self.ldz),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}
