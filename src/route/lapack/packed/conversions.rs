//! A triangle from one storage to another.

use affinimath_macros::instances;

use super::*;
use crate::options::{Op, Triangle};

/// A triangle of a full matrix into packed storage (LAPACK: xTRTTP). The other triangle is not read.
///
/// # Errors
/// [`Error::ShapeMismatch`] where A is not square and of the triangle's order; [`Error::MixedMemory`] where the
/// operands do not lie in one memory; [`Error::OutOfHostMemory`] where a full copy has no place; and what a device
/// reports.
#[instances]
pub fn trttp<T: Scalar>(a: MatrixRef<'_, T>, packed: PackedMut<'_, T>) -> Result<()> {
    store(None, Storage::Packed, a, &packed)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`trttp`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn trttp_on<T: Scalar>(queue: &Queue, a: MatrixRef<'_, T>, packed: PackedMut<'_, T>) -> Result<Event> {
    store(Some(queue), Storage::Packed, a, &packed)?;
    Ok(Event::Complete)
}

/// A triangle of a full matrix into rectangular full packed storage (LAPACK: xTRTTF). `transr` is that of
/// [`crate::pftrf`].
///
/// # Errors
/// The errors of [`trttp`] and of [`crate::pftrf`]'s `transr`.
#[instances]
pub fn trttf<T: Scalar>(transr: Op, a: MatrixRef<'_, T>, rectangle: PackedMut<'_, T>) -> Result<()> {
    store(None, Storage::Rectangular(transr), a, &rectangle)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`trttf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn trttf_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    a: MatrixRef<'_, T>,
    rectangle: PackedMut<'_, T>,
) -> Result<Event> {
    store(Some(queue), Storage::Rectangular(transr), a, &rectangle)?;
    Ok(Event::Complete)
}

/// A triangle in packed storage into a full matrix (LAPACK: xTPTTR). The other triangle is not touched.
///
/// # Errors
/// The errors of [`trttp`].
#[instances]
pub fn tpttr<T: Scalar>(packed: PackedRef<'_, T>, a: MatrixMut<'_, T>) -> Result<()> {
    restore(None, Storage::Packed, &packed, a)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`tpttr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tpttr_on<T: Scalar>(queue: &Queue, packed: PackedRef<'_, T>, a: MatrixMut<'_, T>) -> Result<Event> {
    restore(Some(queue), Storage::Packed, &packed, a)?;
    Ok(Event::Complete)
}

/// A triangle in rectangular full packed storage into a full matrix (LAPACK: xTFTTR). The other triangle is not
/// touched. `transr` is that of [`crate::pftrf`].
///
/// # Errors
/// The errors of [`trttf`].
#[instances]
pub fn tfttr<T: Scalar>(transr: Op, rectangle: PackedRef<'_, T>, a: MatrixMut<'_, T>) -> Result<()> {
    restore(None, Storage::Rectangular(transr), &rectangle, a)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`tfttr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tfttr_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    rectangle: PackedRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<Event> {
    restore(Some(queue), Storage::Rectangular(transr), &rectangle, a)?;
    Ok(Event::Complete)
}

/// A triangle in packed storage into rectangular full packed storage (LAPACK: xTPTTF). `transr` is that of
/// [`crate::pftrf`].
///
/// # Errors
/// The errors of [`trttf`].
#[instances]
pub fn tpttf<T: Scalar>(transr: Op, packed: PackedRef<'_, T>, rectangle: PackedMut<'_, T>) -> Result<()> {
    convert(None, Storage::Packed, &packed, Storage::Rectangular(transr), &rectangle)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`tpttf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tpttf_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    packed: PackedRef<'_, T>,
    rectangle: PackedMut<'_, T>,
) -> Result<Event> {
    convert(Some(queue), Storage::Packed, &packed, Storage::Rectangular(transr), &rectangle)?;
    Ok(Event::Complete)
}

/// A triangle in rectangular full packed storage into packed storage (LAPACK: xTFTTP). `transr` is that of
/// [`crate::pftrf`].
///
/// # Errors
/// The errors of [`trttf`].
#[instances]
pub fn tfttp<T: Scalar>(transr: Op, rectangle: PackedRef<'_, T>, packed: PackedMut<'_, T>) -> Result<()> {
    convert(None, Storage::Rectangular(transr), &rectangle, Storage::Packed, &packed)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`tfttp`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tfttp_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    rectangle: PackedRef<'_, T>,
    packed: PackedMut<'_, T>,
) -> Result<Event> {
    convert(Some(queue), Storage::Rectangular(transr), &rectangle, Storage::Packed, &packed)?;
    Ok(Event::Complete)
}

fn check_order(order: usize, rows: usize, columns: usize) -> Result<()> {
    if (rows, columns) == (order, order) {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("A: {rows} x {columns}, and the stored triangle is of order {order}")))
}

fn store<T: Scalar>(
    queue: Option<&Queue>,
    storage: Storage,
    a: MatrixRef<'_, T>,
    stored: &PackedMut<'_, T>,
) -> Result<()> {
    check_order(stored.shape().order(), a.rows(), a.columns())?;
    in_one_memory(queue, stored.memory(), a.memory(), "A")?;
    let target = Stored::new(queue, storage, stored, "the triangle")?;
    let mut full = Full::zeros(stored.shape().order())?;
    with_views(queue, vec![a], vec![], |mut read, _| {
        if let Some(a) = read.pop() {
            full.copy_triangle(stored.shape().triangle(), a);
        }
    })?;
    target.write(queue, &full)
}

fn restore<T: Scalar>(
    queue: Option<&Queue>,
    storage: Storage,
    stored: &PackedRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<()> {
    check_order(stored.shape().order(), a.rows(), a.columns())?;
    let triangle: Triangle = stored.shape().triangle();
    in_one_memory(queue, stored.memory(), a.memory(), "A")?;
    let full: Full<T> = Stored::read_only(queue, storage, stored, "the triangle")?.full(queue)?;
    on_views(queue, a, |a| {
        full.write_triangle(triangle, a);
        Ok(())
    })
}

fn convert<T: Scalar>(
    queue: Option<&Queue>,
    storage: Storage,
    from: &PackedRef<'_, T>,
    target: Storage,
    to: &PackedMut<'_, T>,
) -> Result<()> {
    if (from.shape().order(), from.shape().triangle()) != (to.shape().order(), to.shape().triangle()) {
        return Err(Error::ShapeMismatch("the triangles are of different orders or sides".to_owned()));
    }
    in_one_memory(queue, from.memory(), to.memory(), "the result")?;
    let target = Stored::new(queue, target, to, "the result")?;
    let full: Full<T> = Stored::read_only(queue, storage, from, "the triangle")?.full(queue)?;
    target.write(queue, &full)
}
