//! Fast Fourier transforms: of one, two and three dimensions, of complex and of real numbers, sine and cosine transforms, of any
//! length, any strides, and in batches.

mod butterfly;
mod device;
mod form;
mod kernels;
mod pass;
mod recipe;
#[cfg(test)]
pub(crate) use affinimath_testing::fft as reference;
mod space;
mod tables;
#[cfg(test)]
mod tests;

pub use affinimath_core::fft::{
    ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, Direction, FftDescriptor, FftLayout, Transform,
};
pub(crate) use affinimath_core::fft::{ConvolutionProblem, Problem, convolution, descriptor, factors};
pub(crate) use device::{ConvolutionOperands, DeviceConvolution, DeviceFft, Operand};
pub(crate) use space::{FftParameters, class_of};
