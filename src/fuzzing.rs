//! Entry points of fuzz targets, in builds with `--cfg fuzzing` only.

use crate::device::{DeviceClass, DeviceInfo, example};
pub use crate::sparse::matrix_market::set_by_lines;
pub use affinimath_opencl::program::{unwrap_cached, wrap_cached};

/// Facts of a device that does not exist.
pub fn example_device() -> DeviceInfo {
    example(DeviceClass::Cpu)
}
