//! LU with partial pivoting, and what is made of its factors.

use affinimath_macros::instances;
use std::ops::Range;

use super::{Indices, check_length, cube, operations, rows_agree, solution_operations, square, zero_pivot};
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::lapack as device;
use crate::options::{Op, PivotOrder};
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, on_host, on_host_mut};
use crate::route::set::share;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, Memory, View};

/// P A = L U with partial pivoting (LAPACK: xGETRF), for any m x n A: L, unit lower trapezoidal, and U, upper
/// trapezoidal, take A's place. Row i was interchanged with row `pivots[i]`, counted from 1, for i from 0 to min(m,
/// n) - 1.
///
/// # Errors
/// [`Error::ZeroPivot`] where an element on U's diagonal is exactly zero: the factorisation is complete, but U is
/// singular. [`Error::ShapeMismatch`] where there is no place for min(m, n) pivots; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Op, getrf, getrs};
///
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let mut a = [1.0_f64, 2.0, 4.0, 4.0];
/// let mut pivots = [0; 2];
/// getrf(MatrixMut::from_slice(&mut a, shape)?, &mut pivots)?;
/// assert_eq!((a, pivots), ([4.0, 4.0, 0.25, 1.0], [2, 2]));
///
/// let mut b = [3.0, 8.0];
/// let column = MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2)?;
/// getrs(Op::NoTrans, MatrixRef::from_slice(&a, shape)?, &pivots, MatrixMut::from_slice(&mut b, column)?)?;
/// assert_eq!(b, [1.0, 1.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn getrf<T: Scalar>(a: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("pivots", pivots.len(), order)?;
    check_pivots_count(&a)?;
    // n² (m - n / 3) multiplications and additions of an m x n matrix that is not wider than high, and so on.
    let (short, long) = (order as u64, a.rows().max(a.columns()) as u64);
    let work = operations::<T>(short.saturating_mul(short).saturating_mul(long.saturating_sub(short / 3)) / 2);
    if let Some(set) = share::<T>(Family::Lu, work, order, &[&a])? {
        return set.getrf(a, pivots);
    }
    let found = Indices::new(&mut pivots[..order]);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Lu, operations: work, steps: order },
        (a,),
        |(a,)| found.on_host(|pivots| host::getrf(on_host_mut(a), pivots)),
        |queue, (a,)| found.on_device(queue, |pivots, info| device::getrf_on(queue, a, pivots, info)),
    )?;
    zero_pivot(found.info())
}

/// Solves op(A) X = B with [`getrf`]'s factors of a square A, X in B's place (LAPACK: xGETRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where a pivot is no row of A;
/// [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
#[instances]
pub fn getrs<T: Scalar>(op: Op, factors: MatrixRef<'_, T>, pivots: &[i32], b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    rows_agree("the factors", n, &b)?;
    let mut pivots = check_pivots(pivots, n, n)?.to_vec();
    let found = Indices::new(&mut pivots);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::TriangularSolve, operations: solution_operations::<T>(n, b.columns()), steps: 0 },
        (factors, b),
        |(factors, b)| {
            found.on_host(|pivots| {
                host::getrs(op, on_host(factors), pivots, on_host_mut(b));
                None
            });
        },
        |queue, (factors, b)| {
            found.on_device(queue, |pivots, _| device::getrs_on(queue, op, factors, device::read_only(&pivots), b))
        },
    )
}

/// Solves A X = B for a square A, by [`getrf`] and [`getrs`]: the factors take A's place and X takes B's (LAPACK:
/// xGESV).
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. Others as for [`getrf`] and
/// [`getrs`].
#[instances]
pub fn gesv<T: Scalar>(a: MatrixMut<'_, T>, pivots: &mut [i32], b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    check_length("pivots", pivots.len(), n)?;
    check_pivots_count(&a)?;
    let work = operations::<T>(cube(n) / 3).saturating_add(solution_operations::<T>(n, b.columns()));
    let found = Indices::new(&mut pivots[..n]);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Lu, operations: work, steps: n },
        (a, b),
        |(a, b)| found.on_host(|pivots| host::gesv(on_host_mut(a), pivots, on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |pivots, info| device::gesv_on(queue, a, pivots, b, info)),
    )?;
    zero_pivot(found.info())
}

/// The inverse of a square matrix from [`getrf`]'s factors, in their place (LAPACK: xGETRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where the matrix is singular: the factors are as they were. Others as for [`getrs`].
#[instances]
pub fn getri<T: Scalar>(factors: MatrixMut<'_, T>, pivots: &[i32]) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    let mut pivots = check_pivots(pivots, n, n)?.to_vec();
    let found = Indices::new(&mut pivots);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Inverse, operations: operations::<T>(cube(n).saturating_mul(2) / 3), steps: n },
        (factors,),
        |(a,)| found.on_host(|pivots| host::getri(on_host_mut(a), pivots)),
        |queue, (a,)| {
            found.on_device(queue, |pivots, info| device::getri_on(queue, a, device::read_only(&pivots), info))
        },
    )?;
    zero_pivot(found.info())
}

/// Interchanges each of some rows of A, number i of which is row `rows.start + i`, with row `pivots[i]`, counted from
/// 1, one after another (LAPACK: xLASWP).
///
/// # Errors
/// [`Error::ShapeMismatch`] where there are fewer rows or pivots; [`Error::InvalidArgument`] where a pivot is no row of
/// A, or A does not lie in the host's memory.
#[instances]
pub fn laswp<T: Scalar>(a: MatrixMut<'_, T>, rows: Range<usize>, pivots: &[i32], order: PivotOrder) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    if rows.end > a.rows() {
        return Err(Error::ShapeMismatch(format!("rows up to {} of A, which has {}", rows.end, a.rows())));
    }
    let pivots = check_pivots(pivots, rows.len(), a.rows())?;
    host::laswp(on_the_host_mut("a", a)?, rows.start, pivots, order);
    Ok(())
}

/// Rows are numbered by `i32`, where there are columns to find a pivot in.
pub(in crate::route) fn check_pivots_count<T: Scalar>(a: &MatrixMut<'_, T>) -> Result<()> {
    if a.rows() <= i32::MAX as usize || a.columns() == 0 {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{} rows are more than pivots can number", a.rows())))
}

/// The first `count` pivots, which number rows from 1 to `rows`.
fn check_pivots(pivots: &[i32], count: usize, rows: usize) -> Result<&[i32]> {
    check_length("pivots", pivots.len(), count)?;
    let pivots = &pivots[..count];
    match pivots.iter().find(|pivot| !usize::try_from(**pivot).is_ok_and(|row| (1..=rows).contains(&row))) {
        Some(pivot) => Err(Error::argument("pivots", format!("{pivot} is no row from 1 to {rows}"))),
        None => Ok(pivots),
    }
}

fn on_the_host_mut<'a, T: Scalar>(name: &'static str, a: MatrixMut<'a, T>) -> Result<faer::MatMut<'a, T>> {
    check_memory(name, &a.memory())?;
    Ok(on_host_mut(a))
}

fn check_memory<T>(name: &'static str, memory: &Memory<'_, T>) -> Result<()> {
    match memory {
        Memory::Host(..) => Ok(()),
        Memory::Device(_) => {
            Err(Error::argument(name, "it lies in a device's memory; this routine works in the host's"))
        }
    }
}
