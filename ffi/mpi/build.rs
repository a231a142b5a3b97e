//! Writes the shims that src/generated.rs includes. Gives the shared library its SONAME, the name under which programs
//! find it at run time, and keeps it loaded: its worker threads outlive a `dlclose`.

use std::path::PathBuf;

use affinimath_routines::rust;

fn main() {
    // The table is linked into this program, so that a change of it runs it again.
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    rust::write(&rust::mpi_shims(), &out).expect("the modules are written to cargo's folder");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if matches!(target.as_str(), "linux" | "android" | "freebsd" | "netbsd" | "openbsd" | "dragonfly") {
        let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libaffinimath_mpi.so.{major}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
