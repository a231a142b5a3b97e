//! Shared parts of tests.

pub(crate) use affinimath_testing::*;

pub(crate) use crate::device::for_tests as devices;
use crate::memory::Context;

/// The contexts there are: the host and every device, each with the types that it supports.
pub(crate) fn contexts<T: Scalar>() -> Vec<Context> {
    let able = devices().iter().filter(|device| device.info().supports(T::KIND));
    std::iter::once(Context::host()).chain(able.map(|device| Context::open(device).unwrap())).collect()
}

/// True if a context's device supports subnormal numbers (OpenCL: CL_FP_DENORM, which doubles always have).
pub(crate) fn keeps_subnormals<T: Scalar>(context: &Context) -> bool {
    let Some(device) = context.device().filter(|_| !T::KIND.is_double()) else { return true };
    device.handle().single_fp_config().unwrap_or(0) & opencl3::device::CL_FP_DENORM != 0
}

/// True if work-groups of one launch may hand results to the last of them: Oclgrind calls that a race, as OpenCL 1.2
/// has no order between work-groups. It is chosen where the device has a fence of its own.
pub(crate) fn hands_over(device_info: &crate::device::DeviceInfo) -> bool {
    device_info.platform != "Oclgrind"
}
