//! Fast Fourier transforms: of one, two and three dimensions, of complex and of real numbers, sine and cosine transforms, of any
//! length, any strides, and in batches.

mod butterfly;
pub(crate) mod descriptor;
mod device;
mod factors;
mod form;
mod kernels;
mod pass;
mod recipe;
#[cfg(test)]
pub(crate) mod reference;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use descriptor::Problem;
pub use descriptor::{Direction, FftDescriptor, FftLayout, Transform};
pub(crate) use device::{DeviceFft, Operand};
#[cfg(test)]
pub(crate) fn texts(problem: &Problem, double: bool, facts: &crate::device::DeviceFacts) -> Vec<String> {
    recipe::Recipe::design(problem, double, facts).steps.iter().map(|step| format!("// {step:?}\n{}", kernels::kernel(&step.pass).unwrap().opencl())).collect()
}
