//! OpenCL's context, and the device that it was made for.

use std::fmt;

use opencl3::context::Context as ClContext;

use crate::device::Device;

/// OpenCL's context of one device: programs, queues and memory are made in it.
pub struct RawContext {
    device: Device,
    handle: ClContext,
}

/// By its device alone.
impl fmt::Debug for RawContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawContext").field("device", &self.device.info().name).finish_non_exhaustive()
    }
}

impl RawContext {
    /// A context that was made for the device.
    pub const fn new(device: Device, handle: ClContext) -> Self {
        RawContext { device, handle }
    }

    /// The device.
    pub const fn device(&self) -> &Device {
        &self.device
    }

    /// OpenCL's context.
    pub const fn handle(&self) -> &ClContext {
        &self.handle
    }
}
