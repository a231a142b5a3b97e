//! Kernels' arguments of level 2.

use affinimath_core::problem::{ColumnStarts, Stored};

use crate::context::DeviceBuffer;
use crate::launch::Launch;
use crate::view::VectorShape;

/// Matrices and vectors as arguments of level 2.
pub(super) trait StoredArguments: Sized {
    /// Where elements are stored, as `cl/common/stored.cl` has it; the offset goes with the memory.
    fn stored_strides(self, stored: &Stored) -> Self;

    /// A vector: its memory, its first element's place and the step to the next one.
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
