//! Schur forms with their eigenvalues in another order.

use affinimath_macros::instances;

use super::{DeviceEigenvalues, Target, check_optional};
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Conditions, Order};
use crate::host::on_living_thread;
use crate::route::lapack::spectral::check_length;
use crate::route::lapack::square;
use crate::route::lapack::staged::{DeviceInfo, with_copies};
use crate::scalar::{Complex64, Scalar};
use crate::view::{MatrixMut, MatrixRef, VectorMut};

/// The result of [`trexc`]. Rows count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedBlock {
    /// The first row of the block that was moved, before.
    pub from: usize,
    /// Its first row now.
    pub to: usize,
    /// False where a neighbour was too close to be exchanged: the block has not come to its end.
    pub complete: bool,
}

/// Moves an eigenvalue of a Schur form, or a pair of a real type, from one row to another one, and multiplies Q by the
/// transformation (LAPACK: xTREXC).
///
/// # Errors
/// [`Error::InvalidArgument`] where T has no such rows, [`Error::ShapeMismatch`] where sizes do not agree; and what a
/// device reports.
#[instances]
pub fn trexc<T: Scalar>(
    t: MatrixMut<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    from: usize,
    to: usize,
) -> Result<MovedBlock> {
    move_block(None, t, q, (from, to))
}

/// The same for operands in a device's memory, with LAPACK's info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`trexc`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn trexc_on<T: Scalar>(
    queue: &Queue,
    t: MatrixMut<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    from: usize,
    to: usize,
    info: VectorMut<'_, i32>,
) -> Result<(Event, MovedBlock)> {
    let info = DeviceInfo::new(queue, &info)?;
    let moved = move_block(Some(queue), t, q, (from, to))?;
    info.write(queue, (!moved.complete).then_some(1))?;
    Ok((Event::Complete, moved))
}

fn move_block<T: Scalar>(
    queue: Option<&Queue>,
    t: MatrixMut<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    (from, to): (usize, usize),
) -> Result<MovedBlock> {
    let n = square("T", t.rows(), t.columns())?;
    check_optional("Q", q.as_ref(), n, n)?;
    let mut moved = MovedBlock { from, to, complete: true };
    if n == 0 {
        return Ok(moved);
    }
    for (name, row) in [("ifst", from), ("ilst", to)] {
        if row >= n {
            return Err(Error::argument(name, format!("{row} is no row of {n}, from 0")));
        }
    }
    with_copies(queue, vec![], [Some(t), q].into_iter().flatten().collect(), |_, matrices| {
        on_living_thread(|| {
            let mut matrices = matrices.into_iter();
            let (Some(t), q) = (matrices.next(), matrices.next()) else { return };
            // LAPACK: the second row of a block stands for the first one.
            moved.from -= usize::from(!T::KIND.is_complex() && from > 0 && t[(from, from - 1)] != T::ZERO);
            let result = host::trexc(t, q, moved.from, to);
            moved.complete = result.is_ok();
            moved.to = result.unwrap_or_else(|row| row);
        });
    })?;
    Ok(moved)
}

/// Eigenvalues of a Schur form that belong to a selection: of a real type both of a pair, if one is selected.
///
/// # Errors
/// [`Error::ShapeMismatch`] where T is not square, or the selection is shorter; and what a device reports.
#[instances]
pub fn selected_pairs<T: Scalar>(t: MatrixRef<'_, T>, select: &[bool]) -> Result<Vec<bool>> {
    let n = square("T", t.rows(), t.columns())?;
    check_length("select", select.len(), n)?;
    let mut selected = select[..n].to_vec();
    if !T::KIND.is_complex() {
        with_copies(None, vec![t], vec![], |read, _| {
            read.into_iter().for_each(|t| selected = host::selected_pairs(t, &select[..n]));
        })?;
    }
    Ok(selected)
}

/// Moves selected eigenvalues of a Schur form to its front, multiplies Q by the transformation, and estimates their
/// condition (LAPACK: xTRSEN). Of a real type both of a pair are moved, if one is selected.
///
/// `wr` and `wi` get the real and imaginary parts of all eigenvalues in their order.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; and what a device reports. Eigenvalues that are too close to be
/// exchanged are told by [`Order::failed`].
#[instances]
pub fn trsen<T: Scalar>(
    t: MatrixMut<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    select: &[bool],
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    wanted: Conditions,
) -> Result<Order> {
    reorder(None, t, q, select, (wr, wi), wanted)
}

/// The same for operands in a device's memory, with LAPACK's info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`trsen`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn trsen_on<T: Scalar>(
    queue: &Queue,
    t: MatrixMut<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    select: &[bool],
    values: DeviceEigenvalues<'_, T>,
    wanted: Conditions,
    info: VectorMut<'_, i32>,
) -> Result<(Event, Order)> {
    let n = square("T", t.rows(), t.columns())?;
    let (target, info) = (Target::of(queue, &values, n)?, DeviceInfo::new(queue, &info)?);
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let order = reorder(Some(queue), t, q, select, (&mut wr, &mut wi), wanted)?;
    target.write::<T>(queue, &wr, &wi)?;
    info.write(queue, order.failed.then_some(1))?;
    Ok((Event::Complete, order))
}

fn reorder<T: Scalar>(
    queue: Option<&Queue>,
    t: MatrixMut<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    select: &[bool],
    (wr, wi): (&mut [T::RealScalar], &mut [T::RealScalar]),
    wanted: Conditions,
) -> Result<Order> {
    let n = square("T", t.rows(), t.columns())?;
    check_optional("Q", q.as_ref(), n, n)?;
    check_length("select", select.len(), n)?;
    check_length("wr", wr.len(), n)?;
    check_length("wi", wi.len(), n)?;
    let mut order = Order { count: 0, failed: false, mean: 1.0, subspace: 0.0 };
    let mut values = vec![Complex64::ZERO; n];
    with_copies(queue, vec![], [Some(t), q].into_iter().flatten().collect(), |_, matrices| {
        on_living_thread(|| {
            let mut matrices = matrices.into_iter();
            let (Some(t), q) = (matrices.next(), matrices.next()) else { return };
            order = host::trsen(t, q, &select[..n], &mut values, wanted);
        });
    })?;
    let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
    for (i, value) in values.iter().enumerate() {
        (wr[i], wi[i]) = (real(value.re), real(value.im));
    }
    Ok(order)
}
