//! Rank-one and rank-two updates on any memory.
//!
//! The memory of the views tells where an update runs. In the host's memory, the route decides, and the result is there
//! on return. In a device's memory, it is enqueued on the context's own queue, and the event tells when it is done.

use affinimath_macros::instances;

use crate::blas::level2::update::{Update, update_on};
use crate::context::Event;
use crate::error::Result;
use crate::host;
use crate::options::{Symmetry, Triangle};
use crate::route::Family;
use crate::route::dispatch::dispatch;
use crate::scalar::Scalar;
use crate::vendor::level2 as vendor;
use crate::view::{MatrixMut, PackedMut, VectorRef, View};

/// The constructor of [`Update`] and its first arguments, then the vectors and the matrix with its view's type.
macro_rules! update {
    ($constructor:ident($($option:expr),*; $($vector:ident),+; $a:ident: $view:ident)) => {{
        let again = $view::from_parts($a.memory(), *$a.shape());
        let update = Update::$constructor($($option,)* $($vector,)+ again)?;
        if update.changes_nothing() {
            return Ok(Event::Complete);
        }
        dispatch(
            Family::Update,
            update.operations(),
            ($($vector,)+ $a),
            |($($vector,)+ $a)| {
                let update = Update::$constructor($($option,)* $($vector,)+ $a);
                host::level2::update(&update.expect("the sizes agree, as they did before"));
            },
            |queue, ($($vector,)+ $a)| update_on(queue, &Update::$constructor($($option,)* $($vector,)+ $a)?),
            |call, ($($vector,)+ $a)| vendor::$constructor(call, $($option,)* $($vector,)+ $a),
        )
    }};
}

/// A := A + alpha x yᵀ (BLAS: xGER, xGERU). BLAS: with alpha = 0 or an empty A nothing is done, and nothing is read.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when the operands do not
/// lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, ger};
///
/// let context = Context::preferred()?;
/// let x = context.upload(&[1.0_f64, 2.0])?;
/// let y = context.upload(&[3.0, 5.0, 7.0])?;
/// let mut a = context.zeros::<f64>(6)?;
/// ger(10.0, x.vector()?, y.vector()?, a.matrix_mut(2, 3)?)?.wait()?;
/// assert_eq!(a.download()?, [30.0, 60.0, 50.0, 100.0, 70.0, 140.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn ger<T: Scalar>(alpha: T, x: VectorRef<'_, T>, y: VectorRef<'_, T>, a: MatrixMut<'_, T>) -> Result<Event> {
    update!(ger(false, alpha; x, y; a: MatrixMut))
}

/// A := A + alpha x yᴴ (BLAS: xGERC). As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn gerc<T: Scalar>(alpha: T, x: VectorRef<'_, T>, y: VectorRef<'_, T>, a: MatrixMut<'_, T>) -> Result<Event> {
    update!(ger(true, alpha; x, y; a: MatrixMut))
}

/// A := A + alpha x xᵀ on a triangle of A (BLAS: xSYR; LAPACK: CSYR, ZSYR). As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn syr<T: Scalar>(triangle: Triangle, alpha: T, x: VectorRef<'_, T>, a: MatrixMut<'_, T>) -> Result<Event> {
    update!(syr(Symmetry::Symmetric, triangle, alpha; x; a: MatrixMut))
}

/// A := A + alpha x xᴴ with a real alpha on a triangle of A (BLAS: xHER). The imaginary part of the diagonal is not
/// read, and becomes 0. As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn her<T: Scalar>(
    triangle: Triangle,
    alpha: T::RealScalar,
    x: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update!(syr(Symmetry::Hermitian, triangle, T::ONE.scaled(alpha); x; a: MatrixMut))
}

/// A := A + alpha x yᵀ + alpha y xᵀ on a triangle of A (BLAS: xSYR2). As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn syr2<T: Scalar>(
    triangle: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update!(syr2(Symmetry::Symmetric, triangle, alpha; x, y; a: MatrixMut))
}

/// A := A + alpha x yᴴ + conj(alpha) y xᴴ on a triangle of A (BLAS: xHER2). The imaginary part of the diagonal is not
/// read, and becomes 0. As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn her2<T: Scalar>(
    triangle: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    update!(syr2(Symmetry::Hermitian, triangle, alpha; x, y; a: MatrixMut))
}

/// A := A + alpha x xᵀ on a packed triangle of A (BLAS: xSPR; LAPACK: CSPR, ZSPR). As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn spr<T: Scalar>(alpha: T, x: VectorRef<'_, T>, a: PackedMut<'_, T>) -> Result<Event> {
    update!(spr(Symmetry::Symmetric, alpha; x; a: PackedMut))
}

/// A := A + alpha x xᴴ with a real alpha on a packed triangle of A (BLAS: xHPR). The imaginary part of the diagonal is
/// not read, and becomes 0. As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn hpr<T: Scalar>(alpha: T::RealScalar, x: VectorRef<'_, T>, a: PackedMut<'_, T>) -> Result<Event> {
    update!(spr(Symmetry::Hermitian, T::ONE.scaled(alpha); x; a: PackedMut))
}

/// A := A + alpha x yᵀ + alpha y xᵀ on a packed triangle of A (BLAS: xSPR2). As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn spr2<T: Scalar>(alpha: T, x: VectorRef<'_, T>, y: VectorRef<'_, T>, a: PackedMut<'_, T>) -> Result<Event> {
    update!(spr2(Symmetry::Symmetric, alpha; x, y; a: PackedMut))
}

/// A := A + alpha x yᴴ + conj(alpha) y xᴴ on a packed triangle of A (BLAS: xHPR2). The imaginary part of the diagonal
/// is not read, and becomes 0. As [`ger`] otherwise.
///
/// # Errors
/// The errors of [`ger`].
#[instances]
pub fn hpr2<T: Scalar>(alpha: T, x: VectorRef<'_, T>, y: VectorRef<'_, T>, a: PackedMut<'_, T>) -> Result<Event> {
    update!(spr2(Symmetry::Hermitian, alpha; x, y; a: PackedMut))
}
