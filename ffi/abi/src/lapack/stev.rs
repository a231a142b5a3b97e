//! stev and stevd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar, TridiagonalMethod};

use super::job::{Workspaces, vectors};
use super::steqr::{Compute, Operands, solve};
use super::{Iterations, NO_WORKSPACE, Z};
use crate::arguments::{self, leading_dimension};
use crate::form::{Form, Run};

/// The arguments of `affinimath*stev`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub n: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let compute = if vectors("jobz", self.jobz)? { Compute::Vectors } else { Compute::Nothing };
        let n = arguments::size("n", self.n)?;
        let order = if compute == Compute::Nothing { 0 } else { n };
        leading_dimension(Z, layout, (order, order), self.ldz)?;
        let (min_work, min_integers) =
            if order > 1 { ((1 + 4 * n).saturating_add(n.saturating_mul(n)), 3 + 5 * n) } else { (1, 1) };
        let workspaces = Workspaces {
            work: (self.work, self.lwork, min_work),
            rwork: (F::null::<T::RealScalar>(), NO_WORKSPACE, 1),
            iwork: (self.iwork, self.liwork, min_integers),
        };
        // SAFETY: LAPACK requires workspaces of their lengths, and an element of each in a query.
        unsafe { workspaces.settle::<T>(&session)? };
        if workspaces.is_query() {
            return Ok(());
        }
        let operands = Operands { d: self.d, e: self.e, z: self.z, ldz: self.ldz };
        // SAFETY: `Run::run` requires memory of these shapes.
        unsafe { solve::<T, _, _>(session, TridiagonalMethod::DivideAndConquer, (layout, compute, n), operands) }
    }
}
