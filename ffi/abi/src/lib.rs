//! The C side of the routines, written once for `libaffinimath.so` and for the standard names of
//! `libaffinimath_blas.so`.
//!
//! A shim of either library calls through the [`boundary`], where panics and errors become statuses. Each routine has
//! one handwritten function for both forms, which checks its arguments and calls the Rust library. This crate exports
//! no symbol.

pub mod arguments;
#[allow(missing_docs, reason = "the fields are the routines' arguments: the routine table explains each")]
pub mod blas;
pub mod boundary;
#[allow(missing_docs, reason = "as for BLAS")]
pub mod fft;
pub mod form;
#[allow(missing_docs, reason = "as for BLAS")]
pub mod lapack;
#[cfg(test)]
mod layouts;
pub mod log;
pub mod opencl;
#[cfg(test)]
mod tests;
