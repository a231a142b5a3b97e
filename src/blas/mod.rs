//! BLAS on a device.

pub mod level1;
pub mod level2;
pub mod level3;
pub mod movement;

use std::sync::Arc;

use crate::context::{DeviceBuffer, MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::view::Memory;

/// Device memory of a view. `name` is the argument's name in errors.
///
/// # Errors
/// [`Error::MixedMemory`](crate::Error::MixedMemory) if it is not memory of the queue's context.
pub(crate) fn device_buffer<'a, T>(queue: &Queue, memory: Memory<'a, T>, name: &str) -> Result<&'a DeviceBuffer> {
    match memory.buffer() {
        Some(buffer) if Arc::ptr_eq(buffer.context(), queue.context()) => Ok(buffer),
        Some(_) => Err(Error::MixedMemory(format!("{name} belongs to another context than the queue"))),
        None => Err(Error::MixedMemory(format!("{name} lies in host memory, not on the device"))),
    }
}
