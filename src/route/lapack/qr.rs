//! QR, and what is made of its reflections.

use affinimath_macros::instances;
use std::cell::RefCell;

use super::{Indices, check_length, operations, rows_agree};
use crate::context::{BufferParts, DeviceBuffer, Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::lapack as device;
use crate::options::{Op, Side};
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, on_host, on_host_mut};
use crate::route::set::share;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef, VectorShape};

/// A = Q R for any m x n A (LAPACK: xGEQRF): R takes the place of A's diagonal and of what is above it. Below it are
/// the vectors v of reflections I - tau v vᴴ, whose first elements are 1 and not stored, and whose product Q is; their
/// factors are in `tau`, min(m, n) of them. R's diagonal is real.
///
/// # Errors
/// [`Error::ShapeMismatch`] where there is no place for min(m, n) factors; and what a device reports.
#[instances]
pub fn geqrf<T: Scalar>(a: MatrixMut<'_, T>, tau: &mut [T]) -> Result<()> {
    let (rows, columns) = (a.rows(), a.columns());
    let order = rows.min(columns);
    check_length("tau", tau.len(), order)?;
    if order == 0 {
        return Ok(());
    }
    let work = factor_operations::<T>(rows, columns, order);
    if let Some(set) = share::<T>(Family::Orthogonal, work, order, &[&a])? {
        return set.geqrf(a, tau);
    }
    let factors = RefCell::new(&mut tau[..order]);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Orthogonal, operations: work, steps: order },
        (a,),
        |(a,)| host::geqrf(on_host_mut(a), *factors.borrow_mut()),
        |queue, (a,)| {
            let factors = &mut **factors.borrow_mut();
            let memory = DeviceBuffer::new(queue.context(), size_of_val(factors), "factors of reflections")?;
            let view = VectorMut::from_device(&memory, VectorShape::new(order, 0, 1)?, "tau")?;
            device::geqrf_on(queue, a, view)?.wait()?;
            memory.read(queue, factors)?;
            Ok(Event::Complete)
        },
    )
}

/// The first n columns of the Q of k reflections that [`geqrf`] left in the first k columns of an m x n A, in A's place
/// (LAPACK: xORGQR, xUNGQR). `tau` holds their k factors; m >= n >= k.
///
/// # Errors
/// The errors of [`geqrf`], and [`Error::ShapeMismatch`] where the sizes do not agree.
#[instances]
pub fn orgqr<T: Scalar>(a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    let (m, n, k) = (a.rows(), a.columns(), tau.len());
    if n > m || k > n {
        return Err(Error::ShapeMismatch(format!("{n} columns of Q have {m} rows and are made of {k} reflections")));
    }
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Orthogonal, operations: factor_operations::<T>(m, n, k), steps: k },
        (a,),
        |(a,)| host::orgqr(on_host_mut(a), tau),
        |queue, (a,)| with_factors(queue, tau, |tau| device::orgqr_on(queue, a, tau)),
    )
}

/// C := op(Q) C (left) or C op(Q) (right) for the Q of the reflections that [`geqrf`] left in A's columns, of which
/// there are as many as factors in `tau` (LAPACK: xORMQR, xUNMQR). All four operations are allowed.
///
/// # Errors
/// The errors of [`orgqr`].
#[instances]
pub fn ormqr<T: Scalar>(side: Side, op: Op, a: MatrixRef<'_, T>, tau: &[T], c: MatrixMut<'_, T>) -> Result<()> {
    let order = if side == Side::Left { c.rows() } else { c.columns() };
    let (m, k) = (a.rows(), tau.len());
    if m != order || k > m || k > a.columns() {
        let (rows, columns) = (c.rows(), c.columns());
        let sizes = format!("{k} reflections in a {m} x {} matrix, applied to a {rows} x {columns} one", a.columns());
        return Err(Error::ShapeMismatch(sizes));
    }
    let others = if side == Side::Left { c.columns() } else { c.rows() };
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Orthogonal, operations: reflected_operations::<T>(m, others, k), steps: k },
        (a, c),
        |(a, c)| host::ormqr(side, op, on_host(a), tau, on_host_mut(c)),
        |queue, (a, c)| with_factors(queue, tau, |tau| device::ormqr_on(queue, side, op, a, tau, c)),
    )
}

/// For each column b of B, the x that minimises ||b - op(A) x||; where that is zero for many x, the one of least norm
/// (LAPACK: xGELS). A has full rank; it is overwritten by its factors, those of geqrf or, where it is wider than high,
/// of gelqf. B has max(m, n) rows: b in the first ones, and then x.
///
/// `op` is [`Op::NoTrans`] or [`Op::ConjTrans`]; for the real types [`Op::Trans`] is the same.
///
/// # Errors
/// [`Error::RankDeficient`] where the triangular factor has a zero on its diagonal: A and B are overwritten.
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where another operation is asked
/// for; [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
#[instances]
pub fn gels<T: Scalar>(op: Op, a: MatrixMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let op = device::keep_or_adjoint::<T>(op)?;
    let (rows, order) = (a.rows().max(a.columns()), a.rows().min(a.columns()));
    rows_agree("the longer side of A", rows, &b)?;
    let (factors, solution) =
        (factor_operations::<T>(rows, order, order), reflected_operations::<T>(rows, b.columns(), order));
    let work = factors.saturating_add(solution);
    let found = Indices::new(&mut []);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Orthogonal, operations: work, steps: order },
        (a, b),
        |(a, b)| found.on_host(|_| host::gels(op, on_host_mut(a), on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |_, info| device::gels_on(queue, op, a, b, info)),
    )?;
    found.info().map_or(Ok(()), |index| Err(Error::RankDeficient { rank: index - 1, full: order }))
}

/// Brings factors of reflections to the device, and waits for the work.
fn with_factors<T: Scalar>(
    queue: &Queue,
    tau: &[T],
    work: impl for<'m> FnOnce(VectorRef<'m, T>) -> Result<Event>,
) -> Result<Event> {
    let memory = DeviceBuffer::new(queue.context(), size_of_val(tau).max(1), "factors of reflections")?;
    if !tau.is_empty() {
        memory.write(queue, tau)?;
    }
    work(VectorRef::from_device(&memory, VectorShape::new(tau.len(), 0, 1)?, "tau")?)?.wait()?;
    Ok(Event::Complete)
}

/// Of k reflections, each beginning a row further down, applied to an m x n matrix.
fn reflected_operations<T: Scalar>(m: usize, n: usize, k: usize) -> u64 {
    let [m, n, k] = [m, n, k].map(|size| size as u64);
    operations::<T>(n.saturating_mul(k).saturating_mul((2 * m).saturating_sub(k)))
}

/// Of k reflections that each begin a row further down and a column further right in an m x n matrix.
pub(super) fn factor_operations<T: Scalar>(m: usize, n: usize, k: usize) -> u64 {
    // The sum of 2 (m - j) (n - j) over j: k (2 m n - (m + n) k + 2 k² / 3).
    let [m, n, k] = [m, n, k].map(|size| size as u128);
    let pairs = k * (2 * m * n + 2 * k * k / 3 - (m + n) * k);
    operations::<T>(u64::try_from(pairs).unwrap_or(u64::MAX))
}
