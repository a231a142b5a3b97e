//! BLAS's rank-one and rank-two updates on a device. Each returns as soon as the work is enqueued.

use affinimath_macros::instances;

use super::{Update, update_on};
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::options::{Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, PackedMut, VectorRef};

/// A := A + alpha x yᵀ on a device (BLAS: xGER, xGERU). With alpha = 0 nothing is done.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: A is not to be used.
///
/// [`Error::ShapeMismatch`]: crate::Error::ShapeMismatch
/// [`Error::MixedMemory`]: crate::Error::MixedMemory
/// [`Error::PrecisionNotSupported`]: crate::Error::PrecisionNotSupported
/// [`Error::ProgramBuild`]: crate::Error::ProgramBuild
/// [`Error::OutOfDeviceMemory`]: crate::Error::OutOfDeviceMemory
/// [`Error::OpenCl`]: crate::Error::OpenCl
#[instances]
pub fn ger_on<T: Scalar>(
    queue: &Queue,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::ger(false, alpha, x, y, a)?)
}

/// A := A + alpha x yᴴ on a device (BLAS: xGERC). With alpha = 0 nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn gerc_on<T: Scalar>(
    queue: &Queue,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::ger(true, alpha, x, y, a)?)
}

/// A := A + alpha x xᵀ on a triangle of A, on a device (BLAS: xSYR). With alpha = 0
/// nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn syr_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::syr(Symmetry::Symmetric, triangle, alpha, x, a)?)
}

/// A := A + alpha x xᴴ with a real alpha on a triangle of A, on a device (BLAS: xHER). Imaginary parts of the
/// diagonal become 0. With alpha = 0 nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn her_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    alpha: T::RealScalar,
    x: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::syr(Symmetry::Hermitian, triangle, T::ONE.scaled(alpha), x, a)?)
}

/// A := A + alpha x yᵀ + alpha y xᵀ on a triangle of A, on a device (BLAS: xSYR2). With alpha = 0
/// nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn syr2_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::syr2(Symmetry::Symmetric, triangle, alpha, x, y, a)?)
}

/// A := A + alpha x yᴴ + conj(alpha) y xᴴ on a triangle of A, on a device (BLAS: xHER2). Imaginary parts of the
/// diagonal become 0. With alpha = 0 nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn her2_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::syr2(Symmetry::Hermitian, triangle, alpha, x, y, a)?)
}

/// A := A + alpha x xᵀ on a packed triangle of A, on a device (BLAS: xSPR). With alpha = 0
/// nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn spr_on<T: Scalar>(queue: &Queue, alpha: T, x: VectorRef<'_, T>, a: PackedMut<'_, T>) -> Result<Event> {
    update_on(queue, &Update::spr(Symmetry::Symmetric, alpha, x, a)?)
}

/// A := A + alpha x xᴴ with a real alpha on a packed triangle of A, on a device (BLAS: xHPR). Imaginary parts of the
/// diagonal become 0. With alpha = 0 nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn hpr_on<T: Scalar>(
    queue: &Queue,
    alpha: T::RealScalar,
    x: VectorRef<'_, T>,
    a: PackedMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::spr(Symmetry::Hermitian, T::ONE.scaled(alpha), x, a)?)
}

/// A := A + alpha x yᵀ + alpha y xᵀ on a packed triangle of A, on a device (BLAS: xSPR2). With alpha = 0
/// nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn spr2_on<T: Scalar>(
    queue: &Queue,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: PackedMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::spr2(Symmetry::Symmetric, alpha, x, y, a)?)
}

/// A := A + alpha x yᴴ + conj(alpha) y xᴴ on a packed triangle of A, on a device (BLAS: xHPR2). Imaginary parts of
/// the diagonal become 0. With alpha = 0 nothing is done.
///
/// # Errors
/// Those of [`ger_on`].
#[instances]
pub fn hpr2_on<T: Scalar>(
    queue: &Queue,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: PackedMut<'_, T>,
) -> Result<Event> {
    update_on(queue, &Update::spr2(Symmetry::Hermitian, alpha, x, y, a)?)
}
