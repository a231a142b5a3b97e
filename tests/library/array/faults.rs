//! Evaluations under which calls of OpenCL fail.

use affinimath::array::{self, Array, s};
use affinimath::{Context, Device, Result};

use crate::faults::Loader;

/// Fused kernels, a reduction of a long row, a scan, a product, an assignment and copies.
fn work(context: &Context) -> Result<Vec<f32>> {
    let a: Vec<f32> = (0..3000).map(|k| (k % 17) as f32).collect();
    let x = Array::from_slice(context, [3000], &a)?;
    let (root, total) = array::eval((x.sqrt() * 2.0 + &x, x.sum(..)))?;
    let matrix = x.at(s![..64]).reshape([8, 8]);
    let product = (matrix.matmul(&matrix) + 1.0).eval()?;
    let mut y = x.cumsum(0).eval()?;
    y.at_mut(s![..;2]).assign(&root.at(s![..;2]) - 1.0)?;
    let mut all = y.to_vec()?;
    all.extend(product.to_vec()?);
    all.push(total.value()?);
    Ok(all)
}

/// Fails calls in work on a context that has all kernels, and on a new one.
pub fn failing_calls_are_errors_and_lose_nothing(device: &Device) {
    let Some(loader) = Loader::find() else { return };
    let warm = Context::open(device).unwrap();
    loader.fail_each("arrays", true, &|| work(&warm));
    loader.fail_each("arrays, a new context", true, &|| work(&Context::open(device)?));
}
