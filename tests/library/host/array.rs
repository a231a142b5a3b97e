//! Array expressions on the host.

use affinimath::Context;

#[test]
fn expressions_are_right_on_the_host() {
    crate::array::check(&Context::host());
}
