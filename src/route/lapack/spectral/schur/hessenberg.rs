//! The Hessenberg form of a general matrix, and its unitary factor.

use std::ops::Range;

use affinimath_macros::instances;

use super::{check_range, copy_of};
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::host::on_living_thread;
use crate::options::{Op, Side};
use crate::route::lapack::spectral::{check_length, check_vector};
use crate::route::lapack::square;
use crate::route::lapack::staged::{adjacent, with_copies};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef};

/// The Hessenberg form H of a general matrix, Qᴴ A Q = H (LAPACK: xGEHRD), for A that is upper triangular outside of a
/// range of rows and columns, such as [`gebal`](crate::gebal) gives. H overwrites A's first subdiagonal and what is
/// above it, vectors of Q's reflectors what is below. `tau` gets the n - 1 factors of the reflectors.
///
/// # Errors
/// [`Error::InvalidArgument`] where A has no such range, [`Error::ShapeMismatch`] where A is not square or `tau` is
/// too short; and what a device reports.
#[instances]
pub fn gehrd<T: Scalar>(range: Range<usize>, a: MatrixMut<'_, T>, tau: &mut [T]) -> Result<()> {
    reduce(None, range, a, tau)
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`gehrd`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gehrd_on<T: Scalar>(
    queue: &Queue,
    range: Range<usize>,
    a: MatrixMut<'_, T>,
    tau: VectorMut<'_, T>,
) -> Result<Event> {
    let count = factors(square("A", a.rows(), a.columns())?);
    check_vector("tau", &tau, count)?;
    let target = adjacent(queue, &tau, "tau")?;
    let mut tau = vec![T::ZERO; count];
    reduce(Some(queue), range, a, &mut tau)?;
    target.write(queue, &tau)?;
    Ok(Event::Complete)
}

const fn factors(n: usize) -> usize {
    n.saturating_sub(1)
}

fn reduce<T: Scalar>(queue: Option<&Queue>, range: Range<usize>, a: MatrixMut<'_, T>, tau: &mut [T]) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    check_range(&range, n)?;
    check_length("tau", tau.len(), factors(n))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        let tau = &mut tau[..factors(n)];
        on_living_thread(|| matrices.into_iter().for_each(|a| host::gehrd(a, range.clone(), tau)));
    })
}

/// The Q of [`gehrd`] in place of its reflectors (LAPACK: xORGHR, xUNGHR). The range is that of the reduction.
///
/// # Errors
/// [`Error::InvalidArgument`] where A has no such range, [`Error::ShapeMismatch`] where A is not square or `tau` is
/// too short; and what a device reports.
#[instances]
pub fn orghr<T: Scalar>(range: Range<usize>, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    form_q(None, range, a, tau)
}

/// The same for operands in a device's memory. It waits as [`gehrd_on`].
///
/// # Errors
/// The errors of [`orghr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn orghr_on<T: Scalar>(
    queue: &Queue,
    range: Range<usize>,
    a: MatrixMut<'_, T>,
    tau: VectorRef<'_, T>,
) -> Result<Event> {
    let tau = copy_of(queue, "tau", &tau, factors(a.rows()))?;
    form_q(Some(queue), range, a, &tau)?;
    Ok(Event::Complete)
}

fn form_q<T: Scalar>(queue: Option<&Queue>, range: Range<usize>, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    check_range(&range, n)?;
    check_length("tau", tau.len(), factors(n))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::orghr(a, range.clone(), tau)));
    })
}

/// C := op(Q) C or C op(Q) for the Q of [`gehrd`] (LAPACK: xORMHR, xUNMHR). The range is that of the reduction.
///
/// # Errors
/// [`Error::InvalidArgument`] where A has no such range, [`Error::ShapeMismatch`] where sizes do not agree,
/// [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
#[instances]
pub fn ormhr<T: Scalar>(
    side: Side,
    op: Op,
    range: Range<usize>,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    apply_q(None, (side, op), range, a, tau, c)
}

/// The same for operands in a device's memory. It waits as [`gehrd_on`].
///
/// # Errors
/// The errors of [`ormhr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ormhr_on<T: Scalar>(
    queue: &Queue,
    (side, op): (Side, Op),
    range: Range<usize>,
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let tau = copy_of(queue, "tau", &tau, factors(a.rows()))?;
    apply_q(Some(queue), (side, op), range, a, &tau, c)?;
    Ok(Event::Complete)
}

fn apply_q<T: Scalar>(
    queue: Option<&Queue>,
    (side, op): (Side, Op),
    range: Range<usize>,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    let order = if side == Side::Left { c.rows() } else { c.columns() };
    if n != order {
        return Err(Error::ShapeMismatch(format!("A has {n} rows, and C's size at its side is {order}")));
    }
    check_range(&range, n)?;
    check_length("tau", tau.len(), factors(n))?;
    with_copies(queue, vec![a], vec![c], |read, written| {
        let (Some(a), Some(c)) = (read.into_iter().next(), written.into_iter().next()) else { return };
        on_living_thread(|| host::ormhr(side, op, range.clone(), a, tau, c));
    })
}
