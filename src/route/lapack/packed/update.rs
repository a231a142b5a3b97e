//! Rank-k updates of symmetric and Hermitian matrices in rectangular full packed storage.

use affinimath_macros::instances;

use super::*;
use crate::options::Op;
use crate::route::level3::{herk, syrk};

/// C := alpha op(A) op(A)ᵀ + beta C for a real symmetric C in rectangular full packed storage (LAPACK: xSFRK). op(A) is
/// A or its transpose. `transr` is that of [`crate::pftrf`]. With beta = 0, C is not read.
///
/// # Errors
/// The errors of [`crate::syrk`] and of [`crate::pftrf`]'s `transr`; [`Error::OutOfHostMemory`] where a full copy has
/// no place.
#[instances]
pub fn sfrk<T: Scalar>(transr: Op, op: Op, alpha: T, a: MatrixRef<'_, T>, beta: T, c: PackedMut<'_, T>) -> Result<()> {
    let triangle = c.shape().triangle();
    update(None, transr, a, &c, beta == T::ZERO, |a, c| syrk(triangle, op, alpha, a, beta, c)?.wait())
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`sfrk`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sfrk_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    beta: T,
    c: PackedMut<'_, T>,
) -> Result<Event> {
    let triangle = c.shape().triangle();
    let updated = |a: MatrixRef<'_, T>, c: MatrixMut<'_, T>| syrk(triangle, op, alpha, a, beta, c)?.wait();
    update(Some(queue), transr, a, &c, beta == T::ZERO, updated)?;
    Ok(Event::Complete)
}

/// C := alpha op(A) op(A)ᴴ + beta C for a Hermitian C in rectangular full packed storage, as [`sfrk`] (LAPACK: xHFRK).
///
/// # Errors
/// The errors of [`crate::herk`] and of [`sfrk`].
#[instances]
pub fn hfrk<T: Scalar>(
    transr: Op,
    op: Op,
    alpha: T::RealScalar,
    a: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: PackedMut<'_, T>,
) -> Result<()> {
    let triangle = c.shape().triangle();
    let updated = |a: MatrixRef<'_, T>, c: MatrixMut<'_, T>| herk(triangle, op, alpha, a, beta, c)?.wait();
    update(None, transr, a, &c, T::ONE.scaled(beta) == T::ZERO, updated)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`hfrk`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hfrk_on<T: Scalar>(
    queue: &Queue,
    transr: Op,
    op: Op,
    alpha: T::RealScalar,
    a: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: PackedMut<'_, T>,
) -> Result<Event> {
    let triangle = c.shape().triangle();
    let updated = |a: MatrixRef<'_, T>, c: MatrixMut<'_, T>| herk(triangle, op, alpha, a, beta, c)?.wait();
    update(Some(queue), transr, a, &c, T::ONE.scaled(beta) == T::ZERO, updated)?;
    Ok(Event::Complete)
}

fn update<T: Scalar>(
    queue: Option<&Queue>,
    transr: Op,
    a: MatrixRef<'_, T>,
    c: &PackedMut<'_, T>,
    overwrites: bool,
    work: impl FnOnce(MatrixRef<'_, T>, MatrixMut<'_, T>) -> Result<()>,
) -> Result<()> {
    in_one_memory(queue, c.memory(), a.memory(), "A")?;
    let stored = Stored::new(queue, Storage::Rectangular(transr), c, "C")?;
    let mut full = if overwrites { Full::zeros(c.shape().order())? } else { stored.full(queue)? };
    let mut outcome = Ok(());
    with_views(queue, vec![a], vec![], |mut read, _| {
        if let Some(a) = read.pop() {
            outcome = full.view_mut().and_then(|c| work(a, c));
        }
    })?;
    outcome?;
    stored.write(queue, &full)
}
