//! Level 1 on any memory.
//!
//! The memory of the views tells where an operation runs. In the host's memory, the route decides, and the result is
//! there on return. In a device's memory, it is enqueued on the context's own queue, and the event tells when it is
//! done.

use affinimath_macros::instances;

use super::Family;
use super::dispatch::{dispatch, host_start, used};
use crate::blas::level1::Elementwise;
use crate::blas::level1::elementwise::{Operand, check_lengths, enqueue};
use crate::context::Event;
use crate::error::Result;
use crate::host::level1::{RawVector, elementwise, rotm_factors};
use crate::scalar::{Real, Scalar};
use crate::vendor::level1 as vendor;
use crate::view::{Memory, VectorMut, VectorRef, View};

/// y := x (BLAS: xCOPY).
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the lengths differ, [`crate::Error::MixedMemory`] when the vectors do not lie
/// in one memory, and what the device reports.
#[instances]
pub fn copy<T: Scalar>(x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    run(&Elementwise::Copy, Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// x <-> y (BLAS: xSWAP).
///
/// # Errors
/// The errors of [`copy`].
#[instances]
pub fn swap<T: Scalar>(x: VectorMut<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    run(&Elementwise::Swap, Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// x := alpha x (BLAS: xSCAL). With alpha = 1 nothing is done; with alpha = 0, NaN and Inf give NaN, as in the
/// reference BLAS 3.12.
///
/// # Errors
/// Errors of the device.
#[instances]
pub fn scal<T: Scalar>(alpha: T, x: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::ONE {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    run(&Elementwise::Scal(alpha), None, (x.memory(), *x.shape()))
}

/// x := alpha x for a real alpha (BLAS: CSSCAL, ZDSCAL). As [`scal`] otherwise.
///
/// # Errors
/// Errors of the device.
#[instances]
pub fn scal_real<T: Scalar>(alpha: T::RealScalar, x: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::RealScalar::ONE {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    run(&Elementwise::ScalReal(alpha), None, (x.memory(), *x.shape()))
}

/// y := alpha x + y (BLAS: xAXPY). With alpha = 0 nothing is done.
///
/// # Errors
/// The errors of [`copy`].
///
/// # Example
/// ```
/// use affinimath::{Context, axpy};
///
/// let context = Context::preferred()?;
/// let x = context.upload(&[1.0_f64, 2.0, 3.0])?;
/// let mut y = context.upload(&[10.0, 20.0, 30.0])?;
/// axpy(2.0, x.vector()?, y.vector_mut()?)?.wait()?;
/// assert_eq!(y.download()?, [12.0, 24.0, 36.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn axpy<T: Scalar>(alpha: T, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    if alpha == T::ZERO {
        return Ok(Event::Complete); // BLAS: nothing changes.
    }
    run(&Elementwise::Axpy(alpha), Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// y := alpha x + beta y (BLAS Technical Forum: xAXPBY). With alpha = 0, x is not read; with beta = 0, y is not, so
/// that NaN in it vanishes.
///
/// # Errors
/// The errors of [`copy`].
#[instances]
pub fn axpby<T: Scalar>(alpha: T, x: VectorRef<'_, T>, beta: T, y: VectorMut<'_, T>) -> Result<Event> {
    let Some(operation) = Elementwise::axpby(alpha, beta) else { return Ok(Event::Complete) };
    run(&operation, Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// (x, y) := (c x + s y, c y - conj(s) x), with a real c (BLAS: SROT, DROT; LAPACK: CROT, ZROT).
///
/// # Errors
/// The errors of [`copy`].
#[instances]
pub fn rot<T: Scalar>(x: VectorMut<'_, T>, y: VectorMut<'_, T>, c: T::RealScalar, s: T) -> Result<Event> {
    run(&Elementwise::rotation(c, s), Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// (x, y) := (c x + s y, c y - s x), with a real sine (BLAS: CSROT, ZDROT).
///
/// # Errors
/// The errors of [`copy`].
#[instances]
pub fn rot_real<T: Scalar>(
    x: VectorMut<'_, T>,
    y: VectorMut<'_, T>,
    c: T::RealScalar,
    s: T::RealScalar,
) -> Result<Event> {
    run(&Elementwise::real_rotation(c, s), Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// (x, y) := H (x, y) (BLAS: SROTM, DROTM). The five parameters are a flag, then h11, h21, h12, h22. The flag is -1
/// where all four are given, 0 where the diagonal is (1, 1), 1 where h12 = 1 and h21 = -1, and -2 where H is the
/// identity, and nothing is changed. What the flag implies is not used.
///
/// # Errors
/// The errors of [`copy`].
#[instances]
pub fn rotm<T: Real>(x: VectorMut<'_, T>, y: VectorMut<'_, T>, parameters: &[T; 5]) -> Result<Event> {
    let Some(factors) = rotm_factors(parameters) else {
        check_lengths(x.shape(), y.shape())?;
        return Ok(Event::Complete); // BLAS: with flag -2 nothing changes.
    };
    run(&Elementwise::Rotate(factors), Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

fn run<T: Scalar>(operation: &Elementwise<T>, x: Option<Operand<'_, T>>, y: Operand<'_, T>) -> Result<Event> {
    let x = x.filter(|_| operation.has_x());
    if let Some((_, shape)) = &x {
        check_lengths(shape, &y.1)?;
    }
    let n = y.1.length();
    if n == 0 && matches!(y.0, Memory::Host(..)) {
        return Ok(Event::Complete); // BLAS: n <= 0 changes nothing.
    }
    let operations = (n as u64).saturating_mul(T::KIND.multiply_add_operations());
    let reads_y = operation.reads_y();
    let y = VectorMut::from_parts(y.0, y.1);
    match x {
        None => dispatch(
            Family::Vector,
            operations,
            (used(y, reads_y),),
            |(y,)| elementwise(operation, None, raw_vector((y.memory(), *y.shape()))),
            |queue, (y,)| enqueue(queue, operation, None, (y.memory(), *y.shape())),
            |call, (y,)| vendor::elementwise(call, operation, None, (&y).into()),
        ),
        Some((memory, shape)) if operation.writes_x() => dispatch(
            Family::Vector,
            operations,
            (VectorMut::from_parts(memory, shape), y),
            |(x, y)| {
                elementwise(operation, Some(raw_vector((x.memory(), *x.shape()))), raw_vector((y.memory(), *y.shape())))
            },
            |queue, (x, y)| enqueue(queue, operation, Some((x.memory(), *x.shape())), (y.memory(), *y.shape())),
            |call, (x, y)| vendor::elementwise(call, operation, Some((&x).into()), (&y).into()),
        ),
        Some((memory, shape)) => dispatch(
            Family::Vector,
            operations,
            (VectorRef::from_parts(memory, shape), used(y, reads_y)),
            |(x, y)| {
                elementwise(operation, Some(raw_vector((x.memory(), *x.shape()))), raw_vector((y.memory(), *y.shape())))
            },
            |queue, (x, y)| enqueue(queue, operation, Some((x.memory(), *x.shape())), (y.memory(), *y.shape())),
            |call, (x, y)| vendor::elementwise(call, operation, Some((&x).into()), (&y).into()),
        ),
    }
}

/// The elements of a view in the host's memory, for the host backend.
pub(super) fn raw_vector<T: Scalar>((memory, shape): Operand<'_, T>) -> RawVector<T> {
    // SAFETY: the views hold valid vectors, and outlive the operation.
    unsafe { RawVector::new(host_start(memory), &shape) }
}
