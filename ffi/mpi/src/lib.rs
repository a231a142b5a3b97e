//! The C API of the distributed functions, as `libaffinimath_mpi.so`; `include/affinimath_mpi.h` declares it.
//!
//! The generated shims ([`generated`]) call a handwritten function each, through the [`boundary`], where panics and
//! errors become statuses. A function checks this rank's arguments, lets all ranks agree, and calls `affinimath_mpi`.

#![cfg(feature = "mpi")]

mod boundary;
mod call;
mod csr;
mod csr_objects;
mod dense;
pub mod generated;
mod objects;
mod transforms;

pub use csr_objects::{Csr, Preconditioner};
pub use objects::{FftPlan, Grid};
