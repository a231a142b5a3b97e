//! LAPACK's test ratios on every device, as every class of device, against plain loops in doubles.

mod batched;
mod cholesky;
mod condition;
mod eigen;
pub(crate) mod host;
mod indefinite;
mod inverses;
mod least_squares;
mod lu;
mod mixed;
mod native;
mod norms;
mod packed;
mod qr;
mod singular;
mod structured;
mod tridiagonal;

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::native::Backend;
use crate::memory::{Buffer, Context};
use crate::options::Layout;
use crate::scalar::Scalar;
use crate::testing::{Stored, contexts, keeps_subnormals};

/// Layouts, and gaps around the columns or rows.
const STORAGES: [(Layout, usize); 3] = [(Layout::ColumnMajor, 0), (Layout::ColumnMajor, 3), (Layout::RowMajor, 2)];

/// The devices, each as itself taken for a CPU and for a GPU, and by kernels.
fn devices<T: Scalar>() -> Vec<(Context, DeviceInfo)> {
    let devices = contexts::<T>().into_iter().filter(|context| context.device().is_some());
    devices
        .flat_map(|context| {
            [DeviceClass::Cpu, DeviceClass::Gpu].map(|class| {
                let device_info =
                    DeviceInfo { class, native_kernels: false, ..context.device().unwrap().info().clone() };
                (context.clone(), device_info)
            })
        })
        .collect()
}

/// The same, and those that run the host's routines, too.
fn devices_with_backends<T: Scalar>() -> Vec<(Context, DeviceInfo)> {
    let mut devices = devices::<T>();
    for context in contexts::<T>() {
        let device_info = context.device().map(|device| device.info().clone());
        devices.extend(
            device_info.filter(|device_info| device_info.native_kernels).map(|device_info| (context, device_info)),
        );
    }
    devices
}

/// The devices, each with all who can do its work.
fn backends_on_devices<T: Scalar>() -> Vec<(Context, Backend)> {
    let on = devices_with_backends::<T>().into_iter().filter(|(_, device_info)| device_info.class == DeviceClass::Cpu);
    on.map(|(context, device_info)| (context, backend(&device_info))).collect()
}

/// Backend on such a device, for a matrix of any size.
const fn backend(device_info: &DeviceInfo) -> Backend {
    if device_info.native_kernels { Backend::Host } else { Backend::Device }
}

/// True if values of a size are kept on the context's device: subnormal floats may be flushed to zero.
fn keeps<T: Scalar>(context: &Context, size: f64) -> bool {
    size >= f64::from(f32::MIN_POSITIVE) || keeps_subnormals::<T>(context)
}

/// The elements in the context's memory.
fn uploaded<T: Scalar>(context: &Context, a: &Stored<T>) -> Buffer<T> {
    context.upload(&a.data).unwrap()
}

/// The matrix after the work on it.
fn downloaded<T: Scalar>(a: &Stored<T>, memory: &Buffer<T>) -> Stored<T> {
    a.clone().with(memory.download().unwrap())
}
