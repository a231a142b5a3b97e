//! stedc: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar, TridiagonalMethod};

use super::job::Workspaces;
use super::steqr::{Compute, Operands, compute, solve};
use super::{Iterations, Z};
use crate::arguments::{self, leading_dimension};
use crate::form::{Form, Run};

/// The arguments of `affinimath*stedc`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub compz: c_int,
    pub n: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

/// Order up to which LAPACK iterates: ILAENV's SMLSIZ.
const SMALL: usize = 25;

/// LAPACK's least lengths of work, rwork and iwork.
fn least_lengths<T: Scalar>(n: usize, compute: Compute) -> [usize; 3] {
    let square = n.saturating_mul(n);
    // The power of two that is at least n.
    let levels = n.next_power_of_two().trailing_zeros() as usize;
    let product = 1 + 3 * n + (2 * n * levels).saturating_add(square.saturating_mul(4));
    let (of_product, of_vectors) = (6 + 6 * n + 5 * n * levels, 3 + 5 * n);
    match (T::KIND.is_complex(), compute) {
        (_, Compute::Nothing) => [1, 1, 1],
        _ if n <= 1 => [1, 1, 1],
        (false, _) if n <= SMALL => [2 * (n - 1), 1, 1],
        (true, _) if n <= SMALL => [1, 2 * (n - 1), 1],
        (false, Compute::Product) => [product, 1, of_product],
        (false, Compute::Vectors) => [(1 + 4 * n).saturating_add(square), 1, of_vectors],
        (true, Compute::Product) => [square, product, of_product],
        (true, Compute::Vectors) => [1, (1 + 4 * n).saturating_add(square.saturating_mul(2)), of_vectors],
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
        let [least, least_real, least_integer] = least_lengths::<T>(n, compute);
        let workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, self.lrwork, least_real),
            iwork: (self.iwork, self.liwork, least_integer),
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
