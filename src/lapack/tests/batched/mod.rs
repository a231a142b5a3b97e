//! Batches: every matrix is factorised and solved with as if it was alone, whatever the others are.

mod band;
mod cholesky;
mod lu;
mod qr;
mod spectral;
mod tridiagonal;

use super::*;
use crate::lapack::tests::host::Dense;
use crate::scalar::Complex64;
use crate::testing::Batch;
use crate::view::{BatchMut, BatchRef, BatchShape, MatrixShape, VectorMut};

/// Fill value after each matrix's vector.
const CANARY: i32 = -7;

/// Backend: the host, or a device treated as a class.
struct Backend<'c> {
    context: &'c Context,
    device_info: Option<&'c DeviceInfo>,
}

/// The host, and every device as a CPU and as a GPU.
fn for_each_backend<T: Scalar>(check: impl Fn(&Backend<'_>)) {
    check(&Backend { context: &Context::host(), device_info: None });
    for (context, device_info) in &devices::<T>() {
        check(&Backend { context, device_info: Some(device_info) });
    }
}

/// False on PoCL, which takes long to compile kernels with whole panels in unrolled registers. Tests of small matrices
/// cover them there.
fn compiles_large_panels() -> bool {
    crate::testing::devices().iter().all(|device| device.info().platform != "Portable Computing Language")
}

impl Backend<'_> {
    fn is(&self, class: DeviceClass) -> bool {
        self.device_info.is_some_and(|device_info| device_info.class == class)
    }
}

/// A batch in one of several arrangements: layouts, gaps, strides or offsets.
fn batch<T: Scalar>(k: usize, size: [usize; 2], count: usize, seed: u64) -> Batch<T> {
    let (layout, gap) = STORAGES[k % 3];
    Batch::new(layout, size, count, gap, k % 4 == 1, seed)
}

fn dense<T: Scalar>(a: &Batch<T>, matrix: usize, [rows, columns]: [usize; 2]) -> Dense {
    faer::Mat::from_fn(rows, columns, |i, j| a.element(matrix, i, j))
}

fn set<T: Scalar>(a: &mut Batch<T>, matrix: usize, (i, j): (usize, usize), value: Complex64) {
    let index = a.index(matrix, i, j);
    a.data[index] = T::from_parts(value.re, value.im);
}

/// The batch with other data.
fn with_data<T: Scalar>(a: &Batch<T>, data: Vec<T>) -> Batch<T> {
    let mut with = a.clone();
    assert_eq!(with.data.len(), data.len());
    with.data = data;
    with
}

/// True if the elements between the vectors of consecutive matrices, `each` of every `stride`, are canaries.
fn gaps_live(values: &[i32], each: usize, stride: usize) -> bool {
    values.iter().enumerate().all(|(i, number)| i % stride < each || *number == CANARY)
}
