//! Cholesky's factorisation, and what is made of its factor.

use affinimath_macros::instances;

use super::{Indices, cube, not_positive, operations, rows_agree, solution_operations, square, zero_pivot};
use crate::error::Result;
use crate::host::lapack as host;
use crate::lapack as device;
use crate::options::Triangle;
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, on_host, on_host_mut};
use crate::route::set::share;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef};

/// A = L Lᴴ or Uᴴ U for a symmetric or Hermitian positive definite A, of which the triangle named is read, and
/// overwritten by its factor; the other one is not touched (LAPACK: xPOTRF).
///
/// # Errors
/// [`crate::Error::NotPositiveDefinite`] where a leading minor is not positive: the triangle is partly overwritten.
/// Others as for [`crate::getrf`].
#[instances]
pub fn potrf<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    let work = operations::<T>(cube(n) / 6);
    if let Some(set) = share::<T>(Family::Cholesky, work, n, &[&a])? {
        return set.potrf(triangle, a);
    }
    let found = Indices::new(&mut []);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Cholesky, operations: work, steps: n },
        (a,),
        |(a,)| found.on_host(|_| host::potrf(triangle, on_host_mut(a))),
        |queue, (a,)| found.on_device(queue, |_, info| device::potrf_on(queue, triangle, a, info)),
    )?;
    not_positive(found.info())
}

/// Solves A X = B with [`potrf`]'s factor of A, X in B's place (LAPACK: xPOTRS).
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] where the sizes do not agree; [`crate::Error::MixedMemory`] where the matrices do
/// not lie in one memory; and what a device reports.
#[instances]
pub fn potrs<T: Scalar>(triangle: Triangle, factor: MatrixRef<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factor", factor.rows(), factor.columns())?;
    rows_agree("the factor", n, &b)?;
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::TriangularSolve, operations: solution_operations::<T>(n, b.columns()), steps: 0 },
        (factor, b),
        |(factor, b)| host::potrs(triangle, on_host(factor), on_host_mut(b)),
        |queue, (factor, b)| device::potrs_on(queue, triangle, factor, b),
    )
}

/// Solves A X = B for a symmetric or Hermitian positive definite A, by [`potrf`] and [`potrs`] (LAPACK: xPOSV).
///
/// # Errors
/// The errors of [`potrf`]; then B is as it was.
#[instances]
pub fn posv<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    let work = operations::<T>(cube(n) / 6).saturating_add(solution_operations::<T>(n, b.columns()));
    let found = Indices::new(&mut []);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Cholesky, operations: work, steps: n },
        (a, b),
        |(a, b)| found.on_host(|_| host::posv(triangle, on_host_mut(a), on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |_, info| device::posv_on(queue, triangle, a, b, info)),
    )?;
    not_positive(found.info())
}

/// The triangle named of the inverse, from [`potrf`]'s factor in it (LAPACK: xPOTRI).
///
/// # Errors
/// [`crate::Error::ZeroPivot`] where an element of the factor's diagonal is zero: nothing is changed. Others as for
/// [`potrf`].
#[instances]
pub fn potri<T: Scalar>(triangle: Triangle, factor: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factor", factor.rows(), factor.columns())?;
    let found = Indices::new(&mut []);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Inverse, operations: operations::<T>(cube(n) / 3), steps: n },
        (factor,),
        |(a,)| found.on_host(|_| host::potri(triangle, on_host_mut(a))),
        |queue, (a,)| found.on_device(queue, |_, info| device::potri_on(queue, triangle, a, info)),
    )?;
    zero_pivot(found.info())
}
