//! Norms of matrices of which a triangle is stored.

use affinimath_macros::instances;

use super::*;
use crate::options::{Diag, Norm, Op};
use crate::route::norms;

/// A norm of a symmetric matrix in packed storage (LAPACK: xLANSP).
///
/// # Errors
/// The errors of [`crate::lansy`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn lansp<T: Scalar>(norm: Norm, a: PackedRef<'_, T>) -> Result<T::RealScalar> {
    let triangle = a.shape().triangle();
    from_full(None, Storage::Packed, &a, |a| norms::lansy(norm, triangle, a))
}

/// The same of a matrix in a device's memory, with the result there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`lansp`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn lansp_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    a: PackedRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    let triangle = a.shape().triangle();
    measured(queue, Storage::Packed, &a, &result, |a| norms::lansy(norm, triangle, a))
}

/// A norm of a Hermitian matrix in packed storage (LAPACK: xLANHP).
///
/// # Errors
/// The errors of [`lansp`].
#[instances]
pub fn lanhp<T: Scalar>(norm: Norm, a: PackedRef<'_, T>) -> Result<T::RealScalar> {
    let triangle = a.shape().triangle();
    from_full(None, Storage::Packed, &a, |a| norms::lanhe(norm, triangle, a))
}

/// The same of a matrix in a device's memory, with the result there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`lanhp`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn lanhp_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    a: PackedRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    let triangle = a.shape().triangle();
    measured(queue, Storage::Packed, &a, &result, |a| norms::lanhe(norm, triangle, a))
}

/// A norm of a triangular matrix in packed storage (LAPACK: xLANTP). A diagonal of ones counts, and is not read.
///
/// # Errors
/// The errors of [`lansp`].
#[instances]
pub fn lantp<T: Scalar>(norm: Norm, diagonal: Diag, a: PackedRef<'_, T>) -> Result<T::RealScalar> {
    let triangle = a.shape().triangle();
    from_full(None, Storage::Packed, &a, |a| norms::lantr(norm, triangle, diagonal, a))
}

/// The same of a matrix in a device's memory, with the result there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`lantp`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn lantp_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    diagonal: Diag,
    a: PackedRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    let triangle = a.shape().triangle();
    measured(queue, Storage::Packed, &a, &result, |a| norms::lantr(norm, triangle, diagonal, a))
}

/// A norm of a symmetric matrix in rectangular full packed storage (LAPACK: xLANSF). `transr` is that of
/// [`crate::pftrf`].
///
/// # Errors
/// The errors of [`lansp`] and of [`crate::pftrf`]'s `transr`.
#[instances]
pub fn lansf<T: Scalar>(norm: Norm, transr: Op, a: PackedRef<'_, T>) -> Result<T::RealScalar> {
    let triangle = a.shape().triangle();
    from_full(None, Storage::Rectangular(transr), &a, |a| norms::lansy(norm, triangle, a))
}

/// The same of a matrix in a device's memory, with the result there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`lansf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn lansf_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    transr: Op,
    a: PackedRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    let triangle = a.shape().triangle();
    measured(queue, Storage::Rectangular(transr), &a, &result, |a| norms::lansy(norm, triangle, a))
}

/// A norm of a Hermitian matrix in rectangular full packed storage (LAPACK: xLANHF). `transr` is that of
/// [`crate::pftrf`].
///
/// # Errors
/// The errors of [`lansf`].
#[instances]
pub fn lanhf<T: Scalar>(norm: Norm, transr: Op, a: PackedRef<'_, T>) -> Result<T::RealScalar> {
    let triangle = a.shape().triangle();
    from_full(None, Storage::Rectangular(transr), &a, |a| norms::lanhe(norm, triangle, a))
}

/// The same of a matrix in a device's memory, with the result there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`lanhf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn lanhf_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    transr: Op,
    a: PackedRef<'_, T>,
    result: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    let triangle = a.shape().triangle();
    measured(queue, Storage::Rectangular(transr), &a, &result, |a| norms::lanhe(norm, triangle, a))
}

/// A norm that goes to a device's memory.
fn measured<T: Scalar>(
    queue: &Queue,
    storage: Storage,
    a: &PackedRef<'_, T>,
    result: &VectorMut<'_, T::RealScalar>,
    norm: impl FnOnce(MatrixRef<'_, T>) -> Result<T::RealScalar>,
) -> Result<Event> {
    check_length("the result", result.length(), 1)?;
    let target = adjacent(queue, result, "the result")?;
    target.write(queue, &[from_full(Some(queue), storage, a, norm)?])?;
    Ok(Event::Complete)
}
