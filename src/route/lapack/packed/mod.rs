//! Triangles in packed storage and in rectangular full packed storage. Routines work on a full copy in the host's
//! memory, by the routines of full matrices: the route decides where. Operands in a device's memory are copied there
//! and back.

mod conversions;
mod definite;
mod indefinite;
mod norms;
mod spectral;
mod storage;
mod triangular;
mod update;

pub use conversions::{
    tfttp, tfttp_on, tfttr, tfttr_on, tpttf, tpttf_on, tpttr, tpttr_on, trttf, trttf_on, trttp, trttp_on,
};
pub use definite::{
    pftrf, pftrf_on, pftri, pftri_on, pftrs, pftrs_on, ppcon, ppcon_on, ppcon_with_vector, ppsv, ppsv_on, pptrf,
    pptrf_on, pptri, pptri_on, pptrs, pptrs_on,
};
pub use indefinite::{
    hpsv, hpsv_on, hptrf, hptrf_on, hptri, hptri_on, hptrs, hptrs_on, spsv, spsv_on, sptrf, sptrf_on, sptri, sptri_on,
    sptrs, sptrs_on,
};
pub use norms::{lanhf, lanhf_on, lanhp, lanhp_on, lansf, lansf_on, lansp, lansp_on, lantp, lantp_on};
pub use spectral::{hpev, hpev_on, hpgv, hpgv_on};
pub use triangular::{tfsm, tfsm_on, tftri, tftri_on, tptri, tptri_on, tptrs, tptrs_on};
pub use update::{hfrk, hfrk_on, sfrk, sfrk_on};

use super::staged::{DeviceInfo, adjacent, adjacent_of, with_views};
use super::{check_length, rows_agree};
use crate::blas::device_buffer;
use crate::context::{Event, MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, Memory, PackedMut, PackedRef, VectorMut, View};
use storage::{Full, Storage, Stored};

/// Work on a full copy of a stored triangle. The triangle gets its results, those of a failure too.
fn on_full<T: Scalar>(
    queue: Option<&Queue>,
    storage: Storage,
    a: &PackedMut<'_, T>,
    work: impl FnOnce(MatrixMut<'_, T>) -> Result<()>,
) -> Result<()> {
    let stored = Stored::new(queue, storage, a, "A")?;
    let mut full = stored.full(queue)?;
    let outcome = work(full.view_mut()?);
    stored.write(queue, &full)?;
    outcome
}

/// The same, with a matrix of as many rows that the work overwrites.
fn on_full_with<T: Scalar>(
    queue: Option<&Queue>,
    storage: Storage,
    a: &PackedMut<'_, T>,
    b: MatrixMut<'_, T>,
    work: impl FnOnce(MatrixMut<'_, T>, MatrixMut<'_, T>) -> Result<()>,
) -> Result<()> {
    rows_agree("A", a.shape().order(), &b)?;
    in_one_memory(queue, a.memory(), b.memory(), "B")?;
    on_full(queue, storage, a, |full| on_views(queue, b, |b| work(full, b)))
}

/// Work on a full copy of a triangle that is read.
fn from_full<T: Scalar, R>(
    queue: Option<&Queue>,
    storage: Storage,
    a: &PackedRef<'_, T>,
    work: impl FnOnce(MatrixRef<'_, T>) -> Result<R>,
) -> Result<R> {
    let full: Full<T> = Stored::read_only(queue, storage, a, "A")?.full(queue)?;
    work(full.view()?)
}

/// The same, with a matrix that the work overwrites.
fn from_full_with<T: Scalar>(
    queue: Option<&Queue>,
    storage: Storage,
    a: &PackedRef<'_, T>,
    b: MatrixMut<'_, T>,
    work: impl FnOnce(MatrixRef<'_, T>, MatrixMut<'_, T>) -> Result<()>,
) -> Result<()> {
    in_one_memory(queue, a.memory(), b.memory(), "B")?;
    from_full(queue, storage, a, |full| on_views(queue, b, |b| work(full, b)))
}

/// Work on a matrix in the host's memory, or on a copy that is brought back to a device's.
fn on_views<T: Scalar>(
    queue: Option<&Queue>,
    b: MatrixMut<'_, T>,
    work: impl FnOnce(MatrixMut<'_, T>) -> Result<()>,
) -> Result<()> {
    let mut outcome = Ok(());
    with_views(queue, vec![], vec![b], |_, mut written| {
        if let Some(b) = written.pop() {
            outcome = work(b);
        }
    })?;
    outcome
}

/// Refuses operands of which one lies in the host's memory and one in a device's, and, with a queue, those that do not
/// lie in its device's.
fn in_one_memory<T>(queue: Option<&Queue>, a: Memory<'_, T>, b: Memory<'_, T>, name: &str) -> Result<()> {
    match queue {
        Some(queue) => device_buffer(queue, b, name).map(drop),
        None if a.buffer().is_some() == b.buffer().is_some() => Ok(()),
        None => Err(Error::MixedMemory("the matrices do not lie in one memory".to_owned())),
    }
}

/// The outcome of a routine on a device's memory: what LAPACK tells by a positive info goes there.
fn with_info(queue: &Queue, info: &VectorMut<'_, i32>, work: impl FnOnce() -> Result<()>) -> Result<Event> {
    let info = DeviceInfo::new(queue, info)?;
    let found = match work() {
        Ok(()) => None,
        Err(error) if error.status() > 0 => Some(error.status() as usize),
        Err(error) => return Err(error),
    };
    info.write(queue, found)?;
    Ok(Event::Complete)
}
