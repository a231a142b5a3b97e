//! The constants of the C API in Rust.

use std::fmt::Write;

use crate::table::ConstantGroup;

/// The constants, and a check at compile time that they are the Rust library's.
pub(super) fn module(groups: &[&ConstantGroup]) -> String {
    let mut out = "//! Codes of options and statuses.\n\nuse std::ffi::c_int;\n".to_owned();
    for constant in groups.iter().flat_map(|group| group.constants) {
        writeln!(out, "\n/// {}", constant.meaning).unwrap();
        writeln!(out, "pub const AFFINIMATH_{}: c_int = {};", constant.name, constant.value).unwrap();
    }
    out.push_str("\n// The numbers are those of the Rust library.\nconst _: () = {\n");
    for group in groups {
        for constant in group.constants {
            let expected = group.expression.replace("{}", constant.rust);
            writeln!(out, "    assert!(AFFINIMATH_{} == {expected});", constant.name).unwrap();
        }
    }
    out.push_str("};\n");
    out
}
