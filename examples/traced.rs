//! Heat that spreads along a rod in three launches, of which one may be wrong: a program to be traced and compared.
//!
//! ```sh
//! AFFINIMATH_TRACE=good cargo run --example traced
//! AFFINIMATH_TRACE=bad cargo run --example traced -- wrong
//! affinimath replay --diff good bad
//! ```
//!
//! The book's page about traces goes on from there.

use affinimath::kernel::{BuildError, Index, Kernel};
use affinimath::{Context, Device, DeviceKernel};

const N: usize = 64;

/// v := u + rate (u[i-1] - 2 u[i] + u[i+1]), inside of the rod.
fn spread(rate: f32) -> Result<Kernel, BuildError> {
    Kernel::build("spread", |k| {
        let n = k.argument::<Index>("n");
        let (u, v) = (k.input::<f32>("u"), k.in_out::<f32>("v"));
        let i = k.global_id(0) + 1;
        k.when(i.lt(n - 1), || {
            let bend = u.at(i - 1) - u.at(i) * 2.0 + u.at(i + 1);
            v.store(i, u.at(i) + bend * rate);
        });
    })
}

/// v := factor v.
fn cool(factor: f32) -> Result<Kernel, BuildError> {
    Kernel::build("cool", |k| {
        let n = k.argument::<Index>("n");
        let v = k.in_out::<f32>("v");
        let i = k.global_id(0);
        k.when(i.lt(n), || v.store(i, v.at(i) * factor));
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let is_wrong = std::env::args().any(|argument| argument == "wrong");
    let Some(device) = Device::all().ok().and_then(|devices| devices.first()) else {
        println!("no OpenCL device");
        return Ok(());
    };
    let context = Context::open(device)?;
    let mut rod = [0.0_f32; N];
    rod[N / 2] = 1.0;
    let (mut u, mut v) = (context.upload(&rod)?, context.upload(&rod)?);
    let spread = DeviceKernel::build(&context, &spread(if is_wrong { 0.24 } else { 0.25 })?)?;
    let cool = DeviceKernel::build(&context, &cool(0.5)?)?;
    let n = N as i64;
    // SAFETY: work-items stay within the rod's elements, and each writes one of its own.
    unsafe {
        cool.enqueue([1, 1, 1], [N, 1, 1], &[n.into(), (&mut u).into()])?.wait()?;
        spread.enqueue([1, 1, 1], [N, 1, 1], &[n.into(), (&u).into(), (&mut v).into()])?.wait()?;
        cool.enqueue([1, 1, 1], [N, 1, 1], &[n.into(), (&mut v).into()])?.wait()?;
    }
    println!("{:?}", &v.download()?[N / 2 - 2..N / 2 + 3]);
    Ok(())
}
