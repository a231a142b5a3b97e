//! A kernel in Fortran, built by the machine's compiler and run on slices.

use affinimath_kernel::{Compiled, Compiler, HostLanguage, Setting};

use super::axpy::fused_axpy;

/// z := a x + sqrt(|y|), by the compiler that FC names, or else gfortran.
pub fn axpy_in_fortran(a: f64, x: &[f64], y: &[f64], z: &mut [f64]) -> Result<(), Box<dyn std::error::Error>> {
    let compiler = Compiler::from_env()?.language(HostLanguage::Fortran).with(Setting::FFlags, "-O3");
    let compiled = Compiled::build(&fused_axpy::<f64>()?, &compiler)?;
    let (n, groups) = (x.len().min(y.len()).min(z.len()), x.len().div_ceil(64));
    let arguments = [(n as i64).into(), a.into(), x.into(), y.into(), z.into()];
    // SAFETY: work-items from n on leave the slices alone.
    unsafe { compiled.run([groups, 1, 1], [64, 1, 1], arguments) }?;
    Ok(())
}
