//! What fuzz targets reach that nobody else does: there in builds with `--cfg fuzzing` only.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::{DeviceClass, DeviceFacts, example};
pub use affinimath_opencl::program::{unwrap_cached, wrap_cached};

/// Whether Matrix Market files are read line by line, and never by blocks.
static BY_LINES: AtomicBool = AtomicBool::new(false);

/// Has Matrix Market files read line by line from now on, or not.
pub fn set_by_lines(by_lines: bool) {
    BY_LINES.store(by_lines, Ordering::Relaxed);
}

/// Facts of a device that does not exist.
pub fn example_device() -> DeviceFacts {
    example(DeviceClass::Cpu)
}

pub(crate) fn by_lines() -> bool {
    BY_LINES.load(Ordering::Relaxed)
}
