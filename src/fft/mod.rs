//! Fast Fourier transforms on a device: complex, real, cosine and sine transforms, and convolutions, of one to three
//! dimensions.
//!
//! A [`Problem`] goes through four stages, each of them plain data but the last:
//!
//! - `recipe`: the algorithm for each axis, chosen by `planner` from the facts of the device;
//! - `lower`: the passes of the recipe, with the pencils (`pencils`), buffers and strides of each launch;
//! - `spec` and `tables`: the kernel of each pass, and its twiddles;
//! - `kernels`: the text of a kernel. `device` builds and enqueues it.

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
    ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, Direction, FftDescriptor, FftLayout, Transform,
};
pub(crate) use affinimath_core::fft::{ConvolutionProblem, Problem, convolution, descriptor, factors};
pub(crate) use device::{ConvolutionOperands, DeviceConvolution, DeviceFft, Operand};
pub(crate) use space::{FftParameters, class_of};
