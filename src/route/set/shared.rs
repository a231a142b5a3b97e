//! Calls of the library's functions that the chosen devices share.

use super::DeviceSet;
use super::cost::Share;
use crate::device::Device;
use crate::error::Result;
use crate::memory::Context;
use crate::route::host_only::{device_of_thread, host_only};
use crate::route::settings::{RouteChoice, settings, several_devices};
use crate::route::{Family, Model, PAYS_BELOW, Work};
use crate::scalar::Scalar;
use crate::vendor;
use crate::view::{BatchMut, BatchRef, BatchShape, MatrixMut, MatrixRef, Memory, View};

/// A matrix or a batch of a call: its bytes, and where it lies.
pub(in crate::route) trait Shares {
    /// Bytes that go to a device and back; `None` in a device's memory.
    fn bytes(&self) -> Option<[u64; 2]>;
}

impl<T: Scalar> Shares for MatrixRef<'_, T> {
    fn bytes(&self) -> Option<[u64; 2]> {
        let host = matches!(self.memory(), Memory::Host(..));
        host.then(|| [(self.rows() as u64).saturating_mul((self.columns() * size_of::<T>()) as u64), 0])
    }
}

impl<T: Scalar> Shares for MatrixMut<'_, T> {
    fn bytes(&self) -> Option<[u64; 2]> {
        let host = matches!(self.memory(), Memory::Host(..));
        host.then(|| [(self.rows() as u64).saturating_mul((self.columns() * size_of::<T>()) as u64); 2])
    }
}

impl<T: Scalar> Shares for BatchRef<'_, T> {
    fn bytes(&self) -> Option<[u64; 2]> {
        let host = matches!(self.memory(), Memory::Host(..));
        host.then(|| [bytes_of_batch::<T>(self.shape()), 0])
    }
}

impl<T: Scalar> Shares for BatchMut<'_, T> {
    fn bytes(&self) -> Option<[u64; 2]> {
        let host = matches!(self.memory(), Memory::Host(..));
        host.then(|| [bytes_of_batch::<T>(self.shape()); 2])
    }
}

fn bytes_of_batch<T>(shape: &BatchShape<'_>) -> u64 {
    let one = (shape.matrix().rows() as u64).saturating_mul((shape.matrix().columns() * size_of::<T>()) as u64);
    one.saturating_mul(shape.count() as u64)
}

/// The devices that share a call of some real operations on matrices of the host; `None` where one device or the host
/// does it.
///
/// # Errors
/// Those of the settings, and of opening a device.
#[inline]
pub(in crate::route) fn share<T: Scalar>(
    family: Family,
    operations: u64,
    steps: usize,
    operands: &[&dyn Shares],
) -> Result<Option<DeviceSet>> {
    if !several_devices()? {
        return Ok(None);
    }
    let bytes = operands.iter().map(|operand| operand.bytes()).collect::<Option<Vec<_>>>();
    let Some(bytes) = bytes else { return Ok(None) };
    let sum = |direction: usize| bytes.iter().fold(0_u64, |sum, bytes| sum.saturating_add(bytes[direction]));
    let work = Work { family, kind: T::KIND, operations, steps: steps as u64, bytes_to: sum(0), bytes_from: sum(1) };
    devices_for(&work)
}

#[inline(never)]
fn devices_for(work: &Work) -> Result<Option<DeviceSet>> {
    if host_only() || device_of_thread().is_some() || vendor::inside() {
        return Ok(None);
    }
    let settings = settings()?;
    if !matches!(settings.route, RouteChoice::Auto | RouteChoice::Device) {
        return Ok(None);
    }
    let all = Device::all()?;
    let able = |index: &usize| all[*index].info().supports(work.kind);
    let chosen: Vec<_> = settings.devices()?.iter().filter(|chosen| able(&chosen.index)).collect();
    // A small call has nothing measured for it.
    let Some(first) = chosen.first().filter(|first| chosen.len() > 1 && first.may_pay(work)) else { return Ok(None) };
    let [host, device] = first.model().seconds(work);
    let alone = if settings.route == RouteChoice::Device { device } else { host.min(device) };
    let models: Vec<&Model> = chosen.iter().map(|chosen| chosen.model()).collect();
    let share = Share::choose(&models, work);
    tracing::debug!(family = ?work.family, devices = ?share.devices, seconds = share.seconds, alone, "several devices");
    if share.devices.len() < 2 || share.seconds >= PAYS_BELOW * alone {
        return Ok(None);
    }
    let open = |number: &usize| Context::open(&all[chosen[*number].index]);
    DeviceSet::new(&share.devices.iter().map(open).collect::<Result<Vec<_>>>()?).map(Some)
}
