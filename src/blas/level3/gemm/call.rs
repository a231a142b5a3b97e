//! The memory and the scalars of a call.

use affinimath_core::problem::gemm::GemmProblem;

use crate::context::{DeviceMemory, Queue};

/// Memory and scalars of a call under the caller's names, which the problem does not hold.
pub(crate) struct GemmCall<'a, T> {
    pub(crate) queue: &'a Queue,
    pub(crate) alpha: T,
    pub(crate) a: &'a dyn DeviceMemory,
    pub(crate) b: &'a dyn DeviceMemory,
    pub(crate) beta: T,
    pub(crate) c: &'a dyn DeviceMemory,
}

impl<'a, T> GemmCall<'a, T> {
    /// The memory of the problem's A and B.
    pub(crate) fn operands(&self, problem: &GemmProblem) -> (&'a dyn DeviceMemory, &'a dyn DeviceMemory) {
        if problem.swapped { (self.b, self.a) } else { (self.a, self.b) }
    }
}
