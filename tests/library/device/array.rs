//! Array expressions on every device, also on those without double precision.

use affinimath::Context;
use affinimath_opencl::device::for_tests;

fn on_devices(check: impl Fn(&Context)) {
    let _route = crate::route();
    for device in for_tests() {
        check(&Context::open(device).unwrap());
    }
}

#[test]
fn expressions_are_right_on_devices() {
    on_devices(crate::array::check);
}

#[test]
fn arrays_are_operands_of_routines_on_devices() {
    on_devices(crate::array::interop::check);
}

#[test]
fn routines_are_right_on_devices() {
    on_devices(crate::array::routines::check);
}
