//! Batches on the host and on every device, by the plans of every class of device.

mod products;
mod systems;

use crate::device::DeviceClass;
use crate::options::Layout;
use crate::scalar::Scalar;

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// The routine itself, and the plans of each class.
const CLASSES: &[Option<DeviceClass>] =
    &[None, Some(DeviceClass::Gpu), Some(DeviceClass::Cpu), Some(DeviceClass::Accelerator)];

fn factor<T: Scalar>(which: usize) -> T {
    [T::ZERO, T::ONE, T::from_parts(-0.75, 0.5)][which]
}
