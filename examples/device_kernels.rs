//! Kernels of the kernel language: a fused expression, a reduction in local memory, and a pass of an FFT for any radix.
//!
//! `cargo run --example device_kernels` interprets each on the host, and runs it on the first device, if there is one.

use affinimath::kernel::Launch;
use affinimath::{Context, Device, DeviceKernel};

#[path = "../crates/kernel/examples/kernels/axpy.rs"]
mod axpy;
#[path = "../crates/kernel/examples/kernels/butterfly.rs"]
mod butterfly;
#[path = "../crates/kernel/examples/kernels/reduction.rs"]
mod reduction;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let device = Device::all().ok().and_then(|devices| devices.first());
    let context = device.map(Context::open).transpose()?;
    fused_axpy(context.as_ref())?;
    group_sums(context.as_ref())?;
    one_pass_transform(context.as_ref())
}

fn fused_axpy(context: Option<&Context>) -> Outcome<()> {
    let kernel = axpy::fused_axpy::<f32>()?;
    let (x, y) = ([1.0_f32, 2.0, 3.0], [4.0_f32, -9.0, 16.0]);
    let mut z = [0.0_f32; 3];
    let launch = Launch::new(&kernel, [1, 1, 1], [4, 1, 1]);
    launch.run([3_i64.into(), 10.0_f32.into(), (&x).into(), (&y).into(), (&mut z).into()])?;
    println!("{}, interpreted: {z:?}", kernel.name());

    let Some(context) = context else { return Ok(()) };
    let (x, y, mut z) = (context.upload(&x)?, context.upload(&y)?, context.zeros::<f32>(3)?);
    let built = DeviceKernel::build(context, &kernel)?;
    let arguments = [3_i64.into(), 10.0_f32.into(), (&x).into(), (&y).into(), (&mut z).into()];
    // SAFETY: the interpreter has found no fault in this launch.
    unsafe { built.enqueue([1, 1, 1], [4, 1, 1], &arguments) }?.wait()?;
    println!("on a device: {:?}\n", z.download()?);
    Ok(())
}

fn group_sums(context: Option<&Context>) -> Outcome<()> {
    let kernel = reduction::group_sums::<f32>(64)?;
    let x: Vec<f32> = (1..=1000_u16).map(f32::from).collect();
    let mut sums = [0.0_f32; 4];
    let launch = Launch::new(&kernel, [4, 1, 1], [64, 1, 1]);
    launch.run([1000_i64.into(), (&x).into(), (&mut sums).into()])?;
    println!("{}, interpreted: {sums:?}", kernel.name());

    let Some(context) = context else { return Ok(()) };
    let (x, mut sums) = (context.upload(&x)?, context.zeros::<f32>(4)?);
    let built = DeviceKernel::build(context, &kernel)?;
    // SAFETY: the interpreter has found no fault in this launch.
    unsafe { built.enqueue([4, 1, 1], [64, 1, 1], &[1000_i64.into(), (&x).into(), (&mut sums).into()]) }?.wait()?;
    println!("on a device: {:?}\n", sums.download()?);
    Ok(())
}

/// A transform of 5 numbers is one pass of radix 5, with no twiddles but 1.
fn one_pass_transform(context: Option<&Context>) -> Outcome<()> {
    let kernel = butterfly::stockham_pass::<f32>(5)?;
    let x = [1.0_f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 5.0, 0.0];
    let (ones, mut y) = ([1.0_f32, 0.0].repeat(5), [0.0_f32; 10]);
    let launch = Launch::new(&kernel, [1, 1, 1], [1, 1, 1]);
    launch.run([1_i64.into(), 1_i64.into(), (&x).into(), (&ones).into(), (&mut y).into()])?;
    println!("{}, interpreted: {y:?}", kernel.name());

    let Some(context) = context else { return Ok(()) };
    let complex = |data: &[f32]| data.chunks(2).map(|z| affinimath::Complex32::new(z[0], z[1])).collect::<Vec<_>>();
    let (x, ones) = (context.upload(&complex(&x))?, context.upload(&complex(&ones))?);
    let mut y = context.zeros::<affinimath::Complex32>(5)?;
    let built = DeviceKernel::build(context, &kernel)?;
    let arguments = [1_i64.into(), 1_i64.into(), (&x).into(), (&ones).into(), (&mut y).into()];
    // SAFETY: the interpreter has found no fault in this launch.
    unsafe { built.enqueue([1, 1, 1], [1, 1, 1], &arguments) }?.wait()?;
    println!("on a device: {:?}", y.download()?);
    Ok(())
}
