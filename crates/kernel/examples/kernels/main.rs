//! Kernels of the kernel language: a fused expression, a reduction in local memory, a pass of an FFT for any radix, and
//! a kernel of run-time types.
//!
//! `cargo run --example kernels` prints each as OpenCL C and interprets it on the host.
//! `cargo run --example kernels -- FOLDER` writes them there in all languages: `.cl`, `.cu`, `.hip`, `.c` and `.f90`.

use std::path::Path;

use affinimath_kernel::{Kernel, Launch, ScalarType};

mod axpy;
mod butterfly;
mod host;
mod reduction;
mod roots;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    if let Some(folder) = std::env::args_os().nth(1) {
        return write_texts(folder.as_ref());
    }
    fused_axpy()?;
    group_sums()?;
    one_pass_transform()?;
    roots_of_run_time_types()?;
    in_fortran()
}

fn fused_axpy() -> Outcome<()> {
    let kernel = axpy::fused_axpy::<f32>()?;
    let (x, y) = ([1.0_f32, 2.0, 3.0], [4.0_f32, -9.0, 16.0]);
    let mut z = [0.0_f32; 3];
    let launch = Launch::new(&kernel, [1, 1, 1], [4, 1, 1]);
    launch.run([3_i64.into(), 10.0_f32.into(), (&x).into(), (&y).into(), (&mut z).into()])?;
    println!("{}interpreted: {z:?}\n", kernel.opencl());
    Ok(())
}

fn group_sums() -> Outcome<()> {
    let kernel = reduction::group_sums::<f32>(64)?;
    let x: Vec<f32> = (1..=1000_u16).map(f32::from).collect();
    let mut sums = [0.0_f32; 4];
    let launch = Launch::new(&kernel, [4, 1, 1], [64, 1, 1]);
    launch.run([1000_i64.into(), (&x).into(), (&mut sums).into()])?;
    println!("{}interpreted: {sums:?}\n", kernel.opencl());
    Ok(())
}

/// A transform of 5 numbers is one pass of radix 5, with no twiddles but 1.
fn one_pass_transform() -> Outcome<()> {
    let kernel = butterfly::stockham_pass::<f32>(5)?;
    let x = [1.0_f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 5.0, 0.0];
    let (ones, mut y) = ([1.0_f32, 0.0].repeat(5), [0.0_f32; 10]);
    let launch = Launch::new(&kernel, [1, 1, 1], [1, 1, 1]);
    launch.run([1_i64.into(), 1_i64.into(), (&x).into(), (&ones).into(), (&mut y).into()])?;
    println!("{}interpreted: {y:?}", kernel.opencl());
    Ok(())
}

fn roots_of_run_time_types() -> Outcome<()> {
    let kernel = roots::roots(ScalarType::F64, 2)?;
    let (x, mut y) = ([4.0_f64, -1.0, 2.25, 9.0], [0.0_f64; 4]);
    Launch::new(&kernel, [1, 1, 1], [2, 1, 1]).run([(&x).into(), (&mut y).into()])?;
    println!("\n{}interpreted: {y:?}", kernel.opencl());
    if let Err(error) = roots::roots(ScalarType::I32, 2) {
        println!("of i32: {error}");
    }
    Ok(())
}

/// A machine without a Fortran compiler says so.
fn in_fortran() -> Outcome<()> {
    let (x, y, mut z) = ([1.0, 2.0, 3.0], [4.0, -9.0, 16.0], [0.0; 3]);
    match host::axpy_in_fortran(10.0, &x, &y, &mut z) {
        Ok(()) => println!("\ncompiled as Fortran: {z:?}"),
        Err(error) => println!("\nnot compiled as Fortran: {error}"),
    }
    Ok(())
}

fn write_texts(folder: &Path) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let mut kernels: Vec<(String, Kernel)> = vec![
        ("fused_axpy_f32".to_owned(), axpy::fused_axpy::<f32>()?),
        ("fused_axpy_f64".to_owned(), axpy::fused_axpy::<f64>()?),
        ("group_sums_f32".to_owned(), reduction::group_sums::<f32>(256)?),
        ("roots_f64".to_owned(), roots::roots(ScalarType::F64, 4)?),
    ];
    for radix in [2, 3, 4, 5, 7, 8, 11, 13, 16] {
        kernels.push((format!("stockham_{radix}_f32"), butterfly::stockham_pass::<f32>(radix)?));
        kernels.push((format!("stockham_{radix}_f64"), butterfly::stockham_pass::<f64>(radix)?));
    }
    for (name, kernel) in &kernels {
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        std::fs::write(file("cl"), kernel.opencl())?;
        std::fs::write(file("cu"), kernel.cuda())?;
        std::fs::write(file("hip"), kernel.hip())?;
        std::fs::write(file("c"), kernel.c99()?)?;
        std::fs::write(file("f90"), kernel.fortran()?)?;
    }
    println!("{} kernels written to {}", kernels.len(), folder.display());
    Ok(())
}
