//! Positive definite matrices of which a triangle is stored.

use affinimath_macros::instances;

use super::super::cholesky;
use super::*;
use crate::options::{Op, Triangle};
use crate::route::condition;

/// A = L Lᴴ or Uᴴ U of a positive definite A in packed storage, in its place (LAPACK: xPPTRF).
///
/// # Errors
/// [`Error::NotPositiveDefinite`] where a leading minor is not positive: the triangle is partly overwritten.
/// [`Error::OutOfHostMemory`] where a full copy has no place; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, PackedMut, PackedRef, PackedShape, Triangle, pptrf, pptrs};
///
/// let (mut ap, mut b) = ([4.0_f64, 1.0, 3.0], [1.0, 2.0]); // the lower triangle's columns
/// let shape = PackedShape::new(Layout::ColumnMajor, Triangle::Lower, 2, 0)?;
/// pptrf(PackedMut::from_slice(&mut ap, shape)?)?;
/// let x = MatrixMut::from_slice(&mut b, MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2)?)?;
/// pptrs(PackedRef::from_slice(&ap, shape)?, x)?;
/// assert!((b[0] - 1.0 / 11.0).abs() < 1e-15 && (b[1] - 7.0 / 11.0).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn pptrf<T: Scalar>(a: PackedMut<'_, T>) -> Result<()> {
    factorise(None, Storage::Packed, &a)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`pptrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pptrf_on<T: Scalar>(queue: &Queue, a: PackedMut<'_, T>, info: VectorMut<'_, i32>) -> Result<Event> {
    with_info(queue, &info, || factorise(Some(queue), Storage::Packed, &a))
}

/// Solves A X = B with [`pptrf`]'s factor, X in B's place (LAPACK: xPPTRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the operands do not lie in one
/// memory; [`Error::OutOfHostMemory`] where a full copy has no place; and what a device reports.
#[instances]
pub fn pptrs<T: Scalar>(factor: PackedRef<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    solve(None, Storage::Packed, &factor, b)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`pptrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pptrs_on<T: Scalar>(queue: &Queue, factor: PackedRef<'_, T>, b: MatrixMut<'_, T>) -> Result<Event> {
    solve(Some(queue), Storage::Packed, &factor, b)?;
    Ok(Event::Complete)
}

/// Solves A X = B for a positive definite A in packed storage, by [`pptrf`] and [`pptrs`] (LAPACK: xPPSV).
///
/// # Errors
/// The errors of [`pptrf`], of which B stays as it was, and of [`pptrs`].
#[instances]
pub fn ppsv<T: Scalar>(a: PackedMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    solve_at_once(None, &a, b)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`ppsv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ppsv_on<T: Scalar>(
    queue: &Queue,
    a: PackedMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    with_info(queue, &info, || solve_at_once(Some(queue), &a, b))
}

/// The triangle of the inverse from [`pptrf`]'s factor, in its place (LAPACK: xPPTRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the factor's diagonal is zero: nothing is changed. Others as for
/// [`pptrf`].
#[instances]
pub fn pptri<T: Scalar>(factor: PackedMut<'_, T>) -> Result<()> {
    invert(None, Storage::Packed, &factor)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`pptri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pptri_on<T: Scalar>(queue: &Queue, factor: PackedMut<'_, T>, info: VectorMut<'_, i32>) -> Result<Event> {
    with_info(queue, &info, || invert(Some(queue), Storage::Packed, &factor))
}

/// An estimate of 1 / (‖A‖ ‖A⁻¹‖) in the 1-norm, from [`pptrf`]'s factor and A's norm (LAPACK: xPPCON).
///
/// # Errors
/// The errors of [`crate::pocon`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn ppcon<T: Scalar>(factor: PackedRef<'_, T>, anorm: T::RealScalar) -> Result<T::RealScalar> {
    let triangle = factor.shape().triangle();
    from_full(None, Storage::Packed, &factor, |factor| condition::pocon(triangle, factor, anorm))
}

/// [`ppcon`] with the vector of [`crate::gecon_with_vector`].
///
/// # Errors
/// The errors of [`ppcon`] and of [`crate::gecon_with_vector`].
#[instances]
pub fn ppcon_with_vector<T: Scalar>(
    factor: PackedRef<'_, T>,
    anorm: T::RealScalar,
    vector: &mut [T],
) -> Result<T::RealScalar> {
    let triangle = factor.shape().triangle();
    let estimate = |factor: MatrixRef<'_, T>| condition::pocon_with_vector(triangle, factor, anorm, vector);
    from_full(None, Storage::Packed, &factor, estimate)
}

/// The same from a factor in a device's memory, with the result there, too. It waits for what is before it in the
/// queue, and is done when it returns.
///
/// # Errors
/// The errors of [`ppcon`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ppcon_on<T: Scalar>(
    queue: &Queue,
    factor: PackedRef<'_, T>,
    anorm: T::RealScalar,
    rcond: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    let triangle = factor.shape().triangle();
    let target = adjacent(queue, &rcond, "rcond")?;
    let estimate = |factor: MatrixRef<'_, T>| condition::pocon(triangle, factor, anorm);
    target.write(queue, &[from_full(Some(queue), Storage::Packed, &factor, estimate)?])?;
    Ok(Event::Complete)
}

/// [`pptrf`] in rectangular full packed storage (LAPACK: xPFTRF). `transr` is how the rectangle lies: as it is, or
/// transposed, or, of complex types, as its adjoint.
///
/// # Errors
/// The errors of [`pptrf`]; [`Error::InvalidArgument`] where `transr` is `Trans` of complex types.
#[instances]
pub fn pftrf<T: Scalar>(transr: Op, a: PackedMut<'_, T>) -> Result<()> {
    factorise(None, Storage::Rectangular(transr), &a)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`pftrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pftrf_on<T: Scalar>(queue: &Queue, transr: Op, a: PackedMut<'_, T>, info: VectorMut<'_, i32>) -> Result<Event> {
    with_info(queue, &info, || factorise(Some(queue), Storage::Rectangular(transr), &a))
}

/// Solves A X = B with [`pftrf`]'s factor, X in B's place (LAPACK: xPFTRS).
///
/// # Errors
/// The errors of [`pptrs`] and of [`pftrf`]'s `transr`.
#[instances]
pub fn pftrs<T: Scalar>(transr: Op, factor: PackedRef<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    solve(None, Storage::Rectangular(transr), &factor, b)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`pftrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pftrs_on<T: Scalar>(queue: &Queue, transr: Op, factor: PackedRef<'_, T>, b: MatrixMut<'_, T>) -> Result<Event> {
    solve(Some(queue), Storage::Rectangular(transr), &factor, b)?;
    Ok(Event::Complete)
}

/// The triangle of the inverse from [`pftrf`]'s factor, in its place (LAPACK: xPFTRI).
///
/// # Errors
/// The errors of [`pptri`] and of [`pftrf`]'s `transr`.
#[instances]
pub fn pftri<T: Scalar>(transr: Op, factor: PackedMut<'_, T>) -> Result<()> {
    invert(None, Storage::Rectangular(transr), &factor)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`pftri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pftri_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    factor: PackedMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    with_info(queue, &info, || invert(Some(queue), Storage::Rectangular(transr), &factor))
}

fn factorise<T: Scalar>(queue: Option<&Queue>, storage: Storage, a: &PackedMut<'_, T>) -> Result<()> {
    let triangle: Triangle = a.shape().triangle();
    on_full(queue, storage, a, |a| cholesky::potrf(triangle, a))
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    storage: Storage,
    factor: &PackedRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let triangle = factor.shape().triangle();
    rows_agree("the factor", factor.shape().order(), &b)?;
    from_full_with(queue, storage, factor, b, |factor, b| cholesky::potrs(triangle, factor, b))
}

fn solve_at_once<T: Scalar>(queue: Option<&Queue>, a: &PackedMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let triangle = a.shape().triangle();
    on_full_with(queue, Storage::Packed, a, b, |a, b| cholesky::posv(triangle, a, b))
}

fn invert<T: Scalar>(queue: Option<&Queue>, storage: Storage, factor: &PackedMut<'_, T>) -> Result<()> {
    let triangle = factor.shape().triangle();
    on_full(queue, storage, factor, |factor| cholesky::potri(triangle, factor))
}
