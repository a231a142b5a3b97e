//! Whether a device's tensor cores can be used: tried once in a context, with a product whose result is known.

use super::tiled::{self, Arithmetic};
use super::{GemmCall, GemmPlan, GemmProblem, TiledParameters, TiledPlan};
use crate::context::{DeviceBuffer, DeviceContext, Queue, Trial};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::options::{Layout, Op};
use crate::scalar::Scalar;
use crate::view::MatrixShape;

/// The first compute capability whose mma.sync takes doubles in fragments of 16 x 8 x 8.
const MMA_F64_CAPABILITY: u32 = 90;

/// Whether a device has tensor cores for doubles.
pub(crate) const fn has_tensor_cores(device: &DeviceFacts) -> bool {
    device.nvidia_capability >= MMA_F64_CAPABILITY
}

/// Whether the device has tensor cores for doubles that no trial has failed on.
pub(super) fn may_use_tensor_cores(context: &DeviceContext) -> bool {
    has_tensor_cores(context.device().facts()) && context.tensor_trial().get() != Trial::Failed
}

/// Whether a plan depends on a trial that has not passed yet. If it has not been made, it is made now: the only time
/// that an operation waits for the device.
pub(super) fn allows(queue: &Queue, plan: &GemmPlan) -> bool {
    match plan {
        GemmPlan::Tiled(plan) if plan.parameters.arithmetic == Arithmetic::TensorF64 => {}
        _ => return true,
    }
    let trial = queue.context().tensor_trial();
    if trial.get() == Trial::Untried {
        let passed = product_is_right(queue);
        if !matches!(passed, Ok(true)) {
            let device = &queue.context().device().facts().name;
            tracing::warn!(device, ?passed, "tensor cores cannot be used: multiply-adds take their place");
        }
        trial.set(if matches!(passed, Ok(true)) { Trial::Passed } else { Trial::Failed });
    }
    trial.get() == Trial::Passed
}

/// A product of small integers, exact in every order of summation, that reaches over a tile's edge in all directions.
fn product_is_right(queue: &Queue) -> Result<bool> {
    const SIZE: [usize; 3] = [150, 140, 20];
    let [m, n, k] = SIZE;
    let element = |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64 - 5.0;
    let matrix = |rows: usize, columns: usize| -> Vec<f64> {
        (0..rows * columns).map(|index| element(index % rows, index / rows)).collect()
    };
    let upload = |data: &[f64]| -> Result<DeviceBuffer> {
        let buffer = DeviceBuffer::new(queue.context(), size_of_val(data), "a trial product")?;
        buffer.write(queue, data)?;
        Ok(buffer)
    };
    let (a, b, mut c) = (matrix(m, k), matrix(k, n), vec![f64::NAN; m * n]);
    let buffers = (upload(&a)?, upload(&b)?, upload(&c)?);
    let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows);
    let problem = GemmProblem::new(f64::KIND, Op::Keep, Op::Keep, &shape(m, k)?, &shape(k, n)?, &shape(m, n)?)?;
    let call = GemmCall { queue, alpha: 1.0, a: &buffers.0, b: &buffers.1, beta: 0.0, c: &buffers.2 };
    tiled::run(&call, &problem, &TiledPlan { parameters: TiledParameters::TENSOR_F64, depth_parts: 1 })?.wait()?;
    buffers.2.read(queue, &mut c)?;
    let expected = |i: usize, j: usize| (0..k).map(|p| element(i, p) * element(p, j)).sum::<f64>();
    Ok((0..m * n).all(|index| c[index] == expected(index % m, index / m)))
}
