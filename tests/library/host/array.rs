//! Array expressions on the host.

use crate::array::{cases, check, failures, interop, lifetimes, numpy, on_host, random, special, text};

#[test]
fn expressions_are_right_on_the_host() {
    on_host(check);
}

#[test]
fn programs_are_right_on_the_host() {
    on_host(|context| cases::check(context, 1000));
}

#[test]
fn random_expressions_have_the_reference_s_bits_on_the_host() {
    on_host(|context| random::check(context, 0..400));
}

#[test]
fn random_expressions_are_within_their_bounds_of_numpy_s() {
    on_host(|context| numpy::check(context, 1000..1150));
}

#[test]
fn special_values_follow_the_table_on_the_host() {
    on_host(special::check);
    on_host(special::powers_of_one_are_one);
}

#[test]
fn texts_have_the_values_of_loops_on_the_host() {
    on_host(text::check);
}

#[test]
fn errors_name_the_caller_s_line_on_the_host() {
    on_host(failures::check);
}

#[test]
fn threads_and_drops_leave_results_right_on_the_host() {
    on_host(lifetimes::check);
}

#[test]
fn a_kernel_for_each_operation_has_the_same_bits() {
    if lifetimes::is_alone(
        "host::array::a_kernel_for_each_operation_has_the_same_bits",
        &[("AFFINIMATH_ARRAY", "eager")],
    ) {
        on_host(failures::each_operation_is_a_step);
        on_host(|context| random::check(context, 0..100));
        on_host(check);
    }
}

#[test]
fn a_setting_that_is_not_understood_is_an_error_of_each_evaluation() {
    let test = "host::array::a_setting_that_is_not_understood_is_an_error_of_each_evaluation";
    if lifetimes::is_alone(test, &[("AFFINIMATH_ARRAY", "lazy")]) {
        on_host(failures::the_setting_is_an_error);
    }
}

#[cfg(unix)]
#[test]
fn a_forked_child_evaluates_on_the_host() {
    if lifetimes::is_alone("host::array::a_forked_child_evaluates_on_the_host", &[]) {
        on_host(lifetimes::a_forked_child_evaluates_on_the_host);
    }
}

#[test]
fn memory_does_not_grow_on_the_host() {
    if lifetimes::is_alone("host::array::memory_does_not_grow_on_the_host", &[]) {
        on_host(lifetimes::memory_does_not_grow);
    }
}

#[test]
fn arrays_are_operands_of_routines_on_the_host() {
    on_host(interop::check);
}

#[test]
fn routines_are_right_on_the_host() {
    crate::array::routines::check_on_host();
}

#[test]
fn systems_of_any_structure_are_solved_on_the_host() {
    crate::array::systems::check_on_host();
}
