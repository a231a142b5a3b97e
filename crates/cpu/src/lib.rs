//! The host backend: all operations on the machine's own processor, on top of faer and rayon.
//!
//! It runs where there is no OpenCL device, and where a call is too small to be worth a transfer. Matrices are faer's
//! views with any strides, so that row-major and column-major operands and leading dimensions are one case.

pub mod array;
pub mod at_exit;
pub mod batched;
pub mod fft;
pub mod gemm;
pub mod lapack;
pub mod level1;
pub mod level2;
pub mod level3;
pub mod movement;
pub mod norm;
mod prefetch;
pub mod simd;
pub mod small;
pub mod solve;
pub mod sparse;
mod threads;
pub mod trsm;

pub use affinimath_core::threads::{threads, threads_are_set};
pub use at_exit::on_living_thread;
pub use fft::{HostConvolution, HostFft};
pub use gemm::{gemm, hgemm};
pub use trsm::trsm;
