//! Array expressions on every device, also on those without double precision.

use crate::array::{cases, failures, lifetimes, special, text};
use affinimath::Context;
use affinimath_opencl::device::for_tests;

#[test]
fn expressions_are_right_on_devices() {
    for device in for_tests() {
        crate::array::check(&Context::open(device).unwrap());
    }
}

#[test]
fn texts_have_the_values_of_loops_on_devices() {
    for device in for_tests() {
        text::check(&Context::open(device).unwrap());
    }
}

#[test]
fn arrays_are_operands_of_routines_on_devices() {
    for device in for_tests() {
        crate::array::interop::check(&Context::open(device).unwrap());
    }
}

#[test]
fn routines_are_right_on_devices() {
    for device in for_tests() {
        crate::array::routines::check(&Context::open(device).unwrap());
    }
}

#[test]
fn systems_of_any_structure_are_solved_on_devices() {
    for device in for_tests() {
        crate::array::systems::check(&Context::open(device).unwrap());
    }
}

#[test]
fn programs_are_right_on_devices() {
    for device in for_tests() {
        let context = Context::open(device).unwrap();
        cases::check(&context, 1000);
        cases::check_bits(&context);
        special::powers_of_one_are_one(&context);
    }
}

#[test]
fn threads_and_drops_leave_results_right_on_devices() {
    for device in for_tests() {
        lifetimes::check(&Context::open(device).unwrap());
    }
}

#[test]
fn operands_of_two_contexts_are_an_error() {
    for device in for_tests() {
        failures::operands_of_two_contexts_are_an_error(&Context::open(device).unwrap(), &Context::host());
    }
}

#[test]
fn a_kernel_for_each_operation_has_the_same_bits_on_devices() {
    let test = "device::array::a_kernel_for_each_operation_has_the_same_bits_on_devices";
    if !for_tests().is_empty() && lifetimes::is_alone(test, &[("AFFINIMATH_ARRAY", "eager")]) {
        for device in for_tests() {
            crate::array::random::check(&Context::open(device).unwrap(), 0..4);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_forked_child_evaluates_on_the_host_after_a_device() {
    let test = "device::array::a_forked_child_evaluates_on_the_host_after_a_device";
    if !for_tests().is_empty() && lifetimes::is_alone(test, &[]) {
        for device in for_tests() {
            lifetimes::a_forked_child_evaluates_on_the_host(&Context::open(device).unwrap());
        }
    }
}

#[test]
fn memory_does_not_grow_on_devices() {
    if !for_tests().is_empty() && lifetimes::is_alone("device::array::memory_does_not_grow_on_devices", &[]) {
        for device in for_tests() {
            lifetimes::memory_does_not_grow(&Context::open(device).unwrap());
        }
    }
}

#[cfg(unix)]
#[test]
fn failing_calls_are_errors_and_lose_nothing() {
    for device in for_tests() {
        crate::array::faults::failing_calls_are_errors_and_lose_nothing(device);
    }
}
