//! Array expressions on the host.

#[test]
fn expressions_are_right_on_the_host() {
    crate::array::check_on_host();
}

#[test]
fn arrays_are_operands_of_routines_on_the_host() {
    let _route = crate::route();
    crate::array::interop::check(&affinimath::Context::host());
}

#[test]
fn routines_are_right_on_the_host() {
    crate::array::routines::check_on_host();
}
