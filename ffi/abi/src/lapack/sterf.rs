//! sterf: C's arguments, in C's order, to the library's views.

use affinimath::{Layout, Result, Scalar, TridiagonalMethod};

use super::steqr::{Compute, Operands, solve};
use crate::arguments;
use crate::form::{Form, Run};

/// The arguments of `affinimath*sterf`.
pub struct Call<T: Scalar, F: Form> {
    pub n: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let n = arguments::size("n", self.n)?;
        let operands = Operands { d: self.d, e: self.e, z: F::null::<T>(), ldz: 1 };
        let problem = (Layout::ColumnMajor, Compute::Nothing, n);
        // SAFETY: `Run::run` requires memory of these shapes.
        unsafe { solve::<T, _, _>(session, TridiagonalMethod::Iteration, problem, operands) }
    }
}
