//! The C API of Affinimath, as `libaffinimath.so` and `libaffinimath.a`; `include/affinimath.h` declares it, in parts.
//!
//! This crate has the generated shims ([`generated`]), the functions about the library itself, the plans of Fourier
//! transforms and convolutions, and sparse matrices. Shims of other routines call the crate `affinimath_abi`, with one
//! handwritten function for each routine.

mod arrays;
mod convolution_plans;
mod fft_plans;
pub mod generated;
mod library;
mod sparse;
mod sparse_objects;
mod stencils;
mod text;

pub use affinimath_abi::opencl::{ClEvent, ClMem, ClQueue};
pub use arrays::{Array, Expression};
pub use convolution_plans::ConvolutionPlan;
pub use fft_plans::FftPlan;
pub use sparse::{Csr, History, Operator, OperatorCl, Preconditioner};
pub use stencils::{Stencil, StencilPlan};
