//! QR on several devices.

use std::sync::Arc;

use super::worker::run;
use super::{Cut, Method};
use crate::context::{DeviceContext, Event, Queue};
use crate::error::Result;
use crate::lapack::{geqrf_on, ormqr_on};
use crate::options::{Op, Side};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef};

struct Qr;

impl<T: Scalar> Method<T> for Qr {
    type Number = T;

    fn factor(
        &self,
        queue: &Queue,
        panel: MatrixMut<'_, T>,
        tau: VectorMut<'_, T>,
        _: VectorMut<'_, i32>,
    ) -> Result<Event> {
        geqrf_on(queue, panel, tau)
    }

    fn update(
        &self,
        queue: &Queue,
        panel: MatrixRef<'_, T>,
        tau: VectorRef<'_, T>,
        column: MatrixMut<'_, T>,
    ) -> Result<()> {
        ormqr_on(queue, Side::Left, Op::ConjTrans, panel, tau, column).map(drop)
    }

    const FROM_DIAGONAL: bool = false;
    const ENDS: bool = false;
}

/// A = Q R of a matrix in the host's memory, with the factors of the reflectors.
///
/// # Safety
/// The matrix must be valid and nobody else's.
pub(crate) unsafe fn geqrf<T: Scalar>(
    contexts: &[Arc<DeviceContext>],
    (start, shape): (*mut T, MatrixShape),
    tau: &mut [T],
    width: usize,
) -> Result<()> {
    let cut = Cut::new(start, shape, width);
    // SAFETY: by contract.
    let outcome = unsafe { run(contexts, cut, &Qr)? };
    for (panel, found) in outcome.numbers.iter().enumerate() {
        tau[cut.first(panel)..][..found.len()].copy_from_slice(found);
    }
    Ok(())
}
