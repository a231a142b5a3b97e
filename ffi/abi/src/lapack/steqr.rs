//! steqr: C's arguments, in C's order, to the library's views. Its siblings' calls end here, too.

use std::ffi::c_int;

use affinimath::{Event, Layout, MatrixShape, Result, Scalar, TridiagonalMethod, TridiagonalVectors};

use super::job::{NO_VECTORS, TRIDIAGONAL_VECTORS, VECTORS};
use super::{D, E, Unneeded, Z};
use crate::arguments::{self, array, leading_dimension, matrix, wrong_code};
use crate::form::{Form, Location, Opened, Run, Session};

/// The arguments of `affinimath*steqr`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub compz: c_int,
    pub n: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: Unneeded,
}

/// The use of Z.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compute {
    /// It is not accessed.
    Nothing,
    /// It is multiplied by the eigenvectors.
    Product,
    /// It becomes the eigenvectors.
    Vectors,
}

/// LAPACK's `compz`.
pub(super) fn compute(code: c_int) -> Result<Compute> {
    match code {
        NO_VECTORS => Ok(Compute::Nothing),
        VECTORS => Ok(Compute::Product),
        TRIDIAGONAL_VECTORS => Ok(Compute::Vectors),
        _ => {
            let legal = "AFFINIMATH_NO_VECTORS, AFFINIMATH_VECTORS or AFFINIMATH_TRIDIAGONAL_VECTORS";
            Err(wrong_code("compz", code, legal))
        }
    }
}

/// The operands of a tridiagonal eigenvalue problem.
pub(super) struct Operands<R, Z> {
    pub(super) d: R,
    pub(super) e: R,
    pub(super) z: Z,
    pub(super) ldz: i64,
}

/// Checks the vectors and Z, and runs the method on the host or on a queue.
///
/// # Safety
/// The operands must be null or valid for their shapes.
pub(super) unsafe fn solve<T: Scalar, R: Location<T::RealScalar>, P: Location<T>>(
    session: Session,
    method: TridiagonalMethod,
    (layout, compute, n): (Layout, Compute, usize),
    operands: Operands<R, P>,
) -> Result<()> {
    let order = if compute == Compute::Nothing { 0 } else { n };
    let d = array::<T::RealScalar, _>(D, n, operands.d)?;
    let e = array::<T::RealScalar, _>(E, n.saturating_sub(1), operands.e)?;
    let z = matrix(Z, layout, (order, order), operands.z, operands.ldz, order > 0)?;
    let info = session.info()?;
    // SAFETY: the checks above; this function requires memory of these shapes.
    unsafe {
        let (mut d, mut e) = (d.open::<T::RealScalar>(&session)?, e.open::<T::RealScalar>(&session)?);
        let z: Option<Opened<T, MatrixShape>> = if order > 0 { Some(z.open(&session)?) } else { None };
        let vectors = match &z {
            Some(z) if compute == Compute::Vectors => TridiagonalVectors::Into(z.write()?),
            Some(z) => TridiagonalVectors::Product(z.write()?),
            None => TridiagonalVectors::None,
        };
        let (Some(queue), Some(info)) = (session.queue(), info) else {
            affinimath::tridiagonal_eigen(method, d.slice_mut(), e.slice_mut(), vectors)?;
            return session.finish(Event::Complete);
        };
        let info = info.open(&session)?;
        let event = affinimath::tridiagonal_eigen_on(queue, method, d.write()?, e.write()?, vectors, info.write()?)?;
        session.finish(event)
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let compute = compute(self.compz)?;
        let n = arguments::size("n", self.n)?;
        let order = if compute == Compute::Nothing { 0 } else { n };
        leading_dimension(Z, layout, (order, order), self.ldz)?;
        let operands = Operands { d: self.d, e: self.e, z: self.z, ldz: self.ldz };
        // SAFETY: `Run::run` requires memory of these shapes.
        unsafe { solve::<T, _, _>(session, TridiagonalMethod::Iteration, (layout, compute, n), operands) }
    }
}
