//! Factorisations on several devices.

use affinimath_macros::instances;

use super::{DeviceSet, start};
use crate::error::{Error, Result};
use crate::options::Triangle;
use crate::route::lapack::{check_length, check_pivots_count, square};
use crate::scalar::Scalar;
use crate::spread::columns;
use crate::view::MatrixMut;

#[instances]
pub(crate) fn getrf<T: Scalar>(set: &DeviceSet, a: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("pivots", pivots.len(), order)?;
    check_pivots_count(&a)?;
    let (from, shape) = (start(&a, "A")?, *a.shape());
    if order == 0 {
        return Ok(());
    }
    let width = set.width::<T>([shape.rows(), shape.columns()]);
    // SAFETY: the view holds a valid matrix, is exclusive, and is borrowed until this returns.
    let info = unsafe { columns::getrf(&set.contexts, (from, shape), &mut pivots[..order], width)? };
    info.map_or(Ok(()), |index| Err(Error::ZeroPivot { index }))
}

#[instances]
pub(crate) fn potrf<T: Scalar>(set: &DeviceSet, triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    let (from, shape) = (start(&a, "A")?, *a.shape());
    if n == 0 {
        return Ok(());
    }
    let width = set.width::<T>([n, n]);
    // SAFETY: as above.
    let info = unsafe { columns::potrf(&set.contexts, triangle, (from, shape), width)? };
    info.map_or(Ok(()), |index| Err(Error::NotPositiveDefinite { index }))
}

#[instances]
pub(crate) fn geqrf<T: Scalar>(set: &DeviceSet, a: MatrixMut<'_, T>, tau: &mut [T]) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("tau", tau.len(), order)?;
    let (from, shape) = (start(&a, "A")?, *a.shape());
    if order == 0 {
        return Ok(());
    }
    let width = set.width::<T>([shape.rows(), shape.columns()]);
    // SAFETY: as above.
    unsafe { columns::geqrf(&set.contexts, (from, shape), &mut tau[..order], width) }
}
