//! Array expressions on every device, also on those without double precision.

use affinimath::Context;
use affinimath_opencl::device::for_tests;

#[test]
fn expressions_are_right_on_devices() {
    for device in for_tests() {
        crate::array::check(&Context::open(device).unwrap());
    }
}

#[test]
fn routines_are_right_on_devices() {
    for device in for_tests() {
        crate::array::routines::check(&Context::open(device).unwrap());
    }
}
