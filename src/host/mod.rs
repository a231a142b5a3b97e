//! The host backend: the same operations on the machine's own processor, over faer and rayon.
//!
//! It is what the library runs on where there is no OpenCL device, and where a call is too small to be worth a transfer.
//! Matrices are faer's views: any strides, so that row- and column-major operands and leading dimensions are one case.

pub(crate) mod batched;
mod ending;
pub(crate) mod fft;
pub mod gemm;
pub(crate) mod lapack;
pub mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
pub(crate) mod movement;
pub mod norm;
mod prefetch;
pub(crate) mod simd;
pub mod small;
pub mod solve;
pub(crate) mod sparse;
mod threads;
pub mod trsm;

pub use crate::threads::{threads, threads_are_set};
pub(crate) use ending::on_living_thread;
pub(crate) use fft::{HostConvolution, HostFft};
pub use gemm::{gemm, hgemm};
pub use trsm::trsm;
