//! LAPACK's test ratios on every device there is, as every class of device, against products by plain loops in doubles.

mod cholesky;
mod condition;
mod inverses;
mod least_squares;
mod lu;
mod mixed;
mod norms;
mod qr;

use crate::device::{DeviceClass, DeviceFacts};
use crate::memory::{Buffer, Context};
use crate::options::Layout;
use crate::scalar::Scalar;
use crate::testing::{Stored, contexts};

/// Layouts, and gaps around the columns or rows.
const PLACES: [(Layout, usize); 3] = [(Layout::ColumnMajor, 0), (Layout::ColumnMajor, 3), (Layout::RowMajor, 2)];

/// The devices, each as itself taken for a CPU and for a GPU.
fn devices<T: Scalar>() -> Vec<(Context, DeviceFacts)> {
    let devices = contexts::<T>().into_iter().filter(|context| context.device().is_some());
    devices
        .flat_map(|context| {
            [DeviceClass::Cpu, DeviceClass::Gpu].map(|class| {
                let facts = DeviceFacts { class, ..context.device().unwrap().facts().clone() };
                (context.clone(), facts)
            })
        })
        .collect()
}

/// The elements in the context's memory.
fn uploaded<T: Scalar>(context: &Context, a: &Stored<T>) -> Buffer<T> {
    context.upload(&a.data).unwrap()
}

/// The matrix after the work on it.
fn downloaded<T: Scalar>(a: &Stored<T>, memory: &Buffer<T>) -> Stored<T> {
    a.clone().with(memory.download().unwrap())
}
