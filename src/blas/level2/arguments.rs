//! Kernels' arguments of level 2.

use affinimath_core::problem::{ColumnStarts, Stored};

use crate::context::DeviceBuffer;
use crate::launch::Launch;
use crate::view::VectorShape;

pub(super) trait StoredArguments: Sized {
    /// Strides and pattern of the stored elements, for `cl/common/stored.cl`; the offset goes with the memory.
    fn stored_strides(self, stored: &Stored) -> Self;

    /// A vector's memory, offset and step.
    fn vector_by_steps(self, buffer: &DeviceBuffer, shape: &VectorShape) -> Self;
}

impl StoredArguments for Launch<'_> {
    fn stored_strides(self, stored: &Stored) -> Self {
        let ColumnStarts { shift, linear, quadratic } = stored.starts;
        self.index(shift).index(linear).step(quadratic).index(stored.above).index(stored.below)
    }

    fn vector_by_steps(self, buffer: &DeviceBuffer, shape: &VectorShape) -> Self {
        self.buffer(buffer).index(shape.first()).step(shape.increment())
    }
}
