//! Systems solved by factors in single precision and refined to double.

use affinimath_macros::instances;
use std::cell::Cell;

use super::lu::check_pivots_count;
use super::{
    Indices, check_length, cube, not_positive, operations, rows_agree, solution_operations, square, zero_pivot,
};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, System};
use crate::lapack as device;
use crate::options::Triangle;
use crate::refinement::Refinement;
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, on_host, on_host_mut, used};
use crate::scalar::Double;
use crate::view::{MatrixMut, MatrixRef};

/// Solves A X = B for a square A, by LU in single precision and refinements of X until it is as good as by
/// [`crate::gesv`] (LAPACK: DSGESV, ZCGESV). Where that does not come about, A is factorised in double precision.
///
/// `refinement` tells how it went. Where it converged, A is as it was, and the pivots are those of the factors in
/// single precision; else the factors in double precision take A's place. It pays for large matrices that are not
/// ill-conditioned: beside A there is needed a copy of it in single precision.
///
/// X is good where the largest component of each column of B - A X, by |re| + |im|, is at most sqrt(n) times the unit
/// roundoff times ||A|| (of the infinity norm) times the largest component of X's column.
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised in double precision, `refinement` is set, and X is not to
/// be used. [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie
/// in one memory; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Refinement, gesv_mixed};
///
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let column = MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2)?;
/// let (mut a, b, mut x) = ([3.0_f64, 1.0, 1.0, 2.0], [1.0, 0.0], [0.0; 2]);
/// let mut refinement = Refinement::default();
/// let (a, b) = (MatrixMut::from_slice(&mut a, shape)?, MatrixRef::from_slice(&b, column)?);
/// gesv_mixed(a, &mut [0; 2], b, MatrixMut::from_slice(&mut x, column)?, &mut refinement)?;
/// assert!(refinement.converged());
/// assert!((x[0] - 0.4).abs() < 1e-15 && (x[1] + 0.2).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gesv_mixed<T: Double>(
    a: MatrixMut<'_, T>,
    pivots: &mut [i32],
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    refinement: &mut Refinement,
) -> Result<()> {
    let n = a.rows();
    check_length("pivots", pivots.len(), n)?;
    check_pivots_count(&a)?;
    zero_pivot(solve(None, &mut pivots[..n], (a, b, x), refinement)?)
}

/// The same by Cholesky's factorisation, for a symmetric or Hermitian positive definite A, of which the triangle named
/// is read, and overwritten where the refinement does not converge (LAPACK: DSPOSV, ZCPOSV).
///
/// # Errors
/// [`Error::NotPositiveDefinite`] where a leading minor is not positive in double precision: the triangle is partly
/// overwritten, `refinement` is set, and X is not to be used. Others as for [`gesv_mixed`].
#[instances]
pub fn posv_mixed<T: Double>(
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    refinement: &mut Refinement,
) -> Result<()> {
    not_positive(solve(Some(triangle), &mut [], (a, b, x), refinement)?)
}

/// By Cholesky's factorisation where a triangle is named, else by LU. The info is that of factors in double precision.
fn solve<T: Double>(
    triangle: Option<Triangle>,
    pivots: &mut [i32],
    (a, b, x): (MatrixMut<'_, T>, MatrixRef<'_, T>, MatrixMut<'_, T>),
    refinement: &mut Refinement,
) -> Result<host::Info> {
    let n = square("A", a.rows(), a.columns())?;
    right_hand_sides(n, &b, &x)?;
    let family = if triangle.is_none() { Family::Lu } else { Family::Cholesky };
    let factorisation = cube(n) / if triangle.is_none() { 3 } else { 6 };
    let work = operations::<T>(factorisation).saturating_add(solution_operations::<T>(n, b.columns()));
    let (found, outcome) = (Indices::new(pivots), Cell::new(Refinement::default()));
    dispatch_lapack(
        T::KIND,
        Cost { family, operations: work, steps: n },
        (a, b, used(x, false)),
        |(a, b, x)| {
            found.on_host(|pivots| {
                let system = triangle.map_or(System::General(pivots), System::Definite);
                let (refinement, info) = host::solve_mixed(system, on_host_mut(a), on_host(b), on_host_mut(x));
                outcome.set(refinement);
                info
            });
        },
        |queue, (a, b, x)| {
            found.on_device(queue, |pivots, info| {
                let (event, refinement) = match triangle {
                    None => device::gesv_mixed_on(queue, a, pivots, b, x, info)?,
                    Some(triangle) => device::posv_mixed_on(queue, triangle, a, b, x, info)?,
                };
                outcome.set(refinement);
                Ok(event)
            })
        },
    )?;
    *refinement = outcome.get();
    Ok(found.info())
}

/// Refuses right-hand sides of another height than the matrix, and solutions of another size than they.
fn right_hand_sides<T: Double>(n: usize, b: &MatrixRef<'_, T>, x: &MatrixMut<'_, T>) -> Result<()> {
    rows_agree("A", n, x)?;
    if (b.rows(), b.columns()) == (n, x.columns()) {
        return Ok(());
    }
    let size = format!("B is {} x {}, X is {n} x {}", b.rows(), b.columns(), x.columns());
    Err(Error::ShapeMismatch(size))
}
