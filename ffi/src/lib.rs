//! The C API of Affinimath, as `libaffinimath.so` and `libaffinimath.a`; `include/affinimath.h` declares it.
//!
//! Here are the generated shims ([`generated`]) and the functions about the library itself. What the shims call, one handwritten
//! function per routine, is the crate `affinimath_abi`.

pub mod generated;
mod library;

pub use affinimath_abi::opencl::{ClEvent, ClMem, ClQueue};
