//! The host backend: the same operations on the machine's own processor, over faer and rayon.
//!
//! It is what the library runs on where there is no OpenCL device, and where a call is too small to be worth a transfer.
//! Matrices are faer's views: any strides, so that row- and column-major operands and leading dimensions are one case.

pub mod batched;
pub mod ending;
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
pub use ending::on_living_thread;
pub use fft::{HostConvolution, HostFft};
pub use gemm::{gemm, hgemm};
pub use trsm::trsm;
