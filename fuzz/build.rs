//! Writes the C API's shims, which the library of ffi/ includes: it is built here too.

use std::path::PathBuf;

use affinimath_routines::rust;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    rust::write(&rust::shims(), &out).expect("the modules are written to cargo's folder");
}
