//! rot, rotm, rotg, rotmg on a device.

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use super::elementwise::{Elementwise, ROTATIONS, enqueue, enqueue_kernel};
use super::reduction::{DeviceElements, elements};
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{KernelFile, ProgramSource, source};
use crate::scalar::{Real, Scalar};
use crate::view::{VectorMut, VectorRef, View};

/// Number of rotm's parameters.
pub(crate) const PARAMETERS: usize = 5;

/// (x, y) := (c x + s y, c y - conj(s) x) on a device, with a real c (BLAS: SROT, DROT; LAPACK: CROT, ZROT). It returns
/// as soon as the work is enqueued.
///
/// # Errors
/// Those of [`super::copy_on`].
#[instances]
pub fn rot_on<T: Scalar>(
    queue: &Queue,
    x: VectorMut<'_, T>,
    y: VectorMut<'_, T>,
    c: T::RealScalar,
    s: T,
) -> Result<Event> {
    enqueue(queue, &Elementwise::rotation(c, s), Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// (x, y) := (c x + s y, c y - s x) on a device, with a real sine (BLAS: CSROT, ZDROT).
///
/// # Errors
/// Those of [`super::copy_on`].
#[instances]
pub fn rot_real_on<T: Scalar>(
    queue: &Queue,
    x: VectorMut<'_, T>,
    y: VectorMut<'_, T>,
    c: T::RealScalar,
    s: T::RealScalar,
) -> Result<Event> {
    enqueue(queue, &Elementwise::real_rotation(c, s), Some((x.memory(), *x.shape())), (y.memory(), *y.shape()))
}

/// (x, y) := H (x, y) on a device (BLAS: SROTM, DROTM). H is given by five contiguous parameters in device memory,
/// written by [`rotmg_on`]: a flag, then h11, h21, h12, h22. Flag -1 uses all four; 0 implies a diagonal of (1, 1); 1
/// implies h12 = 1 and h21 = -1; -2 is the identity, and nothing is changed. Implied parameters are not read.
///
/// # Errors
/// Those of [`super::copy_on`].
#[instances]
pub fn rotm_on<T: Real>(
    queue: &Queue,
    x: VectorMut<'_, T>,
    y: VectorMut<'_, T>,
    parameters: VectorRef<'_, T>,
) -> Result<Event> {
    let parameters = elements(queue, parameters.memory(), parameters.shape(), PARAMETERS, "param")?;
    let (x, y) = (Some((x.memory(), *x.shape())), (y.memory(), *y.shape()));
    enqueue_kernel(queue, &ROTATIONS, "rotm", x, y, |launch| launch.elements(parameters))
}

/// Givens rotation that takes (a, b) to (r, 0), in device memory (BLAS: SROTG, DROTG, CROTG, ZROTG). r overwrites a;
/// for the real types z overwrites b. See [`crate::rotg`].
///
/// # Errors
/// Those of [`super::copy_on`].
#[instances]
pub fn rotg_on<T: Scalar>(
    queue: &Queue,
    a: VectorMut<'_, T>,
    b: VectorMut<'_, T>,
    c: VectorMut<'_, T::RealScalar>,
    s: VectorMut<'_, T>,
) -> Result<Event> {
    let c = elements(queue, c.memory(), c.shape(), 1, "c")?;
    let [a, b, s] =
        [(a, "a"), (b, "b"), (s, "s")].map(|(view, name)| elements(queue, view.memory(), view.shape(), 1, name));
    single::<T>(queue, "rotg", "level 1 rotg", source("blas/level1/rotation/rotg.cl"), &[a?, b?, c, s?])
}

/// Modified Givens rotation that takes (x1, y1) with weights d1 and d2 of their squares to (x1', 0), in device memory
/// (BLAS: SROTMG, DROTMG). New d1, d2 and x1 overwrite the old ones; `parameters` are the five of [`rotm_on`]. See
/// [`crate::rotmg`].
///
/// # Errors
/// Those of [`super::copy_on`].
#[instances]
pub fn rotmg_on<T: Real>(
    queue: &Queue,
    d1: VectorMut<'_, T>,
    d2: VectorMut<'_, T>,
    x1: VectorMut<'_, T>,
    y1: VectorRef<'_, T>,
    parameters: VectorMut<'_, T>,
) -> Result<Event> {
    let parameters = elements(queue, parameters.memory(), parameters.shape(), PARAMETERS, "param")?;
    let y1 = elements(queue, y1.memory(), y1.shape(), 1, "y1")?;
    let [d1, d2, x1] =
        [(d1, "d1"), (d2, "d2"), (x1, "x1")].map(|(view, name)| elements(queue, view.memory(), view.shape(), 1, name));
    single::<T>(
        queue,
        "rotmg",
        "level 1 rotmg",
        source("blas/level1/rotation/rotmg.cl"),
        &[d1?, d2?, x1?, y1, parameters],
    )
}

/// Enqueues one work-item on elements in memory.
fn single<T: Scalar>(
    queue: &Queue,
    kernel: &'static str,
    name: &'static str,
    root: KernelFile,
    operands: &[DeviceElements],
) -> Result<Event> {
    let context = queue.context();
    context.device().info().require(T::KIND)?;
    let program = context.program(&ProgramSource { name, kind: T::KIND, root, definitions: vec![] })?;
    let launch =
        operands.iter().fold(Launch::new(queue, &program, kernel), |launch, elements| launch.elements(*elements));
    let event = launch.enqueue([1, 1, 1], [1, 1, 1])?;
    queue.flush()?;
    Ok(event)
}

trait ElementArguments: Sized {
    /// A memory object and an offset.
    fn elements(self, elements: DeviceElements) -> Self;
}

impl ElementArguments for Launch<'_> {
    fn elements(self, elements: DeviceElements) -> Self {
        self.buffer(&elements).index(elements.offset)
    }
}
