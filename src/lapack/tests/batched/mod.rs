//! Batches: every matrix is factorised and solved with as if it was alone, whatever the others are.

mod cholesky;
mod lu;
mod qr;

use super::*;
use crate::lapack::tests::host::Dense;
use crate::scalar::Complex64;
use crate::testing::Batch;
use crate::view::{BatchMut, VectorMut};

/// Memory behind numbers that go with each matrix.
const CANARY: i32 = -7;

/// What is done, as which class on a device, or on the host.
struct Place<'c> {
    context: &'c Context,
    device_info: Option<&'c DeviceInfo>,
}

/// The host, and every device as a CPU and as a GPU.
fn for_each_place<T: Scalar>(check: impl Fn(&Place<'_>)) {
    check(&Place { context: &Context::host(), device_info: None });
    for (context, device_info) in &devices::<T>() {
        check(&Place { context, device_info: Some(device_info) });
    }
}

/// Whether kernels with whole panels in registers, written out one by one, compile in good time. PoCL takes ten seconds for each, and
/// has them in the tests of small matrices.
fn compiles_large_panels() -> bool {
    crate::testing::devices().iter().all(|device| device.info().platform != "Portable Computing Language")
}

impl Place<'_> {
    fn is(&self, class: DeviceClass) -> bool {
        self.device_info.is_some_and(|device_info| device_info.class == class)
    }
}

/// A batch in one of several places: layouts, gaps, strides or offsets.
fn batch<T: Scalar>(k: usize, size: [usize; 2], count: usize, seed: u64) -> Batch<T> {
    let (layout, gap) = PLACES[k % 3];
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

/// Whether the elements between the numbers of neighbouring matrices, `each` of every `stride`, are canaries.
fn gaps_live(numbers: &[i32], each: usize, stride: usize) -> bool {
    numbers.iter().enumerate().all(|(i, number)| i % stride < each || *number == CANARY)
}
