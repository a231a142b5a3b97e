//! Array expressions on every device, also on those without double precision.

use affinimath::Context;
use affinimath_opencl::device::for_tests;

#[test]
fn expressions_are_right_on_devices() {
    let _route = crate::route();
    for device in for_tests() {
        crate::array::check(&Context::open(device).unwrap());
    }
}

#[test]
fn arrays_are_operands_of_routines_on_devices() {
    for device in for_tests() {
        crate::array::interop::check(&Context::open(device).unwrap());
    }
}
