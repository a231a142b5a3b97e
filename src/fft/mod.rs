//! Fast Fourier transforms: of one, two and three dimensions, of complex and of real numbers, sine and cosine transforms, of any
//! length, any strides, and in batches.

mod butterfly;
pub(crate) mod convolution;
pub(crate) mod descriptor;
mod device;
mod factors;
mod form;
mod kernels;
mod pass;
mod recipe;
#[cfg(test)]
pub(crate) mod reference;
mod space;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use convolution::ConvolutionProblem;
pub use convolution::{ConvolutionDescriptor, Extent, Filtering};
pub(crate) use descriptor::Problem;
pub use descriptor::{Direction, FftDescriptor, FftLayout, Transform};
pub(crate) use device::{ConvolutionOperands, DeviceConvolution, DeviceFft, Operand};
pub(crate) use space::{FftParameters, class_of};
