//! The C API of Affinimath, as `libaffinimath.so` and `libaffinimath.a`; `include/affinimath.h` declares it.
//!
//! Here are the generated shims ([`generated`]), the functions about the library itself and the plans of Fourier transforms and convolutions. What the shims call, one handwritten
//! function per routine, is the crate `affinimath_abi`.

mod convolution_plans;
mod fft_plans;
pub mod generated;
mod library;

pub use affinimath_abi::opencl::{ClEvent, ClMem, ClQueue};
pub use convolution_plans::ConvolutionPlan;
pub use fft_plans::FftPlan;
