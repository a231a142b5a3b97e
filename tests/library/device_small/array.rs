//! Array expressions on small sizes, on every device.

use crate::array::{failures, random, special};
use affinimath::Context;
use affinimath_opencl::device::for_tests;

#[test]
fn random_expressions_have_the_reference_s_bits_on_devices() {
    for device in for_tests() {
        random::check(&Context::open(device).unwrap(), 0..8);
    }
}

#[test]
fn special_values_follow_the_table_on_devices() {
    for device in for_tests() {
        special::check(&Context::open(device).unwrap());
    }
}

#[test]
fn errors_name_the_caller_s_line_on_devices() {
    for device in for_tests() {
        failures::check(&Context::open(device).unwrap());
    }
}
