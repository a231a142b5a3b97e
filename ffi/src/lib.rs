//! The C API of Affinimath, as `libaffinimath.so` and `libaffinimath.a`; `include/affinimath.h` declares it.
//!
//! A call comes in through a generated shim ([`generated`]), passes the boundary, where panics and errors become
//! statuses, and reaches one handwritten function per routine, which for both forms checks its arguments and calls the Rust library.

mod arguments;
mod blas;
mod boundary;
mod form;
pub mod generated;
mod library;
mod log;
mod opencl;

pub use opencl::{ClEvent, ClMem, ClQueue};
