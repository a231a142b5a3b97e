//! rot, rotm, rotg, rotmg on a device.

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use super::elementwise::{Elementwise, ROTATIONS, enqueue, enqueue_kernel};
use super::reduction::{Place, place};
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::{Real, Scalar};
use crate::view::{VectorMut, VectorRef, View};

const ROTG: &[&str] = &[include_str!("../../../../cl/blas/level1/rotation/rotg.cl")];
const ROTMG: &[&str] = &[include_str!("../../../../cl/blas/level1/rotation/rotmg.cl")];

/// The number of rotm's parameters.
pub(crate) const PARAMETERS: usize = 5;

/// (x, y) := (c x + s y, c y - conj(s) x) on a device, with a real c (BLAS: SROT, DROT; LAPACK: CROT, ZROT). As all
/// operations here, it returns as soon as the work is enqueued.
///
/// # Errors
/// As [`super::copy_on`].
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
/// As [`super::copy_on`].
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

/// (x, y) := H (x, y) on a device (BLAS: SROTM, DROTM). H is made of five adjacent parameters in the device's memory, as
/// [`rotmg_on`] leaves them: a flag, then h11, h21, h12, h22. The flag is -1 where all four are given, 0 where the diagonal
/// is (1, 1), 1 where h12 = 1 and h21 = -1, and -2 where H is the identity, and nothing is changed. What the flag implies is
/// not used.
///
/// # Errors
/// As [`super::copy_on`].
#[instances]
pub fn rotm_on<T: Real>(
    queue: &Queue,
    x: VectorMut<'_, T>,
    y: VectorMut<'_, T>,
    parameters: VectorRef<'_, T>,
) -> Result<Event> {
    let parameters = place(queue, parameters.memory(), parameters.shape(), PARAMETERS, "param")?;
    let (x, y) = (Some((x.memory(), *x.shape())), (y.memory(), *y.shape()));
    enqueue_kernel(queue, &ROTATIONS, "rotm", x, y, |launch| launch.place(parameters))
}

/// The rotation that takes (a, b) to (r, 0), of numbers in a device's memory (BLAS: SROTG, DROTG, CROTG, ZROTG): a becomes
/// r, and for the real types b becomes z. [`crate::rotg`] says more.
///
/// # Errors
/// As [`super::copy_on`].
#[instances]
pub fn rotg_on<T: Scalar>(
    queue: &Queue,
    a: VectorMut<'_, T>,
    b: VectorMut<'_, T>,
    c: VectorMut<'_, T::RealScalar>,
    s: VectorMut<'_, T>,
) -> Result<Event> {
    let c = place(queue, c.memory(), c.shape(), 1, "c")?;
    let [a, b, s] =
        [(a, "a"), (b, "b"), (s, "s")].map(|(view, name)| place(queue, view.memory(), view.shape(), 1, name));
    single::<T>(queue, "rotg", "level 1 rotg", ROTG, &[a?, b?, c, s?])
}

/// The modified rotation that takes (x1, y1), whose squares weigh d1 and d2, to (x1', 0), of numbers in a device's memory
/// (BLAS: SROTMG, DROTMG): d1, d2 and x1 become those after it, and `parameters` are five that [`rotm_on`] takes.
/// [`crate::rotmg`] says more.
///
/// # Errors
/// As [`super::copy_on`].
#[instances]
pub fn rotmg_on<T: Real>(
    queue: &Queue,
    d1: VectorMut<'_, T>,
    d2: VectorMut<'_, T>,
    x1: VectorMut<'_, T>,
    y1: VectorRef<'_, T>,
    parameters: VectorMut<'_, T>,
) -> Result<Event> {
    let parameters = place(queue, parameters.memory(), parameters.shape(), PARAMETERS, "param")?;
    let y1 = place(queue, y1.memory(), y1.shape(), 1, "y1")?;
    let [d1, d2, x1] =
        [(d1, "d1"), (d2, "d2"), (x1, "x1")].map(|(view, name)| place(queue, view.memory(), view.shape(), 1, name));
    single::<T>(queue, "rotmg", "level 1 rotmg", ROTMG, &[d1?, d2?, x1?, y1, parameters])
}

/// Enqueues one work-item on numbers in memory.
fn single<T: Scalar>(
    queue: &Queue,
    kernel: &'static str,
    name: &'static str,
    files: &'static [&'static str],
    places: &[Place],
) -> Result<Event> {
    let context = queue.context();
    context.device().info().require(T::KIND)?;
    let program = context.program(&ProgramSource { name, kind: T::KIND, files, definitions: vec![] })?;
    let launch = places.iter().fold(Launch::new(queue, &program, kernel), |launch, place| launch.place(*place));
    let event = launch.enqueue([1, 1, 1], [1, 1, 1])?;
    queue.flush()?;
    Ok(event)
}

/// Numbers in memory as arguments.
trait PlaceArguments: Sized {
    /// Numbers in memory: a memory object and an offset.
    fn place(self, place: Place) -> Self;
}

impl PlaceArguments for Launch<'_> {
    fn place(self, place: Place) -> Self {
        self.buffer(&place).index(place.offset)
    }
}
