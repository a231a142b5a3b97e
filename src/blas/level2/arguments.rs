//! Kernels' arguments of level 2.

use affinimath_core::problem::{ColumnStarts, Stored};

use crate::context::DeviceBuffer;
use crate::launch::Launch;
use crate::view::VectorShape;

impl Launch<'_> {
    /// Where elements are stored, as `cl/common/stored.cl` has it; the offset goes with the memory.
    pub(super) fn stored_places(self, stored: &Stored) -> Self {
        let ColumnStarts { shift, linear, quadratic } = stored.starts;
        self.index(shift).index(linear).step(quadratic).index(stored.above).index(stored.below)
    }

    /// A vector: its memory, its first element's place and the step to the next one.
    pub(super) fn vector_by_steps(self, buffer: &DeviceBuffer, shape: &VectorShape) -> Self {
        self.buffer(buffer).index(shape.first()).step(shape.increment())
    }
}
