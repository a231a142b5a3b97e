//! Affinimath: dense linear algebra on any OpenCL device, and on the host where there is none.
//!
//! The library is built in floors: a file uses only the floors below it (`docs/src/architecture.md`).

pub mod error;
pub mod host;
pub mod options;
pub mod scalar;
pub mod sparse;
#[cfg(test)]
mod testing;

pub use error::{Error, Result};
pub use options::{Diagonal, Layout, Op, Side, Triangle};
pub use scalar::{Complex32, Complex64, Scalar, ScalarKind};
