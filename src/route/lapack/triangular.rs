//! Inverses, solutions and products of triangles.

use affinimath_macros::instances;

use super::{Indices, cube, operations, rows_agree, solution_operations, square, zero_pivot};
use crate::error::Result;
use crate::host::lapack as host;
use crate::lapack as device;
use crate::options::{Diag, Op, Triangle};
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, on_host, on_host_mut};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef};

/// The inverse of a triangular matrix, in its place (LAPACK: xTRTRI). The other triangle, and a diagonal of ones, are
/// not touched.
///
/// # Errors
/// [`crate::Error::ZeroPivot`] where an element of the diagonal is zero: nothing is changed. Others as for
/// [`crate::potrf`].
#[instances]
pub fn trtri<T: Scalar>(triangle: Triangle, diagonal: Diag, a: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    let found = Indices::new(&mut []);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Inverse, operations: operations::<T>(cube(n) / 6), steps: n },
        (a,),
        |(a,)| found.on_host(|_| host::trtri(triangle, diagonal, on_host_mut(a))),
        |queue, (a,)| found.on_device(queue, |_, info| device::trtri_on(queue, triangle, diagonal, a, info)),
    )?;
    zero_pivot(found.info())
}

/// Solves op(A) X = B for a triangular A, X in B's place (LAPACK: xTRTRS).
///
/// # Errors
/// [`crate::Error::ZeroPivot`] where an element of the diagonal is zero: nothing is changed. Others as for
/// [`crate::potrs`].
#[instances]
pub fn trtrs<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    let found = Indices::new(&mut []);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::TriangularSolve, operations: solution_operations::<T>(n, b.columns()) / 2, steps: 0 },
        (a, b),
        |(a, b)| found.on_host(|_| host::trtrs(triangle, op, diagonal, on_host(a), on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |_, info| device::trtrs_on(queue, triangle, op, diagonal, a, b, info)),
    )?;
    zero_pivot(found.info())
}

/// U Uᴴ or Lᴴ L in the place of the triangular factor (LAPACK: xLAUUM). The other triangle is not touched.
///
/// # Errors
/// The errors of [`crate::potrs`].
#[instances]
pub fn lauum<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Inverse, operations: operations::<T>(cube(n) / 6), steps: n },
        (a,),
        |(a,)| host::lauum(triangle, on_host_mut(a)),
        |queue, (a,)| device::lauum_on(queue, triangle, a),
    )
}
