//! Factorisations on several devices.

use affinimath_macros::instances;
use rayon::prelude::*;

use super::{DeviceSet, start};
use crate::division::largest_part;
use crate::error::{Error, Result};
use crate::options::Triangle;
use crate::route::dispatch::on_host;
use crate::route::host_only::on_device;
use crate::route::lapack::{self, check_length, check_pivots_count, square};
use crate::scalar::Scalar;
use crate::spread::columns;
use crate::view::{MatrixMut, MatrixRef, View};

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
    if is_near_overflow(MatrixRef::<T>::from_parts(a.memory(), shape)) {
        // Its columns are scaled, which one device does for all of them.
        return on_device(&set.contexts[0], || lapack::geqrf(a, tau));
    }
    let width = set.width::<T>([shape.rows(), shape.columns()]);
    // SAFETY: as above.
    unsafe { columns::geqrf(&set.contexts, (from, shape), &mut tau[..order], width) }
}

/// True if products of some element with a reflector may overflow.
fn is_near_overflow<T: Scalar>(a: MatrixRef<'_, T>) -> bool {
    let a = on_host(a);
    let a = if a.row_stride() == 1 { a } else { a.transpose() };
    let largest = if T::KIND.is_double() { f64::MAX } else { f64::from(f32::MAX) };
    let limit = largest / (16.0 * a.nrows().max(a.ncols()) as f64);
    let exceeds = |column: usize| a.col(column).iter().any(|x| largest_part(*x) > limit);
    (0..a.ncols()).into_par_iter().any(exceeds)
}
