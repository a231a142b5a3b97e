//! BLAS on a device.

pub mod level3;
