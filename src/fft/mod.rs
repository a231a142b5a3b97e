//! Fast Fourier transforms: of one, two and three dimensions, of complex and of real numbers, sine and cosine transforms, of any
//! length, any strides, and in batches.

mod butterfly;
mod device;
mod kernels;
mod lower;
mod pass;
mod pencils;
mod planner;
mod recipe;
mod spec;
#[cfg(test)]
pub(crate) use affinimath_testing::fft as reference;
mod space;
mod tables;
#[cfg(test)]
mod tests;

pub use affinimath_core::fft::{
    ConvolutionDescriptor, Direction, Extent, FftDescriptor, FftLayout, Filtering, Transform,
};
pub(crate) use affinimath_core::fft::{ConvolutionProblem, Problem, convolution, descriptor, factors};
pub(crate) use device::{ConvolutionOperands, DeviceConvolution, DeviceFft, Operand};
pub(crate) use space::{FftParameters, class_of};
