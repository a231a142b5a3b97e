//! The kernels of passes, in the kernel language.

mod access;
mod group;
mod lanes;
mod vectors;

pub(super) use group::local_length;
pub(super) use lanes::WORK_ARRAYS;

use super::pass::{Form, Pass};
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
pub(super) fn kernel(pass: &Pass) -> Result<Kernel, BuildError> {
    match (pass.double, pass.form) {
        (false, Form::Group { .. }) => group::kernel::<f32>(pass),
        (true, Form::Group { .. }) => group::kernel::<f64>(pass),
        (false, Form::Lanes { width: 16, .. }) => lanes::kernel::<f32, 16>(pass),
        (false, Form::Lanes { width: 8, .. }) => lanes::kernel::<f32, 8>(pass),
        (false, Form::Lanes { .. }) => lanes::kernel::<f32, 4>(pass),
        (true, Form::Lanes { width: 16, .. }) => lanes::kernel::<f64, 16>(pass),
        (true, Form::Lanes { width: 8, .. }) => lanes::kernel::<f64, 8>(pass),
        (true, Form::Lanes { .. }) => lanes::kernel::<f64, 4>(pass),
    }
}
