//! Affinimath: dense linear algebra on any OpenCL device, and on the host where there is none.
//!
//! The library is built in floors: a file uses only the floors below it (`docs/src/architecture.md`).

pub mod context;
pub mod device;
pub mod error;
mod launch;
pub mod options;
pub mod program;
pub mod scalar;
pub mod view;

pub use context::{DeviceBuffer, DeviceContext, Event, Queue};
pub use device::{Device, DeviceClass, DeviceFacts};
pub use error::{Error, Result};
pub use options::{Diagonal, Layout, Op, Side, Triangle};
pub use scalar::{Complex32, Complex64, Scalar, ScalarKind};
pub use view::{MatrixMut, MatrixRef, MatrixShape};
