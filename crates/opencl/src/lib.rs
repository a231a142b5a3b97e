//! OpenCL, as the crates of Affinimath use it: devices, contexts, queues, memory, programs and launches.
//!
//! This is an inner crate: programs use `affinimath`, which names what of it is public.

mod argument;
pub mod context;
pub mod device;
pub mod launch;
pub mod program;
mod raw;
pub mod status;
pub mod trace;

// Modules of the crate below, by the names that they have here.
use affinimath_core::{error, fork, private_files, scalar, threads, view};
