//! The kernels of passes, in the kernel language.

mod access;
mod group;
mod lanes;
mod vectors;

pub(super) use group::local_length;
pub(super) use lanes::WORK_ARRAYS;

use super::spec::{Form, KernelSpec};
use affinimath_kernel::{BuildError, Kernel};

/// The kernel of a pass. Its arguments:
///
/// - the memories: the input and the output, or in place the one that is both; the tables; with a convolution the spectrum; in lanes
///   the room for numbers between the radices, and its offset in vectors,
/// - offset and stride of the input's elements, then of the output's; for each of the lines' dimensions the lines on it, and the
///   strides on both sides,
/// - at an end that knows positions: how much an element and a line on each dimension add to the position; for the spectrum likewise,
/// - in lanes: blocks in all, blocks on the first dimension, and of a tail the first line and how many; in groups: lines in all,
/// - the scale, if there is one.
pub(super) fn kernel(spec: &KernelSpec) -> Result<Kernel, BuildError> {
    match (spec.double, spec.form) {
        (false, Form::Group { .. }) => group::kernel::<f32>(spec),
        (true, Form::Group { .. }) => group::kernel::<f64>(spec),
        (false, Form::Lanes { width: 16, .. }) => lanes::kernel::<f32, 16>(spec),
        (false, Form::Lanes { width: 8, .. }) => lanes::kernel::<f32, 8>(spec),
        (false, Form::Lanes { .. }) => lanes::kernel::<f32, 4>(spec),
        (true, Form::Lanes { width: 16, .. }) => lanes::kernel::<f64, 16>(spec),
        (true, Form::Lanes { width: 8, .. }) => lanes::kernel::<f64, 8>(spec),
        (true, Form::Lanes { .. }) => lanes::kernel::<f64, 4>(spec),
    }
}
