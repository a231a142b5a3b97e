//! Array expressions on the host.

use crate::array::{cases, failures, lifetimes, random, special};
use affinimath::Context;
use affinimath::array::Array;
use affinimath::error::status;

#[test]
fn expressions_are_right_on_the_host() {
    crate::array::check_on_host();
}

#[test]
fn programs_are_right_on_the_host() {
    cases::check(&Context::host(), 1000);
}

#[test]
fn random_expressions_have_the_reference_s_bits_on_the_host() {
    random::check(&Context::host(), 0..400);
}

#[test]
fn special_values_follow_the_table_on_the_host() {
    special::check(&Context::host());
}

#[test]
fn errors_name_the_caller_s_line_on_the_host() {
    failures::check(&Context::host());
}

#[test]
fn threads_and_drops_leave_results_right_on_the_host() {
    lifetimes::check(&Context::host());
}

#[test]
fn a_kernel_for_each_operation_has_the_same_bits() {
    if lifetimes::is_alone(
        "host::array::a_kernel_for_each_operation_has_the_same_bits",
        &[("AFFINIMATH_ARRAY", "eager")],
    ) {
        let x = Array::<f32>::ones(&Context::host(), [10]).unwrap();
        let plan = (2.5 * &x + x.abs().sqrt()).explain();
        assert!(plan.lines().any(|line| line.starts_with("3 steps:")), "{plan}");
        random::check(&Context::host(), 0..100);
        crate::array::check_on_host();
    }
}

#[test]
fn a_setting_that_is_not_understood_is_an_error_of_each_evaluation() {
    let test = "host::array::a_setting_that_is_not_understood_is_an_error_of_each_evaluation";
    if lifetimes::is_alone(test, &[("AFFINIMATH_ARRAY", "lazy")]) {
        let x = Array::<f32>::from_slice(&Context::host(), [2], &[1.0, 2.0]).unwrap();
        for _ in 0..2 {
            let error = (&x + 1.0).eval().unwrap_err();
            assert_eq!(error.status(), status::INVALID_SETTING);
            assert!(error.to_string().contains("AFFINIMATH_ARRAY='lazy'"), "{error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_forked_child_evaluates_on_the_host() {
    if lifetimes::is_alone("host::array::a_forked_child_evaluates_on_the_host", &[]) {
        lifetimes::a_forked_child_evaluates_on_the_host(&Context::host());
    }
}

#[test]
fn memory_does_not_grow_on_the_host() {
    if lifetimes::is_alone("host::array::memory_does_not_grow_on_the_host", &[]) {
        lifetimes::memory_does_not_grow(&Context::host());
    }
}
