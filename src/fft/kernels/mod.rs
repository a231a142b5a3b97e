//! The kernels of passes, in the kernel language.

mod access;
mod simd;
mod vectors;
mod work_group;

pub(super) use simd::WORK_ARRAYS;
pub(super) use work_group::local_length;

use super::spec::{Form, KernelSpec};
use affinimath_kernel::{BuildError, Kernel};

/// The kernel of a pass. Its arguments, in this order:
///
/// - buffers: the input and the output, or in place the one buffer; the tables; of a convolution the spectrum; of a
///   SIMD kernel the work arrays between the radices, and their offset in vectors,
/// - offset and stride of the elements of the input, then of the output; for each dimension of the pencils their count
///   and their strides on both sides,
/// - of an op with positions: their strides along a pencil and on each dimension; of the spectrum likewise,
/// - of an op with a window: lead, count, period and block, and of a store the window's stride on each dimension,
/// - of a SIMD kernel: blocks, blocks on the first dimension, and of a tail the first pencil and their number; else the
///   number of pencils,
/// - the scale, if there is one.
pub(super) fn kernel(spec: &KernelSpec) -> Result<Kernel, BuildError> {
    match (spec.double, spec.form) {
        (false, Form::WorkGroup { .. }) => work_group::kernel::<f32>(spec),
        (true, Form::WorkGroup { .. }) => work_group::kernel::<f64>(spec),
        (false, Form::Simd { width: 16, .. }) => simd::kernel::<f32, 16>(spec),
        (false, Form::Simd { width: 8, .. }) => simd::kernel::<f32, 8>(spec),
        (false, Form::Simd { .. }) => simd::kernel::<f32, 4>(spec),
        (true, Form::Simd { width: 16, .. }) => simd::kernel::<f64, 16>(spec),
        (true, Form::Simd { width: 8, .. }) => simd::kernel::<f64, 8>(spec),
        (true, Form::Simd { .. }) => simd::kernel::<f64, 4>(spec),
    }
}
