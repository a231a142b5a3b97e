//! Inverses and solutions of triangular matrices of which the triangle alone is stored.

use affinimath_macros::instances;

use super::super::triangular;
use super::*;
use crate::options::{Diag, Op, Side};
use crate::route::trsm::trsm;

/// The inverse of a triangular matrix in packed storage, in its place (LAPACK: xTPTRI). A diagonal of ones is not
/// touched.
///
/// # Errors
/// The errors of [`crate::trtri`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn tptri<T: Scalar>(diagonal: Diag, a: PackedMut<'_, T>) -> Result<()> {
    invert(None, Storage::Packed, diagonal, &a)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`tptri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tptri_on<T: Scalar>(
    queue: &Queue,
    diagonal: Diag,
    a: PackedMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    with_info(queue, &info, || invert(Some(queue), Storage::Packed, diagonal, &a))
}

/// Solves op(A) X = B for a triangular A in packed storage, X in B's place (LAPACK: xTPTRS).
///
/// # Errors
/// The errors of [`crate::trtrs`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn tptrs<T: Scalar>(op: Op, diagonal: Diag, a: PackedRef<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    solve(None, op, diagonal, &a, b)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`tptrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tptrs_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    diagonal: Diag,
    a: PackedRef<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    with_info(queue, &info, || solve(Some(queue), op, diagonal, &a, b))
}

/// The inverse of a triangular matrix in rectangular full packed storage, in its place (LAPACK: xTFTRI). `transr` is
/// that of [`crate::pftrf`]. A diagonal of ones is not touched.
///
/// # Errors
/// The errors of [`tptri`] and of [`crate::pftrf`]'s `transr`.
#[instances]
pub fn tftri<T: Scalar>(transr: Op, diagonal: Diag, a: PackedMut<'_, T>) -> Result<()> {
    invert(None, Storage::Rectangular(transr), diagonal, &a)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`tftri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tftri_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    diagonal: Diag,
    a: PackedMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    with_info(queue, &info, || invert(Some(queue), Storage::Rectangular(transr), diagonal, &a))
}

/// Solves op(A) X = alpha B or X op(A) = alpha B for a triangular A in rectangular full packed storage, X in B's place
/// (LAPACK: xTFSM). `transr` is that of [`crate::pftrf`]. With alpha = 0, A is not read.
///
/// # Errors
/// The errors of [`crate::trsm`] and of [`crate::pftrf`]'s `transr`; [`Error::OutOfHostMemory`] where a full copy has
/// no place.
#[instances]
pub fn tfsm<T: Scalar>(
    transr: Op,
    side: Side,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: PackedRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    solve_rectangular(None, transr, (side, op, diagonal), alpha, &a, b)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`tfsm`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[allow(clippy::too_many_arguments)]
#[instances]
pub fn tfsm_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    side: Side,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: PackedRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    solve_rectangular(Some(queue), transr, (side, op, diagonal), alpha, &a, b)?;
    Ok(Event::Complete)
}

fn invert<T: Scalar>(queue: Option<&Queue>, storage: Storage, diagonal: Diag, a: &PackedMut<'_, T>) -> Result<()> {
    let triangle = a.shape().triangle();
    on_full(queue, storage, a, |a| triangular::trtri(triangle, diagonal, a))
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    op: Op,
    diagonal: Diag,
    a: &PackedRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let triangle = a.shape().triangle();
    rows_agree("A", a.shape().order(), &b)?;
    from_full_with(queue, Storage::Packed, a, b, |a, b| triangular::trtrs(triangle, op, diagonal, a, b))
}

fn solve_rectangular<T: Scalar>(
    queue: Option<&Queue>,
    transr: Op,
    (side, op, diagonal): (Side, Op, Diag),
    alpha: T,
    a: &PackedRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let triangle = a.shape().triangle();
    from_full_with(queue, Storage::Rectangular(transr), a, b, |a, b| {
        trsm(side, triangle, op, diagonal, alpha, a, b)?.wait()
    })
}
